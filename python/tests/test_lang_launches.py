"""Several launches in one function, scratch tensors between them, scalar arguments, persistent blocks."""

import numpy as np
import pytest
import tilekiln
import tilelang.language as T

from checking import DEVICES, check

pytestmark = pytest.mark.parametrize("device", DEVICES)


def numbers(*shape, dtype="float32"):
    return np.random.default_rng(0).integers(-9, 10, shape).astype(dtype)


def reverse_through_scratch(n, block, inside):
    """Every block of the second launch reads what other blocks of the first one wrote."""
    if inside:

        @T.prim_func
        def kernel(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
            with T.Kernel(T.ceildiv(n, block), threads=128) as bx:
                own = T.alloc_global((n,), "float32")
                for i in T.Parallel(block):
                    own[bx * block + i] = A[bx * block + i] * 2.0
                for i in T.Parallel(block):
                    B[bx * block + i] = own[bx * block + i] + 1.0

        return kernel

    @T.prim_func
    def kernel(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        between = T.alloc_global((n,), "float32")
        with T.Kernel(T.ceildiv(n, block), threads=128) as bx:
            for i in T.Parallel(block):
                between[bx * block + i] = A[bx * block + i] * 2.0
        with T.Kernel(T.ceildiv(n, block), threads=128) as bx:
            for i in T.Parallel(block):
                B[bx * block + i] = between[n - 1 - (bx * block + i)] + 1.0

    return kernel


@pytest.mark.parametrize("inside", (False, True))
def test_scratch_tensor(device, inside):
    a = numbers(1000)
    want = (a if inside else a[::-1]) * 2 + 1
    check(reverse_through_scratch(1000, 128, inside), [a, np.zeros(1000, "float32")], {1: want}, device)


def test_gemm_chain_through_scratch(device):
    m, k, n, p, block = 70, 40, 50, 36, 32

    @T.prim_func
    def kernel(A: T.Tensor((m, k), "float16"), B: T.Tensor((k, n), "float16"), C: T.Tensor((n, p), "float16"),
               D: T.Tensor((m, p), "float32")):
        AB = T.alloc_global((m, n), "float16")
        with T.Kernel(T.ceildiv(n, block), T.ceildiv(m, block), threads=128) as (bx, by):
            a = T.alloc_shared((block, block), "float16")
            b = T.alloc_shared((block, block), "float16")
            acc = T.alloc_fragment((block, block), "float32")
            T.clear(acc)
            for step in T.Pipelined(T.ceildiv(k, block), num_stages=2):
                T.copy(A[by * block, step * block], a)
                T.copy(B[step * block, bx * block], b)
                T.gemm(a, b, acc)
            T.copy(acc, AB[by * block, bx * block])
        with T.Kernel(T.ceildiv(p, block), T.ceildiv(m, block), threads=128) as (bx, by):
            a = T.alloc_shared((block, block), "float16")
            b = T.alloc_shared((block, block), "float16")
            acc = T.alloc_fragment((block, block), "float32")
            T.clear(acc)
            for step in T.Pipelined(T.ceildiv(n, block), num_stages=2):
                T.copy(AB[by * block, step * block], a)
                T.copy(C[step * block, bx * block], b)
                T.gemm(a, b, acc)
            T.copy(acc, D[by * block, bx * block])

    rng = np.random.default_rng(1)
    a, b, c = (rng.integers(-2, 3, s).astype("float16") for s in ((m, k), (k, n), (n, p)))
    want = a.astype("float32") @ b.astype("float32") @ c.astype("float32")
    check(kernel, [a, b, c, np.zeros((m, p), "float32")], {3: want}, device)


def test_scratch_of_symbolic_size(device):
    n = T.dynamic("n")

    @T.prim_func
    def kernel(A: T.Tensor((n,), "int32"), B: T.Tensor((n,), "int32")):
        S = T.alloc_global((n, 2), "int32")
        with T.Kernel(T.ceildiv(n, 64), threads=64) as bx:
            for i in T.Parallel(64):
                S[bx * 64 + i, 1] = A[bx * 64 + i] + 1
        with T.Kernel(T.ceildiv(n, 64), threads=64) as bx:
            for i in T.Parallel(64):
                B[bx * 64 + i] = S[bx * 64 + i, 1] * 3

    compiled = None
    for size in (1, 63, 130, 0):
        a = numbers(size, dtype="int32")
        compiled = compiled or tilekiln.compile(kernel, device=device)
        b = np.zeros(size, "int32")
        compiled(a, b)
        np.testing.assert_array_equal(b, (a + 1) * 3)


def test_scratch_shape_that_only_a_block_knows(device):
    @T.prim_func
    def kernel(A: T.Tensor((64,), "float32")):
        with T.Kernel(4, threads=64) as bx:
            S = T.alloc_global((bx + 1,), "float32")
            S[0] = A[bx]

    with pytest.raises(tilekiln.CompileError, match=r"T.alloc_global's 'S' depends on 'bx'.*use constants"):
        tilekiln.compile(kernel, device=device)


def test_scalar_arguments(device):
    n = 300

    @T.prim_func
    def kernel(A: T.Tensor((n,), "float32"), scale: T.float32, shift: T.int32, count: T.int64,
               B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
            for i in T.Parallel(128):
                if bx * 128 + i < count:
                    B[bx * 128 + i] = A[bx * 128 + i] * scale + T.cast(shift, "float32")

    a = numbers(n)
    want = np.zeros(n, "float32")
    want[:217] = a[:217] * 2.5 - 7
    check(kernel, [a, 2.5, -7, 217, np.zeros(n, "float32")], {4: want}, device)


def test_persistent_blocks(device):
    m, n, block_m, block_n, blocks = 300, 200, 64, 48, 5

    @T.prim_func
    def kernel(A: T.Tensor((m, n), "float32"), B: T.Tensor((m, n), "float32")):
        with T.Kernel(blocks, threads=128) as b:
            tile = T.alloc_shared((block_m, block_n), "float32")
            for bx, by in T.Persistent([T.ceildiv(m, block_m), T.ceildiv(n, block_n)], blocks, b):
                T.copy(A[bx * block_m, by * block_n], tile)
                for i, j in T.Parallel(block_m, block_n):
                    tile[i, j] = tile[i, j] * 3.0
                T.copy(tile, B[bx * block_m, by * block_n])

    a = numbers(m, n)
    check(kernel, [a, np.zeros((m, n), "float32")], {1: a * 3}, device)


def test_two_kernels_in_one_script(device):
    def scaled(factor):
        @T.prim_func
        def kernel(A: T.Tensor((100,), "float32"), B: T.Tensor((100,), "float32")):
            with T.Kernel(1, threads=128) as _:
                for i in T.Parallel(100):
                    B[i] = A[i] * factor

        return kernel

    a = numbers(100)
    first, second = (tilekiln.compile(scaled(f), device=device) for f in (2.0, 3.0))
    b, c = np.zeros(100, "float32"), np.zeros(100, "float32")
    first(a, b)
    second(b, c)
    np.testing.assert_array_equal(c, a * 6)


@pytest.mark.parametrize("column_major", (True, False))
def test_persistent_tile_scheduler(device, column_major):
    """Fewer blocks than tiles; the last tiles cross both edges."""
    m, n, block, workers = 100, 70, 32, 3

    @T.prim_func
    def kernel(A: T.Tensor((m, n), "float32"), B: T.Tensor((m, n), "float32")):
        with T.Kernel(workers, threads=128) as bx:
            tile = T.alloc_shared((block, block), "float32")
            tiles = T.PersistentTileScheduler(T.ceildiv(m, block), T.ceildiv(n, block), workers, column_major=column_major)
            tiles.init(bx)
            while tiles.valid():
                T.copy(A[tiles.m_idx * block, tiles.n_idx * block], tile)
                for i, j in T.Parallel(block, block):
                    tile[i, j] = tile[i, j] * 2.0
                T.copy(tile, B[tiles.m_idx * block, tiles.n_idx * block])
                tiles.next_tile()

    a = numbers(m, n)
    check(kernel, [a, np.zeros((m, n), "float32")], {1: 2 * a}, device)
