"""Every piece of synchronisation of correct kernels, deleted or moved: the simulator says so where it matters.

What matters an oracle decides that shares nothing with the simulator's own search
(unittests/Sim/Mutants/HappensBefore.h): from all that a run issued it builds what the hardware promises to
keep in order, and compares that, for each pair of instructions that touch the same bytes, with the kernel
as it was. `pytest --all-mutants` does it for every acceptance case.
"""

import json
import subprocess
from pathlib import Path

import harness
import numpy as np
import pytest

import tilekiln

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "build" / "bin" / "tilekiln-sim-mutants"
# Cube, vector, mixed, attention, pipelined.
TEN = ("kernel-gemm-ragged", "kernel-gemm-split-k", "kernel-add-float16", "kernel-softmax-float16-37x200",
       "kernel-layernorm-float16-37x200", "kernel-gemm-nt-bias-relu", "kernel-gemm-dequantised", "M1-round3",
       "kernel-attention-float16", "L6-2-4")


@pytest.fixture
def mutants(request, tmp_path):
    if not TOOL.exists():
        pytest.skip(f"{TOOL.relative_to(ROOT)} is not built")

    def run(case: harness.Case) -> dict:
        kernel = tilekiln.compile(case.build(), device="sim", **case.options)
        launches = kernel.profile(values=False)["launches"]
        if len(launches) != 1:
            raise tilekiln.LaunchError("several launches")
        final_ir = tmp_path / "kernel.mlir"
        final_ir.write_text(kernel.ir("hivm"))
        arguments = []
        for name, value in case.inputs(np.random.default_rng(0)).items():
            if np.ndim(value):
                if not value.flags.c_contiguous:
                    raise tilekiln.LaunchError(f"{name} lies in rows with a pitch")
                value.tofile(tmp_path / name)
                arguments.append(f"--arg={tmp_path / name}")
            else:
                kind = "int" if isinstance(value, (int, np.integer)) else "float"
                arguments.append(f"--arg={kind}:{value}")
        blocks = launches[0]["blocks"]
        ran = subprocess.run(
            [TOOL, final_ir, "--target", ROOT / "share/targets/ascend910b3.json", f"--grid={blocks}",
             f"--blocks={min(blocks, 2)}", *arguments], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return json.loads(ran.stdout[ran.stdout.index("\n{") if "\n{" in ran.stdout else 0:])

    return run


@pytest.mark.parametrize("name", TEN)
def test_every_mutant_that_matters_is_reported(name, mutants):
    case, = (case for case in harness.collect() if case.id == name)
    counts = mutants(case)
    assert counts["false_alarms"] == 0
    assert counts["reported"] >= 0.99 * counts["matter"]
    # The oracle does not call everything harmless, nor does the kernel have nothing to break.
    assert counts["mutants"] >= 20
    assert counts["matter"] >= counts["mutants"] / 2


def test_every_mutant_of_every_case(request, mutants):
    if not request.config.getoption("--all-mutants"):
        pytest.skip("takes long: pytest --all-mutants")
    failures, total, matter = [], 0, 0
    for case in harness.collect():
        if case.error or case.either:
            continue
        try:
            counts = mutants(case)
        except tilekiln.LaunchError as open_extents:  # or control flow that reads memory
            print(f"{case.id}: left out: {open_extents}")
        except AssertionError as failure:
            failures.append(case.id)
            print(f"{case.id}: {failure}")
        else:
            total, matter = total + counts["mutants"], matter + counts["matter"]
    print(f"{total} mutants, {matter} of them matter")
    assert failures == []
