"""Time from a PrimFunc to the vendor's final IR for the report's GEMM, TileKiln's own part apart."""

import statistics

import measure
from gemm_report import gemm

import tilekiln

SIZE = 1024
REPEATS = 7
TOTAL_LIMIT_S = 0.6
OWN_LIMIT_MS = 100.0
OWN = ("import", "transforms", "conversion")


def run() -> dict:
    function = gemm(SIZE, SIZE, SIZE)
    reports = []

    def compile_once() -> None:
        kernel = tilekiln.compile(function, device="hivm")
        kernel.ir("hivm")
        reports.append(kernel.report().get("timings_ms", {}))

    taken = measure.seconds(compile_once, REPEATS)
    parts = {part: statistics.median(r[part] for r in reports if part in r)
             for part in dict.fromkeys(key for r in reports for key in r)}
    own = sum(parts.get(part, 0.0) for part in OWN)
    return {
        "title": f"PrimFunc to final HIVM, the report's GEMM {SIZE}^3",
        "rows": [("all", f"{taken['median'] * 1e3:.0f} ms (at most {TOTAL_LIMIT_S * 1e3:.0f})"),
                 ("TileKiln's own", f"{own:.1f} ms (at most {OWN_LIMIT_MS:.0f})"),
                 *((f"  {part}", f"{milliseconds:.1f} ms") for part, milliseconds in parts.items())],
        "data": {"total_s": taken, "parts_ms": parts, "own_ms": own, "total_limit_s": TOTAL_LIMIT_S,
                 "own_limit_ms": OWN_LIMIT_MS},
    }
