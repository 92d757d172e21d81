"""Attention backward: dV and dK stay on chip for one tile of keys, dQ is added atomically."""

import math

import numpy as np
import tilelang.language as T
from example import Example, empty, main, random, softmax, wide, zeros

CASES = (
    dict(length=128, heads=2, dim=64, causal=False, dtype="float16"),
    dict(length=150, heads=1, dim=64, causal=True, dtype="float16"),
    dict(length=96, heads=1, dim=128, causal=True, dtype="bfloat16"),
)


def attention_backward(heads, length, dim, causal, dtype, block_m=64, block_n=64):
    scale = 1 / math.sqrt(dim)
    shape = (heads, length, dim)

    @T.prim_func
    def kernel(Q: T.Tensor(shape, dtype), K: T.Tensor(shape, dtype), V: T.Tensor(shape, dtype),
               O: T.Tensor(shape, dtype), dO: T.Tensor(shape, dtype), Lse: T.Tensor((heads, length), "float32"),
               Delta: T.Tensor((heads, length), "float32"), dQ: T.Tensor(shape, "float32"),
               dK: T.Tensor(shape, dtype), dV: T.Tensor(shape, dtype)):
        # Delta[i] = sum over j of O[i, j] * dO[i, j]
        with T.Kernel(T.ceildiv(length, block_m), heads, threads=128) as (bx, by):
            o = T.alloc_fragment((block_m, dim), "float32")
            do = T.alloc_fragment((block_m, dim), "float32")
            delta = T.alloc_fragment((block_m,), "float32")
            T.copy(O[by, bx * block_m, 0], o)
            T.copy(dO[by, bx * block_m, 0], do)
            for i, j in T.Parallel(block_m, dim):
                o[i, j] *= do[i, j]
            T.reduce_sum(o, delta, dim=1)
            T.copy(delta, Delta[by, bx * block_m])
        with T.Kernel(T.ceildiv(length, block_n), heads, threads=128) as (bx, by):
            k = T.alloc_shared((block_n, dim), dtype)
            v = T.alloc_shared((block_n, dim), dtype)
            q = T.alloc_shared((block_m, dim), dtype)
            do = T.alloc_shared((block_m, dim), dtype)
            p = T.alloc_shared((block_n, block_m), dtype)
            ds = T.alloc_shared((block_n, block_m), dtype)
            lse = T.alloc_shared((block_m,), "float32")
            delta = T.alloc_shared((block_m,), "float32")
            scores = T.alloc_fragment((block_n, block_m), "float32")
            dp = T.alloc_fragment((block_n, block_m), "float32")
            dq = T.alloc_fragment((block_m, dim), "float32")
            dk = T.alloc_fragment((block_n, dim), "float32")
            dv = T.alloc_fragment((block_n, dim), "float32")
            T.copy(K[by, bx * block_n, 0], k)
            T.copy(V[by, bx * block_n, 0], v)
            T.clear(dk)
            T.clear(dv)
            first = bx * block_n // block_m if causal else 0
            for t in T.Pipelined(first, T.ceildiv(length, block_m), num_stages=2):
                T.copy(Q[by, t * block_m, 0], q)
                T.copy(dO[by, t * block_m, 0], do)
                T.copy(Lse[by, t * block_m], lse)
                T.copy(Delta[by, t * block_m], delta)
                T.clear(scores)
                T.gemm(k, q, scores, transpose_B=True)
                for i, j in T.Parallel(block_n, block_m):
                    scores[i, j] = T.exp2(scores[i, j] * (scale * math.log2(math.e)) - lse[j])
                    if causal:
                        scores[i, j] = T.if_then_else(bx * block_n + i <= t * block_m + j, scores[i, j], 0)
                T.copy(scores, p)
                T.gemm(p, do, dv)
                T.clear(dp)
                T.gemm(v, do, dp, transpose_B=True)
                for i, j in T.Parallel(block_n, block_m):
                    ds[i, j] = scores[i, j] * (dp[i, j] - delta[j]) * scale
                T.gemm(ds, q, dk)
                T.clear(dq)
                T.gemm(ds, k, dq, transpose_A=True)
                T.atomic_add(dQ[by, t * block_m, 0], dq)
            T.copy(dk, dK[by, bx * block_n, 0])
            T.copy(dv, dV[by, bx * block_n, 0])

    return kernel


def example(length, heads, dim, causal, dtype):
    shape = (heads, length, dim)
    q, k, v, do = (random(shape, dtype, scale=0.5, seed=seed) for seed in range(4))
    wq, wk, wv, wdo = (wide(x) for x in (q, k, v, do))
    scores = wq @ wk.swapaxes(1, 2) / math.sqrt(dim)
    if causal:
        scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
    p = softmax(scores)
    o = (p @ wv).astype(q.dtype)
    lse = np.log2(np.exp(scores).sum(2))
    delta = (wide(o) * wdo).sum(2)
    ds = p * (wdo @ wv.swapaxes(1, 2) - delta[..., None]) / math.sqrt(dim)
    arguments = {"Q": q, "K": k, "V": v, "O": o, "dO": do, "Lse": lse.astype(np.float32),
                 "Delta": empty((heads, length), "float32"), "dQ": zeros(shape), "dK": empty(shape, dtype),
                 "dV": empty(shape, dtype)}
    return Example(attention_backward(heads, length, dim, causal, dtype), arguments,
                   {"Delta": delta, "dQ": ds @ wk, "dK": ds.swapaxes(1, 2) @ wq, "dV": p.swapaxes(1, 2) @ wdo},
                   1.6e-2 if dtype == "bfloat16" else 4e-3)


if __name__ == "__main__":
    main(example, CASES)
