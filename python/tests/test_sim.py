"""device="sim": the acceptance cases' values from the vendor's final IR, its faults, and what is predicted."""

import json
import re

import harness
import kernels
import numpy as np
import pytest
import tilelang.language as T

import tilekiln
from tilekiln.cli import main

MACHINE = r"predicted \(simulated Ascend 910B3, 20 cores\)"


# Products and element-wise kernels, by file and the beginning of the id.
GROUPS = (
    ("cases_seed", ""),
    ("cases_gemm", ""),
    ("cases_kernels", "kernel-gemm-"),
    *(("cases_kernels_vector", f"kernel-{name}-")
      for name in ("add", "mul", "max", "silu-and-mul", "exp", "gelu-tanh", "gelu-erf", "cast")),
)


def cases() -> list[harness.Case]:
    """What the compiler refuses it refuses for every device."""
    return [case for case in harness.collect() if not case.error and any(
        case.build.__module__ == file and case.id.startswith(start) for file, start in GROUPS)]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_values_on_the_simulated_machine(case):
    harness.check(case, lambda function, **options: tilekiln.compile(function, device="sim", **options))


@pytest.fixture(scope="module")
def product():
    """C = A B, 512 x 512 x 256."""
    return tilekiln.compile(kernels.gemm_nn(512, 512, 256, block=(128, 256, 64)), device="sim")


def operands(m=512, n=512, k=256):
    random = np.random.default_rng(0)
    a = random.integers(-3, 4, (m, k)).astype(np.float16)
    b = random.integers(-3, 4, (k, n)).astype(np.float16)
    return a, b, np.full((m, n), 77, np.float16)


# What is predicted.

def test_a_profile_computes_values_and_predicts(product):
    a, b, c = operands()
    report = product.profile(a, b, c)
    np.testing.assert_array_equal(c, (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16))
    assert re.fullmatch(MACHINE, report["title"])
    assert report["faults"] == []
    assert report["predicted_us"] > 0
    flops = 2 * 512 * 512 * 256
    assert report["predicted_tflops"] == pytest.approx(flops / report["predicted_us"] * 1e-6)
    # Each tile reads its operands once: 4 x 2 tiles of 128 x 256.
    assert report["bytes"]["global_read"] == 2 * 8 * (128 * 256 + 256 * 256)
    assert report["bytes"]["global_write"] == 2 * 512 * 512
    assert [launch["blocks"] for launch in report["launches"]] == [8]
    assert report["bound"] in report["roofs"]
    assert 0 < report["bound_us"] < report["predicted_us"]
    assert 0 < report["pipes"]["aic.M"]["occupancy"] < 1


def test_a_profile_says_where_the_time_goes(product):
    report = product.profile(values=False)
    # Fractions of each roof, of which the highest is what bounds the kernel.
    fractions = {name: roof["fraction"] for name, roof in report["roofs"].items()}
    assert {"cube", "hbm", "l2", "mte2"} <= fractions.keys()
    assert all(0 < fraction <= 1 for fraction in fractions.values())
    assert max(fractions, key=fractions.get) == report["bound"]
    # Each pipe's time, busy or waiting and for what.
    for name, pipe in report["pipes"].items():
        assert 0 <= pipe["occupancy"] + sum(pipe["waited"].values()) <= 1.001, name
    assert report["pipes"]["aic.M"]["waited"]["flag from MTE1"] > 0
    # Ops on the critical path, the longest first, with their Python lines.
    path = report["critical_path"]
    assert [step["us"] for step in path] == sorted((step["us"] for step in path), reverse=True)
    assert any(re.search(r"kernels\.py:\d+$", step["line"]) and "nd2nz" in step["function"] for step in path)
    total = sum(step["us"] for step in path) + report["critical_path_waiting_us"]
    assert total == pytest.approx(report["kernel_us"], rel=0.01)


def test_time_alone_needs_no_arrays_and_is_the_same(product):
    alone = product.profile(values=False)
    assert alone["predicted_us"] == product.profile(*operands())["predicted_us"]


def test_a_trace_has_every_instruction(product, tmp_path):
    product.profile(values=False, trace=tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())
    events = events["traceEvents"] if isinstance(events, dict) else events
    assert any("mad" in event.get("name", "") for event in events)
    with pytest.raises(tilekiln.LaunchError, match="trace cannot be written"):
        product.profile(values=False, trace=tmp_path / "missing" / "trace.json")


def test_several_launches_are_summed_up():
    @T.prim_func
    def twice(A: T.Tensor((512,), "float32"), B: T.Tensor((512,), "float32"), C: T.Tensor((512,), "float32")):
        with T.Kernel(2, threads=128) as bx:
            for i in T.Parallel(256):
                B[bx * 256 + i] = A[bx * 256 + i] + 1.0
        with T.Kernel(4, threads=128) as by:
            for j in T.Parallel(128):
                C[by * 128 + j] = B[by * 128 + j] * 2.0

    a, b, c = (np.arange(512, dtype=np.float32) for _ in range(3))
    report = tilekiln.compile(twice, device="sim").profile(a, b, c)
    np.testing.assert_array_equal(c, 2 * (a + 1))
    assert [launch["blocks"] for launch in report["launches"]] == [2, 4]
    assert report["predicted_us"] == pytest.approx(sum(launch["predicted_us"] for launch in report["launches"]))
    assert report["bytes"]["global_read"] == 2 * 512 * 4


def test_figures_of_the_machine_can_be_replaced(product):
    few = product.profile(values=False, cores=2)
    assert "2 cores" in few["title"]
    assert few["predicted_us"] > product.profile(values=False)["predicted_us"]
    with pytest.raises(tilekiln.LaunchError, match="cors"):
        product.profile(values=False, cors=2)


