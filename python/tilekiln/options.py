"""Compile options: their names, defaults from the environment, and what the compiler is given.

A keyword argument wins over the environment variable, which wins over the default.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tilekiln import vendor


@dataclass(frozen=True)
class Option:
    """A keyword argument of compile(). `parse` reads the environment variable's text."""

    name: str
    variable: str
    help: str
    parse: Callable[[str], Any] = str
    choices: tuple[str, ...] = ()


def _list(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _stages(text: str) -> dict[str, str]:
    return dict(item.split("=", 1) for item in _list(text))


OPTIONS = (
    Option("target", "TILEKILN_TARGET", "a machine description of share/targets; ascend910b3 unless told"),
    Option("device", "TILEKILN_DEVICE", "cpu: values on this machine; sim: values and time on the simulated machine; "
           "hivm: the vendor's final IR, no values", choices=("cpu", "sim", "hivm")),
    Option("out_of_bounds", "TILEKILN_OUT_OF_BOUNDS",
           "a tile that starts outside its tensor: error refuses the kernel, zero reads zeros and writes nothing", choices=("error", "zero")),
    Option("check_placement", "TILEKILN_CHECK_PLACEMENT", "a kernel that fell off the fast path: error, warn or off",
           choices=("error", "warn", "off")),
    Option("disabled_passes", "TILEKILN_DISABLED_PASSES", "passes to leave out, by flag, separated by commas", _list),
    Option("bishengir_compile", "TILEKILN_BISHENGIR_COMPILE", "path of the vendor's compiler"),
    Option("device_library_folder", "TILEKILN_DEVICE_LIBRARY_FOLDER", "folder of the vendor's meta_op.*.bc"),
    Option("vendor_timeout_seconds", "TILEKILN_VENDOR_TIMEOUT_SECONDS", "time limit of the vendor's compiler", float),
    Option("reproducer_folder", "TILEKILN_REPRODUCER_FOLDER", "where a reproducer goes when the vendor's compiler crashes"),
    Option("replaced_stages", "TILEKILN_REPLACED_STAGES", "stage=file, separated by commas: read instead of made",
           _stages),
    Option("share_folder", "TILEKILN_SHARE_FOLDER", "folder that holds targets/"),
)
REPLACEABLE_STAGES = ("commonir", "tiles", "linked", "hivm")
NAMES = tuple(option.name for option in OPTIONS)


def resolve(given: dict[str, Any]) -> dict[str, Any]:
    """Every option that has a value, checked. Raises TypeError or ValueError naming the option."""
    unknown = [name for name in given if name not in NAMES]
    if unknown:
        close = difflib.get_close_matches(unknown[0], NAMES, 1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(NAMES)}"
        raise TypeError(f"unknown option {unknown[0]}: {hint}")
    resolved = {}
    for option in OPTIONS:
        value = given.get(option.name)
        where = option.name
        if value is None and os.environ.get(option.variable):
            where = option.variable
            try:
                value = option.parse(os.environ[option.variable])
            except ValueError:
                raise ValueError(f"{where} cannot be read: {os.environ[option.variable]!r} ({option.help})") from None
        if value is None:
            continue
        if option.choices and value not in option.choices:
            raise ValueError(f"{where} is one of {', '.join(option.choices)}, but got {value!r}")
        _check(option, where, value)
        resolved[option.name] = value
    return resolved


def _check(option: Option, where: str, value: Any) -> None:
    """Raises TypeError or ValueError where the value is not of the option's kind."""
    if option.parse is float:
        try:
            fits = float(value) > 0
        except (TypeError, ValueError):
            fits = False
        if not fits:
            raise ValueError(f"{where} takes a number above 0, but got {value!r} ({option.help})")
    elif option.parse is _stages:
        if not isinstance(value, Mapping):
            raise TypeError(f"{where} takes a dictionary such as {{'linked': 'edited.mlir'}}, but got {value!r}")
        unknown = [stage for stage in value if stage not in REPLACEABLE_STAGES]
        if unknown:
            raise ValueError(f"{where}: stage {unknown[0]!r} cannot be read from a file; "
                             f"those that can are {', '.join(REPLACEABLE_STAGES)}")
    elif option.parse is str and not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{where} takes text, but got {value!r} ({option.help})")


def for_compiler(resolved: dict[str, Any]) -> dict[str, Any]:
    """What tilekiln._core takes: plain types, and the places of the vendor's tools found."""
    result = {"target": "ascend910b3", "device": "cpu", "share_folder": str(vendor.share_folder()), **resolved}
    compiler = vendor.find_compiler(resolved.get("bishengir_compile"))
    library = vendor.find_device_library(compiler, resolved.get("device_library_folder"))
    if compiler:
        result["bishengir_compile"] = str(compiler)
    if library:
        result["device_library_folder"] = str(library)
    for name in ("reproducer_folder", "share_folder"):
        if name in result:
            result[name] = os.fspath(result[name])
    if "vendor_timeout_seconds" in result:
        result["vendor_timeout_seconds"] = float(result["vendor_timeout_seconds"])
    passes = result.get("disabled_passes", ())
    result["disabled_passes"] = [passes] if isinstance(passes, str) else list(passes)
    result["replaced_stages"] = [(stage, os.fspath(path)) for stage, path in result.get("replaced_stages", {}).items()]
    return result
