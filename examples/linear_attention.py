"""Retention, a linear attention that forgets: chunk by chunk, the past decays in a state that the cube updates."""

import numpy as np
import tilelang.language as T
from example import Example, empty, main, random, wide

CASES = (
    dict(heads=2, length=128, dim=64, dtype="float16"),
    dict(heads=3, length=150, dim=32, dtype="bfloat16"),
)


def linear_attention(heads, length, dim, dtype, chunk=64):
    shape = (heads, length, dim)

    @T.prim_func
    def kernel(Q: T.Tensor(shape, dtype), K: T.Tensor(shape, dtype), V: T.Tensor(shape, dtype),
               LogDecay: T.Tensor((heads,), "float32"), O: T.Tensor(shape, dtype)):
        with T.Kernel(heads, threads=128) as head:
            q = T.alloc_shared((chunk, dim), dtype)
            k = T.alloc_shared((chunk, dim), dtype)
            v = T.alloc_shared((chunk, dim), dtype)
            weights = T.alloc_shared((chunk, chunk), dtype)
            past = T.alloc_shared((dim, dim), dtype)
            decayed = T.alloc_shared((chunk, dim), dtype)
            scores = T.alloc_fragment((chunk, chunk), "float32")
            state = T.alloc_fragment((dim, dim), "float32")
            update = T.alloc_fragment((dim, dim), "float32")
            out = T.alloc_fragment((chunk, dim), "float32")
            log_decay = LogDecay[head]
            T.clear(state)
            for t in T.serial(T.ceildiv(length, chunk)):
                T.copy(Q[head, t * chunk, 0], q)
                T.copy(K[head, t * chunk, 0], k)
                T.copy(V[head, t * chunk, 0], v)
                # What the chunks before left, as far as it is still remembered.
                T.copy(state, past)
                T.gemm(q, past, out, clear_accum=True)
                for i, j in T.Parallel(chunk, dim):
                    out[i, j] *= T.exp((i + 1) * log_decay)
                # The chunk itself.
                T.gemm(q, k, scores, transpose_B=True, clear_accum=True)
                for i, j in T.Parallel(chunk, chunk):
                    weights[i, j] = T.if_then_else(i >= j, scores[i, j] * T.exp(T.max(i - j, 0) * log_decay), 0)
                T.gemm(weights, v, out)
                T.copy(out, O[head, t * chunk, 0])
                for i, j in T.Parallel(chunk, dim):
                    decayed[i, j] = k[i, j] * T.exp((chunk - 1 - i) * log_decay)
                T.gemm(decayed, v, update, transpose_A=True, clear_accum=True)
                for i, j in T.Parallel(dim, dim):
                    state[i, j] = state[i, j] * T.exp(chunk * log_decay) + update[i, j]

    return kernel


def example(heads, length, dim, dtype):
    q, k, v = (random((heads, length, dim), dtype, scale=0.25, seed=seed) for seed in range(3))
    log_decay = np.log(1 - 2.0 ** (-4 - np.arange(heads))).astype(np.float32)
    distance = np.subtract.outer(np.arange(length), np.arange(length))
    mask = np.where(distance >= 0, np.exp(np.maximum(distance, 0) * wide(log_decay)[:, None, None]), 0)
    want = (wide(q) @ wide(k).swapaxes(1, 2) * mask) @ wide(v)
    return Example(linear_attention(heads, length, dim, dtype),
                   {"Q": q, "K": k, "V": v, "LogDecay": log_decay, "O": empty(q.shape, dtype)}, {"O": want})


if __name__ == "__main__":
    main(example, CASES)
