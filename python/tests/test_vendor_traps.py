"""What the vendor's compiler gets wrong without a word: kernels that invite each trap, and that step around it.

Each compiles for the machine with nothing left over and no finding, its linked IR does not hold the form that goes
wrong, and its values are right on the CPU, where the same linked IR runs.
"""

import re

import numpy as np
import pytest
import tilelang.language as T

import kernels
import linkcheck
import tilekiln
from tilekiln.dtypes import numpy_dtype


def build(function, *forbidden: str, wanted: str = ""):
    """The kernel for the CPU; what linked IR must not and must hold are regular expressions."""
    kernel = tilekiln.compile(function, device="cpu")
    linked = kernel.ir("linked")
    for pattern in forbidden:
        found = re.search(pattern, linked)
        assert not found, f"the linked IR holds '{found[0]}'"
    assert re.search(wanted, linked), f"the linked IR does not hold '{wanted}'"
    assert not linkcheck.problems(tilekiln.compile(function, device="hivm").ir("hivm"))
    return kernel


def apply(n, from_dtype, to_dtype, op):
    """B = op(A) in another type, through shared memory."""

    @T.prim_func
    def elementwise(A: T.Tensor((n,), from_dtype), B: T.Tensor((n,), to_dtype)):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((n,), from_dtype)
            b = T.alloc_shared((n,), to_dtype)
            T.copy(A, a)
            for i in T.Parallel(n):
                b[i] = op(a[i])
            T.copy(b, B)

    return elementwise


def combine(n, dtype, to_dtype, op):
    """C = op(A, B)."""

    @T.prim_func
    def elementwise(A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype), C: T.Tensor((n,), to_dtype)):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((n,), dtype)
            b = T.alloc_shared((n,), dtype)
            c = T.alloc_shared((n,), to_dtype)
            T.copy(A, a)
            T.copy(B, b)
            for i in T.Parallel(n):
                c[i] = op(a[i], b[i])
            T.copy(c, C)

    return elementwise


def test_reduction_that_adds_to_what_is_there():
    """T1: a reduction's start is dropped unless it is the identity."""
    kernel = build(kernels.row_reduce(32, 64, 32, T.reduce_sum, 5, clear=False), wanted=r"linalg\.reduce")
    start = re.search(r"%(\S+) = linalg\.reduce.* outs\(%(\w+) ", kernel.ir("linked"))[2]
    assert re.search(rf"%{start} = linalg\.fill", kernel.ir("linked"))
    a, b = np.random.default_rng(1).random((32, 64), np.float32), np.zeros(32, np.float32)
    kernel(a, b)
    np.testing.assert_allclose(b, a.sum(1) + 5, rtol=1e-5)


def test_reduction_of_magnitudes():
    """T2: a reduction's body is dropped but for the op that combines."""
    kernel = build(kernels.row_reduce(32, 64, 32, T.reduce_absmax, 0, clear=True))
    body = re.search(r"linalg\.reduce.*?linalg\.yield", kernel.ir("linked"), re.DOTALL)[0]
    assert len(re.findall(r"= (?:arith|math)\.", body)) == 1
    a, b = np.random.default_rng(2).standard_normal((32, 64)).astype(np.float32), np.zeros(32, np.float32)
    kernel(a, b)
    np.testing.assert_array_equal(b, np.abs(a).max(1))


def test_unsigned_shift():
    """T3: an unsigned shift to the right of more than 8 bits copies the sign."""
    kernel = build(apply(64, "uint32", "uint32", lambda x: T.shift_right(x, T.uint32(5))), r"arith\.shrui.*tensor")
    a, b = np.arange(64, dtype=np.uint32) + np.uint32(0xFFFFFF00), np.zeros(64, np.uint32)
    kernel(a, b)
    np.testing.assert_array_equal(b, a >> 5)


def test_unsigned_order_and_conversion():
    """T4: unsigned maxima, extensions and conversions of more than 8 bits are signed."""
    values = np.array([0, 1, 2**31, 2**32 - 1] * 16, np.uint32)
    other = values[::-1].copy()
    largest, c = build(combine(64, "uint32", "uint32", T.max), r"arith\.maxui.*tensor"), np.zeros(64, np.uint32)
    largest(values, other, c)
    np.testing.assert_array_equal(c, np.maximum(values, other))
    wide = build(apply(64, "uint32", "float32", lambda x: T.cast(x, "float32")), r"arith\.uitofp.*tensor")
    real = np.zeros(64, np.float32)
    wide(values, real)
    np.testing.assert_array_equal(real, values.astype(np.float32))
    less = build(combine(64, "uint16", "int32", lambda x, y: T.if_then_else(x < y, 1, 0)), r"arith\.cmpi u.*tensor")
    short = values.astype(np.uint16)
    told = np.zeros(64, np.int32)
    less(short, short[::-1].copy(), told)
    np.testing.assert_array_equal(told, short < short[::-1])


def test_nan_in_comparisons():
    """T11: comparisons that are true of NaN are compiled as if there were none."""
    kernel = build(combine(64, "float32", "int32", lambda x, y: T.if_then_else(T.Not(x >= y), 1, 0)
                           + T.if_then_else(T.isnan(x), 2, 0) + T.if_then_else(x != y, 4, 0)),
                   r"arith\.cmpf (?:one|ueq|ult|ule|ugt|uge|ord|uno|true),.*tensor")
    a = np.array([1, np.nan, 2, np.inf] * 16, np.float32)
    b = np.array([2, 1, np.nan, np.inf] * 16, np.float32)
    c = np.zeros(64, np.int32)
    kernel(a, b, c)
    np.testing.assert_array_equal(c, 1 * ~(a >= b) + 2 * np.isnan(a) + 4 * (a != b))


