"""How a random kernel is checked: on the CPU and on the simulated device, each against numpy's values and bounds."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import reject

import tilekiln

DEVICES = ("cpu", "sim")


# A kernel may be too large for the chip's memories, if the message says by how much.
TOO_LARGE = r"\d+ bytes are needed, \d+ are there|take \d+ bytes of \w+, which holds \d+"


def check(program, devices=DEVICES) -> None:
    before = program.arrays()
    expected = program.expected(before)
    try:
        function = program.build()
    except Exception:  # TileLang folds constants of unsigned types, and refuses a negative one
        reject()
    for device in devices:
        try:
            kernel = tilekiln.compile(function, device=device)
        except tilekiln.CompileError as refused:
            if re.search(TOO_LARGE, str(refused)):
                continue
            raise
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
