"""Layer normalisation with gain and shift; the number of rows is known at the launch alone."""

import numpy as np
import tilelang.language as T
from example import Example, empty, main, random, wide

CASES = (
    dict(m=64, n=512, dtype="float16"),
    dict(m=43, n=300, dtype="bfloat16"),
    dict(m=1, n=96, dtype="float32"),
)
EPSILON = 1e-5


def layernorm(n, dtype, rows=8):
    m = T.dynamic("m")

    @T.prim_func
    def kernel(X: T.Tensor((m, n), dtype), Gain: T.Tensor((n,), dtype), Shift: T.Tensor((n,), dtype),
               Y: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(m, rows), threads=128) as bx:
            x = T.alloc_fragment((rows, n), "float32")
            square = T.alloc_fragment((rows, n), "float32")
            gain = T.alloc_fragment((n,), "float32")
            shift = T.alloc_fragment((n,), "float32")
            mean = T.alloc_fragment((rows,), "float32")
            variance = T.alloc_fragment((rows,), "float32")
            T.copy(X[bx * rows, 0], x)
            T.copy(Gain, gain)
            T.copy(Shift, shift)
            T.reduce_sum(x, mean, dim=1)
            for i, j in T.Parallel(rows, n):
                x[i, j] = x[i, j] - mean[i] / n
                square[i, j] = x[i, j] * x[i, j]
            T.reduce_sum(square, variance, dim=1)
            for i, j in T.Parallel(rows, n):
                x[i, j] = x[i, j] * T.rsqrt(variance[i] / n + EPSILON) * gain[j] + shift[j]
            T.copy(x, Y[bx * rows, 0])

    return kernel


def example(m, n, dtype):
    x, gain, shift = random((m, n), dtype, scale=2), random((n,), dtype), random((n,), dtype, seed=1)
    a = wide(x)
    centred = a - a.mean(1, keepdims=True)
    want = centred / np.sqrt((centred**2).mean(1, keepdims=True) + EPSILON) * wide(gain) + wide(shift)
    return Example(layernorm(n, dtype), {"X": x, "Gain": gain, "Shift": shift, "Y": empty((m, n), dtype)}, {"Y": want})


if __name__ == "__main__":
    main(example, CASES)
