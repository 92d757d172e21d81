"""Every example's kernels, at every one of their shapes, against numpy: on the CPU and on the simulated device."""

import importlib
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"
sys.path.append(str(FOLDER))

import example  # noqa: E402

# The report's own GEMM and its demonstration have tests of their own.
NAMES = sorted({path.stem for path in FOLDER.glob("*.py")} - {"example", "demo", "gemm_report"})
# What does not work yet, with the message that says so. An entry that is no longer true fails its test.
BROKEN = {
    ("conv2d", 3, "sim"): "misaligned: flags of rows that are no multiple of 256 bits",
}


def label(case: dict) -> str:
    return "-".join(f"{name}={value}".replace(" ", "") for name, value in case.items())


def parameters():
    for name in NAMES:
        for number, case in enumerate(importlib.import_module(name).CASES):
            for device in ("cpu", "sim"):
                reason = BROKEN.get((name, number, device)) or BROKEN.get((name, number))
                marks = [pytest.mark.xfail(reason=reason, strict=True, raises=Exception)] if reason else []
                yield pytest.param(name, case, device, marks=marks, id=f"{name}-{label(case)}-{device}")


@pytest.mark.parametrize(("name", "case", "device"), list(parameters()))
def test_example(name, case, device):
    results = example.run(importlib.import_module(name).example(**case), device)
    assert results
    for output, largest, allowed in results:
        assert largest <= allowed, f"{output} is off by {largest:.3g}, {allowed:.3g} is allowed"


def test_broken_ones_exist():
    counts = {name: len(importlib.import_module(name).CASES) for name in NAMES}
    assert all(number < counts[name] for name, number, *_ in BROKEN)


def test_as_a_script(monkeypatch, capsys):
    module = importlib.import_module("silu_and_mul")
    monkeypatch.setattr(sys, "argv", ["silu_and_mul.py", "--device", "cpu"])
    with pytest.raises(SystemExit) as ended:
        example.main(module.example, module.CASES)
    printed = capsys.readouterr().out
    assert ended.value.code == 0
    assert printed.count("max error of Y") == len(module.CASES)


def test_a_wrong_value_is_told(monkeypatch, capsys):
    module = importlib.import_module("transpose")

    def wrong(**case):
        made = module.example(**case)
        made.expected["Y"][0, 0, 0] += 1
        return made

    monkeypatch.setattr(sys, "argv", ["transpose.py"])
    with pytest.raises(SystemExit) as ended:
        example.main(wrong, module.CASES[2:3])
    assert ended.value.code == 1
    assert "WRONG" in capsys.readouterr().out
