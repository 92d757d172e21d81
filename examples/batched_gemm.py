"""C[b] = A[b]^T B[b]; batch and all three extents are known at the launch alone."""

import tilelang.language as T
from example import Example, empty, main, random, wide

CASES = (
    dict(batch=2, m=128, n=128, k=64),
    dict(batch=3, m=70, n=50, k=90),
    dict(batch=1, m=1, n=130, k=17),
)


def batched_gemm(block_m=64, block_n=64, block_k=32):
    batch, m, n, k = (T.dynamic(name) for name in ("batch", "m", "n", "k"))

    @T.prim_func
    def kernel(A: T.Tensor((batch, k, m), "float16"), B: T.Tensor((batch, k, n), "float16"),
               C: T.Tensor((batch, m, n), "float16")):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), batch, threads=128) as (bx, by, bz):
            a = T.alloc_shared((block_k, block_m), "float16")
            b = T.alloc_shared((block_k, block_n), "float16")
            acc = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(acc)
            for ko in T.Pipelined(T.ceildiv(k, block_k), num_stages=3):
                T.copy(A[bz, ko * block_k, by * block_m], a)
                T.copy(B[bz, ko * block_k, bx * block_n], b)
                T.gemm(a, b, acc, transpose_A=True)
            T.copy(acc, C[bz, by * block_m, bx * block_n])

    return kernel


def example(batch, m, n, k):
    a, b = random((batch, k, m), scale=0.25), random((batch, k, n))
    return Example(batched_gemm(), {"A": a, "B": b, "C": empty((batch, m, n))},
                   {"C": wide(a).swapaxes(1, 2) @ wide(b)})


if __name__ == "__main__":
    main(example, CASES)
