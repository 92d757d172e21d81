"""Residual sum and root-mean-square normalisation in one kernel, as decoders have it before every block."""

import numpy as np
import tilelang.language as T
from example import Example, empty, main, random, wide

CASES = (
    dict(m=32, n=1024, dtype="bfloat16"),
    dict(m=21, n=328, dtype="float16"),
)
EPSILON = 1e-6


def rmsnorm(m, n, dtype, rows=4):
    @T.prim_func
    def kernel(X: T.Tensor((m, n), dtype), Residual: T.Tensor((m, n), dtype), Gain: T.Tensor((n,), dtype),
               Sum: T.Tensor((m, n), dtype), Y: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(m, rows), threads=256) as bx:
            x = T.alloc_shared((rows, n), dtype)
            residual = T.alloc_shared((rows, n), dtype)
            gain = T.alloc_shared((1, n), dtype)
            total = T.alloc_fragment((rows, n), "float32")
            square = T.alloc_fragment((rows, n), "float32")
            norm = T.alloc_fragment((rows, 1), "float32")
            T.copy(X[bx * rows, 0], x)
            T.copy(Residual[bx * rows, 0], residual)
            for j in T.Parallel(n):
                gain[0, j] = Gain[j]
            for i, j in T.Parallel(rows, n):
                total[i, j] = T.cast(x[i, j], "float32") + T.cast(residual[i, j], "float32")
                square[i, j] = total[i, j] * total[i, j]
            T.copy(total, Sum[bx * rows, 0])
            T.reduce_sum(square, norm, dim=1)
            for i in T.Parallel(rows):
                norm[i, 0] = 1.0 / T.sqrt(norm[i, 0] / n + EPSILON)
            for i, j in T.Parallel(rows, n):
                Y[bx * rows + i, j] = total[i, j] * norm[i, 0] * T.cast(gain[0, j], "float32")

    return kernel


def example(m, n, dtype):
    x, residual, gain = random((m, n), dtype), random((m, n), dtype, seed=1), random((n,), dtype)
    total = wide(x) + wide(residual)
    want = total / np.sqrt((total**2).mean(1, keepdims=True) + EPSILON) * wide(gain)
    arguments = {"X": x, "Residual": residual, "Gain": gain, "Sum": empty((m, n), dtype), "Y": empty((m, n), dtype)}
    return Example(rmsnorm(m, n, dtype), arguments, {"Sum": total, "Y": want})


if __name__ == "__main__":
    main(example, CASES)
