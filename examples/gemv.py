"""y = A x on the vector unit: products of a tile of rows with x, summed along the row."""

import tilelang.language as T
from example import Example, empty, main, random, wide

CASES = (
    dict(n=64, k=512, dtype="float16"),
    dict(n=45, k=300, dtype="bfloat16"),
    dict(n=7, k=130, dtype="float32"),
)


def gemv(n, k, dtype, rows=16, block_k=128):
    @T.prim_func
    def kernel(A: T.Tensor((n, k), dtype), X: T.Tensor((k,), dtype), Y: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, rows), threads=128) as bx:
            a = T.alloc_shared((rows, block_k), dtype)
            x = T.alloc_shared((block_k,), dtype)
            product = T.alloc_fragment((rows, block_k), "float32")
            acc = T.alloc_fragment((rows,), "float32")
            T.clear(acc)
            for ko in T.Pipelined(T.ceildiv(k, block_k), num_stages=2):
                T.copy(A[bx * rows, ko * block_k], a)
                T.copy(X[ko * block_k], x)
                for i, j in T.Parallel(rows, block_k):
                    product[i, j] = T.cast(a[i, j], "float32") * T.cast(x[j], "float32")
                T.reduce_sum(product, acc, dim=1, clear=False)
            T.copy(acc, Y[bx * rows])

    return kernel


def example(n, k, dtype):
    a, x = random((n, k), dtype, scale=0.25), random((k,), dtype)
    return Example(gemv(n, k, dtype), {"A": a, "X": x, "Y": empty((n,), dtype)}, {"Y": wide(a) @ wide(x)})


if __name__ == "__main__":
    main(example, CASES)
