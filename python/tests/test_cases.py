"""The acceptance cases: values on the CPU, and compiled down to the vendor's final IR with nothing missing."""

import re

import harness
import linkcheck
import pytest

import tilekiln

# What must pass now, by file and the beginning of the id. The rest runs with --all-cases.
REQUIRED = (
    ("cases_seed", ""),
    ("cases_gemm", ""),
    ("cases_kernels", "kernel-gemm-"),
    *(("cases_kernels_vector", f"kernel-{name}-")
      for name in ("add", "mul", "max", "silu-and-mul", "exp", "gelu-tanh", "gelu-erf", "cast")),
)
CASES = harness.collect()


def is_required(case: harness.Case) -> bool:
    file = case.build.__module__
    return any(file == name and case.id.startswith(prefix) for name, prefix in REQUIRED)


def pytest_generate_tests(metafunc):
    """Cases that are not required are left out rather than skipped, so that a skip still means something."""
    if "case" in metafunc.fixturenames:
        everything = metafunc.config.getoption("--all-cases")
        cases = [c for c in CASES if everything or is_required(c)]
        metafunc.parametrize("case", cases, ids=lambda c: c.id)


def test_every_required_group_has_cases():
    for file, prefix in REQUIRED:
        assert any(c.build.__module__ == file and c.id.startswith(prefix) for c in CASES), (file, prefix)


@pytest.mark.case
def test_values_on_cpu(case):
    harness.check(case, lambda function, **options: tilekiln.compile(function, device="cpu", **options))


@pytest.mark.case
def test_compiles_to_final_ir(case):
    pattern = case.error or case.either
    try:
        final_ir = tilekiln.compile(case.build(), device="hivm", **case.options).ir("hivm")
    except tilekiln.CompileError as refused:
        assert pattern and re.search(pattern, str(refused), re.IGNORECASE), str(refused)
        return
    assert case.error is None, f"{case.id}: compiled, but must be refused with /{case.error}/"
    assert "func.func" in final_ir
    assert linkcheck.problems(final_ir) == []
