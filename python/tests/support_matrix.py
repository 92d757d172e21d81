"""docs/support.md: what is supported, an operation and an element type a cell, found out by compiling and running.

    python python/tests/support_matrix.py           # writes docs/support.md anew
    python python/tests/support_matrix.py --show    # prints it

test_support.py runs the same kernels and fails where the page says something else.
"""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "python"))

import expressions as ex  # noqa: E402
import property_checks  # noqa: E402
from random_products import Product  # noqa: E402
from random_vectors import Input, Program, Statement, built  # noqa: E402

import tilekiln  # noqa: E402

PAGE = ROOT / "docs" / "support.md"
FLOATS = ex.FLOATS
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")
TYPES = FLOATS + INTEGERS
SHORT = {"float": "f", "bfloat": "bf", "int": "i", "uint": "u"}
SIZE = (7, 40)  # of every tile here: rows of no whole number of 32 bytes


@dataclass(frozen=True)
class Fixed:
    """A kernel written out, with its arrays and the exact outputs."""

    source: str
    given: dict
    wanted: dict

    def text(self):
        return self.source

    def build(self):
        return built(self.source)

    def arrays(self):
        return {name: array.copy() for name, array in self.given.items()}

    def expected(self, arrays):
        return {name: ex.Value(array.dtype.name, wide(array), np.zeros(array.shape)) for name, array in self.wanted.items()}


def wide(array: np.ndarray) -> np.ndarray:
    return array.astype(np.int64 if array.dtype.kind in "iub" else np.float64)


# Kernels.

def expression(dtype: str, node: ex.Node, inputs: dict[str, str]) -> Program:
    tensors = tuple(Input(name, its, (0, 1), "shared") for name, its in inputs.items())
    return Program(SIZE, SIZE, None, tensors, (Statement("y", dtype, node, "shared"),), False, 0)


def elementwise(operation: ex.Operation, dtype: str) -> Program:
    names = [f"x{i}" for i in range(operation.arity)]
    return expression(dtype, ex.Node(dtype, operation, tuple(ex.Node(dtype, leaf=name) for name in names)),
                      dict.fromkeys(names, dtype))


def comparison(operation: ex.Operation, dtype: str) -> Program:
    a, b = (ex.Node(dtype, leaf=name) for name in ("x0", "x1"))
    return expression(dtype, ex.Node(dtype, ex.SELECT, (ex.Node("bool", operation, (a, b)), a, ex.Node(dtype, leaf="1"))),
                      {"x0": dtype, "x1": dtype})


def conversion(source: str, dtype: str) -> Program:
    clamped = source in FLOATS and dtype not in FLOATS
    x = ex.Node(source, leaf="x0")
    return expression(dtype, ex.Node(dtype, ex.CLAMPED_CAST if clamped else ex.CAST, (x,)), {"x0": source})


def reduction(kind: str, dtype: str, axis: int) -> Program:
    given = Statement("y", dtype, ex.Node(dtype, leaf="x0"), "fragment")
    return Program(SIZE, SIZE, axis, (Input("x0", dtype, (0, 1), "shared"),),
                   (given, Statement("r", dtype, None, "fragment", "y", kind)), False, 0)


def numbers(dtype: str, shape, seed=0) -> np.ndarray:
    low = 0 if dtype.startswith("uint") else -9
    return np.random.default_rng(seed).integers(low, 10, shape).astype(ex.numpy_type(dtype))


def fixed(parameters: dict[str, tuple], lines: str, given: dict, wanted: dict) -> Fixed:
    declared = ", ".join(f"{name}: T.Tensor({shape}, '{dtype}')" for name, (shape, dtype) in parameters.items())
    body = "\n".join("        " + line for line in lines.strip("\n").split("\n"))
    return Fixed(f"import tilelang.language as T\n\n\n@T.prim_func\ndef kernel({declared}):\n"
                 f"    with T.Kernel(1, threads=128):\n{body}\n", given, wanted)


def moved(lines: str, dtype: str, out_shape, result) -> Fixed:
    """A to B."""
    a = numbers(dtype, SIZE)
    return fixed({"A": (SIZE, dtype), "B": (out_shape, dtype)}, lines.format(m=SIZE[0], n=SIZE[1], dtype=dtype),
                 {"A": a, "B": np.full(out_shape, 77).astype(a.dtype)}, {"B": result(a)})


def copy(dtype):
    return moved("a = T.alloc_shared(({m}, {n}), '{dtype}')\nT.copy(A, a)\nT.copy(a, B)", dtype, SIZE, lambda a: a)