def test_values_need_arrays(product):
    with pytest.raises(TypeError, match="no arguments .* values=False"):
        product.profile()


def test_open_extents_need_arrays():
    scaled = tilekiln.compile(kernels.scaled_add(), device="sim")
    with pytest.raises(tilekiln.LaunchError, match="not known before a launch"):
        scaled.profile(values=False)
    a, b = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    assert scaled.profile(a, 2.0, 3, b)["predicted_us"] > 0
    np.testing.assert_array_equal(b, 2 * a + 3)


def test_progress_is_told(product):
    told = []
    product.profile(values=False, progress=lambda done, total: told.append((done, total)))
    assert told
    assert all(0 <= done <= total for done, total in told)


def test_a_kernel_for_another_device_can_be_profiled():
    kernel = tilekiln.compile(kernels.gemm_nn(128, 256, 64, block=(128, 256, 64)), device="cpu")
    assert kernel.profile(values=False)["predicted_us"] > 0


# What is wrong with a kernel.

def without(text, pattern):
    """The text without the first line that matches."""
    lines = text.splitlines(keepends=True)
    place = next(i for i, line in enumerate(lines) if re.search(pattern, line))
    return "".join(lines[:place] + lines[place + 1:])


@pytest.mark.parametrize(("pattern", "kind"), [
    # The matrix unit starts before its operands are there, and the flag stays up.
    (r"wait_flag\[<PIPE_M>, <PIPE_FIX>", "race"),
    # Nobody says that the result is there.
    (r"set_flag\[<PIPE_M>, <PIPE_FIX>", "deadlock"),
])
def test_a_missing_flag_is_raised_with_its_line(product, tmp_path, pattern, kind):
    edited = tmp_path / "edited.mlir"
    edited.write_text(without(product.ir("hivm"), pattern))
    broken = tilekiln.compile(kernels.gemm_nn(512, 512, 256, block=(128, 256, 64)), device="sim",
                              replaced_stages={"hivm": edited})
    with pytest.raises(tilekiln.LaunchError) as raised:
        broken(*operands())
    first, *faults = str(raised.value).splitlines()
    assert re.fullmatch(r"'gemm' has \d+ faults? \(simulated Ascend 910B3, 20 cores\):", first)
    assert any(re.match(rf".*kernels\.py:\d+: {kind}: ", fault) for fault in faults), faults
    assert broken.profile(*operands())["faults"][0]["text"] == faults[0]


def test_ir_that_cannot_be_simulated_is_refused_at_its_line(product, tmp_path):
    edited = tmp_path / "edited.mlir"
    edited.write_text(product.ir("hivm").replace("@mma_tile_half_to_float", "@mma_tilt_half_to_float"))
    with pytest.raises(tilekiln.CompileError, match="mma_tilt_half_to_float") as refused:
        tilekiln.compile(kernels.gemm_nn(512, 512, 256, block=(128, 256, 64)), device="sim",
                         replaced_stages={"hivm": edited})
    assert refused.value.messages[0].file.endswith("kernels.py")


# The command.

SCRIPT = '''\
import tilelang.language as T


def doubled(n):
    m = T.dynamic("m")

    @T.prim_func
    def kernel(A: T.Tensor((m, n), "float32"), B: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(m, 16), threads=128) as bx:
            tile = T.alloc_shared((16, n), "float32")
            T.copy(A[bx * 16, 0], tile)
            for i, j in T.Parallel(16, n):
                tile[i, j] = tile[i, j] * 2.0
            T.copy(tile, B[bx * 16, 0])

    return kernel
'''


@pytest.fixture
def profile(tmp_path, monkeypatch, capfd):
    (tmp_path / "script.py").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        status = main(["profile", *arguments])
        return status, *capfd.readouterr()

    return call


def test_profile_prints_what_is_predicted(profile):
    status, out, err = profile("script.py:doubled", "--set", "n=64", "--argument", "m=160", "--values")
    assert (status, err) == (0, "")
    assert re.search(r"^kernel 'kernel', predicted \(simulated Ascend 910B3, 40 cores\)$", out, re.MULTILINE)
    assert re.search(r"time +[\d.]+ us", out)
    assert "measured" not in out


def test_profile_as_json(profile):
    status, out, _ = profile("script.py:doubled", "--set", "n=64", "--argument", "m=160", "--json", "--machine", "cores=4")
    report = json.loads(out)
    assert status == 0
    assert report["title"] == "predicted (simulated Ascend 910B3, 8 cores)"
    assert report["bytes"]["global_read"] == 160 * 64 * 4


def test_profile_says_which_extent_it_needs(profile):
    status, _, err = profile("script.py:doubled", "--set", "n=64")
    assert status == 1
    assert "--argument m=NUMBER" in err


@pytest.mark.parametrize("argument, words", [("m=many", "whole number"), ("m=-1", "whole number"), ("k=1", "there are m")])
def test_profile_refuses_an_argument_that_is_no_extent(profile, argument, words):
    status, _, err = profile("script.py:doubled", "--set", "n=64", "--argument", "m=160", "--argument", argument)
    assert status == 1
    assert f"--argument {argument[0]}" in err and words in err


def test_a_profile_prints_as_tables_and_is_a_dictionary(product):
    predicted = product.profile(values=False)
    assert "predicted (simulated Ascend 910B3" in str(predicted) and "bound by" in str(predicted)
    assert json.loads(json.dumps(predicted)) == predicted
