"""The GEMM of the report that TileKiln answers: C = A^T B^T, 128x128x32 tiles, half precision.

Operands are declared as they are read, A as (K, M) and B as (N, K). Run it as a script
through `tilekiln run examples/gemm_report.py M K N`, or take its stages with
`tilekiln compile examples/gemm_report.py:gemm --set m=1024 --set n=1024 --set k=1024 --out DIR`.
"""

import sys

import tilelang.language as T


def gemm(m: int, n: int, k: int, block=(128, 128, 32), stages: int = 3):
    """The kernel for one size; a tile that crosses an edge is clamped."""
    block_m, block_n, block_k = block

    @T.prim_func
    def gemm(A: T.Tensor((k, m), "float16"), B: T.Tensor((n, k), "float16"), C: T.Tensor((m, n), "float16")):
        with T.Kernel(T.ceildiv(n, block_n), T.ceildiv(m, block_m), threads=128) as (bx, by):
            a_tile = T.alloc_shared((block_k, block_m), "float16")
            b_tile = T.alloc_shared((block_n, block_k), "float16")
            acc = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(acc)
            for step in T.Pipelined(T.ceildiv(k, block_k), num_stages=stages):
                T.copy(A[step * block_k, by * block_m], a_tile)
                T.copy(B[bx * block_n, step * block_k], b_tile)
                T.gemm(a_tile, b_tile, acc, transpose_A=True, transpose_B=True)
            T.copy(acc, C[by * block_m, bx * block_n])

    return gemm


def main() -> None:
    import tilelang
    import torch

    m, k, n = (int(size) for size in sys.argv[1:4]) if len(sys.argv) > 3 else (256, 256, 256)
    kernel = tilelang.compile(gemm(m, n, k))
    a, b = (torch.rand(shape, dtype=torch.float16) - 0.5 for shape in ((k, m), (n, k)))
    c = torch.zeros((m, n), dtype=torch.float16)
    kernel(a, b, c)
    error = (c.double() - a.double().T @ b.double().T).abs().max().item()
    print(f"{m}x{k}x{n}: largest difference from float64 {error:.3g}")


if __name__ == "__main__":
    main()
