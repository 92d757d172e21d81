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
    for pattern in (*forbidden, r"scf\.forall|parallel_insert_slice", r"memref\.\w*atomic"):
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


def product(dtype="float16", a_rows=64, part=slice(0, 64), strides=None, columns=32, bias=False, sparse=False):
    """C = A B over K in four steps, with what some traps wait for."""
    k, step = (64, 64) if part != slice(0, 64) or strides else (256, 64)
    tensor_a = T.StridedTensor((a_rows, k), strides, dtype) if strides else T.Tensor((a_rows, k), dtype)
    first, count = part.start, part.stop - part.start

    @T.prim_func
    def gemm(A: tensor_a, B: T.Tensor((k, columns), dtype), V: T.Tensor((columns,), "float32"),
             M: T.Tensor((4,), "int32"), C: T.Tensor((count, columns), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((a_rows, step), dtype)
            b = T.alloc_shared((step, columns), dtype)
            v = T.alloc_shared((columns,), "float32")
            acc = T.alloc_fragment((count, columns), "float32")
            if bias:
                T.copy(V, v)
            T.clear(acc)
            for s in T.serial(k // step):
                if sparse:
                    if M[s] != 0:
                        T.copy(A[0, s * step], a)
                        T.copy(B[s * step, 0], b)
                        T.gemm(a[first:first + count, 0:step], b, acc)
                else:
                    T.copy(A[0, s * step], a)
                    T.copy(B[s * step, 0], b)
                    T.gemm(a[first:first + count, 0:step], b, acc)
            if bias:
                for i, j in T.Parallel(count, columns):
                    acc[i, j] = acc[i, j] + v[j]
            T.copy(acc, C)

    return gemm


def check_product(kernel, a, columns=32, part=slice(None), bias=False, steps=(1, 1, 1, 1)):
    rng = np.random.default_rng(6)
    k = a.shape[1]
    b = rng.integers(-3, 4, (k, columns)).astype(np.float16)
    v = rng.integers(-3, 4, columns).astype(np.float32)
    c = np.full((a[part].shape[0], columns), np.nan, np.float32)
    kernel(a, b, v, np.array(steps, np.int32), c)
    kept = np.repeat(np.array(steps[:max(k // 64, 1)]), 64)
    np.testing.assert_array_equal(c, (a[part].astype(np.float32) * kept) @ b.astype(np.float32) + v * bias)


def test_rows_of_a_tile_as_operand():
    """T5: the library ignores an operand's strides."""
    kernel = build(product(a_rows=128, part=slice(32, 96)), r"linalg\.matmul.*ins\(%extracted")
    check_product(kernel, np.random.default_rng(7).integers(-3, 4, (128, 64)).astype(np.float16), part=slice(32, 96))


def test_operand_stored_by_columns():
    """T6: an operand whose rows are not dense is loaded as if they were."""
    kernel = build(product(strides=(1, 64)), r"memref\.copy.*strided<\[1, 64\]", wanted=r"linalg\.transpose")
    a = np.asfortranarray(np.random.default_rng(8).integers(-3, 4, (64, 64)).astype(np.float16))
    check_product(kernel, a)


@pytest.mark.filterwarnings("ignore:.*is added to on the vector unit")
@pytest.mark.parametrize("steps", [(0, 1, 0, 1), (1, 1, 1, 1), (0, 0, 0, 0)])
def test_product_in_a_branch(steps):
    """T7: a sum is started only if its product runs in the first step."""
    kernel = build(product(sparse=True))
    check_product(kernel, np.random.default_rng(9).integers(-3, 4, (64, 256)).astype(np.float16), steps=steps)


@pytest.mark.parametrize("columns", [128, 512])
def test_wide_bias(columns):
    """T16: a bias of more than 256 columns is copied past the end of its table."""
    kernel = build(product(columns=columns, bias=True))
    final = tilekiln.compile(product(columns=columns, bias=True), device="hivm").ir("hivm")
    assert ("_bias_" in final) == (columns <= 256)
    check_product(kernel, np.random.default_rng(10).integers(-3, 4, (64, 256)).astype(np.float16), columns, bias=True)


def test_sum_over_nothing():
    """T8: what is stored after a loop that never ran was never started."""
    k = T.dynamic("k")

    @T.prim_func
    def gemm(A: T.Tensor((32, k), "float16"), B: T.Tensor((k, 32), "float16"), C: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 32), "float16")
            b = T.alloc_shared((32, 32), "float16")
            acc = T.alloc_fragment((32, 32), "float32")
            T.clear(acc)
            for s in T.serial(T.ceildiv(k, 32)):
                T.copy(A[0, s * 32], a)
                T.copy(B[s * 32, 0], b)
                T.gemm(a, b, acc)
            T.copy(acc, C)

    kernel = build(gemm)
    for extent in (0, 50):
        a, b = np.ones((32, extent), np.float16), np.ones((extent, 32), np.float16)
        c = np.full((32, 32), np.nan, np.float32)
        kernel(a, b, c)
        assert (c == extent).all()


@pytest.mark.filterwarnings("ignore:.*is added to on the vector unit")
def test_state_read_before_its_product():
    """T9: a sum that is read in the step that adds to it is never filled."""

    @T.prim_func
    def attend(K: T.Tensor((64, 32), "float16"), O: T.Tensor((64, 32), "float32")):
        with T.Kernel(1, threads=128):
            k = T.alloc_shared((16, 32), "float16")
            half = T.alloc_shared((32, 32), "float16")
            state = T.alloc_fragment((32, 32), "float32")
            out = T.alloc_fragment((16, 32), "float32")
            T.clear(state)
            for s in T.serial(4):
                T.copy(K[s * 16, 0], k)
                T.copy(state, half)
                T.gemm(k, half, out, clear_accum=True)
                T.copy(out, O[s * 16, 0])
                T.gemm(k, k, state, transpose_A=True)

    kernel = build(attend)
    k = np.random.default_rng(11).integers(-1, 2, (64, 32)).astype(np.float16)
    o = np.full((64, 32), np.nan, np.float32)
    kernel(k, o)
    real, state = k.astype(np.float32), np.zeros((32, 32), np.float32)
    for s in range(0, 64, 16):
        np.testing.assert_array_equal(o[s:s + 16], real[s:s + 16] @ state)
        state += real[s:s + 16].T @ real[s:s + 16]


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


def test_comparing_a_row_that_starts_askew():
    """T25: a comparison there sets single bits, and the rest of their byte is read as it was."""

    @T.prim_func
    def compare(A: T.Tensor((8, 100), "float32"), B: T.Tensor((100,), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((8, 100), "float32")
            b = T.alloc_shared((100,), "float32")
            T.copy(A, a)
            for j in T.Parallel(100):
                b[j] = T.if_then_else(a[3, j] > 0.0, 1.0, -1.0)
            T.copy(b, B)

    kernel = build(compare, wanted=r"linalg\.copy")
    a = np.random.default_rng(14).standard_normal((8, 100)).astype(np.float32)
    b = np.zeros(100, np.float32)
    kernel(a, b)
    np.testing.assert_array_equal(b, np.where(a[3] > 0, 1, -1))


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


def test_wide_integer_division():
    """T13: i64 too is divided through f32."""
    def divide(x, y):
        return x // y + T.truncdiv(x, y) * 2 + T.cast(T.cast(x, "int32"), "int64") // T.int64(3)

    kernel = build(combine(64, "int64", "int64", divide), r"arith\.\w*divsi.*tensor")
    a = np.random.default_rng(5).integers(-2**31, 2**31, 64)
    b = np.where(np.arange(64) % 2, 3, -1000003)
    c = np.zeros(64, np.int64)
    kernel(a, b, c)
    np.testing.assert_array_equal(c, a // b + np.trunc(a / b).astype(np.int64) * 2 + a // 3)


def test_remainder_of_floats():
    """T13: the product of quotient and divisor rounds."""
    kernel = build(combine(256, "float32", "float32", T.fmod), r"arith\.remf")
    rng = np.random.default_rng(12)
    a = (rng.standard_normal(256) * 10.0 ** rng.integers(-3, 7, 256)).astype(np.float32)
    b = (rng.standard_normal(256) * 10.0 ** rng.integers(-1, 4, 256)).astype(np.float32)
    a[:8], b[:8] = [1e6, -1e6, 7, -7, 3, np.inf, 5, 0], [0.1, 0.1, 7, 2, np.inf, 2, 0, 3]
    keep = ~(np.abs(a / b) >= 2**24) | np.isinf(a) | (b == 0)
    c = np.zeros(256, np.float32)
    kernel(a, b, c)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(c[keep], np.fmod(a, b)[keep])


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
    """T17: the conversion by which a tile is rounded is dropped where the tile is one scalar."""

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


def product_kernel(after):
    """O takes two tiles: the sum of products, and one that it is swapped with or partly copied to."""

    @T.prim_func
    def product(A: T.Tensor((32, 64), "float16"), B: T.Tensor((64, 32), "float16"),
                O: T.Tensor((2, 32, 32), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 32), "float16")
            b = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((32, 32), "float32")
            d = T.alloc_fragment((32, 32), "float32")
            e = T.alloc_fragment((32, 32), "float32")
            T.clear(c)
            T.clear(d)
            if after == "swap":
                for k in T.serial(3):
                    T.copy(A[0, k % 2 * 32], a)
                    T.copy(B[k % 2 * 32, 0], b)
                    T.gemm(a, b, c)
                    T.copy(c, e)
                    T.copy(d, c)
                    T.copy(e, d)
            else:
                T.copy(A[0, 0], a)
                T.copy(B[0, 0], b)
                T.gemm(a, b, c)
                T.copy(c[0:16, 0:32], d[16:32, 0:32])
            T.copy(c, O[0, 0:32, 0:32])
            T.copy(d, O[1, 0:32, 0:32])

    return product


@pytest.mark.parametrize("after", ["swap", "rows"])
def test_tiles_beside_a_product(after):
    """T26, T27: a loop that swaps tiles is dropped; rows that move to the other half are lost."""
    rng = np.random.default_rng(13)
    a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((32, 64), (64, 32)))
    first = a[:, :32].astype(np.float32) @ b[:32].astype(np.float32)
    second = a[:, 32:].astype(np.float32) @ b[32:].astype(np.float32)
    moved = np.concatenate([np.zeros((16, 32)), first[:16]])
    expected = np.stack([second, first * 2] if after == "swap" else [first, moved])
    for device in ("cpu", "sim"):
        result = np.full((2, 32, 32), -9, np.float32)
        tilekiln.compile(product_kernel(after), device=device)(a, b, result)
        np.testing.assert_array_equal(result, expected, err_msg=device)


@pytest.mark.parametrize("steps", [3, 6])
def test_sum_read_by_the_next_step(steps):
    """T29: what a step reads before its product is taken from before a whole run of steps."""

    @T.prim_func
    def prefix_sums(A: T.Tensor((32, steps * 32), "float16"), B: T.Tensor((steps * 32, 32), "float16"),
                    O: T.Tensor((2, 32, 32), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 32), "float16")
            b = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((32, 32), "float32")
            d = T.alloc_fragment((32, 32), "float32")
            T.clear(c)
            T.clear(d)
            for k in T.serial(steps):
                T.copy(A[0, k * 32], a)
                T.copy(B[k * 32, 0], b)
                for i, j in T.Parallel(32, 32):
                    d[i, j] = T.max(d[i, j], 1.0) + c[i, j]
                T.gemm(a, b, c)
            T.copy(c, O[0, 0:32, 0:32])
            T.copy(d, O[1, 0:32, 0:32])

    rng = np.random.default_rng(14)
    a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((32, steps * 32), (steps * 32, 32)))
    c, d = np.zeros((2, 32, 32), np.float32)
    for k in range(0, steps * 32, 32):
        d = np.maximum(d, 1) + c
        c = c + a[:, k:k + 32].astype(np.float32) @ b[k:k + 32].astype(np.float32)
    for device in ("cpu", "sim"):
        result = np.full((2, 32, 32), -9, np.float32)
        tilekiln.compile(prefix_sums, device=device)(a, b, result)
        np.testing.assert_array_equal(result, [c, d], err_msg=device)
