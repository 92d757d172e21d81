"""Runs a kernel on one device and compares every array, changed or not."""

import numpy as np
import tilekiln

DEVICES = ("cpu", "sim")


def check(kernel, arguments, expected, device, rtol=0.0, atol=0.0, **options):
    """expected: position of an argument -> what it must hold afterwards; all others must be as before."""
    given = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    compiled = tilekiln.compile(kernel, device=device, **options)
    compiled(*given)
    for position, (before, after) in enumerate(zip(arguments, given)):
        if not isinstance(before, np.ndarray):
            continue
        want = np.asarray(expected.get(position, before))
        assert after.shape == want.shape
        wide = after.dtype if after.dtype.kind in "iub" else np.float64
        exact = position not in expected
        np.testing.assert_allclose(after.astype(wide), want.astype(wide), rtol=0 if exact else rtol,
                                   atol=0 if exact else atol, equal_nan=True, err_msg=f"argument {position}")
    return compiled
