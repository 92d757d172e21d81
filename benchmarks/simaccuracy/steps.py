"""Where the time of one k-step of the round-trip form goes: read out of a trace of the run."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

from simaccuracy.forms import Kernel


@dataclass(frozen=True)
class Span:
    core: str
    pipe: str
    what: str
    begin_us: float
    end_us: float


def one_step(kernel: Kernel, target: str, cores: dict[str, int], step: int = 16) -> tuple[list[Span], float]:
    """What the first block's cores do between two of its fixpipes, and how long that is."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        kernel.profile(target, {}, cores, trace)
        events = json.loads(trace.read_text())["traceEvents"]
    names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    pipes = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["name"] == "thread_name"}
    spans = [Span(names[event["pid"]], pipes[event["pid"], event["tid"]], event["name"], event["ts"], event["ts"] + event["dur"])
             for event in events if event["ph"] == "X" and names[event["pid"]] in ("aic 0", "aiv 0")
             and pipes[event["pid"], event["tid"]].upper() != "S"]
    stores = sorted(span.begin_us for span in spans if span.what == "fixpipe")
    begin, end = stores[step], stores[step + 1]
    inside = [Span(span.core, span.pipe, span.what, span.begin_us - begin, span.end_us - begin)
              for span in spans if begin <= span.begin_us < end]
    return sorted(inside, key=lambda span: span.begin_us), end - begin


def chain(spans: list[Span], step_us: float) -> list[tuple[str, float]]:
    """The parts that follow each other: the store, the way to the vector cores, their load, and the way back."""
    store = next(span for span in spans if span.what == "fixpipe")
    load = next(span for span in spans if span.what == "load")
    return [
        ("fixpipe: the f32 tile from L0C to the workspace in global memory", store.end_us - store.begin_us),
        ("until a vector core starts: what is in flight, and the cross-core flag", load.begin_us - store.end_us),
        ("load: the tile back from the workspace, whole, into each vector core's UB", load.end_us - load.begin_us),
        ("until the cube core may store again: what is in flight, and the flag back", step_us - load.end_us),
    ]
