"""A 2048 cubed half-precision GEMM on the CPU executor against numpy's float32 product of the same size.

Both are measured in the same process, alternating, so that a busy machine slows both.
"""

import statistics
import time

import measure
import numpy as np
from gemm_report import gemm

import tilekiln

SIZE = 2048
REPEATS = 7
LIMIT = 2.0


def run() -> dict:
    rng = np.random.default_rng(0)
    wide = [(rng.random((SIZE, SIZE), dtype=np.float32) - 0.5) for _ in range(2)]
    a, b = (x.astype(np.float16) for x in wide)
    c = np.zeros((SIZE, SIZE), np.float16)
    kernel = tilekiln.compile(gemm(SIZE, SIZE, SIZE), device="cpu")
    calls = {"tilekiln": lambda: kernel(a, b, c), "numpy": lambda: np.matmul(*wide)}
    samples = {name: [] for name in calls}
    for turn in range(REPEATS + 1):
        for name, call in calls.items():
            time.sleep(measure.PAUSE_S)
            began = time.perf_counter()
            call()
            if turn:  # the first turn warms up
                samples[name].append(time.perf_counter() - began)
    medians = {name: statistics.median(taken) for name, taken in samples.items()}
    ratio = medians["tilekiln"] / medians["numpy"]
    return {
        "title": f"{SIZE}^3 f16 GEMM on the CPU against numpy's float32 product",
        "rows": [("tilekiln, f16", f"{medians['tilekiln']:.3f} s"), ("numpy, f32", f"{medians['numpy']:.3f} s"),
                 ("ratio", f"{ratio:.2f} (at most {LIMIT})")],
        "data": {"size": SIZE, "samples_s": samples, "median_s": medians, "ratio": ratio, "limit": LIMIT},
    }
