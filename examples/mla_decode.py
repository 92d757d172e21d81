"""Decoding with multi-head latent attention: 512 latent dimensions that are keys and values at once, and 64
rotary dimensions of the keys alone; all query heads share them."""

import math

import tilelang.language as T
from example import Example, empty, main, random, softmax, wide

CASES = (
    dict(batch=2, heads=16, length=128),
    dict(batch=1, heads=24, length=100),
)


def mla_decode(batch, heads, length, dim=512, rope_dim=64, rows=16, block_n=32):
    scale = math.log2(math.e) / math.sqrt(dim + rope_dim)

    @T.prim_func
    def kernel(Q: T.Tensor((batch, heads, dim), "float16"), QRope: T.Tensor((batch, heads, rope_dim), "float16"),
               KV: T.Tensor((batch, length, dim), "float16"), KRope: T.Tensor((batch, length, rope_dim), "float16"),
               O: T.Tensor((batch, heads, dim), "float16")):
        with T.Kernel(T.ceildiv(heads, rows), batch, threads=128) as (bx, by):
            q = T.alloc_shared((rows, dim), "float16")
            q_rope = T.alloc_shared((rows, rope_dim), "float16")
            kv = T.alloc_shared((block_n, dim), "float16")
            k_rope = T.alloc_shared((block_n, rope_dim), "float16")
            weights = T.alloc_shared((rows, block_n), "float16")
            scores = T.alloc_fragment((rows, block_n), "float32")
            out = T.alloc_fragment((rows, dim), "float32")
            peak = T.alloc_fragment((rows,), "float32")
            last_peak = T.alloc_fragment((rows,), "float32")
            shrink = T.alloc_fragment((rows,), "float32")
            part = T.alloc_fragment((rows,), "float32")
            total = T.alloc_fragment((rows,), "float32")
            T.copy(Q[by, bx * rows, 0], q)
            T.copy(QRope[by, bx * rows, 0], q_rope)
            T.clear(out)
            T.clear(total)
            T.fill(peak, -T.infinity("float32"))
            for t in T.Pipelined(T.ceildiv(length, block_n), num_stages=2):
                T.copy(KV[by, t * block_n, 0], kv)
                T.copy(KRope[by, t * block_n, 0], k_rope)
                T.clear(scores)
                T.gemm(q, kv, scores, transpose_B=True)
                T.gemm(q_rope, k_rope, scores, transpose_B=True)
                for i, j in T.Parallel(rows, block_n):
                    scores[i, j] = T.if_then_else(t * block_n + j < length, scores[i, j] * scale,
                                                  -T.infinity("float32"))
                T.copy(peak, last_peak)
                T.reduce_max(scores, peak, dim=1, clear=False)
                for i in T.Parallel(rows):
                    shrink[i] = T.exp2(last_peak[i] - peak[i])
                for i, j in T.Parallel(rows, block_n):
                    scores[i, j] = T.exp2(scores[i, j] - peak[i])
                T.reduce_sum(scores, part, dim=1)
                for i in T.Parallel(rows):
                    total[i] = total[i] * shrink[i] + part[i]
                T.copy(scores, weights)
                for i, j in T.Parallel(rows, dim):
                    out[i, j] *= shrink[i]
                T.gemm(weights, kv, out)
            for i, j in T.Parallel(rows, dim):
                out[i, j] /= total[i]
            T.copy(out, O[by, bx * rows, 0])

    return kernel


def example(batch, heads, length, dim=512, rope_dim=64):
    q, q_rope = random((batch, heads, dim)), random((batch, heads, rope_dim))
    kv, k_rope = random((batch, length, dim)), random((batch, length, rope_dim))
    scores = wide(q) @ wide(kv).swapaxes(1, 2) + wide(q_rope) @ wide(k_rope).swapaxes(1, 2)
    want = softmax(scores / math.sqrt(dim + rope_dim)) @ wide(kv)
    arguments = {"Q": q, "QRope": q_rope, "KV": kv, "KRope": k_rope, "O": empty(q.shape)}
    return Example(mla_decode(batch, heads, length), arguments, {"O": want})


if __name__ == "__main__":
    main(example, CASES)
