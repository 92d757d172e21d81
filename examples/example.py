"""What the example scripts share: arrays to run on, and the comparison with numpy.

An example has `CASES`, keyword arguments of its function `example`, which returns an
`Example`: a TileLang kernel, its arguments by name, and what the outputs must be. As a
script, `python examples/softmax.py [--device cpu|sim|hivm]` runs every case and prints the
largest error; `hivm` compiles down to the vendor's final IR and computes no values.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

import tilekiln

# A few roundings of the output's type. Integers are exact.
TOLERANCES = {"float32": 2e-5, "float16": 2e-3, "bfloat16": 1.6e-2}


@dataclass(frozen=True)
class Example:
    kernel: Any  # a TileLang PrimFunc
    arguments: dict[str, np.ndarray]  # in parameter order
    expected: dict[str, np.ndarray]  # outputs, in any wider type
    tolerance: float | None = None  # of |error| / (1 + |expected|), where the type's own is not enough


def numpy_type(dtype: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def random(shape: Sequence[int], dtype: str = "float16", scale: float = 1.0, seed: int = 0) -> np.ndarray:
    """Normally distributed values; arrays of different shapes differ for the same seed."""
    rng = np.random.default_rng([seed, *shape])
    return (scale * rng.standard_normal(shape)).astype(numpy_type(dtype))


def integers(low: int, high: int, shape: Sequence[int], dtype: str = "int32", seed: int = 0) -> np.ndarray:
    """Integers in low .. high - 1."""
    return np.random.default_rng([seed, *shape]).integers(low, high, shape).astype(numpy_type(dtype))


def empty(shape: Sequence[int], dtype: str = "float16") -> np.ndarray:
    """An output that nothing has been written to: a value no example produces, so that a missing write shows."""
    return np.full(shape, -99).astype(numpy_type(dtype))


def zeros(shape: Sequence[int], dtype: str = "float32") -> np.ndarray:
    return np.zeros(shape, numpy_type(dtype))


def wide(array: np.ndarray) -> np.ndarray:
    return array.astype(np.int64 if array.dtype.kind in "iub" else np.float64)


def softmax(scores: np.ndarray) -> np.ndarray:
    """Along the last axis; a row of -inf alone gives zeros."""
    peak = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(peak), peak, 0))
    total = weights.sum(-1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)


def error(got: np.ndarray, want: np.ndarray) -> float:
    """The largest of |got - want| / (1 + |want|); NaN where either has one that the other has not."""
    got, want = wide(got), np.asarray(want)
    if got.size == 0:
        return 0.0
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    with np.errstate(invalid="ignore"):
        return float(np.where(same, 0, np.abs(got - want) / (1 + np.abs(want))).max())


def run(example: Example, device: str = "cpu") -> list[tuple[str, float, float]]:
    """Output, error, allowed error; what is not an output must be as it was."""
    before = {name: array.copy() for name, array in example.arguments.items()}
    arguments = {name: array.copy() for name, array in before.items()}
    tilekiln.compile(example.kernel, device=device)(*arguments.values())
    for name in arguments.keys() - example.expected.keys():
        np.testing.assert_array_equal(arguments[name], before[name], err_msg=f"{name} is no output")
    results = []
    for name, want in example.expected.items():
        dtype = arguments[name].dtype.name
        allowed = TOLERANCES.get(dtype, 0.0) if example.tolerance is None else example.tolerance
        results.append((name, error(arguments[name], want), allowed))
    return results


def main(make: Callable[..., Example], cases: Sequence[dict]) -> None:
    parser = argparse.ArgumentParser(description=f"examples/{Path(sys.argv[0]).name}: runs its cases")
    parser.add_argument("--device", default="cpu", choices=("cpu", "sim", "hivm"))
    device = parser.parse_args().device
    right = True
    for case in cases:
        label = " ".join(f"{name}={value}" for name, value in case.items())
        if device == "hivm":
            tilekiln.compile(make(**case).kernel, device=device)
            print(f"{label}: compiled to the vendor's final IR, not run on hardware")
            continue
        for name, largest, allowed in run(make(**case), device):
            right = right and largest <= allowed
            print(f"{label}: max error of {name} {largest:.2g}, {allowed:.2g} allowed"
                  f"{'' if largest <= allowed else ': WRONG'}", flush=True)
    sys.exit(int(not right))
