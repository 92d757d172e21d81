"""profile_ir(): predictions for a kernel that is given as IR instead of as a PrimFunc."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from tilekiln import options
from tilekiln.kernel import _core

STAGES = ("linked", "hivm")


def profile_ir(text: str, grid: Sequence[int] | int, arguments: Sequence[Any], *, stage: str = "hivm", values: bool = False,
               name: str = "kernel.mlir", target: str | None = None, trace: str | os.PathLike | None = None,
               progress: Any = None, figures: dict[str, float] | None = None, **given: Any) -> dict[str, Any]:
    """Runs IR on the simulated machine; returns what Kernel.profile returns.

    text        linked IR (stage="linked"), which goes through the vendor's compiler first, or
                the final IR that the vendor's compiler makes (stage="hivm")
    grid        extents of the launch, x first
    arguments   of the entry, after the vendor's own: C-contiguous numpy arrays (written in
                place), numbers, and without values Bytes(n) for a tensor of n bytes
    figures     figures of the machine to replace: {"cores": 24, "clock": 1850}
    given       other options of compile()
    """
    if stage not in STAGES:
        raise ValueError(f"stage is one of {', '.join(STAGES)}, but got {stage!r}")
    resolved = options.for_compiler(options.resolve({"target": target, **given}))
    extents = [int(grid)] if isinstance(grid, (int, np.integer)) else [int(extent) for extent in grid]
    packed = [_pack(position, value, values) for position, value in enumerate(arguments)]
    assignments = [f"{figure}={value}" for figure, value in (figures or {}).items()]
    return json.loads(_core().profile_ir(text, name, stage, extents, packed, resolved, {
        "values": values, "set": assignments, "progress": progress, "trace_file": os.fspath(trace) if trace else ""}))


class Bytes(int):
    """A tensor of that many bytes, without data."""


def _pack(position: int, value: Any, values: bool) -> tuple:
    if isinstance(value, Bytes):
        if values:
            raise TypeError(f"argument {position} has no data, which values need: pass an array")
        return ("tensor", 0, [int(value)], [1], "uint8")
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise TypeError(f"argument {position} is not C-contiguous; pass numpy.ascontiguousarray(...) of it")
        return ("tensor", value.ctypes.data, [value.nbytes], [1], "uint8")
    if isinstance(value, (bool, int, np.integer)):
        return ("integer", int(value), "int64")
    if isinstance(value, (float, np.floating)):
        return ("float", float(value), "float32")
    raise TypeError(f"argument {position} is of type {type(value).__name__}, but an array, a number or Bytes(n) is needed")
