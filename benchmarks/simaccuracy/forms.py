"""The kernels that a row can name, each with what it takes to run it on the simulated machine.

A form reads its fields from the row's [kernel] table and gives a Kernel; benchmarks/accuracy/README.md lists them.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simaccuracy import gemm_forms, instructions, streams

import tilekiln
from tilekiln.given_ir import Bytes, profile_ir


class FormError(Exception):
    """Fields that each are right and together describe no kernel."""


@dataclass(frozen=True)
class Kernel:
    """IR and one launch of it. `blocks` 0: one a core of the kind that runs it."""

    form: str
    text: str
    stage: str
    arguments: tuple[Any, ...]
    blocks: tuple[int, ...]

    def profile(self, target: str, figures: dict[str, float], cores: dict[str, int],
                trace: Path | None = None) -> dict[str, Any]:
        grid = [count or cores["aiv" if self.form.endswith("aiv") else "aic"] for count in self.blocks]
        return profile_ir(self.text, grid, list(self.arguments), stage=self.stage, target=target, figures=figures, trace=trace,
                          name=f"{self.form}.mlir", vendor_timeout_seconds=120)


@dataclass(frozen=True)
class Script(Kernel):
    """A TileLang function in a script; `text` is its path."""

    function: str = ""
    keywords: tuple[tuple[str, Any], ...] = ()

    def profile(self, target: str, figures: dict[str, float], cores: dict[str, int],
                trace: Path | None = None) -> dict[str, Any]:
        path = Path(self.text)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        # A stranger's script may fail in any way.
        try:
            spec.loader.exec_module(module)
            if not hasattr(module, self.function):
                raise FormError(f"{path} has no function {self.function!r}")
            made = getattr(module, self.function)(**dict(self.keywords))
        except FormError:
            raise
        except Exception as failed:
            raise FormError(f"{path} fails: {type(failed).__name__}: {failed}") from None
        kernel = tilekiln.compile(made, target=target, device="sim")
        return kernel.profile(values=False, trace=trace, **figures)


def _pair(fields: Any, name: str, default: tuple[int, int]) -> tuple[int, int]:
    value = fields.take(name, list, list(default))
    if len(value) != 2 or not all(isinstance(extent, int) and extent > 0 for extent in value):
        raise fields.error(name, f"has to be two whole numbers above 0, but is {value!r}")
    return tuple(value)


def _extent(fields: Any, name: str, default: Any = ...) -> int:
    value = fields.take(name, int, default)
    if value < 1:
        raise fields.error(name, f"has to be above 0, but is {value}")
    return value


def _gemm(fields: Any, **defaults: Any) -> gemm_forms.Gemm:
    tile = _pair(fields, "tile", defaults["tile"])
    dtype = fields.take("dtype", str, "f16", gemm_forms.ELEMENT_BYTES)
    taken = {name: _extent(fields, name) for name in ("m", "n", "k")}
    group = _extent(fields, "group") if "group" in fields.table else fields.take("group", int, 0)
    try:
        return gemm_forms.Gemm(**taken, tile=tile, k_step=_extent(fields, "k_step", defaults["k_step"]), dtype=dtype,
                               out=fields.take("out", str, defaults["out"] or dtype, gemm_forms.ELEMENT_BYTES),
                               transpose_b=fields.take("transpose_b", bool, False), group=group)
    except ValueError as wrong:
        raise FormError(str(wrong)) from None


def _fast(fields: Any) -> Kernel:
    gemm = _gemm(fields, tile=(128, 256), k_step=256, out=None)
    return Kernel("gemm", gemm_forms.fast(gemm), "linked", tuple(map(Bytes, gemm.argument_bytes)), (0,))


def _round_trip(fields: Any) -> Kernel:
    gemm = _gemm(fields, tile=(128, 128), k_step=32, out="f32")
    try:
        text = gemm_forms.round_trip(gemm)
    except ValueError as wrong:
        raise FormError(str(wrong)) from None
    return Kernel("gemm-round-trip", text, "linked", tuple(map(Bytes, gemm.argument_bytes)), (gemm.tiles,))


def _file(fields: Any, name: str) -> Path:
    path = fields.path.parent / fields.take(name, str)
    if not path.is_file():
        raise fields.error(name, f"names {path}, which is no file; paths are relative to the row's folder")
    return path


def _ir(stage: str) -> Callable[[Any], Kernel]:
    def make(fields: Any) -> Kernel:
        path = _file(fields, "file")
        grid = fields.take("grid", list)
        if not 1 <= len(grid) <= 3 or not all(isinstance(extent, int) and extent > 0 for extent in grid):
            raise fields.error("grid", f"has to be one to three whole numbers above 0, but is {grid!r}")
        arguments = tuple(_argument(fields, text) for text in fields.take("arguments", list))
        return Kernel(f"{stage}-ir", path.read_text(), stage, arguments, tuple(grid))

    return make


def _argument(fields: Any, text: Any) -> Any:
    kind, _, value = str(text).partition(":")
    try:
        if kind == "bytes":
            return Bytes(int(value))
        if kind == "int":
            return int(value)
        if kind == "float":
            return float(value)
    except ValueError:
        pass
    raise fields.error("arguments", f'{text!r} is no argument: write "bytes:N" for a tensor, "int:N" or "float:X"')


def _script(fields: Any) -> Kernel:
    path = _file(fields, "script")
    keywords = fields.take("keywords", dict, {})
    frozen = tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in sorted(keywords.items()))
    return Script("tilelang", str(path), "tir", (), (), fields.take("function", str), frozen)


def _instruction(fields: Any) -> Kernel:
    name = fields.take("instruction", str, choices=instructions.INSTRUCTIONS)
    shape = {}
    for each, default in instructions.INSTRUCTIONS[name].fields.items():
        shape[each] = fields.take(each, int, default) if default == 0 else _extent(fields, each, default)
    try:
        text, arguments = instructions.text(name, shape, _extent(fields, "count", 64), fields.take("apart", bool, True))
    except ValueError as wrong:
        raise FormError(str(wrong)) from None
    return Kernel(f"instruction-{instructions.INSTRUCTIONS[name].core}", text, "hivm", tuple(map(Bytes, arguments)),
                  (fields.take("blocks", int, 1),))


def _stream(fields: Any) -> Kernel:
    kind = fields.take("direction", str, choices=streams.DIRECTIONS)
    try:
        stream = streams.Stream(kind, rows=_extent(fields, "rows"), row_bytes=_extent(fields, "row_bytes"),
                                tile=_pair(fields, "tile", (1, 16384)), pitch_bytes=fields.take("pitch_bytes", int, 0),
                                passes=_extent(fields, "passes", 1), blocks=_extent(fields, "blocks"),
                                buffers=_extent(fields, "buffers", 4))
    except ValueError as wrong:
        raise FormError(str(wrong)) from None
    return Kernel(f"stream-{stream.core}", streams.text(stream), "hivm", tuple(map(Bytes, stream.argument_bytes)),
                  (stream.blocks,))


FORMS: dict[str, Callable[[Any], Kernel]] = {
    "gemm": _fast,
    "gemm-round-trip": _round_trip,
    "tilelang": _script,
    "linked-ir": _ir("linked"),
    "hivm-ir": _ir("hivm"),
    "instruction": _instruction,
    "stream": _stream,
}


def make(fields: Any) -> Kernel:
    return FORMS[fields.take("form", str, choices=FORMS)](fields)
