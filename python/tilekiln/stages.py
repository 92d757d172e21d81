"""The stages of a compilation, and writing them to a folder all or nothing."""

from __future__ import annotations

import contextlib
import errno
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


def check_folder(folder: str | os.PathLike) -> None:
    """Raises OSError where write_atomically could not write there: better known before a long compilation."""
    place = Path(folder).absolute()
    if place.exists() and not place.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, f"{folder} is a file; an output folder is needed", str(folder))
    while not os.path.lexists(place):
        place = place.parent
    if not place.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, f"{place} is not a folder", str(place))
    if not os.access(place, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, f"{place} cannot be written to; name a folder that can", str(place))


def write_atomically(folder: str | os.PathLike, contents: dict[str, str]) -> list[Path]:
    """Writes all the files or none; files of other names in the folder stay. Raises OSError.

    They are written to a folder of their own first, so that a failure on the way leaves
    nothing behind, folders made on the way to the output folder included.
    """
    check_folder(folder)
    folder = Path(folder)
    blocked = next((folder / name for name in contents if (folder / name).is_dir()), None)
    if blocked:
        raise IsADirectoryError(errno.EISDIR, f"{blocked} is a folder, and a file of this name is to be written", str(folder))
    exists = folder.exists()
    made = [parent for parent in folder.parents if not parent.exists()]
    first = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Where the folder exists, its parent may be closed to us, or another disk.
        first = Path(tempfile.mkdtemp(prefix=".tilekiln.", dir=folder if exists else folder.parent))
        first.chmod(0o755)
        for name, content in contents.items():
            (first / name).write_text(content)
        if exists:
            for name in contents:
                os.replace(first / name, folder / name)
        else:
            os.rename(first, folder)
        made = []
    except OSError as failure:
        reason = f"{failure.strerror or failure}: {failure.filename}" if failure.filename else str(failure)
        raise OSError(failure.errno, reason, str(folder)) from None
    finally:
        if first:
            shutil.rmtree(first, ignore_errors=True)
        for parent in made:
            with contextlib.suppress(OSError):
                parent.rmdir()
    return [folder / name for name in contents]


def unique_names(names: Iterable[str]) -> list[str]:
    """Names made different by a number where they repeat."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return result
