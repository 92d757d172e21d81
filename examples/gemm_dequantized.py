"""C = A (q - zero) scale with weights of 8 or 4 bits; of the latter two lie in one byte, the even column low."""

import numpy as np
import tilelang.language as T
from example import Example, empty, integers, main, random, wide

CASES = (
    dict(m=64, n=128, k=128, bits=8),
    dict(m=40, n=72, k=160, bits=8),
    dict(m=64, n=64, k=128, bits=4),
    dict(m=33, n=100, k=192, bits=4),
)
GROUP = 32  # columns that share a scale


def gemm_int8(m, n, k, block_m=64, block_n=64):
    """One scale per output column, applied to the accumulator."""

    @T.prim_func
    def kernel(A: T.Tensor((m, k), "float16"), W: T.Tensor((n, k), "int8"), Scale: T.Tensor((n,), "float16"),
               C: T.Tensor((m, n), "float16")):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
            a = T.alloc_shared((block_m, GROUP), "float16")
            w = T.alloc_shared((block_n, GROUP), "int8")
            b = T.alloc_shared((block_n, GROUP), "float16")
            scale = T.alloc_shared((block_n,), "float16")
            acc = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(acc)
            for ko in T.Pipelined(T.ceildiv(k, GROUP), num_stages=2):
                T.copy(A[by * block_m, ko * GROUP], a)
                T.copy(W[bx * block_n, ko * GROUP], w)
                T.copy(w, b)
                T.gemm(a, b, acc, transpose_B=True)
            T.copy(Scale[bx * block_n], scale)
            for i, j in T.Parallel(block_m, block_n):
                acc[i, j] *= scale[j]
            T.copy(acc, C[by * block_m, bx * block_n])

    return kernel


def gemm_int4(m, n, k, block_m=64, block_n=32):
    """A scale and a zero point per group, applied on the way to the operand."""

    @T.prim_func
    def kernel(A: T.Tensor((m, k), "float16"), W: T.Tensor((n, k // 2), "uint8"),
               Scale: T.Tensor((n, k // GROUP), "float16"), Zero: T.Tensor((n, k // GROUP), "float16"),
               C: T.Tensor((m, n), "float16")):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
            a = T.alloc_shared((block_m, GROUP), "float16")
            w = T.alloc_shared((block_n, GROUP // 2), "uint8")
            b = T.alloc_shared((block_n, GROUP), "float16")
            acc = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(acc)
            for ko in T.Pipelined(k // GROUP, num_stages=2):
                T.copy(A[by * block_m, ko * GROUP], a)
                T.copy(W[bx * block_n, ko * (GROUP // 2)], w)
                for i, j in T.Parallel(block_n, GROUP):
                    nibble = T.bitwise_and(T.shift_right(w[i, j // 2], T.cast(j % 2 * 4, "uint8")), T.uint8(15))
                    b[i, j] = (T.cast(nibble, "float16") - Zero[bx * block_n + i, ko]) * Scale[bx * block_n + i, ko]
                T.gemm(a, b, acc, transpose_B=True)
            T.copy(acc, C[by * block_m, bx * block_n])

    return kernel


def example(m, n, k, bits):
    a = random((m, k), scale=0.25)
    if bits == 8:
        w, scale = integers(-128, 128, (n, k), "int8"), (random((n,), scale=0.01))
        return Example(gemm_int8(m, n, k), {"A": a, "W": w, "Scale": scale, "C": empty((m, n))},
                       {"C": wide(a) @ wide(w).T * wide(scale)})
    w, shape = integers(0, 16, (n, k), "uint8"), (n, k // GROUP)
    scale, zero = (2.0 ** integers(-4, 0, shape)).astype(np.float16), integers(6, 10, shape, "float16")
    b = (wide(w) - np.repeat(wide(zero), GROUP, 1)) * np.repeat(wide(scale), GROUP, 1)
    return Example(gemm_int4(m, n, k),
                   {"A": a, "W": w[:, ::2] | w[:, 1::2] << 4, "Scale": scale, "Zero": zero, "C": empty((m, n))},
                   {"C": wide(a) @ b.T})


if __name__ == "__main__":
    main(example, CASES)
