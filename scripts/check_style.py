#!/usr/bin/env python3
"""Fails on what the house rules forbid and a look can find, in tracked files.

Files over 800 lines, unknown locations, paths of one machine, words that mean unfinished
work. The patterns are written so that they do not match themselves.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINES_AT_MOST = 800
CODE = {".cpp", ".h", ".td", ".py", ".sh", ".cmake"}
# The acceptance cases are taken over unchanged.
UNCHANGED = "python/tests/cases/"

RULES = (
    ("an op without a Python line: make a location from the op at hand", {".cpp", ".h"},
     re.compile(r"getUnknown[L]oc|Unknown[L]oc::get")),
    ("a path of one machine", None, re.compile(r"(^|[^A-Za-z0-9_.$/{}-])/(wor[k]|roo[t]|far[m])/|/tm[p]/[a-z]")),
    ("unfinished work: finish it, or say in the docs what is missing", CODE,
     re.compile(r"\b(TO[D]O|FIX[M]E|X[X]X|HA[C]K|stu[b]|place[h]older|not implemented ye[t])\b", re.IGNORECASE)),
)


def tracked_files() -> list[str]:
    """Those that git knows and that are there."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def complaints(name: str) -> list[str]:
    """One line for each place of the file that breaks a rule."""
    try:
        lines = (ROOT / name).read_text().splitlines()
    except UnicodeDecodeError:
        return []
    suffix, found = Path(name).suffix, []
    if suffix in CODE and len(lines) > LINES_AT_MOST:
        found.append(f"{name}: error: {len(lines)} lines, {LINES_AT_MOST} at most: split it along its ideas")
    for text, suffixes, pattern in RULES:
        if suffixes is None or suffix in suffixes:
            found += [f"{name}:{number}: error: {text}: {line.strip()[:100]}"
                      for number, line in enumerate(lines, 1) if pattern.search(line)]
    return found


def main() -> int:
    names = [name for name in tracked_files() if not name.startswith(UNCHANGED)]
    found = [complaint for name in names for complaint in complaints(name)]
    print("\n".join(found) or f"style: {len(names)} files, nothing to complain about")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
