"""Stream-K: as many blocks as cores, each with the same number of k-steps whatever the number of tiles.

A block goes through its share of all tiles' k-steps in order; where a tile ends or its share does, what it
has is added to the result.
"""

import tilelang.language as T
from example import Example, main, random, wide, zeros

CASES = (
    dict(m=192, n=128, k=128),
    dict(m=130, n=100, k=200),
)


def gemm_stream_k(m, n, k, blocks=5, block_m=64, block_n=64, block_k=32):
    tiles_m, tiles_n, steps = (-(-size // tile) for size, tile in ((m, block_m), (n, block_n), (k, block_k)))
    total = tiles_m * tiles_n * steps
    share = -(-total // blocks)

    @T.prim_func
    def kernel(A: T.Tensor((m, k), "float16"), B: T.Tensor((k, n), "float16"), C: T.Tensor((m, n), "float32")):
        with T.Kernel(blocks, threads=128) as block:
            a = T.alloc_shared((block_m, block_k), "float16")
            b = T.alloc_shared((block_k, block_n), "float16")
            acc = T.alloc_fragment((block_m, block_n), "float32")
            at = T.alloc_var("int32")
            stop = T.alloc_var("int32")
            at = block * share
            stop = T.min(at + share, total)
            while at < stop:
                tile = at // steps
                first = at % steps
                last = T.min(steps, first + stop - at)
                T.clear(acc)
                for ko in T.Pipelined(last - first, num_stages=2):
                    T.copy(A[tile // tiles_n * block_m, (first + ko) * block_k], a)
                    T.copy(B[(first + ko) * block_k, tile % tiles_n * block_n], b)
                    T.gemm(a, b, acc)
                T.atomic_add(C[tile // tiles_n * block_m, tile % tiles_n * block_n], acc)
                at += last - first

    return kernel


def example(m, n, k):
    a, b = random((m, k), scale=0.25), random((k, n), seed=1)
    return Example(gemm_stream_k(m, n, k), {"A": a, "B": b, "C": zeros((m, n))}, {"C": wide(a) @ wide(b)}, 1e-4)


if __name__ == "__main__":
    main(example, CASES)
