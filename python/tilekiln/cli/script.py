"""Running a user's script inside this process, and telling what went wrong in it."""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PACKAGE = str(Path(__file__).resolve().parent.parent) + os.sep


class Failure(Exception):
    """Something to tell the user in one line and stop."""


def check_readable(path: Path) -> None:
    """Raises Failure where the script cannot be read."""
    if path.is_dir():
        raise Failure(f"{path}: error: this is a folder, and a Python script is needed")
    if not path.is_file():
        raise Failure(f"{path}: error: no such file")
    if not os.access(path, os.R_OK):
        raise Failure(f"{path}: error: the file cannot be read: its permissions forbid it")


def execute(path: Path, arguments: Sequence[str], run_name: str) -> dict[str, Any]:
    """Runs the script as Python would, with these arguments, and returns its globals."""
    check_readable(path)
    with _as_main_script(path, arguments):
        return runpy.run_path(str(path), run_name=run_name)


@contextmanager
def _as_main_script(path: Path, arguments: Sequence[str]) -> Iterator[None]:
    argv, search = sys.argv, list(sys.path)
    sys.argv = [str(path), *arguments]
    sys.path.insert(0, str(path.resolve().parent))
    try:
        yield
    finally:
        sys.argv, sys.path[:] = argv, search


def describe(path: Path, failure: BaseException) -> Failure:
    """One line about an exception of the script: the script's line, the kind, the text."""
    if isinstance(failure, SyntaxError) and failure.filename:
        return Failure(f"{failure.filename}:{failure.lineno}: error: {failure.msg}")
    line = script_line(path, failure)
    where = f"{path}:{line}" if line else str(path)
    return Failure(f"{where}: error: {type(failure).__name__}: {failure}")


def script_line(path: Path, failure: BaseException) -> int:
    """The line of the script that was being run; 0 where none was."""
    lines = [line for frame, line in traceback.walk_tb(failure.__traceback__)
             if os.path.realpath(frame.f_code.co_filename) == os.path.realpath(path)]
    return lines[-1] if lines else 0


def comes_from_tilekiln(failure: BaseException) -> bool:
    """Raised by this package, not by the script or a library that it uses."""
    frames = [frame for frame, _ in traceback.walk_tb(failure.__traceback__)]
    return bool(frames) and os.path.realpath(frames[-1].f_code.co_filename).startswith(PACKAGE)
