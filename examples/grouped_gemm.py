"""One product for each expert, over rows that a table of offsets groups; a group may be empty."""

import numpy as np
import tilelang.language as T
from example import Example, empty, main, random, wide

CASES = (
    dict(sizes=(64, 64, 128), n=128, k=64),
    dict(sizes=(37, 0, 90, 1), n=100, k=72),
)


def grouped_gemm(rows, groups, n, k, most, block_m=64, block_n=64, block_k=32):
    """`most` is the number of rows in the largest group."""

    @T.prim_func
    def kernel(A: T.Tensor((rows, k), "float16"), B: T.Tensor((groups, n, k), "float16"),
               Offset: T.Tensor((groups + 1,), "int32"), C: T.Tensor((rows, n), "float16")):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(most, block_m), groups, threads=128) as (bx, by, group):
            a = T.alloc_shared((block_m, block_k), "float16")
            b = T.alloc_shared((block_n, block_k), "float16")
            acc = T.alloc_fragment((block_m, block_n), "float32")
            first = Offset[group] + by * block_m
            count = T.min(Offset[group + 1] - first, block_m)
            if count > 0:
                T.clear(acc)
                for ko in T.Pipelined(T.ceildiv(k, block_k), num_stages=2):
                    T.copy(A[first:first + block_m, ko * block_k:(ko + 1) * block_k], a)
                    T.copy(B[group, bx * block_n, ko * block_k], b)
                    T.gemm(a, b, acc, transpose_B=True)
                for i, j in T.Parallel(block_m, block_n):
                    if i < count and bx * block_n + j < n:
                        C[first + i, bx * block_n + j] = acc[i, j]

    return kernel


def example(sizes, n, k):
    rows, groups = sum(sizes), len(sizes)
    a, b = random((rows, k), scale=0.25), random((groups, n, k))
    offset = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    want = np.concatenate([wide(a[offset[g]:offset[g + 1]]) @ wide(b[g]).T for g in range(groups)])
    return Example(grouped_gemm(rows, groups, n, k, max(sizes)),
                   {"A": a, "B": b, "Offset": offset, "C": empty((rows, n))}, {"C": want})


if __name__ == "__main__":
    main(example, CASES)
