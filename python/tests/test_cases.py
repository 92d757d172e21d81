"""The acceptance cases: values on the CPU, and compiled down to the vendor's final IR with nothing missing."""

import re

import harness
import linkcheck
import pytest

import tilekiln

CASES = pytest.mark.parametrize("case", harness.collect(), ids=lambda case: case.id)


@CASES
def test_values_on_cpu(case):
    harness.check(case, lambda function, **options: tilekiln.compile(function, device="cpu", **options))


@CASES
def test_compiles_to_final_ir(case):
    pattern = case.error or case.either
    try:
        final_ir = tilekiln.compile(case.build(), device="hivm", **case.options).ir("hivm")
    except Exception as refused:  # by TileKiln, or by the front end while it builds the kernel
        assert pattern and re.search(pattern, str(refused), re.IGNORECASE), str(refused)
        return
    assert case.error is None, f"{case.id}: compiled, but must be refused with /{case.error}/"
    assert "func.func" in final_ir
    assert linkcheck.problems(final_ir) == []
