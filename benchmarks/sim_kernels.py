"""Kernels whose simulation is measured: a product in large tiles, and attention forward."""

import math

import tilelang.language as T


def gemm(m: int, n: int, k: int, block=(128, 256, 256)):
    """C = A B in half precision."""
    block_m, block_n, block_k = block

    @T.prim_func
    def gemm(A: T.Tensor((m, k), "float16"), B: T.Tensor((k, n), "float16"), C: T.Tensor((m, n), "float16")):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
            a_tile = T.alloc_shared((block_m, block_k), "float16")
            b_tile = T.alloc_shared((block_k, block_n), "float16")
            acc = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(acc)
            for step in T.Pipelined(T.ceildiv(k, block_k), num_stages=2):
                T.copy(A[by * block_m, step * block_k], a_tile)
                T.copy(B[step * block_k, bx * block_n], b_tile)
                T.gemm(a_tile, b_tile, acc)
            T.copy(acc, C[by * block_m, bx * block_n])

    return gemm


def attention(heads: int, length: int, dim: int, tile: int = 128):
    """Online softmax over tiles of keys."""
    to_log2 = math.log2(math.e) / math.sqrt(dim)

    @T.prim_func
    def attention(Q: T.Tensor((heads, length, dim), "float16"), K: T.Tensor((heads, length, dim), "float16"),
                  V: T.Tensor((heads, length, dim), "float16"), O: T.Tensor((heads, length, dim), "float16")):
        with T.Kernel(length // tile, heads, threads=128) as (bx, head):
            q = T.alloc_shared((tile, dim), "float16")
            k = T.alloc_shared((tile, dim), "float16")
            v = T.alloc_shared((tile, dim), "float16")
            s = T.alloc_fragment((tile, tile), "float32")
            p = T.alloc_fragment((tile, tile), "float16")
            out = T.alloc_fragment((tile, dim), "float32")
            peak = T.alloc_fragment((tile,), "float32")
            last_peak = T.alloc_fragment((tile,), "float32")
            shrink = T.alloc_fragment((tile,), "float32")
            part = T.alloc_fragment((tile,), "float32")
            total = T.alloc_fragment((tile,), "float32")
            T.copy(Q[head, bx * tile:(bx + 1) * tile, :], q)
            T.fill(out, 0)
            T.fill(total, 0)
            T.fill(peak, -T.infinity("float32"))
            for t in T.Pipelined(length // tile, num_stages=2):
                T.copy(K[head, t * tile:(t + 1) * tile, :], k)
                T.gemm(q, k, s, transpose_B=True, clear_accum=True)
                T.copy(peak, last_peak)
                T.reduce_max(s, peak, dim=1, clear=False)
                for i in T.Parallel(tile):
                    shrink[i] = T.exp2((last_peak[i] - peak[i]) * to_log2)
                for i, j in T.Parallel(tile, tile):
                    s[i, j] = T.exp2((s[i, j] - peak[i]) * to_log2)
                T.reduce_sum(s, part, dim=1)
                for i in T.Parallel(tile):
                    total[i] = total[i] * shrink[i] + part[i]
                for i, j in T.Parallel(tile, dim):
                    out[i, j] *= shrink[i]
                T.copy(s, p)
                T.copy(V[head, t * tile:(t + 1) * tile, :], v)
                T.gemm(p, v, out)
            for i, j in T.Parallel(tile, dim):
                out[i, j] /= total[i]
            T.copy(out, O[head, bx * tile:(bx + 1) * tile, :])

    return attention
