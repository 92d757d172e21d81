"""K split over blocks: each adds its part of the product atomically into float32."""

import tilelang.language as T
from example import Example, main, random, wide, zeros

CASES = (
    dict(m=64, n=128, k=1024, split=4, dtype="float16"),
    dict(m=40, n=100, k=300, split=3, dtype="bfloat16"),
)


def gemm_split_k(m, n, k, split, dtype, block_m=64, block_n=64, block_k=32):
    steps = (k + block_k - 1) // block_k
    chunk = (steps + split - 1) // split  # k-steps of a block; the last may have fewer

    @T.prim_func
    def kernel(A: T.Tensor((m, k), dtype), B: T.Tensor((n, k), dtype), C: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), split, threads=128) as (bx, by, bz):
            a = T.alloc_shared((block_m, block_k), dtype)
            b = T.alloc_shared((block_n, block_k), dtype)
            acc = T.alloc_fragment((block_m, block_n), "float32")
            acc_shared = T.alloc_shared((block_m, block_n), "float32")
            T.clear(acc)
            for ko in T.Pipelined(T.min(chunk, steps - bz * chunk), num_stages=3):
                T.copy(A[by * block_m, (bz * chunk + ko) * block_k], a)
                T.copy(B[bx * block_n, (bz * chunk + ko) * block_k], b)
                T.gemm(a, b, acc, transpose_B=True)
            T.copy(acc, acc_shared)
            T.atomic_add(C[by * block_m, bx * block_n], acc_shared)

    return kernel


def example(m, n, k, split, dtype):
    a, b = random((m, k), dtype, scale=0.25), random((n, k), dtype)
    return Example(gemm_split_k(m, n, k, split, dtype), {"A": a, "B": b, "C": zeros((m, n))},
                   {"C": wide(a) @ wide(b).T}, 1e-4)


if __name__ == "__main__":
    main(example, CASES)
