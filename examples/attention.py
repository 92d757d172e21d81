"""Attention forward, (batch, length, heads, dim): online softmax, causal or not, grouped query heads, any lengths.

A causal query sees the keys up to its own position, counted from the end, as in decoding with a
cache: query i of M sees keys 0 .. N - M + i.
"""

import math

import numpy as np
import tilelang.language as T
from example import Example, empty, main, random, softmax, wide

CASES = (
    dict(q_len=128, kv_len=128, heads=2, kv_heads=2, dim=64, causal=False, dtype="float16"),
    dict(q_len=192, kv_len=192, heads=2, kv_heads=1, dim=128, causal=True, dtype="bfloat16"),
    dict(q_len=100, kv_len=170, heads=2, kv_heads=1, dim=64, causal=True, dtype="float16"),
    dict(q_len=33, kv_len=75, heads=1, kv_heads=1, dim=128, causal=False, dtype="float16"),
)


def attention(batch, q_len, kv_len, heads, kv_heads, dim, causal, dtype, block_m=64, block_n=64):
    scale = math.log2(math.e) / math.sqrt(dim)
    group, past = heads // kv_heads, kv_len - q_len

    @T.prim_func
    def kernel(Q: T.Tensor((batch, q_len, heads, dim), dtype), K: T.Tensor((batch, kv_len, kv_heads, dim), dtype),
               V: T.Tensor((batch, kv_len, kv_heads, dim), dtype), O: T.Tensor((batch, q_len, heads, dim), dtype),
               Lse: T.Tensor((batch, heads, q_len), "float32")):
        with T.Kernel(T.ceildiv(q_len, block_m), heads, batch, threads=128) as (bx, by, bz):
            q = T.alloc_shared((block_m, dim), dtype)
            k = T.alloc_shared((block_n, dim), dtype)
            v = T.alloc_shared((block_n, dim), dtype)
            scores = T.alloc_fragment((block_m, block_n), "float32")
            weights = T.alloc_fragment((block_m, block_n), dtype)
            out = T.alloc_fragment((block_m, dim), "float32")
            peak = T.alloc_fragment((block_m,), "float32")
            last_peak = T.alloc_fragment((block_m,), "float32")
            shrink = T.alloc_fragment((block_m,), "float32")
            part = T.alloc_fragment((block_m,), "float32")
            total = T.alloc_fragment((block_m,), "float32")

            T.copy(Q[bz, bx * block_m:(bx + 1) * block_m, by, :], q)
            T.fill(out, 0)
            T.fill(total, 0)
            T.fill(peak, -T.infinity("float32"))
            steps = (T.min(T.ceildiv(kv_len, block_n), T.ceildiv((bx + 1) * block_m + past, block_n))
                     if causal else T.ceildiv(kv_len, block_n))
            for t in T.Pipelined(steps, num_stages=2):
                T.copy(K[bz, t * block_n:(t + 1) * block_n, by // group, :], k)
                for i, j in T.Parallel(block_m, block_n):
                    last = bx * block_m + i + past if causal else kv_len - 1
                    scores[i, j] = T.if_then_else(t * block_n + j <= T.min(last, kv_len - 1), 0,
                                                  -T.infinity("float32"))
                T.gemm(q, k, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(peak, last_peak)
                T.reduce_max(scores, peak, dim=1, clear=False)
                for i in T.Parallel(block_m):
                    shrink[i] = T.exp2(last_peak[i] * scale - peak[i] * scale)
                for i, j in T.Parallel(block_m, block_n):
                    scores[i, j] = T.exp2(scores[i, j] * scale - peak[i] * scale)
                T.reduce_sum(scores, part, dim=1)
                for i in T.Parallel(block_m):
                    total[i] = total[i] * shrink[i] + part[i]
                T.copy(scores, weights)
                for i, j in T.Parallel(block_m, dim):
                    out[i, j] *= shrink[i]
                T.copy(V[bz, t * block_n:(t + 1) * block_n, by // group, :], v)
                T.gemm(weights, v, out, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(block_m, dim):
                out[i, j] /= total[i]
            T.copy(out, O[bz, bx * block_m:(bx + 1) * block_m, by, :])
            for i in T.Parallel(block_m):
                total[i] = T.log2(total[i]) + peak[i] * scale
            T.copy(total, Lse[bz, by, bx * block_m:(bx + 1) * block_m])

    return kernel


def reference(q, k, v, causal):
    """Outputs (batch, length, heads, dim), and log2 of the sums of exponentials."""
    q, k, v = (wide(x).swapaxes(1, 2) for x in (q, k, v))
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], axis=1) for x in (k, v))
    scores = q @ k.swapaxes(2, 3) / math.sqrt(q.shape[3])
    if causal:
        scores = np.where(np.tri(*scores.shape[2:], k=k.shape[2] - q.shape[2], dtype=bool), scores, -np.inf)
    return (softmax(scores) @ v).swapaxes(1, 2), np.log2(np.exp(scores).sum(3))


def example(q_len, kv_len, heads, kv_heads, dim, causal, dtype, batch=1):
    q = random((batch, q_len, heads, dim), dtype)
    k, v = (random((batch, kv_len, kv_heads, dim), dtype, seed=seed) for seed in (1, 2))
    out, lse = reference(q, k, v, causal)
    arguments = {"Q": q, "K": k, "V": v, "O": empty(q.shape, dtype), "Lse": empty(lse.shape, "float32")}
    return Example(attention(batch, q_len, kv_len, heads, kv_heads, dim, causal, dtype), arguments,
                   {"O": out, "Lse": lse}, 1e-2 if dtype == "bfloat16" else 2e-3)


if __name__ == "__main__":
    main(example, CASES)
