"""The smallest inputs of what the random kernels of test_properties.py have found, mended since."""

import kernels
import ml_dtypes
import numpy as np
import pytest
import tilelang.language as T
from expressions import numpy_type

import tilekiln

DEVICES = pytest.mark.parametrize("device", ("cpu", "sim"))


@DEVICES
def test_float16_is_rounded_after_every_operation(device):
    """x * x stayed in float32 on the CPU."""
    x = np.array([-2.29, 1.3, 3.1, 0.7], np.float16)
    y = np.zeros_like(x)
    tilekiln.compile(kernels.unary(4, 4, "float16", lambda a: a - a * a), device=device)(x, y)
    np.testing.assert_array_equal(y, x - x * x)


@DEVICES
@pytest.mark.parametrize("dtype", ("float16", "bfloat16"))
def test_an_integer_between_two_floats(device, dtype):
    """The vendor's compiler left it out, and with it the truncation."""
    x = np.array([1.3, -2.4, 2.2, 3.7, 0.6, -0.5, 9.9, 7.2]).astype(numpy_type(dtype))
    y = np.zeros_like(x)
    through = kernels.unary(8, 8, dtype, lambda a: T.cast(T.cast(a, "int32"), dtype))
    tilekiln.compile(through, device=device)(x, y)
    np.testing.assert_array_equal(y.astype(np.float64), np.trunc(x.astype(np.float64)))


