"""C = activation(A B + bias) + residual, the whole epilogue on the accumulator; every part may be left out."""

import math

import numpy as np
import tilelang.language as T
from example import Example, empty, main, random, wide

CASES = (
    dict(m=128, n=128, k=128, activation="none", bias=True, residual=False, dtype="float16"),
    dict(m=128, n=128, k=96, activation="relu", bias=True, residual=False, dtype="bfloat16"),
    dict(m=100, n=90, k=70, activation="gelu", bias=True, residual=True, dtype="float16"),
    dict(m=65, n=130, k=33, activation="none", bias=False, residual=True, dtype="float32"),
)


def gemm_epilogue(m, n, k, activation, bias, residual, dtype, block_m=64, block_n=64, block_k=32):
    @T.macro
    def activated(x):
        if activation == "relu":
            return T.max(x, 0)
        if activation == "gelu":
            return 0.5 * x * (1.0 + T.erf(x * math.sqrt(0.5)))
        return x

    @T.prim_func
    def kernel(A: T.Tensor((m, k), dtype), B: T.Tensor((k, n), dtype), Bias: T.Tensor((n,), dtype),
               Residual: T.Tensor((m, n), dtype), C: T.Tensor((m, n), dtype)):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
            a = T.alloc_shared((block_m, block_k), dtype)
            b = T.alloc_shared((block_k, block_n), dtype)
            acc = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(acc)
            for ko in T.Pipelined(T.ceildiv(k, block_k), num_stages=2):
                T.copy(A[by * block_m, ko * block_k], a)
                T.copy(B[ko * block_k, bx * block_n], b)
                T.gemm(a, b, acc)
            if bias:
                bias_tile = T.alloc_fragment((block_n,), "float32")
                T.copy(Bias[bx * block_n], bias_tile)
                for i, j in T.Parallel(block_m, block_n):
                    acc[i, j] += bias_tile[j]
            for i, j in T.Parallel(block_m, block_n):
                acc[i, j] = activated(acc[i, j])
            if residual:
                for i, j in T.Parallel(block_m, block_n):
                    acc[i, j] += Residual[by * block_m + i, bx * block_n + j]
            T.copy(acc, C[by * block_m, bx * block_n])

    return kernel


def example(m, n, k, activation, bias, residual, dtype):
    a, b = random((m, k), dtype, scale=0.25), random((k, n), dtype, seed=1)
    shift, rest = random((n,), dtype), random((m, n), dtype, seed=2)
    want = wide(a) @ wide(b) + bias * wide(shift)
    if activation == "relu":
        want = np.maximum(want, 0)
    if activation == "gelu":
        want = 0.5 * want * (1 + np.vectorize(math.erf)(want * math.sqrt(0.5)))
    return Example(gemm_epilogue(m, n, k, activation, bias, residual, dtype),
                   {"A": a, "B": b, "Bias": shift, "Residual": rest, "C": empty((m, n), dtype)},
                   {"C": want + residual * wide(rest)})


if __name__ == "__main__":
    main(example, CASES)
