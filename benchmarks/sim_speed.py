"""How fast the simulated machine itself runs, and how much memory it takes beside the tensors.

A 4096 cubed GEMM with values against numpy's float32 product, in turn in one process; time alone for 8192 cubed; attention
forward for 8 heads of 4096 x 128 with values.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path

import measure
import numpy as np
import sim_kernels

import tilekiln

GEMM_LIMIT, TIME_LIMIT_S, ATTENTION_LIMIT_S, MEMORY_LIMIT_GIB = 3.0, 5.0, 30.0, 1.0
REPEATS = 3
_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def _memory_gib(field: str) -> float:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / 2**20


def _taken(call: Callable[[], object]) -> tuple[float, float]:
    """Seconds, and GiB of memory beyond what was there before, at the highest."""
    _RESET.write_text("5")  # the peak starts anew
    before = _memory_gib("VmRSS")
    began = time.perf_counter()
    call()
    return time.perf_counter() - began, _memory_gib("VmHWM") - before


def _arrays(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    """Inputs, and last a result, every page of them in memory."""
    random = np.random.default_rng(0)
    inputs = [(random.random(shape, dtype=np.float32) - 0.5).astype(np.float16) for shape in shapes[:-1]]
    return [*inputs, np.ones(shapes[-1], np.float16)]


def run() -> dict:
    size = 4096
    arrays = _arrays(*[(size, size)] * 3)
    wide = [array.astype(np.float32) for array in arrays[:2]]
    kernel = tilekiln.compile(sim_kernels.gemm(size, size, size), device="sim")
    calls = {"simulated": lambda: kernel.profile(*arrays), "numpy": lambda: np.matmul(*wide)}
    seconds, memory = {name: [] for name in calls}, []
    for turn in range(REPEATS + 1):
        for name, call in calls.items():
            time.sleep(measure.PAUSE_S)
            taken, extra = _taken(call)
            if turn:  # the first turn warms up
                seconds[name].append(taken)
            if name == "simulated":
                memory.append(extra)
    medians = {name: statistics.median(taken) for name, taken in seconds.items()}
    ratio = medians["simulated"] / medians["numpy"]
    error = float(np.abs(arrays[2].astype(np.float32) - np.matmul(*wide)).max())

    large = tilekiln.compile(sim_kernels.gemm(8192, 8192, 8192), device="sim")
    alone_s, extra = min(_taken(lambda: large.profile(values=False)) for _ in range(REPEATS))
    memory.append(extra)

    heads = _arrays(*[(8, size, 128)] * 4)
    attention = tilekiln.compile(sim_kernels.attention(8, size, 128), device="sim")
    attention_s, extra = _taken(lambda: attention.profile(*heads))
    memory.append(extra)
    return {
        "title": "The simulated machine's own speed",
        "rows": [(f"{size}^3 f16 GEMM, values and time", f"{medians['simulated']:.2f} s"),
                 ("numpy, f32", f"{medians['numpy']:.2f} s"),
                 ("ratio", f"{ratio:.2f} (at most {GEMM_LIMIT})"),
                 ("8192^3 GEMM, time alone", f"{alone_s:.2f} s (at most {TIME_LIMIT_S})"),
                 ("attention 8 x 4096 x 128, values and time", f"{attention_s:.2f} s (at most {ATTENTION_LIMIT_S})"),
                 ("memory beside the tensors", f"{max(memory):.2f} GiB (at most {MEMORY_LIMIT_GIB})")],
        "data": {"samples_s": seconds, "ratio": ratio, "ratio_limit": GEMM_LIMIT, "gemm_max_difference": error,
                 "time_alone_s": alone_s, "time_alone_limit_s": TIME_LIMIT_S, "attention_s": attention_s,
                 "attention_limit_s": ATTENTION_LIMIT_S, "memory_gib": memory, "memory_limit_gib": MEMORY_LIMIT_GIB},
    }
