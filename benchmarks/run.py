"""`make bench`: runs the benchmarks, prints a table each, writes build/benchmarks/NAME.json.

Measurements, not tests: a limit that is not kept is shown and does not fail the run.
Names on the command line choose among the benchmarks.
"""

import importlib
import json
import os
import platform
import sys
from pathlib import Path

import tilekiln

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "benchmarks"
NAMES = ("compile_time", "cpu_gemm", "sim_speed")


def main(chosen: list[str]) -> int:
    unknown = [name for name in chosen if name not in NAMES]
    if unknown:
        print(f"no benchmark {unknown[0]}: there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    sys.path.insert(0, str(ROOT / "examples"))
    OUT.mkdir(parents=True, exist_ok=True)
    machine = {"cores": os.cpu_count(), "processor": platform.processor() or platform.machine(),
               # Forces a kernel set on every OpenBLAS of the process, numpy's and TileKiln's alike.
               "OPENBLAS_CORETYPE": os.environ.get("OPENBLAS_CORETYPE")}
    for name in chosen or NAMES:
        try:
            result = importlib.import_module(name).run()
        except tilekiln.CompileError as refused:
            print(f"{name}: {refused}", file=sys.stderr)
            return 1
        print(result["title"])
        width = max(len(label) for label, _ in result["rows"])
        for label, value in result["rows"]:
            print(f"  {label:<{width}}  {value}")
        (OUT / f"{name}.json").write_text(json.dumps({"machine": machine, **result["data"]}, indent=2) + "\n")
        print(f"  {(OUT / f'{name}.json').relative_to(ROOT)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