@DEVICES
def test_a_quotient_of_int8_in_a_sum(device):
    """The sum was that of the quotient with its fraction."""
    x = np.arange(-128, 128).astype(np.int8)
    y = np.zeros_like(x)

    def op(a):
        return T.if_then_else(a > T.int8(9), T.int8(-6), T.int8(1)) + T.floordiv(T.int8(3), T.max(a, T.int8(1)))

    tilekiln.compile(kernels.unary(256, 256, "int8", op), device=device)(x, y)
    np.testing.assert_array_equal(y, np.where(x > 9, -6, 1) + 3 // np.maximum(x, 1))


@DEVICES
def test_a_function_of_one_number(device):
    """The simulator took a number seen as a vector of one for an empty one."""

    @T.prim_func
    def kernel(A: T.Tensor((64,), "float16")):
        with T.Kernel(1, threads=128):
            for i in T.Parallel(64):
                A[i] = T.sin(T.float16(-1))

    a = np.zeros(64, np.float16)
    tilekiln.compile(kernel, device=device)(a)
    np.testing.assert_array_equal(a, np.sin(np.float16(-1)))


@DEVICES
def test_the_absolute_value_of_a_tile_of_one_element(device):
    """The vendor's compiler left an operation that nothing lowers."""
    x = np.array([-3], np.float32)
    y = np.zeros_like(x)
    tilekiln.compile(kernels.unary(1, 1, "float32", lambda a: T.abs(a) + 1.0), device=device)(x, y)
    assert y[0] == 4


@DEVICES
@pytest.mark.parametrize("dtype", ("float16", "bfloat16", "float32", "int32"))
def test_an_atomic_sum_into_a_column(device, dtype):
    """The library's path for it stores nothing."""

    @T.prim_func
    def kernel(A: T.Tensor((17, 1), dtype), C: T.Tensor((17, 1), dtype)):
        with T.Kernel(T.ceildiv(17, 8), threads=128) as bx:
            a = T.alloc_shared((8, 64), dtype)
            T.copy(A[bx * 8, 0], a)
            T.atomic_add(C[bx * 8, 0], a)

    a = np.arange(17).reshape(17, 1).astype(numpy_type(dtype))
    c = np.ones_like(a)
    tilekiln.compile(kernel, device=device)(a, c)
    np.testing.assert_array_equal(c.astype(np.float64), 1 + np.arange(17).reshape(17, 1))


@DEVICES
def test_a_tile_that_turns_out_constant(device):
    """The CPU left the input in the result's place: upstream took the loop for a copy onto itself."""
    x = np.arange(-32, 32, dtype=np.int16)
    y = np.zeros_like(x)
    minus_one = T.int16(-1)
    tilekiln.compile(kernels.unary(64, 64, "int16", lambda a: a * minus_one * minus_one ^ a), device=device)(x, y)
    np.testing.assert_array_equal(y, 0)


@DEVICES
def test_the_root_of_a_tile_of_one_element(device):
    x = np.array([9], np.float32)
    y = np.zeros_like(x)
    tilekiln.compile(kernels.unary(1, 1, "float32", lambda a: T.sqrt(a)), device=device)(x, y)
    assert y[0] == 3


@DEVICES
def test_the_absolute_values_of_unsigned_elements(device):
    """They were taken as signed."""

    @T.prim_func
    def kernel(A: T.Tensor((8, 16), "uint8"), B: T.Tensor((8,), "uint8")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((8, 16), "uint8")
            b = T.alloc_fragment((8,), "uint8")
            T.copy(A, a)
            T.reduce_abssum(a, b, dim=1)
            T.copy(b, B)

    a = np.zeros((8, 16), np.uint8)
    a[:, 3] = 200
    b = np.zeros(8, np.uint8)
    tilekiln.compile(kernel, device=device)(a, b)
    np.testing.assert_array_equal(b, 200)


@DEVICES
@pytest.mark.parametrize("dtype", ("int8", "uint8"))
@pytest.mark.parametrize("to", ("float32", "float16", "int32"))
def test_eight_bits_wrap_before_they_are_converted(device, dtype, to):
    """The device made a float of the product that does not fit."""

    @T.prim_func
    def kernel(A: T.Tensor((64,), dtype), B: T.Tensor((64,), to)):
        with T.Kernel(1, threads=128):
            for i in T.Parallel(64):
                B[i] = T.cast(A[i] * A[i], to)

    a = (3 * np.arange(64)).astype(dtype)
    b = np.zeros(64, to)
    tilekiln.compile(kernel, device=device)(a, b)
    np.testing.assert_array_equal(b, a * a)


@DEVICES
@pytest.mark.parametrize("shape", ((17, 17, 2), (16, 24, 2), (20, 9, 3)))
def test_elements_that_lie_apart_into_a_part(device, shape):
    """A third dimension of which one index is loaded: the vendor's library did not pack what had been loaded."""
    m, n, p = shape

    @T.prim_func
    def kernel(A: T.Tensor((m, n, p), "float16"), B: T.Tensor((m, n, p), "float16")):
        with T.Kernel(p, threads=128) as b:
            tile = T.alloc_fragment((17, 24, 1), "float16")
            for i, j, k in T.Parallel(17, 24, 1):
                tile[i, j, k] = A[i, j, b + k] * T.float16(2)
            T.copy(tile, B[0, 0, b])

    a = np.random.default_rng(0).integers(-9, 10, shape).astype(np.float16)
    b = np.zeros_like(a)
    tilekiln.compile(kernel, device=device)(a, b)
    want = a * 2
    want[17:] = 0
    np.testing.assert_array_equal(b, want)


@DEVICES
def test_bytes_of_padded_rows(device):
    """Narrowing reads the padding of its rows, which another tile has left there: that is no fault."""
    m, n = 64, 130

    @T.prim_func
    def kernel(A: T.Tensor((m, n), "int8"), X: T.Tensor((m, n), "float32"), B: T.Tensor((m, n), "int8"),
               Y: T.Tensor((m, n), "float32")):
        with T.Kernel(1, threads=128):
            x = T.alloc_fragment((m, n), "float32")
            T.copy(X, x)
            for i, j in T.Parallel(m, n):
                x[i, j] = T.sigmoid(T.sigmoid(x[i, j]))
            T.copy(x, Y)
            for i, j in T.Parallel(m, n):
                B[i, j] = -(T.abs(A[i, j] + A[i, j]) + T.int8(1))

    a = np.random.default_rng(0).integers(0, 50, (m, n)).astype(np.int8)
    x = np.random.default_rng(1).standard_normal((m, n)).astype(np.float32)
    b, y = np.zeros_like(a), np.zeros_like(x)
    tilekiln.compile(kernel, device=device)(a, x, b, y)
    np.testing.assert_array_equal(b, -(2 * a + 1))
    once = 1 / (1 + np.exp(-x))
    np.testing.assert_allclose(y, 1 / (1 + np.exp(-once)), rtol=1e-5)


def test_choice_between_tiles_by_one_bit():
    """Upstream's emulation of bfloat16 took the two tiles' buffers for numbers, and the process ended."""

    @T.prim_func
    def kernel(A: T.Tensor((7, 64), "int8"), X: T.Tensor((64,), "bfloat16"), Y: T.Tensor((7, 64), "bfloat16")):
        with T.Kernel(64, threads=128) as b:
            a = T.alloc_fragment((7, 1), "int8")
            x = T.alloc_shared((1,), "bfloat16")
            T.copy(A[0, b], a)
            T.copy(X[b], x)
            for i, j in T.Parallel(7, 1):
                Y[i, b + j] = T.if_then_else(x[j] <= x[j], x[j], T.cast(i, "bfloat16")) / (
                    T.abs(T.cast(a[i, j], "bfloat16")) + T.cast(1, "bfloat16"))

    rng = np.random.default_rng(0)
    a, x = rng.integers(-9, 10, (7, 64)).astype(np.int8), rng.integers(-9, 10, 64).astype(ml_dtypes.bfloat16)
    y = np.zeros((7, 64), ml_dtypes.bfloat16)
    tilekiln.compile(kernel, device="cpu")(a, x, y)
    want = (x.astype(np.float32) / (np.abs(a).astype(np.float32) + 1)).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(y, want)


@DEVICES
@pytest.mark.parametrize("dst", ["int16", "int32", "int64", "float16", "float32"])
@pytest.mark.parametrize("src", ["int8", "uint8"])
def test_wrapping_in_a_tile_of_one_element(src, dst, device):
    @T.prim_func
    def kernel(A: T.Tensor((16,), src), B: T.Tensor((16,), dst)):
        with T.Kernel(16, threads=128) as b:
            a = T.alloc_fragment((1,), src)
            wide = T.alloc_fragment((1,), dst)
            T.copy(A[b], a)
            for i in T.Parallel(1):
                wide[i] = T.cast(a[i] * T.cast(3, src) + T.cast(100, src), dst)
            T.copy(wide, B[b])

    a = np.arange(0, 256, 16).astype(src)
    b = np.zeros(16, dst)
    tilekiln.compile(kernel, device=device)(a, b)
    np.testing.assert_array_equal(b, (a * a.dtype.type(3) + a.dtype.type(100)).astype(dst))
