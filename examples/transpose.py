"""(batch, m, n) to (batch, n, m) by tiles that are turned on chip."""

import tilelang.language as T
from example import Example, empty, integers, main, random, wide

CASES = (
    dict(batch=2, m=64, n=96, dtype="float16"),
    dict(batch=1, m=45, n=70, dtype="bfloat16"),
    dict(batch=1, m=33, n=40, dtype="int32"),
    dict(batch=1, m=50, n=65, dtype="int8"),
)


def transpose(batch, m, n, dtype, tile=32):
    @T.prim_func
    def kernel(X: T.Tensor((batch, m, n), dtype), Y: T.Tensor((batch, n, m), dtype)):
        with T.Kernel(T.ceildiv(n, tile), T.ceildiv(m, tile), batch, threads=128) as (bx, by, bz):
            x = T.alloc_shared((tile, tile), dtype)
            y = T.alloc_fragment((tile, tile), dtype)
            T.copy(X[bz, by * tile, bx * tile], x)
            for i, j in T.Parallel(tile, tile):
                y[i, j] = x[j, i]
            T.copy(y, Y[bz, bx * tile, by * tile])

    return kernel


def example(batch, m, n, dtype):
    x = integers(-100, 100, (batch, m, n), dtype) if dtype.startswith("int") else random((batch, m, n), dtype)
    return Example(transpose(batch, m, n, dtype), {"X": x, "Y": empty((batch, n, m), dtype)},
                   {"Y": wide(x).swapaxes(1, 2)})


if __name__ == "__main__":
    main(example, CASES)
