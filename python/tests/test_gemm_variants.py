"""Every form of A B stays on the cube alone, whether its sizes are numbers or symbols, and gives right values at all sizes."""

import itertools

import ml_dtypes
import numpy as np
import pytest
import tilelang.language as T

import tilekiln

TYPES = (  # operands, accumulator, result
    ("float16", "float32", "float16"),
    ("float16", "float16", "float16"),  # the cube adds in float32 whatever the author asks for
    ("bfloat16", "float32", "bfloat16"),
    ("float32", "float32", "float32"),
    ("int8", "int32", "int32"),
)
STATIC_SIZE = (200, 136, 72)  # M, N, K: no dimension a multiple of its tile
# One element, one ragged tile more than fits, and no K at all: the result is the cleared accumulator.
SYMBOLIC_SIZES = (STATIC_SIZE, (1, 1, 1), (300, 129, 200), (64, 64, 0))


def gemm(m, n, k, types, transpose_a, transpose_b, tile=(128, 128, 64)):
    """C = op(A) op(B) in tiles; m, n and k are numbers or symbols."""
    dtype, acc_dtype, out_dtype = types
    tile_m, tile_n, tile_k = tile
    a_shape, a_tile = ((k, m), (tile_k, tile_m)) if transpose_a else ((m, k), (tile_m, tile_k))
    b_shape, b_tile = ((n, k), (tile_n, tile_k)) if transpose_b else ((k, n), (tile_k, tile_n))

    @T.prim_func
    def product(A: T.Tensor(a_shape, dtype), B: T.Tensor(b_shape, dtype), C: T.Tensor((m, n), out_dtype)):
        with T.Kernel(T.ceildiv(n, tile_n), T.ceildiv(m, tile_m), threads=128) as (bx, by):
            a = T.alloc_shared(a_tile, dtype)
            b = T.alloc_shared(b_tile, dtype)
            acc = T.alloc_fragment((tile_m, tile_n), acc_dtype)
            T.clear(acc)
            for ko in T.Pipelined(T.ceildiv(k, tile_k), num_stages=3):
                if transpose_a:
                    T.copy(A[ko * tile_k, by * tile_m], a)
                else:
                    T.copy(A[by * tile_m, ko * tile_k], a)
                if transpose_b:
                    T.copy(B[bx * tile_n, ko * tile_k], b)
                else:
                    T.copy(B[ko * tile_k, bx * tile_n], b)
                T.gemm(a, b, acc, transpose_A=transpose_a, transpose_B=transpose_b)
            T.copy(acc, C[by * tile_m, bx * tile_n])

    return product


def numpy_type(dtype: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def check_values(kernel, size, types, transpose_a, transpose_b):
    m, n, k = size
    rng = np.random.default_rng(0)
    a = rng.integers(-3, 4, (k, m) if transpose_a else (m, k)).astype(numpy_type(types[0]))
    b = rng.integers(-3, 4, (n, k) if transpose_b else (k, n)).astype(numpy_type(types[0]))
    c = np.full((m, n), 77).astype(numpy_type(types[2]))
    kernel(a, b, c)
    wide_a, wide_b = (x.astype(np.float64) for x in (a, b))
    expected = (wide_a.T if transpose_a else wide_a) @ (wide_b.T if transpose_b else wide_b)
    np.testing.assert_array_equal(c.astype(np.float64), expected.astype(c.dtype).astype(np.float64))


@pytest.mark.parametrize(("types", "transpose_a", "transpose_b", "symbolic"), list(itertools.product(
    TYPES, (False, True), (False, True), (False, True))))
def test_product_stays_on_the_cube(types, transpose_a, transpose_b, symbolic):
    size = tuple(T.dynamic(name) for name in "mnk") if symbolic else STATIC_SIZE
    function = gemm(*size, types, transpose_a, transpose_b)
    report = tilekiln.compile(function, device="hivm").report()
    assert report["unit"] == "cube"
    assert report["workspace_bytes_per_block"] == 0
    assert report["global_round_trips"] == 0
    operands = [buffer for buffer in report["buffering"] if buffer["space"] == "l1"]
    assert len(operands) == 2 and all(buffer["double_buffered"] for buffer in operands)
    kernel = tilekiln.compile(function)
    for actual in SYMBOLIC_SIZES if symbolic else (STATIC_SIZE,):
        check_values(kernel, actual, types, transpose_a, transpose_b)


def sums_of_run_time_length(acc_dtype):
    """Row block r of C is the product of the first L[r] k-tiles of A and B."""

    @T.prim_func
    def product(
        A: T.Tensor((64, 64), "float16"),
        B: T.Tensor((64, 48), "float16"),
        L: T.Tensor((2,), "int32"),
        C: T.Tensor((64, 48), "float16"),
    ):
        with T.Kernel(2, threads=128) as bx:
            a = T.alloc_shared((32, 16), "float16")
            b = T.alloc_shared((16, 48), "float16")
            acc = T.alloc_fragment((32, 48), acc_dtype)
            T.clear(acc)
            for k in T.serial(L[bx]):
                T.copy(A[bx * 32, k * 16], a)
                T.copy(B[k * 16, 0], b)
                T.gemm(a, b, acc)
            T.copy(acc, C[bx * 32, 0])

    return product


@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("acc_dtype", ["float32", "float16"])
def test_sum_that_may_have_no_steps_in_one_block(acc_dtype, device):
    kernel = tilekiln.compile(sums_of_run_time_length(acc_dtype), device=device)
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((64, 64), (64, 48)))
    c = np.full((64, 48), 7, np.float16)
    kernel(a, b, np.array([0, 3], np.int32), c)
    np.testing.assert_array_equal(c[:32], 0)
    np.testing.assert_array_equal(c[32:], a[32:, :48] @ b[:48])
