"""The gated activation of a feed-forward block: both halves of the same tensor's rows."""

import numpy as np
import tilelang.language as T
from example import Example, empty, main, random, wide

CASES = (
    dict(m=64, n=256, dtype="float16"),
    dict(m=50, n=136, dtype="bfloat16"),
    dict(m=3, n=33, dtype="float32"),
)


def silu_and_mul(m, n, dtype, rows=32, columns=64):
    @T.prim_func
    def kernel(X: T.Tensor((m, 2 * n), dtype), Y: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(n, columns), T.ceildiv(m, rows), threads=128) as (bx, by):
            gate = T.alloc_fragment((rows, columns), "float32")
            up = T.alloc_fragment((rows, columns), "float32")
            T.copy(X[by * rows, bx * columns], gate)
            T.copy(X[by * rows, n + bx * columns], up)
            for i, j in T.Parallel(rows, columns):
                up[i, j] *= gate[i, j] * T.sigmoid(gate[i, j])
            T.copy(up, Y[by * rows, bx * columns])

    return kernel


def example(m, n, dtype):
    x = random((m, 2 * n), dtype, scale=2)
    gate, up = np.split(wide(x), 2, axis=1)
    return Example(silu_and_mul(m, n, dtype), {"X": x, "Y": empty((m, n), dtype)}, {"Y": gate / (1 + np.exp(-gate)) * up})


if __name__ == "__main__":
    main(example, CASES)
