"""Element types by TileLang's names: "float16", "bfloat16", "float8_e4m3fn", "int8" ...

numpy, ml_dtypes and torch share nearly all of these names, so a name is all that the
compiler is given.
"""

from __future__ import annotations

import numpy as np


def is_floating(dtype: str) -> bool:
    """A type of floats, of any width."""
    return dtype.startswith(("float", "bfloat"))


def integer_range(dtype: str) -> tuple[int, int]:
    """The lowest and highest value of an integer type."""
    if dtype == "bool":
        return 0, 1
    unsigned = dtype.startswith("uint")
    bits = int(dtype.removeprefix("uint").removeprefix("int"))
    return (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def numpy_dtype(name: str) -> np.dtype:
    """The numpy type of that name, from ml_dtypes where numpy has none."""
    try:
        return np.dtype(name)
    except TypeError:
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, name))
