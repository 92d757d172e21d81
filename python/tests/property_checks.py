"""How a random kernel is checked: on the CPU and on the simulated device, each against numpy's values and bounds."""

from __future__ import annotations

import numpy as np
from random_vectors import programs as vector_programs  # noqa: F401

import tilekiln

DEVICES = ("cpu", "sim")


def check(program, devices=DEVICES) -> None:
    before = program.arrays()
    expected = program.expected(before)
    for device in devices:
        kernel = tilekiln.compile(program.build(), device=device)
        arrays = {name: array.copy() for name, array in before.items()}
        kernel(*arrays.values())
        for name, array in arrays.items():
            if name in expected:
                compare(f"{name} on {device}", array, expected[name], program)
            else:
                np.testing.assert_array_equal(array, before[name], err_msg=f"{name} on {device} was written to")


def compare(what: str, got: np.ndarray, want, program) -> None:
    got = got.astype(want.exact.dtype)
    with np.errstate(invalid="ignore"):
        right = (np.abs(got - want.exact) <= want.bound) | np.isinf(want.bound)
    if not right.all():
        place = tuple(int(i) for i in np.argwhere(~right)[0])
        raise AssertionError(f"{what}: {np.count_nonzero(~right)} of {right.size} wrong, first at {place}: "
                             f"{got[place]!r}, expected {want.exact[place]!r} +- {want.bound[place]:.3g}\n{program!r}")
