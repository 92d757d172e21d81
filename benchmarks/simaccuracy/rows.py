"""Rows of the accuracy table: one small TOML or JSON file each, as benchmarks/accuracy/README.md describes.

A mistake is a RowError that names the file and the field.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

try:
    import tomllib
except ImportError:  # Python 3.10
    tomllib = None

from simaccuracy import forms


class RowError(Exception):
    """A row that cannot be used: what is wrong, in which file, at which field."""

    def __init__(self, path: Path, where: str, what: str):
        self.path, self.where = path, where
        super().__init__(f"{path}: {where}: {what}" if where else f"{path}: {what}")


@dataclass(frozen=True)
class Quantity:
    """What a row reports. `read` takes it out of a profile; higher is better or worse does not matter here."""

    unit: str
    read: Callable[[dict[str, Any], str], float]
    #: The field of [reported] that says of which pipe or instruction.
    of: str = ""


def _pipe(report: dict, name: str) -> dict:
    pipes = report["pipes"]
    if name not in pipes:
        raise KeyError(f"the kernel uses no pipe {name!r}; it uses {', '.join(sorted(pipes))}")
    return pipes[name]


def _instructions(report: dict, names: str, figure: str) -> float:
    """The mean of an instruction; the sum of several, written "aic.MTE1/load_l0a + aic.MTE1/load_l0b"."""
    total = 0.0
    for name in names.split("+"):
        pipe, _, instruction = name.strip().partition("/")
        found = _pipe(report, pipe)["instructions"]
        if instruction not in found:
            raise KeyError(f"pipe {pipe} runs no {instruction!r}; it runs {', '.join(sorted(found))}")
        total += found[instruction][figure]
    return total


QUANTITIES = {
    "us": Quantity("us", lambda report, _: report["predicted_us"]),
    "kernel_us": Quantity("us", lambda report, _: report["kernel_us"]),
    "tflops": Quantity("TFLOPS", lambda report, _: report["predicted_tflops"]),
    "gbps": Quantity("GB/s", lambda report, _: report["predicted_gbps"]),
    "kernel_gbps": Quantity("GB/s", lambda report, _: report["predicted_gbps"] * report["predicted_us"] / report["kernel_us"]),
    "pipe_us": Quantity("us", lambda report, of: _pipe(report, of)["busy_us"], "pipe"),
    "busy_cycles": Quantity("cycles", lambda report, of: _instructions(report, of, "busy_cycles"), "instruction"),
    "total_cycles": Quantity("cycles", lambda report, of: _instructions(report, of, "total_cycles"), "instruction"),
}


@dataclass(frozen=True)
class Row:
    path: Path
    title: str
    source: str
    quantity: str
    value: float
    of: str
    kernel: forms.Kernel
    target: str = "ascend910b3"
    figures: dict[str, float] = field(default_factory=dict)
    #: Constants that were read off this figure, and constants chosen among published values with it in view.
    fitted: tuple[str, ...] = ()
    in_view: tuple[str, ...] = ()
    note: str = ""

    @property
    def unit(self) -> str:
        return QUANTITIES[self.quantity].unit

    def predicted(self, report: dict[str, Any]) -> float:
        try:
            return QUANTITIES[self.quantity].read(report, self.of)
        except KeyError as missing:
            raise RowError(self.path, f"reported.{QUANTITIES[self.quantity].of}", missing.args[0]) from None


class Fields:
    """A table of a row: every key is taken once, with its type; what is left over is a mistake."""

    def __init__(self, path: Path, table: Any, where: str = ""):
        if not isinstance(table, dict):
            raise RowError(path, where, f"has to be a table of fields, but is {table!r}")
        self.path, self.where, self.table, self.known = path, where, table, []

    def error(self, name: str, what: str) -> RowError:
        return RowError(self.path, f"{self.where}.{name}" if self.where else name, what)

    def take(self, name: str, kind: type | tuple[type, ...], default: Any = ..., choices: Any = None) -> Any:
        self.known.append(name)
        if name not in self.table:
            if default is ...:
                raise self.error(name, "is missing" + (f"; one of {', '.join(choices)}" if choices else ""))
            return default
        value = self.table[name]
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise self.error(name, f"has to be {_names(kinds)}, but is {value!r}")
        if choices is not None and value not in choices:
            close = difflib.get_close_matches(str(value), list(choices), 1)
            hint = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(choices)}"
            raise self.error(name, f"{value!r} is unknown{hint}")
        return value

    def number(self, name: str, default: Any = ...) -> Any:
        value = self.take(name, (int, float), default)
        if value is not default and not value > 0:
            raise self.error(name, f"has to be above 0, but is {value!r}")
        return value

    def finish(self) -> None:
        for name in self.table:
            if name in self.known:
                continue
            close = difflib.get_close_matches(name, self.known, 1)
            hint = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(self.known)}"
            raise self.error(name, f"is no field here{hint}")


def _names(kinds: tuple[type, ...]) -> str:
    words = {str: "text", int: "a whole number", float: "a number", bool: "true or false", list: "a list", dict: "a table"}
    return "a number" if set(kinds) == {int, float} else " or ".join(words[kind] for kind in kinds)


def read(path: Path, target_names: list[str], constants: Callable[[str], set[str]]) -> Row:
    """One row. `constants` gives the names of a target's timing constants."""
    top = Fields(path, _parse(path))
    target = top.take("target", str, "ascend910b3", target_names)
    reported = Fields(path, top.take("reported", dict), "reported")
    quantity = reported.take("quantity", str, choices=QUANTITIES)
    value = reported.number("value")
    of = reported.take(QUANTITIES[quantity].of, str) if QUANTITIES[quantity].of else ""
    reported.finish()
    figures = {}
    for name, value_of in top.take("figures", dict, {}).items():
        if name not in constants(target):
            raise top.error("figures", f"{name!r} is no figure of {target}{_near(name, constants(target))}")
        if isinstance(value_of, bool) or not isinstance(value_of, (int, float)):
            raise top.error("figures", f"{name!r} has to be a number, but is {value_of!r}")
        figures[name] = value_of
    for name, figure in (("cores", "cores"), ("clock_mhz", "clock")):
        if (given := top.number(name, None)) is not None:
            figures[figure] = given
    used = {field_: _constants(top, field_, target, constants(target)) for field_ in ("fitted", "in_view")}
    kernel = Fields(path, top.take("kernel", dict), "kernel")
    try:
        made = forms.make(kernel)
    except forms.FormError as wrong:
        raise RowError(path, "kernel", str(wrong)) from None
    kernel.finish()
    row = Row(path, top.take("title", str), top.take("source", str), quantity, float(value), of, made, target, figures,
              note=top.take("note", str, ""), **used)
    top.finish()
    return row


def _constants(top: Fields, field_: str, target: str, known: set[str]) -> tuple[str, ...]:
    names = top.take(field_, list, [])
    for name in names:
        if name not in known:
            raise top.error(field_, f"{name!r} is no figure of {target}{_near(str(name), known)}")
    return tuple(names)


def _near(name: str, names: set[str]) -> str:
    close = difflib.get_close_matches(name, names, 1)
    return f"; did you mean {close[0]}?" if close else ""


def _parse(path: Path) -> Any:
    text = path.read_text()
    if path.suffix == ".json":
        try:
            return json.loads(text)
        except json.JSONDecodeError as wrong:
            raise RowError(path, "", f"is no JSON: {wrong}") from None
    if tomllib is None:
        raise RowError(path, "", "rows in TOML need Python 3.11 or later; write the row as .json")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        raise RowError(path, "", f"is no TOML: {wrong}") from None


def find(folder: Path) -> list[Path]:
    """The rows below a folder, by name."""
    if not folder.is_dir():
        raise RowError(folder, "", "is no folder of rows")
    paths = sorted(path for path in folder.rglob("*") if path.suffix in (".toml", ".json") and path.is_file())
    if not paths:
        raise RowError(folder, "", "holds no row: no file ends in .toml or .json")
    return paths
