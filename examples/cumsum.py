"""Running sums along rows longer than a tile: each tile's own scan, and what the tiles before came to."""

import numpy as np
import tilelang.language as T
from example import Example, empty, integers, main, random, wide

CASES = (
    dict(m=16, n=512, dtype="float32"),
    dict(m=11, n=301, dtype="float32"),
    dict(m=9, n=200, dtype="int32"),
)


def cumsum(m, n, dtype, rows=8, columns=64):
    @T.prim_func
    def kernel(X: T.Tensor((m, n), dtype), Y: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(m, rows), threads=128) as bx:
            x = T.alloc_shared((rows, columns), dtype)
            scanned = T.alloc_shared((rows, columns), dtype)
            before = T.alloc_fragment((rows,), dtype)
            T.clear(before)
            for k in T.serial(T.ceildiv(n, columns)):
                T.copy(X[bx * rows, k * columns], x)
                T.cumsum(x, scanned, dim=1)
                for i, j in T.Parallel(rows, columns):
                    scanned[i, j] += before[i]
                T.copy(scanned, Y[bx * rows, k * columns])
                for i in T.Parallel(rows):
                    before[i] = scanned[i, columns - 1]

    return kernel


def example(m, n, dtype):
    x = integers(-1000, 1000, (m, n), dtype) if dtype == "int32" else random((m, n), dtype)
    return Example(cumsum(m, n, dtype), {"X": x, "Y": empty((m, n), dtype)}, {"Y": np.cumsum(wide(x), axis=1)})


if __name__ == "__main__":
    main(example, CASES)