@pytest.mark.parametrize("columns", [100, 5])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_narrowing_a_row_that_starts_askew(columns, dtype):
    """T12: the device library does not convert what starts at no multiple of 32 bytes."""

    @T.prim_func
    def narrow(A: T.Tensor((8, columns), "float32"), B: T.Tensor((columns,), dtype)):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((8, columns), "float32")
            b = T.alloc_shared((columns,), dtype)
            T.copy(A, a)
            for j in T.Parallel(columns):
                b[j] = T.cast(a[3, j], dtype)
            T.copy(b, B)

    kernel = build(narrow, wanted=r"linalg\.copy")
    a = np.random.default_rng(3).integers(-99, 99, (8, columns)).astype(np.float32)
    b = np.zeros(columns, numpy_dtype(dtype))
    kernel(a, b)
    np.testing.assert_array_equal(b.astype(np.float32), a[3])


def test_writing_rows_that_start_askew():
    """Not in the list, for it is an error: rows written into such a tile are taken for a concatenation."""

    @T.prim_func
    def write(A: T.Tensor((2, 100), "float32"), B: T.Tensor((8, 100), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((2, 100), "float32")
            b = T.alloc_shared((8, 100), "float32")
            T.copy(A, a)
            T.copy(B, b)
            for i, j in T.Parallel(2, 100):
                b[i + 3, j] = a[i, j] * 2.0
            T.copy(b, B)

    kernel = build(write, wanted=r"tensor\.insert_slice .* into tensor<1x1x8x100xf32>")
    a, b = np.ones((2, 100), np.float32), np.zeros((8, 100), np.float32)
    kernel(a, b)
    assert b.sum() == 400 and (b[3:5] == 2).all()


@pytest.mark.parametrize("divisor", [7, -3, 1000003])
def test_integer_division(divisor):
    """T13: the vector unit divides i32 through f32, which is inexact from 2^24 on."""
    kernel = build(combine(128, "int32", "int32", lambda x, y: T.truncdiv(x, y) * 3 + T.truncmod(x, y)),
                   r"arith\.(?:divsi|remsi|floordivsi).*tensor")
    rng = np.random.default_rng(4)
    a = rng.integers(-2**31 + 1, 2**31 - 1, 128).astype(np.int32)
    a[:8] = [2**31 - 1, 2**24 + 1, 2**24 - 1, -2**24 - 1, 0, 1, -1, 2**31 - 2]
    b, c = np.full(128, divisor, np.int32), np.zeros(128, np.int32)
    b[64:] = rng.integers(1, 2**31 - 1, 64) >> rng.integers(0, 30, 64)
    b[b == 0] = 1
    kernel(a, b, c)
    quotient = (np.sign(a.astype(np.int64)) * np.sign(b.astype(np.int64))
                * (np.abs(a.astype(np.int64)) // np.abs(b.astype(np.int64))))
    expected = (quotient * 3 + (a - quotient * b)).astype(np.int64)
    np.testing.assert_array_equal(c, expected.astype(np.int32))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_narrow_integers_saturate(dtype):
    """T14: the vendor's conversion to int8 wraps."""
    kernel = build(apply(64, dtype, "int8", lambda x: T.cast(x, "int8")),
                   r"arith\.fptosi.*tensor<64xi8>")
    a = np.array([300, -300, 127.9, -128.9, 3.7, -3.7, 1e4, -1e4] * 8, dtype)
    b = np.zeros(64, np.int8)
    kernel(a, b)
    np.testing.assert_array_equal(b, np.clip(np.trunc(a.astype(np.float32)), -128, 127).astype(np.int8))


def test_integer_product_cut_short():
    """T15: a product of int8 stored as int8 looks like the cube's quantisation, which has no scale here."""

    @T.prim_func
    def gemm(A: T.Tensor((32, 64), "int8"), B: T.Tensor((64, 32), "int8"), C: T.Tensor((32, 32), "int8")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 64), "int8")
            b = T.alloc_shared((64, 32), "int8")
            acc = T.alloc_fragment((32, 32), "int32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, acc, clear_accum=True)
            T.copy(acc, C)

    kernel = build(gemm, wanted=r"arith\.andi")
    rng = np.random.default_rng(5)
    a, b = rng.integers(-9, 9, (32, 64)).astype(np.int8), rng.integers(-9, 9, (64, 32)).astype(np.int8)
    c = np.zeros((32, 32), np.int8)
    kernel(a, b, c)
    np.testing.assert_array_equal(c, (a.astype(np.int32) @ b.astype(np.int32)).astype(np.int8))


def test_rounding_a_value_that_is_the_same_everywhere():
    """Found here: the conversion by which a tile is rounded is dropped where the tile is one scalar."""

    @T.prim_func
    def scale(A: T.Tensor((64,), "float32"), s: T.float32, B: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=128):
            for i in T.Parallel(64):
                B[i] = A[i] * T.nearbyint(s) + T.floor(s)

    kernel = build(scale, r"hfusion\.cast", r"math\.")
    a, b = np.ones(64, np.float32), np.zeros(64, np.float32)
    for value in (2.5, 3.5, -2.5, -0.3, 1e20, 7.0, 0.50001):
        kernel(a, value, b)
        np.testing.assert_array_equal(b, np.full(64, np.float32(np.rint(np.float32(value)))
                                                 + np.floor(np.float32(value)), np.float32))
