"""The accuracy page, and the table that is printed."""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from simaccuracy.rows import Row
from simaccuracy.steps import Span

GROUPS = {
    "report": "The report that TileKiln answers (910B3)",
    "asc-devkit": "Huawei's best-practice samples (910B1)",
    "vtriton": "vTriton's micro-benchmarks (910B3)",
    "mskpp": "mskpp's tables of single instructions (one core, L2 hit)",
    "pto-isa": "pto-isa's table of vector instructions (910B3)",
    "tilesim": "triton-ascend's table, from Huawei's tilesim (910B1): another model's figures",
}
NOT_PREDICTED = (
    ("case 0 and case 1 of the 8192 cubed sample, 759364 and 249467 us on one core",
     "their kernels overlap nothing; the vendor's compiler double-buffers ours"),
    ("all cores reading the same addresses, 1.54 times slower (AIV) and 1.145 (AIC)", "taken as constants, no kernel given"),
    ("bank conflicts of vadd, 2390 / 4167 / 3751", "the number of repeats is not given; the ratio is a constant"),
    ("302 MB in instructions of 128 bytes each, 548 us", "taken as mte2.issueGap"),
    ("tables of packet efficiency (vTriton, tilesim)", "relative to a peak that is not given"),
    ("launch of an empty kernel, 2.5 to 10 us", "taken as launch.seconds and launch.mixSeconds"),
    ("attention, 147.9 us on the board (pto-isa)", "shapes beyond the sequence of 2048 are not given"),
    ("vsort32, vmrgsort4, vgather, vcadd, vcgadd", "taken as constants; no library function is one such instruction"),
)


@dataclass(frozen=True)
class Result:
    row: Row
    predicted: float
    report: dict

    @property
    def error(self) -> float:
        return self.predicted / self.row.value - 1

    @property
    def group(self) -> str:
        return self.row.path.parent.name

    @property
    def standing(self) -> str:
        return "fitted" if self.row.fitted else "in view" if self.row.in_view else "held out"

    def to_json(self, root: Path) -> dict:
        row = self.row
        return {"row": row.path.relative_to(root).as_posix(), "title": row.title, "source": row.source,
                "target": row.target, "figures": row.figures, "quantity": row.quantity, "of": row.of,
                "reported": row.value, "predicted": round(self.predicted, 4), "error": round(self.error, 4),
                "standing": self.standing, "fitted": list(row.fitted), "in_view": list(row.in_view),
                "machine": self.report["title"], "bound": self.report["bound"], "faults": len(self.report["faults"]),
                "note": row.note}


def number(value: float) -> str:
    return f"{value:.4g}" if abs(value) < 10000 else f"{value:.0f}"


def percent(error: float) -> str:
    return f"{error * 100:+.1f} %"


def table(results: list[Result]) -> str:
    """For the terminal."""
    width = max(len(result.row.title) for result in results)
    lines = [f"{'':<{width}}  {'reported':>10}  {'predicted':>10}  {'unit':<7}  {'error':>9}"]
    lines += [f"{result.row.title:<{width}}  {number(result.row.value):>10}  {number(result.predicted):>10}  "
              f"{result.row.unit:<7}  {percent(result.error):>9}" for result in results]
    return "\n".join(lines)


def _markdown(head: list[str], lines: list[list[str]], right: set[int] = frozenset()) -> str:
    rule = ["--:" if column in right else "---" for column in range(len(head))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, rule, *lines]) + "\n"


def _group_of_rows(results: list[Result]) -> str:
    lines = []
    for result in results:
        marks = result.standing + (f": {result.row.note}" if result.row.note else "")
        lines.append([result.row.title, number(result.row.value), number(result.predicted), result.row.unit,
                      percent(result.error), marks])
    return _markdown(["figure", "reported", "predicted", "unit", "error", ""], lines, {1, 2, 4})


def _summary(groups: dict[str, list[Result]]) -> str:
    def line(name: str, results: list[Result]) -> list[str]:
        errors = [abs(result.error) for result in results]
        return [name, str(len(errors)), f"{statistics.median(errors) * 100:.1f} %",
                *(str(sum(error <= limit for error in errors)) for limit in (0.1, 0.25))]

    everything = [result for results in groups.values() for result in results]
    lines = [line(GROUPS.get(name, name), results) for name, results in groups.items()]
    for standing in ("held out", "in view", "fitted"):
        some = [result for result in everything if result.standing == standing]
        if some:
            lines.append(line(f"all that are {standing}", some))
    lines.append(line("all", everything))
    return _markdown(["", "figures", "median error", "within 10 %", "within 25 %"], lines, {1, 2, 3, 4})


