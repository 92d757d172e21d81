#!/usr/bin/env python3
"""Fails where an include points against the layering that docs/architecture.md draws.

Support <- Target <- Dialect <- Analysis <- Transforms, Conversion <- Import, Bishengir, Cpu,
Sim, Runtime <- Driver <- tools, python. A layer includes itself and those to its left. The
Python bindings see the driver alone, and some layers know nothing of MLIR.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RANK = {
    "Support": 0, "Target": 1, "Dialect": 2, "Analysis": 3, "Transforms": 4, "Conversion": 4,
    "Import": 5, "Bishengir": 5, "Cpu": 5, "Sim": 5, "Runtime": 5, "Driver": 6,
}
WITHOUT_MLIR = ("Support", "Target", "Sim/Core")
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def layer_of(path: Path) -> str | None:
    """The layer of a file, from its place: include/tilekiln/X, lib/X, unittests/X."""
    parts = path.relative_to(ROOT).parts
    offset = {"include": 2, "lib": 1, "unittests": 1}.get(parts[0])
    return parts[offset] if offset is not None and len(parts) > offset + 1 else None


def complaints(path: Path) -> list[str]:
    """One line for each include of the file that points the wrong way."""
    text = path.read_text()
    place = path.relative_to(ROOT).as_posix()
    layer, found = layer_of(path), []
    if layer is not None and layer not in RANK:
        return [f"{place}: error: {layer} is not a layer: add it to {Path(__file__).name} and to the drawing"]
    inside = place.removeprefix("include/tilekiln/").removeprefix("lib/")
    for match in INCLUDE.finditer(text):
        included, line = match[1], text.count("\n", 0, match.start()) + 1
        if included.startswith("mlir/") and inside.startswith(tuple(f"{name}/" for name in WITHOUT_MLIR)):
            found.append(f"{place}:{line}: error: {included}: this layer knows nothing of MLIR")
        if not included.startswith("tilekiln/"):
            continue
        other = included.split("/")[1]
        if place.startswith("python/") and other != "Driver":
            found.append(f"{place}:{line}: error: {included}: the bindings see the driver alone")
        elif layer is not None and other != layer and RANK.get(other, 99) >= RANK[layer]:
            found.append(f"{place}:{line}: error: {included}: {layer} does not see {other}")
    return found


def main() -> int:
    files = [f for folder in ("include", "lib", "unittests", "tools", "python/bindings")
             for f in sorted((ROOT / folder).rglob("*")) if f.suffix in (".h", ".cpp")]
    found = [complaint for file in files for complaint in complaints(file)]
    print("\n".join(found) or f"layers: {len(files)} files, every include points the right way")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