def fill(dtype):
    return moved("a = T.alloc_fragment(({m}, {n}), '{dtype}')\nT.fill(a, 3)\nT.copy(a, B)", dtype, SIZE,
                 lambda a: np.full_like(a, 3))


def transpose(dtype):
    return moved("a = T.alloc_shared(({m}, {n}), '{dtype}')\nb = T.alloc_shared(({n}, {m}), '{dtype}')\nT.copy(A, a)\n"
                 "for i, j in T.Parallel({n}, {m}):\n    b[i, j] = a[j, i]\nT.copy(b, B)", dtype, SIZE[::-1], lambda a: a.T)


def running_sum(dtype):
    return moved("a = T.alloc_shared(({m}, {n}), '{dtype}')\nT.copy(A, a)\nT.cumsum(a, dim=1)\nT.copy(a, B)", dtype, SIZE,
                 lambda a: np.cumsum(wide(a), 1).astype(a.dtype))


def gather(dtype):
    a, index = numbers(dtype, SIZE), np.array([6, 0, 3, 3, 5], np.int32)
    return fixed({"A": (SIZE, dtype), "Index": ((5,), "int32"), "B": ((5, SIZE[1]), dtype)},
                 f"for i, j in T.Parallel(5, {SIZE[1]}):\n    B[i, j] = A[Index[i], j]",
                 {"A": a, "Index": index, "B": np.zeros((5, SIZE[1]), a.dtype)}, {"B": a[index]})


def atomic(kind: str):
    function = {"add": lambda a, b: wide(a) + wide(b), "max": np.maximum, "min": np.minimum}[kind]

    def make(dtype):
        a, b = numbers(dtype, SIZE), numbers(dtype, SIZE, 1)
        return fixed({"A": (SIZE, dtype), "B": (SIZE, dtype)},
                     f"a = T.alloc_shared({SIZE}, '{dtype}')\nT.copy(A, a)\nT.atomic_{kind}(B[0, 0], a)",
                     {"A": a, "B": b}, {"B": function(a, b).astype(a.dtype)})
    return make


def product(transposed: bool):
    def make(dtype):
        acc = "float32" if dtype in FLOATS else "int32"
        return Product((dtype, acc, acc), (17, 40, 33), (32, 48, 32), False, transposed, False, 2, "clear", "none", 1, 0)
    return make


def tables() -> dict[str, tuple[tuple[str, ...], dict]]:
    """For each table its columns and its rows; a row makes a kernel for a column's type, or None."""
    def only(types, make):
        return lambda dtype: make(dtype) if dtype in types else None

    common = {name: (lambda op: lambda d: elementwise(op, d))(op) for name, op in ex.COMMON.items()}
    floats = {name: only(FLOATS, (lambda op: lambda d: elementwise(op, d))(op))
              for name, op in ex.FLOAT.items() if name not in ex.COMMON and name not in ("neg", "abs")}
    signed = tuple(t for t in TYPES if not t.startswith("uint"))
    both = {name: only(signed, (lambda op: lambda d: elementwise(op, d))(op)) for name, op in ex.SIGNED_ONLY.items()}
    integers = {name: only(INTEGERS, (lambda op: lambda d: elementwise(op, d))(op))
                for name, op in ex.INTEGER.items() if name not in ex.COMMON}
    compare = {op.text.format("a", "b").strip("()"): (lambda op: lambda d: comparison(op, d))(op)
               for op in ex.COMPARISONS.values()}
    reduce = {f"{kind}, along {where}": (lambda k, a: lambda d: reduction(k, d, a))(kind, axis)
              for kind in ex.REDUCTIONS for axis, where in ((1, "rows"), (0, "columns"))}
    return {
        "Element-wise": (TYPES, {**common, **both, **floats, **integers}),
        "Comparison and select": (TYPES, compare),
        "Conversion, to the type above from": (
            TYPES, {source: (lambda s: lambda d: conversion(s, d) if s != d else None)(source) for source in TYPES}),
        "Reduction": (TYPES, reduce),
        "Movement": (TYPES, {"copy": copy, "fill": fill, "transpose": transpose, "cumsum": running_sum, "gather": gather}),
        "Atomic update of global memory": (TYPES, {kind: atomic(kind) for kind in ("add", "max", "min")}),
        "Product (T.gemm), operands": (TYPES, {"A B": product(False), "A B^T": product(True)}),
    }


# Outcomes.

RIGHT, ON_SCALAR = "yes", "scalar"


def message(refused: tilekiln.CompileError) -> str:
    """The text alone: without the place, without the line of source."""
    return refused.messages[0].text if refused.messages else str(refused)