def _constants(results: list[Result], target: dict) -> str:
    fitted, in_view = defaultdict(list), defaultdict(list)
    for result in results:
        for where, names in ((fitted, result.row.fitted), (in_view, result.row.in_view)):
            for name in names:
                where[name].append(result.row.title)
    lines = []
    vector = sorted({name.removeprefix("vector.").rpartition(".")[0] for name in fitted if name.startswith("vector.")})
    for name in sorted(set(fitted) | set(in_view)):
        if name.startswith("vector."):
            continue
        figure = target["timing"].get(name) or target["limits"][name]
        span = f", {figure['range'][0]:g} to {figure['range'][1]:g} published" if "range" in figure else ""
        lines.append([f"`{name}`", f"{figure['value']:g} {figure['unit']}{span}",
                      *("; ".join(where[name]) or "–" for where in (fitted, in_view))])
    lines.append(["`vector.*.perRepeat`, `vector.*.startup`", "as the description says",
                  "the row of the same name: " + ", ".join(vector), "–"])
    return _markdown(["constant", "value", "read off", "chosen with this in view"], lines)


def _steps(spans: list[Span], chain: list[tuple[str, float]], step_us: float) -> str:
    parts = _markdown(["one after the other", "us", "part"],
                      [[what, f"{us:.3f}", f"{us / step_us * 100:.0f} %"] for what, us in chain]
                      + [["**one k-step**", f"**{step_us:.3f}**", ""]], {1, 2})
    beside = _markdown(["core", "pipe", "instruction", "from us", "to us"],
                       [[span.core, span.pipe, span.what, f"{span.begin_us:.3f}", f"{span.end_us:.3f}"]
                        for span in spans], {3, 4})
    return (f"{parts}\nEverything that the block's cube core and its first vector core do in that time (the second vector "
            f"core does the same as the first):\n\n{beside}")


def page(results: list[Result], target: dict, spans: list[Span], chain: list[tuple[str, float]], step_us: float) -> str:
    groups: dict[str, list[Result]] = {name: [] for name in GROUPS}
    for result in results:
        groups.setdefault(result.group, []).append(result)
    groups = {name: some for name, some in groups.items() if some}
    detail = "\n".join(f"### {GROUPS.get(name, name)}\n{_group_of_rows(some)}" for name, some in groups.items())
    slow = [result for result in groups["report"] if result.row.path.stem.startswith("tilelang-")]
    fast = [result for result in groups["report"] if result.row.path.stem.startswith(("dlc-triton-4096", "dlc-triton-8192"))]
    held_out = ", ".join(result.row.title for result in groups["report"] if result.standing == "held out")
    cube_us = 2 * 128 * 128 * 32 / (8192 * 1.8e9) * 1e6
    missing = _markdown(["figure", "why there is no row"], [list(each) for each in NOT_PREDICTED])
    return f"""# How accurate is the simulator?

Made by `make accuracy`; do not edit. Every figure under "predicted" comes from the simulated machine (its descriptions are
[share/targets](../share/targets)), every figure under "reported" was published by somebody else, who is named in the row's file
below [benchmarks/accuracy](../benchmarks/accuracy). Nothing here was measured by this project, and none of our kernels ran on the
hardware. An error is predicted / reported - 1; figures that the model does not meet stay as they are.

## In short
{_summary(groups)}
*Fitted*: a constant was read off this figure, so that a small error says little. *In view*: a constant with several published values
was chosen among them knowing this figure. *Held out*: neither. No constant is fitted to one row of a kernel; what is fitted or chosen, and
to which figures, is [below](#what-was-fitted).

## The report's slow path
TileLang through CommonIR reached a plateau of 12 TFLOPS. The simulated kernel is the form in which DLCompiler emits it
(`gemm-round-trip` in benchmarks/accuracy/README.md), written anew for each size with 128x128x32 tiles and compiled by the vendor's
compiler.

{_group_of_rows(slow)}
The cube works {cube_us:.3f} us in a k-step; the rest is the sum's way through global memory and back (the first block of 1024 cubed):

{_steps(spans, chain, step_us)}
## The fast form
`gemm`: the sum is an SSA tensor carried by the k-loop, tiles of 128x256, steps of 256 along K, blocks that stay on their core and take
tiles in groups of four rows. DLC-Triton's own kernel is not published; its tiles and its order are not known. What keeps the
simulated kernel below it: each call of the vendor's `mma_tile` loads its first L0 operands only when the products of the call
before are done, because the compiler passes no events that would let the two overlap.

{_group_of_rows(fast)}

## What was fitted
{_constants(results, target)}
Choices of the model that no figure fixes, taken with the report's rows in view: an AI core's cube core and its two vector cores read
through one port (`l2.portBytesPerCycle`, the most that one AI core was seen to read; that vector cores share it is inferred from tilesim's
figures for few of them); a cross-core flag takes a third of what pto-isa fitted for a tile of attention. `crossCoreFlag.latency`,
`flag.latency` and `mte2.missLatency` were never measured alone by anyone.

Held out in the report's table: {held_out}. Where the reported time is close to a launch from the host, or the kernel's tiles and layout
are not known, the row says so; no constant was moved for them.

## Every figure
{detail}
## Published figures without a row
{missing}"""
