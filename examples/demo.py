"""`make demo`: the report's GEMM, compiled for Ascend 910B3, with its values checked on the CPU.

For each size: every stage's file, what the vendor's compiler made of the kernel (unit, memory
spaces, buffering), the largest error against float64 numpy, and the time. Exits with 1 where
a value is wrong.
"""

import sys
import time
from pathlib import Path

import numpy as np
from gemm_report import gemm

import tilekiln
from tilekiln import stages

OUT = Path("build") / "demo"
SIZES = ((1024, 1024, 1024), (48, 7168, 16384))  # M, K, N
# One rounding of a half-precision result, 2^-11 of it, beside what float32 sums lose.
TOLERANCE = 2.0**-10


def show_launch(launch: dict) -> None:
    """What the vendor's compiler made of one launch, as its final IR says."""
    print(f"    unit: {launch['unit']}; workspace: {launch['workspace_bytes_per_block']} bytes a block; "
          f"round trips through global memory: {launch['global_round_trips']}")
    print("    memory: " + ", ".join(f"{space} {used} bytes" for space, used in launch["used_bytes"].items()))
    for buffer in launch["buffers"]:
        print(f"      {buffer['space']}: {buffer['type']}, {buffer['bytes']} bytes, {buffer['copies']} "
              f"{'copies: double-buffered' if buffer['copies'] > 1 else 'copy'}")
    for text in (*launch["vendor_notes"], *launch["vendor_messages"]):
        print(f"    the vendor's compiler says: {text}")


def compile_stages(function, name: str, folder: Path) -> None:
    began = time.perf_counter()
    kernel = tilekiln.compile(function, device="hivm")
    seconds = time.perf_counter() - began
    report = kernel.report()
    print(f"  compiled to the vendor's final IR in {seconds:.2f} s (not run on hardware)")
    for path in stages.write_atomically(folder, stages.files(kernel, name, stages.every(kernel))):
        print(f"    {path}")
    for launch in report["launches"]:
        show_launch(launch)
    for message in kernel.messages:
        print(f"    {message.render()}")


def check_values(function, m: int, k: int, n: int) -> bool:
    rng = np.random.default_rng(0)
    a, b = ((rng.random(shape, dtype=np.float32) - 0.5).astype(np.float16) for shape in ((k, m), (n, k)))
    c = np.full((m, n), np.nan, dtype=np.float16)
    kernel = tilekiln.compile(function, device="cpu")
    began = time.perf_counter()
    kernel(a, b, c)
    seconds = time.perf_counter() - began
    expected = a.T.astype(np.float64) @ b.T.astype(np.float64)
    error = np.abs(c.astype(np.float64) - expected).max()
    allowed = TOLERANCE * np.abs(expected).max()
    right = bool(error <= allowed)  # false for NaN too
    print(f"  values on the CPU in {seconds:.2f} s: largest error {error:.3g} against float64 numpy, "
          f"values up to {np.abs(expected).max():.3g}: {'right' if right else f'WRONG, {allowed:.3g} is allowed'}")
    return right


def main() -> int:
    print("C = A^T B^T in half precision, 128x128x32 tiles, for Ascend 910B3", flush=True)
    right = True
    for m, k, n in SIZES:
        print(f"M={m} K={k} N={n}", flush=True)
        function = gemm(m, n, k)
        compile_stages(function, "gemm", OUT / f"{m}x{k}x{n}")
        right = check_values(function, m, k, n) and right
    return int(not right)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except tilekiln.CompileError as refused:
        print(refused, file=sys.stderr)
        sys.exit(1)
