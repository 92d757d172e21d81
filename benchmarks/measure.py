"""Repeated measurements, summed up by their median and spread."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

# An OpenBLAS thread spins for some 2^26 cycles before it sleeps; numpy's would take a core from the call after it.
PAUSE_S = 0.2


def seconds(call: Callable[[], object], repeats: int, warmup: int = 1) -> dict[str, float]:
    """Wall-clock seconds of a call: median, lowest and highest."""
    for _ in range(warmup):
        call()
    samples = []
    for _ in range(repeats):
        began = time.perf_counter()
        call()
        samples.append(time.perf_counter() - began)
    return {"median": statistics.median(samples), "lowest": min(samples), "highest": max(samples), "repeats": repeats}
