"""From what a caller passes to what the extension module takes, checked on the way.

Count, element type and shape are checked here, where the parameter's name and the
Python type are known. Arrays are borrowed: address, shape and strides are all that
crosses.
"""

from __future__ import annotations

import numbers
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from tilekiln import dtypes
from tilekiln.parameters import Parameter, Symbols


def pack(parameters: Sequence[Parameter], values: Sequence[Any], symbols: Symbols | None = None) -> list[tuple]:
    """One tuple an argument, as tilekiln._core takes them."""
    if len(values) != len(parameters):
        declared = ", ".join(str(p) for p in parameters)
        raise TypeError(f"expected {len(parameters)} arguments but got {len(values)}: ({declared})")
    symbols = symbols or Symbols()
    return [_tensor(p, v, symbols) if p.is_tensor else _scalar(p, v, symbols)
            for p, v in zip(parameters, values, strict=True)]


def bind_inputs(parameters: Sequence[Parameter], values: Sequence[Any]) -> Symbols:
    """The symbols that the given arguments define; used before outputs are allocated."""
    symbols = Symbols()
    pack(parameters, values, symbols)
    return symbols


def is_torch_tensor(value: Any) -> bool:
    """Without importing torch: a tensor can exist only where it was imported."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _tensor(parameter: Parameter, value: Any, symbols: Symbols) -> tuple:
    if isinstance(value, np.ndarray):
        fields = _numpy_fields(parameter, value)
    elif is_torch_tensor(value):
        fields = _torch_fields(parameter, value)
    else:
        raise TypeError(f"{parameter} takes a numpy array or a torch CPU tensor, but got {type(value).__name__}")
    _, shape, _, dtype = fields
    if dtype != parameter.dtype:
        raise TypeError(f"{parameter} takes elements of {parameter.dtype}, but got an array of {dtype}")
    if len(shape) != len(parameter.shape):
        raise ValueError(f"{parameter} has {len(parameter.shape)} dimensions, but got an array of shape {shape}")
    for axis, (extent, declared) in enumerate(zip(shape, parameter.shape, strict=True)):
        if isinstance(declared, str):
            if declared.isidentifier():
                symbols.define(declared, extent, f"dimension {axis} of {parameter.name}")
        elif extent != declared:
            raise ValueError(f"{parameter} has extent {declared} in dimension {axis}, but got an array of shape {shape}")
    return ("tensor", *fields)


def _numpy_fields(parameter: Parameter, array: np.ndarray) -> tuple:
    if not array.dtype.isnative:
        raise TypeError(f"{parameter} got an array whose bytes are in foreign order ({array.dtype.str}): "
                        "convert it with .astype(dtype.newbyteorder('='))")
    if parameter.written and not array.flags.writeable:
        raise ValueError(f"{parameter} got a read-only array, and kernels work in place: pass a copy")
    itemsize = array.dtype.itemsize
    if any(stride % itemsize for stride in array.strides):
        raise ValueError(f"{parameter} got an array whose strides {array.strides} are not whole elements of "
                         f"{itemsize} bytes: pass a copy")
    strides = tuple(stride // itemsize for stride in array.strides)
    return array.__array_interface__["data"][0], array.shape, strides, array.dtype.name


def _torch_fields(parameter: Parameter, tensor: Any) -> tuple:
    if tensor.device.type != "cpu":
        raise TypeError(f"{parameter} got a tensor on {tensor.device}; TileKiln runs on CPU tensors: pass .cpu()")
    if tensor.layout != sys.modules["torch"].strided:
        raise TypeError(f"{parameter} got a tensor of layout {tensor.layout}: pass a dense one")
    if tensor.is_conj() or tensor.is_neg():
        raise ValueError(f"{parameter} got a lazily conjugated or negated view: pass .resolve_conj().resolve_neg()")
    if tensor.numel() and not tensor.untyped_storage().data_ptr():
        raise TypeError(f"{parameter} got a {type(tensor).__name__} without memory behind it: pass a tensor of numbers")
    return tensor.data_ptr(), tuple(tensor.shape), tuple(tensor.stride()), str(tensor.dtype).removeprefix("torch.")


def _scalar(parameter: Parameter, value: Any, symbols: Symbols) -> tuple:
    if isinstance(value, (np.ndarray, np.generic)) or is_torch_tensor(value):
        if value.ndim != 0:
            raise TypeError(f"{parameter} takes a number, but got an array of shape {tuple(value.shape)}")
        value = value.item()
    if dtypes.is_floating(parameter.dtype):
        if not isinstance(value, numbers.Real):
            raise TypeError(f"{parameter} takes a number, but got {type(value).__name__}")
        try:
            return ("float", float(value), parameter.dtype)
        except OverflowError:
            raise ValueError(f"{parameter} takes a number that a float can hold, but got a larger one") from None
    if not isinstance(value, numbers.Integral):
        raise TypeError(f"{parameter} takes a whole number, but got {type(value).__name__}")
    lowest, highest = dtypes.integer_range(parameter.dtype)
    if not lowest <= value <= highest:
        raise ValueError(f"{parameter} takes {lowest} to {highest}, but got {int(value)}")
    symbols.define(parameter.name, int(value), parameter.name)
    # The extension takes 64 bits with a sign; the upper half of uint64 wraps, as in memory.
    wrapped = int(value) - 2**64 if value >= 2**63 else int(value)
    return ("integer", wrapped, parameter.dtype)
