"""`tilekiln doctor`: what is installed, and what each missing part would add."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tilekiln import vendor

DESCRIPTION = """\
Says what TileKiln found on this machine, in which version, and what each missing part would
add. The exit status is 1 where a part is missing without which nothing can be compiled."""


@dataclass(frozen=True)
class Finding:
    """One part. `detail` is its version and place where it was found, and what it would add otherwise."""

    name: str
    found: bool
    needed: bool
    detail: str


def add_parser(commands: Any) -> None:
    """Adds `tilekiln doctor` to the commands."""
    parser = commands.add_parser("doctor", help="what is installed, and what is missing", description=DESCRIPTION)
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.set_defaults(command=command)


def command(arguments: argparse.Namespace) -> int:
    """Prints what was found; returns the exit status."""
    findings = examine()
    if arguments.json:
        print(json.dumps([asdict(f) for f in findings], indent=2))
    else:
        width = max(len(f.name) for f in findings)
        for f in findings:
            mark = "ok     " if f.found else "MISSING" if f.needed else "absent "
            print(f"{mark}  {f.name:<{width}}  {f.detail}")
    return int(any(f.needed and not f.found for f in findings))


def examine() -> list[Finding]:
    """Every part that TileKiln can use, in the order in which they matter."""
    compiler = vendor.find_compiler()
    return [
        _llvm(),
        _package("tilelang", "the front end: without it only TIR saved as JSON can be compiled", needed=True),
        _package("torch", "tilelang imports it, and kernels take its tensors", needed=True),
        _package("numpy", "kernels take its arrays", needed=True),
        _package("ml_dtypes", "bfloat16 and fp8 in numpy arrays"),
        _program("bishengir-compile", compiler, "the stage hivm and the check of what unit and memory spaces a kernel got: "
                 "pip install ascendnpu-ir==1.2.0", _first_version_line),
        _place("device library", vendor.find_device_library(compiler),
               "the check that every device function exists; it comes with ascendnpu-ir"),
        _program("hivmc", vendor.find_hivmc(), "kernel objects for the NPU; it comes with CANN", lambda path: str(path)),
        _place("CANN", next(iter(vendor.cann_folders()), None), "the Ascend runtime, to launch kernels on an NPU"),
        _package("torch_npu", "torch tensors on an NPU"),
        _npu(),
    ]


def _llvm() -> Finding:
    try:
        from tilekiln import _core
    except ImportError as missing:
        return Finding("LLVM/MLIR", False, True, f"the compiler itself cannot be loaded ({missing}): make build")
    return Finding("LLVM/MLIR", True, True, f"{_core.llvm_version}, in {Path(_core.__file__).name}")


def _package(name: str, adds: str, needed: bool = False) -> Finding:
    try:
        return Finding(name, True, needed, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Finding(name, False, needed, f"would add: {adds}")


def _program(name: str, path: Path | None, adds: str, version: Callable[[Path], str]) -> Finding:
    if path is None:
        return Finding(name, False, False, f"would add: {adds}")
    return Finding(name, True, False, version(path))


def _place(name: str, path: Path | None, adds: str) -> Finding:
    return Finding(name, True, False, str(path)) if path else Finding(name, False, False, f"would add: {adds}")


def _first_version_line(path: Path) -> str:
    try:
        shown = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired) as failure:
        return f"{path}, but it does not answer --version: {failure}"
    versions = re.findall(r"^.*\d+\.\d+.*$", shown, re.MULTILINE)
    return f"{versions[0].strip()}, {path}" if versions else f"{path}"


def _npu() -> Finding:
    devices = sorted(Path("/dev").glob("davinci[0-9]*"))
    if devices:
        return Finding("NPU", True, False, ", ".join(str(d) for d in devices))
    return Finding("NPU", False, False, "would add: running kernels on the hardware, and real times")
