"""`make accuracy`: predicted against reported; writes docs/simulator-accuracy.md and benchmarks/accuracy.json.

With a folder (`make accuracy ROWS=FOLDER`) the rows there are run instead; the table is printed and written below
build/benchmarks, and the page stays as it is. benchmarks/accuracy/README.md says what a row is. Exit status 1 where a row
could not be used.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "benchmarks")]

from simaccuracy import forms, page, rows, steps  # noqa: E402

from tilekiln.errors import CompileError, LaunchError  # noqa: E402

OWN_ROWS = ROOT / "benchmarks" / "accuracy"
#: Of rows from elsewhere.
OUT = ROOT / "build" / "benchmarks"
TARGETS = ROOT / "share" / "targets"


def description(name: str) -> dict:
    """A target's description with what it extends filled in."""
    own = json.loads((TARGETS / f"{name}.json").read_text())
    base = description(own["extends"]) if "extends" in own else {}
    merged = {part: {**base.get(part, {}), **own.get(part, {})} for part in ("timing", "limits", "cores")}
    return {**base, **own, **merged}


def figure_names(target: str) -> set[str]:
    described = description(target)
    return {*described["timing"], *described["limits"]}


def cores_of(row: rows.Row) -> dict[str, int]:
    described = description(row.target)
    counts = {kind: int(fields["count"]["value"]) for kind, fields in described["cores"].items()}
    if "cores" in row.figures:
        per_aic = int(described["limits"]["aivPerAic"]["value"])
        counts = {"aic": int(row.figures["cores"]), "aiv": int(row.figures["cores"]) * per_aic}
    return counts


class Runner:
    """Profiles each kernel on each machine once, however many rows read it."""

    def __init__(self) -> None:
        self.reports: dict = {}

    def run(self, row: rows.Row) -> page.Result:
        key = (row.kernel, row.target, tuple(sorted(row.figures.items())))
        if key not in self.reports:
            try:
                self.reports[key] = row.kernel.profile(row.target, row.figures, cores_of(row))
            except (CompileError, LaunchError, forms.FormError) as failed:
                raise rows.RowError(row.path, "kernel", str(failed)) from None
        report = self.reports[key]
        return page.Result(row, row.predicted(report), report)


def run(folder: Path) -> tuple[list[page.Result], list[rows.RowError]]:
    results, mistakes = [], []
    runner = Runner()
    targets = sorted(path.stem for path in TARGETS.glob("*.json"))
    paths = rows.find(folder)
    show = sys.stderr.isatty()
    for number, path in enumerate(paths):
        if show:
            print(f"\r{number}/{len(paths)} {path.stem:<40.40}", end="", file=sys.stderr)
        try:
            results.append(runner.run(rows.read(path, targets, figure_names)))
        except rows.RowError as mistake:
            mistakes.append(mistake)
    if show:
        print("\r" + " " * 60 + "\r", end="", file=sys.stderr)
    return results, mistakes


def main(given: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make accuracy", description=__doc__.partition("\n")[0])
    parser.add_argument("rows", nargs="?", type=Path, help="folder of rows; this project's own unless told")
    chosen = parser.parse_args(given).rows
    own = chosen is None or chosen.resolve() == OWN_ROWS
    folder = OWN_ROWS if own else chosen.resolve()
    began = time.monotonic()
    try:
        results, mistakes = run(folder)
    except rows.RowError as mistake:
        print(f"accuracy: error: {mistake}", file=sys.stderr)
        return 1
    if results:
        print(page.table(results))
    for mistake in mistakes:
        print(f"accuracy: error: {mistake}", file=sys.stderr)
    print(f"{len(results)} figures predicted (simulated, not measured) in {time.monotonic() - began:.0f} s", flush=True)
    if own and mistakes:
        return 1
    data = [result.to_json(folder) for result in results]
    if own:
        # The page is about the whole set: the slow path's k-step is part of it.
        slow = next(result.row for result in results if result.row.path.stem == "tilelang-1024")
        spans, step_us = steps.one_step(slow.kernel, slow.target, cores_of(slow))
        text = page.page(results, description("ascend910b3"), spans, steps.chain(spans, step_us), step_us)
        written = {ROOT / "docs" / "simulator-accuracy.md": text,
                   ROOT / "benchmarks" / "accuracy.json": json.dumps(data, indent=1) + "\n"}
    else:
        OUT.mkdir(parents=True, exist_ok=True)
        written = {OUT / "accuracy-rows.json": json.dumps(data, indent=1) + "\n",
                   OUT / "accuracy-rows.txt": page.table(results) + "\n" if results else ""}
    for path, content in written.items():
        path.write_text(content)
        print(f"  {path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
