"""The smallest inputs of what the random kernels of test_properties.py have found, mended since."""

import kernels
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
