"""`tilekiln profile`: what the simulated machine predicts for a script's kernels."""

from __future__ import annotations

import argparse
import ast
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tilekiln
from tilekiln import dtypes, frontend
from tilekiln.cli import script
from tilekiln.cli.common import add_compile_options, compile_options
from tilekiln.cli.compile import compile_function, find_functions, setting
from tilekiln.cli.script import Failure
from tilekiln.errors import LaunchError
from tilekiln.parameters import Parameter

DESCRIPTION = """\
Compiles the TileLang kernels of a script for the simulated machine and predicts their time,
without hardware. Nothing that is printed was measured.

Kernels are found as `tilekiln compile` finds them. Extents that the kernel leaves open, and
numbers that it takes, get their values from --argument. Without --values time alone is
predicted, which is faster; where control flow reads data, values are needed. Tensors then
hold random numbers (integers: 0 and 1)."""

EXAMPLES = """\
examples:
  tilekiln profile gemm.py
  tilekiln profile gemm.py:matmul --set M=1024 --set N=1024 --set K=512 --values
  tilekiln profile add.py --argument n=100000
  tilekiln profile gemm.py --machine cores=24 --json
  tilekiln profile gemm.py --trace gemm.json"""
SECONDS_BEFORE_PROGRESS = 2.0


def add_parser(commands: Any) -> None:
    parser = commands.add_parser("profile", help="predict the time of a script's kernels on the simulated machine",
                                 description=DESCRIPTION, epilog=EXAMPLES,
                                 usage="tilekiln profile SCRIPT.py[:function] [options] [-- ARGS ...]",
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("script", metavar="SCRIPT.py[:function]", help="the script, and the one kernel of it that is wanted")
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="NAME=VALUE",
                        help="a parameter of a tilelang.jit function or of a function that returns a PrimFunc")
    parser.add_argument("--argument", action="append", default=[], metavar="NAME=VALUE",
                        help="an extent that the kernel leaves open, or a number that it takes")
    parser.add_argument("--machine", action="append", default=[], metavar="NAME=VALUE",
                        help="a figure of the machine to replace, such as cores=24 or clock=1850")
    parser.add_argument("--values", action="store_true", help="compute values as well, and look for memory never written")
    parser.add_argument("--trace", type=Path, metavar="FILE.json", help="a Chrome trace of every instruction, for Perfetto")
    parser.add_argument("--json", action="store_true", help="the whole report as JSON")
    add_compile_options(parser, without=("device",))
    parser.set_defaults(command=command)


def command(arguments: argparse.Namespace) -> int:
    path, _, wanted = arguments.script.partition(":")
    settings = dict(setting("profile", text) for text in arguments.settings)
    given = dict(setting("profile", text, "--argument") for text in arguments.argument)
    figures = dict(setting("profile", text, "--machine") for text in arguments.machine)
    options = {**compile_options(arguments), "device": "sim"}
    reports = []
    functions = find_functions(Path(path), arguments.script_arguments, wanted, settings, compile_options(arguments))
    kernels = [compile_function(Path(path), function, settings, options) for function in functions]
    _check_given(Path(path), kernels, given)
    for kernel in kernels:
        values = arrays(Path(path), kernel, given, arguments.values)
        try:
            report = kernel.profile(*values, values=arguments.values, trace=trace_file(arguments.trace, len(reports)),
                                    progress=_Progress(kernel.name), **figures)
        except (LaunchError, TypeError, ValueError) as failure:
            raise Failure(f"{path}: error: {kernel.name}: {failure}") from None
        reports.append(report)
        if not arguments.json:
            print(report)
    if arguments.json:
        print(json.dumps(reports[0] if len(reports) == 1 else reports, indent=2))
    return 1 if any(report["faults"] for report in reports) else 0


def trace_file(file: Path | None, kernel: int) -> Path | None:
    """The first kernel's trace has the name that was asked for."""
    return file.with_stem(f"{file.stem}-kernel{kernel + 1}") if file and kernel else file


def _check_given(path: Path, kernels: list[tilekiln.Kernel], given: dict[str, Any]) -> None:
    """Raises Failure for an --argument that no kernel has a use for, or that cannot be an extent."""
    parameters = [p for kernel in kernels for p in kernel.parameters]
    extents = [e for p in parameters for e in p.shape if isinstance(e, str) and e.isidentifier()]
    there = list(dict.fromkeys([*extents, *(p.name for p in parameters if not p.is_tensor)]))
    for name, value in given.items():
        where = f"{path}: error: --argument {name}"
        if name not in there:
            takes = f"there are {', '.join(there)}" if there else "all extents are numbers already"
            raise Failure(f"{where}: no kernel leaves {name} open: {takes}")
        if name in extents and not (isinstance(value, int) and value >= 0):
            raise Failure(f"{where}: an extent is a whole number from 0 on, but got {value!r}")


def arrays(path: Path, kernel: tilekiln.Kernel, given: dict[str, Any], with_values: bool) -> list[Any]:
    """An argument for each parameter, open extents and numbers as given. Raises Failure naming one without."""
    random = np.random.default_rng(0)
    where = f"{path}: error: {kernel.name}"
    return [_array(where, p, given, random, with_values) if p.is_tensor else _number(where, p, given)
            for p in kernel.parameters]


def _number(where: str, parameter: Parameter, given: dict[str, Any]) -> Any:
    if parameter.name not in given:
        raise Failure(f"{where}: the kernel takes {parameter}: --argument {parameter.name}=VALUE gives it")
    return given[parameter.name]


def _array(where: str, parameter: Parameter, given: dict[str, Any], random: np.random.Generator,
           with_values: bool) -> np.ndarray:
    unknown = [e for e in parameter.shape if isinstance(e, str) and e not in given]
    if unknown:
        raise Failure(f"{where}: {parameter} has an open extent: --argument {unknown[0]}=NUMBER gives it")
    shape = tuple(given[e] if isinstance(e, str) else e for e in parameter.shape)
    dtype = dtypes.numpy_dtype(parameter.dtype)
    if not with_values:
        return np.empty(shape, dtype)
    if dtypes.is_floating(parameter.dtype):
        return random.standard_normal(shape, np.float32).astype(dtype)
    return random.integers(0, 2, shape).astype(dtype)


class _Progress:
    """A bar on a terminal's stderr, above a few seconds."""

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic):
        self._name = name
        self._clock = clock
        self._start = clock()
        self._shown = False

    def __call__(self, done: int, total: int) -> None:
        if not sys.stderr.isatty() or self._clock() - self._start < SECONDS_BEFORE_PROGRESS:
            return
        width = 30
        filled = width * done // max(total, 1)
        self._shown = True
        print(f"\r{self._name}: [{'#' * filled}{' ' * (width - filled)}] {done} of {total} blocks", end="", file=sys.stderr)
        if done >= total:
            print(file=sys.stderr)
