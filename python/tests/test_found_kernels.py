"""The smallest inputs of what the random kernels of test_properties.py have found, mended since."""

import kernels
import numpy as np
import pytest

import tilekiln

DEVICES = pytest.mark.parametrize("device", ("cpu", "sim"))


@DEVICES
def test_float16_is_rounded_after_every_operation(device):
    """x * x stayed in float32 on the CPU."""
    x = np.array([-2.29, 1.3, 3.1, 0.7], np.float16)
    y = np.zeros_like(x)
    tilekiln.compile(kernels.unary(4, 4, "float16", lambda a: a - a * a), device=device)(x, y)
    np.testing.assert_array_equal(y, x - x * x)
