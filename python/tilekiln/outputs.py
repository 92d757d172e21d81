"""Outputs that a kernel allocates and returns (`out_idx` of tilelang.jit, `T.empty`)."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from tilekiln import arguments, dtypes
from tilekiln.parameters import Parameter


def normalise(out_idx: int | Sequence[int] | None, count: int) -> tuple[int, ...]:
    """Positions from 0, in the order in which the outputs are returned."""
    if out_idx is None:
        return ()
    try:
        indices = [operator.index(out_idx)] if not isinstance(out_idx, Sequence) else [operator.index(i) for i in out_idx]
    except TypeError:
        raise TypeError(f"out_idx takes a parameter's position or a list of them, but got {out_idx!r}") from None
    for index in indices:
        if not -count <= index < count:
            raise ValueError(f"out_idx {index} is not one of the kernel's {count} parameters")
    return tuple(index % count for index in indices)


def with_outputs(parameters: Sequence[Parameter], positions: Sequence[int], inputs: Sequence[Any]) -> list[Any]:
    """All arguments in order, outputs allocated.

    Outputs are numpy arrays where the inputs are numpy arrays, and torch tensors otherwise.
    """
    declared = [p for i, p in enumerate(parameters) if i not in positions]
    symbols = arguments.bind_inputs(declared, inputs)
    use_numpy = any(isinstance(v, np.ndarray) for v in inputs) and not any(arguments.is_torch_tensor(v) for v in inputs)
    given = iter(inputs)
    return [_allocate(p, symbols.resolve(p), use_numpy) if i in positions else next(given)
            for i, p in enumerate(parameters)]


def _allocate(parameter: Parameter, shape: tuple[int, ...], use_numpy: bool) -> Any:
    if use_numpy:
        return np.empty(shape, dtypes.numpy_dtype(parameter.dtype))
    import torch

    return torch.empty(shape, dtype=getattr(torch, parameter.dtype))
