"""Tiles that do not fit on chip are worked on in parts, with the same values, or refused with what would fit."""

import numpy as np
import pytest
import tilelang.language as T

import tilekiln

DEVICES = ["cpu", "sim"]


def softmax(rows, columns, block):
    @T.prim_func
    def kernel(X: T.Tensor((rows, columns), "float32"), Y: T.Tensor((rows, columns), "float32")):
        with T.Kernel(T.ceildiv(rows, block), threads=128) as bx:
            x = T.alloc_fragment((block, columns), "float32")
            y = T.alloc_fragment((block, columns), "float32")
            top = T.alloc_fragment((block,), "float32")
            total = T.alloc_fragment((block,), "float32")
            T.copy(X[bx * block, 0], x)
            T.reduce_max(x, top, dim=1)
            for i, j in T.Parallel(block, columns):
                y[i, j] = T.exp(x[i, j] - top[i])
            T.reduce_sum(y, total, dim=1)
            for i, j in T.Parallel(block, columns):
                y[i, j] = y[i, j] / total[i]
            T.copy(y, Y[bx * block, 0])

    return kernel


def gemm(m, n, k, tile_m, tile_n, tile_k, bias=False):
    @T.prim_func
    def kernel(
        A: T.Tensor((m, k), "float16"),
        B: T.Tensor((k, n), "float16"),
        bias_row: T.Tensor((n,), "float32"),
        C: T.Tensor((m, n), "float32"),
    ):
        with T.Kernel(T.ceildiv(n, tile_n), T.ceildiv(m, tile_m), threads=128) as (bx, by):
            a = T.alloc_shared((tile_m, tile_k), "float16")
            b = T.alloc_shared((tile_k, tile_n), "float16")
            acc = T.alloc_fragment((tile_m, tile_n), "float32")
            T.clear(acc)
            for ko in T.Pipelined(T.ceildiv(k, tile_k), num_stages=2):
                T.copy(A[by * tile_m, ko * tile_k], a)
                T.copy(B[ko * tile_k, bx * tile_n], b)
                T.gemm(a, b, acc)
            if bias:
                for i, j in T.Parallel(tile_m, tile_n):
                    acc[i, j] = acc[i, j] + bias_row[bx * tile_n + j]
            T.copy(acc, C[by * tile_m, bx * tile_n])

    return kernel


def remarks(kernel):
    return "\n".join(message.text for message in kernel.messages)


@pytest.mark.parametrize("device", DEVICES)
def test_rows_of_a_vector_kernel(device):
    """64 rows of 1024 float32 are 256 KiB, the vector unit has 192."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((100, 1024)).astype(np.float32)
    y = np.zeros_like(x)
    kernel = tilekiln.compile(softmax(100, 1024, 64), device=device)
    kernel(x, y)
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(y, e / e.sum(1, keepdims=True), rtol=1e-5, atol=1e-7)
    assert "of 64 at a time" in remarks(kernel)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("tiles", "remark"),
    [((256, 256, 64), "at a time"), ((128, 256, 2048), "of K's 2048 at a time")],
    ids=["sum-too-large", "operands-too-large"],
)
def test_products(device, tiles, remark):
    m, n, k = 200, 260, 2100
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-2, 3, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    c = np.zeros((m, n), np.float32)
    kernel = tilekiln.compile(gemm(m, n, k, *tiles), device=device)
    kernel(a, b, np.zeros(n, np.float32), c)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
    assert remark in remarks(kernel)
    if device == "sim":
        assert kernel.report()["unit"] == "cube"


@pytest.mark.parametrize("device", DEVICES)
def test_mixed_kernel(device):
    m, n, k = 256, 256, 96
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-2, 3, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    bias_row = rng.integers(-3, 4, n).astype(np.float32)
    c = np.zeros((m, n), np.float32)
    kernel = tilekiln.compile(gemm(m, n, k, 256, 256, 32, bias=True), device=device)
    kernel(a, b, bias_row, c)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32) + bias_row)


def test_can_be_switched_off():
    with pytest.raises(tilekiln.CompileError, match="take 262144 bytes of ub|bytes of ub, which holds"):
        tilekiln.compile(softmax(100, 1024, 64), device="cpu", disabled_passes=["retile"])


def test_what_cannot_be_cut_is_refused():
    """A cumulative sum over both dimensions looks across all of the tile."""

    @T.prim_func
    def kernel(X: T.Tensor((256, 256), "float32"), Y: T.Tensor((256, 256), "float32")):
        with T.Kernel(1, threads=128) as _:
            x = T.alloc_shared((256, 256), "float32")
            T.copy(X, x)
            T.cumsum(x, dim=0)
            T.cumsum(x, dim=1)
            T.copy(x, Y)

    with pytest.raises(tilekiln.CompileError, match="'x' takes 262144 bytes"):
        tilekiln.compile(kernel, device="cpu")
