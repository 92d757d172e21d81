"""The stages of a compilation, and writing them to a folder all or nothing."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tilekiln.errors import CompileError

STAGES = ("commonir", "tiles", "linked", "hivm")


def every(kernel: Any) -> dict[str, str]:
    """The text of every stage. Raises where one could not be made."""
    return {stage: kernel.ir(stage) for stage in STAGES}


def available(kernel: Any) -> dict[str, str]:
    """The text of every stage that could be made; what is missing, and why, goes to stderr."""
    texts = {}
    for stage in STAGES:
        try:
            texts[stage] = kernel.ir(stage)
        except CompileError as missing:
            print(f"tilekiln: {kernel.name}: no stage {stage}: {missing}", file=sys.stderr)
    return texts


def files(kernel: Any, name: str, texts: dict[str, str]) -> dict[str, str]:
    """File name to content: the stages, and the report."""
    contents = {f"{name}.{stage}.mlir": text for stage, text in texts.items()}
    contents[f"{name}.report.json"] = json.dumps(kernel.report(), indent=2) + "\n"
    return contents


def write_atomically(folder: str | os.PathLike, contents: dict[str, str]) -> list[Path]:
    """Writes all the files or none; files of other names in the folder stay.

    They are written to a folder beside it first, so that a failure on the way leaves
    nothing behind.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file; an output folder is needed")
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        beside.chmod(0o755)
        for name, content in contents.items():
            (beside / name).write_text(content)
        if folder.exists():
            for name in contents:
                os.replace(beside / name, folder / name)
        else:
            os.rename(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return [folder / name for name in contents]


def unique_names(names: Iterable[str]) -> list[str]:
    """Names made different by a number where they repeat."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return result
