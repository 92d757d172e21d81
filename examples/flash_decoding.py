"""One new token against a cache of its own length for each sequence: the keys split over blocks, then merged."""

import math

import numpy as np
import tilelang.language as T
from example import Example, empty, main, random, softmax, wide

CASES = (
    dict(lengths=(256, 256), heads=16, kv_heads=1, dim=64, splits=2),
    dict(lengths=(200, 1, 77), heads=8, kv_heads=2, dim=128, splits=4),
)
ROWS = 16  # the query heads of one key head are the rows of a tile; the cube takes 16 at once


def flash_decoding(batch, capacity, heads, kv_heads, dim, splits, block_n=64):
    scale = math.log2(math.e) / math.sqrt(dim)
    group = heads // kv_heads
    chunk = (capacity + splits * block_n - 1) // (splits * block_n) * block_n

    @T.prim_func
    def kernel(Q: T.Tensor((batch, kv_heads, group, dim), "float16"),
               K: T.Tensor((batch, capacity, kv_heads, dim), "float16"),
               V: T.Tensor((batch, capacity, kv_heads, dim), "float16"), Length: T.Tensor((batch,), "int32"),
               O: T.Tensor((batch, kv_heads, group, dim), "float16")):
        Part = T.alloc_global((batch, kv_heads, splits, ROWS, dim), "float32")
        Lse = T.alloc_global((batch, kv_heads, splits, ROWS), "float32")
        with T.Kernel(splits, kv_heads, batch, threads=128) as (split, head, sequence):
            q = T.alloc_shared((ROWS, dim), "float16")
            k = T.alloc_shared((block_n, dim), "float16")
            v = T.alloc_shared((block_n, dim), "float16")
            weights = T.alloc_shared((ROWS, block_n), "float16")
            scores = T.alloc_fragment((ROWS, block_n), "float32")
            out = T.alloc_fragment((ROWS, dim), "float32")
            peak = T.alloc_fragment((ROWS,), "float32")
            last_peak = T.alloc_fragment((ROWS,), "float32")
            part = T.alloc_fragment((ROWS,), "float32")
            total = T.alloc_fragment((ROWS,), "float32")
            T.copy(Q[sequence, head, 0:ROWS, :], q)
            T.clear(out)
            T.clear(total)
            T.fill(peak, -1e30)
            length = T.min(Length[sequence] - split * chunk, chunk)  # may be negative: nothing to do
            for t in T.Pipelined(T.ceildiv(T.max(length, 0), block_n), num_stages=2):
                first = split * chunk + t * block_n
                T.copy(K[sequence, first:first + block_n, head, :], k)
                T.copy(V[sequence, first:first + block_n, head, :], v)
                T.gemm(q, k, scores, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(ROWS, block_n):
                    scores[i, j] = T.if_then_else(t * block_n + j < length, scores[i, j] * scale, -1e30)
                T.copy(peak, last_peak)
                T.reduce_max(scores, peak, dim=1, clear=False)
                for i, j in T.Parallel(ROWS, block_n):
                    scores[i, j] = T.exp2(scores[i, j] - peak[i])
                T.reduce_sum(scores, part, dim=1)
                for i in T.Parallel(ROWS):
                    total[i] = total[i] * T.exp2(last_peak[i] - peak[i]) + part[i]
                for i, j in T.Parallel(ROWS, dim):
                    out[i, j] = out[i, j] * T.exp2(last_peak[i] - peak[i])
                T.copy(scores, weights)
                T.gemm(weights, v, out)
            for i, j in T.Parallel(ROWS, dim):
                out[i, j] = T.if_then_else(total[i] > 0, out[i, j] / total[i], 0)
            for i in T.Parallel(ROWS):
                total[i] = T.if_then_else(total[i] > 0, T.log2(total[i]) + peak[i], -1e30)
            T.copy(out, Part[sequence, head, split, :, :])
            T.copy(total, Lse[sequence, head, split, :])
        with T.Kernel(kv_heads, batch, threads=128) as (head, sequence):
            lse = T.alloc_fragment((splits, ROWS), "float32")
            peak = T.alloc_fragment((ROWS,), "float32")
            total = T.alloc_fragment((ROWS,), "float32")
            part = T.alloc_fragment((ROWS, dim), "float32")
            out = T.alloc_fragment((ROWS, dim), "float32")
            T.copy(Lse[sequence, head, :, :], lse)
            T.reduce_max(lse, peak, dim=0)
            for z, i in T.Parallel(splits, ROWS):
                lse[z, i] = T.exp2(lse[z, i] - peak[i])
            T.reduce_sum(lse, total, dim=0)
            T.clear(out)
            for z in T.serial(splits):
                T.copy(Part[sequence, head, z, :, :], part)
                for i, j in T.Parallel(ROWS, dim):
                    out[i, j] += part[i, j] * lse[z, i] / total[i]
            T.copy(out, O[sequence, head, 0:ROWS, :])

    return kernel


def example(lengths, heads, kv_heads, dim, splits):
    batch, capacity, group = len(lengths), max(lengths), heads // kv_heads
    q = random((batch, kv_heads, group, dim))
    k, v = (random((batch, capacity, kv_heads, dim), seed=seed) for seed in (1, 2))
    want = np.zeros(q.shape)
    for sequence, length in enumerate(lengths):
        for head in range(kv_heads):
            scores = wide(q[sequence, head]) @ wide(k[sequence, :length, head]).T / math.sqrt(dim)
            want[sequence, head] = softmax(scores) @ wide(v[sequence, :length, head])
    arguments = {"Q": q, "K": k, "V": v, "Length": np.array(lengths, np.int32), "O": empty(q.shape)}
    return Example(flash_decoding(batch, capacity, heads, kv_heads, dim, splits), arguments, {"O": want})


if __name__ == "__main__":
    main(example, CASES)