def attempt(kernel, device: str) -> str:
    """RIGHT, ON_SCALAR, or why not."""
    arrays = kernel.arrays()
    expected = kernel.expected(arrays)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compiled = tilekiln.compile(kernel.build(), device=device)
        except tilekiln.CompileError as refused:
            return message(refused)
        except Exception as refused:  # TileLang itself
            return f"refused by TileLang: {str(refused).strip().splitlines()[-1]}"
        try:
            compiled(*arrays.values())
        except tilekiln.LaunchError as failed:
            # Without the place and the cycle, which are those of one run.
            last = re.sub(r"^.*:\d+: (?=[a-z-]+: )| \[[^\]]*\]$", "", str(failed).splitlines()[-1])
            return f"simulated fault, {last}"
    try:
        for name, value in expected.items():
            property_checks.compare(f"{name} on {device}", arrays[name], value, kernel)
    except AssertionError as wrong:
        return f"WRONG: {str(wrong).splitlines()[0]}"
    slow = any("element-loop" in said.render() for said in compiled.messages)
    return ON_SCALAR if slow else RIGHT


def cell(kernel) -> tuple[str, ...]:
    """What is said in a cell, and the texts that its numbers refer to."""
    if kernel is None:
        return ("",)
    cpu, sim = attempt(kernel, "cpu"), attempt(kernel, "sim")
    if cpu in (RIGHT, ON_SCALAR) and sim in (RIGHT, ON_SCALAR):
        return (sim,)
    if cpu in (RIGHT, ON_SCALAR):
        return ("cpu", sim)
    return ("no", cpu) if cpu == sim else ("no", cpu, sim)


def column(dtype: str) -> str:
    kind = dtype.rstrip("0123456789")
    return SHORT[kind] + dtype[len(kind):]


INTRODUCTION = """\
# What is supported

Written by `python python/tests/support_matrix.py` from kernels that were compiled and run; `python/tests/test_support.py` runs
them again and fails where this page is no longer true. Every kernel works on one tile of {m} x {n} elements (products: 17 x 40 x 33).

* **yes**: right values on the CPU (`device="cpu"`), compiled to the vendor's final IR, and right values of that IR without a fault on the
  simulated Ascend 910B3 (`device="sim"`). Not run on hardware.
* **scalar**: the same, but a loop over single elements on the device's scalar unit, with a warning at the line.
* **cpu** n: right on the CPU; for the device refused, or at fault in simulation, with text n below.
* **no** n: refused with text n below. Empty: there is no such operation.
"""


def page(cells: dict[tuple[str, str, str], tuple[str, ...]]) -> str:
    """`cells` by table, row and type."""
    notes: list[str] = []

    def said(outcome: tuple[str, ...]) -> str:
        for text in outcome[1:]:
            if text not in notes:
                notes.append(text)
        return " ".join([outcome[0], *(str(notes.index(text) + 1) for text in outcome[1:])]).strip()

    lines = [INTRODUCTION.format(m=SIZE[0], n=SIZE[1])]
    for title, (types, rows) in tables().items():
        lines += [f"## {title}", "", "| | " + " | ".join(column(t) for t in types) + " |", "|---" * (len(types) + 1) + "|"]
        lines += [f"| `{row}` | " + " | ".join(said(cells[title, row, t]) for t in types) + " |" for row in rows]
        lines.append("")
    lines += ["## Texts", "", *(f"{number}. {text}" for number, text in enumerate(notes, 1)), ""]
    return "\n".join(lines)


def read(text: str) -> dict[tuple[str, str, str], tuple[str, ...]]:
    """The cells of a page."""
    notes = dict(re.findall(r"^(\d+)\. (.*)$", text, re.MULTILINE))
    cells, titles = {}, tables()
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, *lines = section.splitlines()
        for line in lines:
            match = re.fullmatch(r"\| `(.*?)` \| (.*) \|", line)
            if not match or title not in titles:
                continue
            for dtype, entry in zip(titles[title][0], match[2].split(" | ")):
                word, *numbers_ = entry.split() or [""]
                cells[title, match[1], dtype] = (word, *(notes[number] for number in numbers_))
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print the page, write nothing")
    show = parser.parse_args().show
    cells = {}
    for title, (types, rows) in tables().items():
        for row, make in rows.items():
            for dtype in types:
                cells[title, row, dtype] = cell(make(dtype))
            print(f"{title}: {row}: {', '.join(cells[title, row, t][0] or '-' for t in types)}", file=sys.stderr, flush=True)
    text = page(cells)
    print(text) if show else PAGE.write_text(text)
    wrong = [key for key, outcome in cells.items() if any("WRONG" in said for said in outcome)]
    sys.exit(f"wrong values: {wrong}" if wrong else 0)


if __name__ == "__main__":
    main()
