"""Attention over the tiles that a mask in global memory names; what it leaves out is neither read nor computed."""

import math

import numpy as np
import tilelang.language as T
from example import Example, empty, integers, main, random, softmax, wide

CASES = (
    dict(length=256, heads=2, dim=64),
    dict(length=180, heads=1, dim=64),
)
BLOCK = 64


def block_sparse_attention(heads, length, dim):
    scale = math.log2(math.e) / math.sqrt(dim)
    blocks = (length + BLOCK - 1) // BLOCK
    shape = (heads, length, dim)

    @T.prim_func
    def kernel(Q: T.Tensor(shape, "float16"), K: T.Tensor(shape, "float16"), V: T.Tensor(shape, "float16"),
               Mask: T.Tensor((heads, blocks, blocks), "int8"), O: T.Tensor(shape, "float16")):
        with T.Kernel(blocks, heads, threads=128) as (bx, by):
            q = T.alloc_shared((BLOCK, dim), "float16")
            k = T.alloc_shared((BLOCK, dim), "float16")
            v = T.alloc_shared((BLOCK, dim), "float16")
            weights = T.alloc_fragment((BLOCK, BLOCK), "float16")
            scores = T.alloc_fragment((BLOCK, BLOCK), "float32")
            out = T.alloc_fragment((BLOCK, dim), "float32")
            peak = T.alloc_fragment((BLOCK,), "float32")
            last_peak = T.alloc_fragment((BLOCK,), "float32")
            part = T.alloc_fragment((BLOCK,), "float32")
            total = T.alloc_fragment((BLOCK,), "float32")
            T.copy(Q[by, bx * BLOCK, 0], q)
            T.clear(out)
            T.clear(total)
            T.fill(peak, -1e30)
            for t in T.serial(bx + 1):
                if Mask[by, bx, t] != 0:
                    T.copy(K[by, t * BLOCK, 0], k)
                    T.copy(V[by, t * BLOCK, 0], v)
                    T.gemm(q, k, scores, transpose_B=True, clear_accum=True)
                    for i, j in T.Parallel(BLOCK, BLOCK):
                        scores[i, j] = T.if_then_else(bx * BLOCK + i >= t * BLOCK + j, scores[i, j] * scale, -1e30)
                    T.copy(peak, last_peak)
                    T.reduce_max(scores, peak, dim=1, clear=False)
                    for i, j in T.Parallel(BLOCK, BLOCK):
                        scores[i, j] = T.exp2(scores[i, j] - peak[i])
                    T.reduce_sum(scores, part, dim=1)
                    for i in T.Parallel(BLOCK):
                        last_peak[i] = T.exp2(last_peak[i] - peak[i])
                        total[i] = total[i] * last_peak[i] + part[i]
                    for i, j in T.Parallel(BLOCK, dim):
                        out[i, j] *= last_peak[i]
                    T.copy(scores, weights)
                    T.gemm(weights, v, out)
            for i, j in T.Parallel(BLOCK, dim):
                out[i, j] = T.if_then_else(total[i] > 0, out[i, j] / total[i], 0)
            T.copy(out, O[by, bx * BLOCK, 0])

    return kernel


def example(length, heads, dim):
    q, k, v = (random((heads, length, dim), seed=seed) for seed in range(3))
    blocks = -(-length // BLOCK)
    mask = integers(0, 2, (heads, blocks, blocks), "int8")
    mask[0, -1] = 0  # rows that see nothing are zero
    seen = np.repeat(np.repeat(mask, BLOCK, 1), BLOCK, 2)[:, :length, :length] & np.tri(length, dtype=np.int8)
    scores = np.where(seen, wide(q) @ wide(k).swapaxes(1, 2) / math.sqrt(dim), -np.inf)
    arguments = {"Q": q, "K": k, "V": v, "Mask": mask, "O": empty(q.shape)}
    return Example(block_sparse_attention(heads, length, dim), arguments, {"O": softmax(scores) @ wide(v)})


if __name__ == "__main__":
    main(example, CASES)
