"""Predicted against reported: the rows' format, the kernels they name, and what the page claims."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

import run_accuracy  # noqa: E402
from simaccuracy import forms, gemm_forms, page, rows, steps  # noqa: E402

from tilekiln.given_ir import Bytes, profile_ir  # noqa: E402

TARGETS = ["ascend910b1", "ascend910b3"]
CORES = {"aic": 20, "aiv": 40}
GOOD = """
title = "a load"
source = "nobody"

[reported]
quantity = "total_cycles"
value = 300
instruction = "aiv.MTE2/load"

[kernel]
form = "instruction"
instruction = "load-ub"
bytes = 16384
count = 4
"""


def read(path: Path) -> rows.Row:
    return rows.read(path, TARGETS, run_accuracy.figure_names)


def kernel(**fields) -> forms.Kernel:
    table = rows.Fields(Path("row.toml"), fields, "kernel")
    made = forms.make(table)
    table.finish()
    return made


# The format.

def test_every_row_of_ours_can_be_read_and_says_what_it_was_used_for():
    found = [read(path) for path in rows.find(run_accuracy.OWN_ROWS)]
    assert len({row.path.stem + row.path.parent.name for row in found}) == len(found) > 80
    groups = {row.path.parent.name for row in found}
    assert groups == set(page.GROUPS)
    assert all(row.source and row.title for row in found)
    # The report's table, whole, and two figures by a second kernel.
    assert len([row for row in found if row.path.parent.name == "report"]) == 14 + 2
    assert {name for row in found for name in row.fitted} >= {"nd2nz.cyclesPerRow", "fix.bytesPerCycle.allCores", "mte1.pairSync"}


def test_a_row_in_json_is_the_same_row(tmp_path):
    (tmp_path / "a.toml").write_text(GOOD)
    import tomllib
    (tmp_path / "b.json").write_text(json.dumps(tomllib.loads(GOOD)))
    first, second = read(tmp_path / "a.toml"), read(tmp_path / "b.json")
    assert (first.kernel, first.value, first.of, first.figures) == (second.kernel, second.value, second.of, second.figures)


@pytest.mark.parametrize(("change", "field", "text"), [
    (("title", "titel"), "title", "is missing"),
    (("source = \"nobody\"", "source = 3"), "source", "has to be text, but is 3"),
    (("source", "cores = 0\nsource"), "cores", "has to be above 0"),
    (("source", "cores = \"20\"\nsource"), "cores", "has to be a number, but is '20'"),
    (("source", "target = \"ascend910c\"\nsource"), "target", "did you mean ascend910b"),
    (("source", "fitted = [\"nd2nz.cyclePerRow\"]\nsource"), "fitted", "did you mean nd2nz.cyclesPerRow?"),
    (("source", "figures = { \"launch.second\" = 1 }\nsource"), "figures", "did you mean launch.seconds?"),
    (("source", "clock = 1850\nsource"), "clock", "is no field here; did you mean clock_mhz?"),
    (("total_cycles", "cycles"), "reported.quantity", "is unknown"),
    (("value = 300", "value = -1"), "reported.value", "has to be above 0"),
    (("value = 300", ""), "reported.value", "is missing"),
    (("instruction = \"aiv.MTE2/load\"", ""), "reported.instruction", "is missing"),
    (("form = \"instruction\"", "form = \"instructions\""), "kernel.form", "did you mean instruction?"),
    (("form = \"instruction\"", ""), "kernel.form", "is missing; one of gemm"),
    (("load-ub", "load-u"), "kernel.instruction", "did you mean load-ub?"),
    (("bytes = 16384", ""), "kernel.bytes", "is missing"),
    (("bytes = 16384", "bytes = 1.5"), "kernel.bytes", "has to be a whole number, but is 1.5"),
    (("count = 4", "cuont = 4"), "kernel.cuont", "did you mean count?"),
    (("[kernel]", "kernel = 3\n[kernels]"), "reported.kernel", "is no field here"),
    (("title = \"a load\"", "title = a load"), "", "is no TOML"),
])
def test_a_mistake_names_the_file_and_the_field(tmp_path, change, field, text):
    path = tmp_path / "wrong.toml"
    path.write_text(GOOD.replace(*change, 1))
    with pytest.raises(rows.RowError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: {field}" if field else f"{path}: ")
    assert text in str(caught.value)


@pytest.mark.parametrize(("fields", "text"), [
    (dict(form="gemm", m=100, n=256, k=64), "m = 100 is no multiple of its tile 128"),
    (dict(form="gemm-round-trip", m=128, n=128, k=100), "have to be multiples of 16"),
    (dict(form="gemm-round-trip", m=128, n=128, k=48), "a k that k_step divides"),
    (dict(form="stream", direction="read", rows=1, row_bytes=1000, tile=[1, 16], blocks=1), "does not divide"),
])
def test_fields_that_describe_no_kernel_are_told(fields, text):
    with pytest.raises(forms.FormError, match=re.escape(text)):
        kernel(**fields)


def test_a_name_that_the_kernel_does_not_use_is_a_mistake(tmp_path):
    path = tmp_path / "row.toml"
    path.write_text(GOOD.replace("aiv.MTE2/load", "aiv.MTE2/store"))
    with pytest.raises(rows.RowError, match="reported.instruction: pipe aiv.MTE2 runs no 'store'; it runs load"):
        run_accuracy.Runner().run(read(path))


def test_rows_from_elsewhere(tmp_path, monkeypatch, capsys):
    out = tmp_path / "out"
    monkeypatch.setattr(run_accuracy, "OUT", out)
    folder = tmp_path / "rows"
    folder.mkdir()
    (folder / "good.toml").write_text(GOOD)
    assert run_accuracy.main([str(folder)]) == 0
    (folder / "bad.toml").write_text(GOOD.replace("16384", "0"))
    assert run_accuracy.main([str(folder)]) == 1
    told = capsys.readouterr()
    assert f"{folder / 'bad.toml'}: kernel.bytes: has to be above 0, but is 0" in told.err
    assert re.search(r"a load +300 +\d", told.out)
    [entry] = json.loads((out / "accuracy-rows.json").read_text())
    assert entry["reported"] == 300
    assert entry["error"] == pytest.approx(entry["predicted"] / 300 - 1, abs=1e-3)
    assert "predicted (simulated Ascend 910B3, 40 cores)" in entry["machine"]


def test_a_folder_without_rows_is_told(tmp_path, capsys):
    assert run_accuracy.main([str(tmp_path)]) == 1
    assert "holds no row" in capsys.readouterr().err
    assert run_accuracy.main([str(tmp_path / "missing")]) == 1
    assert "is no folder of rows" in capsys.readouterr().err


# Rows of each way to give a kernel.

def test_a_kernel_from_files_beside_the_row(tmp_path):
    gemm = gemm_forms.Gemm(256, 512, 256, k_step=128)
    (tmp_path / "kernel.mlir").write_text(gemm_forms.fast(gemm))
    (tmp_path / "script.py").write_text(
        "import sys\nsys.path.insert(0, " + repr(str(ROOT / "python" / "tests")) + ")\nfrom kernels import gemm_nn\n")
    common = 'title = "a"\nsource = "b"\n[reported]\nquantity = "us"\nvalue = 1\n[kernel]\n'
    (tmp_path / "ir.toml").write_text(
        common + 'form = "linked-ir"\nfile = "kernel.mlir"\ngrid = [20]\narguments = ' +
        json.dumps([f"bytes:{count}" for count in gemm.argument_bytes]) + "\n")
    (tmp_path / "script.toml").write_text(
        common + 'form = "tilelang"\nscript = "script.py"\nfunction = "gemm_nn"\n'
        'keywords = { m = 256, n = 512, k = 256, block = [128, 256, 128] }\n')
    results = [run_accuracy.Runner().run(read(tmp_path / name)) for name in ("ir.toml", "script.toml")]
    for result in results:
        assert result.report["faults"] == []
        assert result.report["bytes"]["global_write"] == 256 * 512 * 2


@pytest.mark.parametrize(("script", "text"), [
    ("def other(): pass", "has no function 'gemm'"),
    ("def gemm(): raise KeyError('k')", "script.py fails: KeyError: 'k'"),
    ("def gemm(:", "script.py fails: SyntaxError"),
])
def test_a_script_that_fails_is_told_with_its_row(tmp_path, script, text):
    (tmp_path / "script.py").write_text(script)
    path = tmp_path / "row.toml"
    path.write_text('title = "a"\nsource = "b"\n[reported]\nquantity = "us"\nvalue = 1\n'
                    '[kernel]\nform = "tilelang"\nscript = "script.py"\nfunction = "gemm"\n')
    with pytest.raises(rows.RowError) as caught:
        run_accuracy.Runner().run(read(path))
    assert str(caught.value).startswith(f"{path}: kernel: ") and text in str(caught.value)


@pytest.mark.parametrize(("make", "gemm"), [
    (gemm_forms.fast, gemm_forms.Gemm(256, 512, 320, k_step=128)),
    (gemm_forms.fast, gemm_forms.Gemm(512, 256, 256, tile=(256, 128), k_step=128, transpose_b=True, out="f32", group=2)),
    (gemm_forms.round_trip, gemm_forms.Gemm(256, 256, 64, tile=(128, 128), k_step=32, out="f32", group=2)),
], ids=("rest", "transposed", "round-trip"))
def test_the_forms_compute_a_product_without_a_fault(make, gemm):
    random = np.random.default_rng(0)
    a = random.integers(-3, 4, (gemm.m, gemm.k)).astype(np.float16)
    b = random.integers(-3, 4, (gemm.n, gemm.k) if gemm.transpose_b else (gemm.k, gemm.n)).astype(np.float16)
    c = np.full((gemm.m, gemm.n), 77, np.float16 if gemm.out == "f16" else np.float32)
    grid = gemm.tiles if make is gemm_forms.round_trip else 3
    report = profile_ir(make(gemm), grid, [a, b, c], stage="linked", values=True)
    assert report["faults"] == []
    product = a.astype(np.float32) @ (b.T if gemm.transpose_b else b).astype(np.float32)
    np.testing.assert_array_equal(c.astype(np.float32), product)


def test_streams_move_what_they_say_without_a_fault():
    for direction, count in (("read", 1), ("write", 1), ("copy", 2), ("read-l1", 1), ("read-fractals", 1)):
        tile = [16, 512] if direction == "read-fractals" else [1, 4096]
        made = kernel(form="stream", direction=direction, rows=tile[0], row_bytes=tile[1] * 32, tile=tile, blocks=4)
        report = made.profile("ascend910b3", {}, CORES)
        assert report["faults"] == [], direction
        assert report["bytes"]["global_read"] + report["bytes"]["global_write"] == count * tile[0] * tile[1] * 32


# What a call of profile_ir takes.

@pytest.mark.parametrize(("given", "error", "text"), [
    (dict(stage="final"), ValueError, "stage is one of linked, hivm, but got 'final'"),
    (dict(arguments=["x"]), TypeError, "argument 0 is of type str"),
    (dict(arguments=[np.zeros((4, 4))[:, ::2]]), TypeError, "argument 0 is not C-contiguous"),
    (dict(arguments=[Bytes(64)], values=True), TypeError, "argument 0 has no data"),
    (dict(text="module {"), Exception, "kernel.mlir"),
])
def test_wrong_ir_and_arguments_are_told(given, error, text):
    call = {"text": kernel(form="instruction", instruction="vadd").text, "grid": 1, "arguments": [], **given}
    with pytest.raises(error, match=re.escape(text)):
        profile_ir(**call)


# What the model promises.

def test_vector_cores_of_an_ai_core_share_its_port():
    """Two of them get less than twice what one gets, four on two AI cores twice what two get."""
    def rate(blocks: int) -> float:
        made = kernel(form="stream", direction="read", rows=1, row_bytes=blocks * 4 * 16384, tile=[1, 16384], passes=32,
                      blocks=blocks)
        report = made.profile("ascend910b3", {}, CORES)
        return report["predicted_gbps"] * report["predicted_us"] / report["kernel_us"]

    one, two, four = rate(1), rate(2), rate(4)
    assert one < two < 1.6 * one
    assert four == pytest.approx(2 * two, rel=0.05)


def test_rows_off_their_alignment_take_longer_whatever_is_the_limit():
    def us(pitch: int) -> float:
        made = kernel(form="stream", direction="read-fractals", rows=1280, row_bytes=16384, tile=[64, 512],
                      pitch_bytes=pitch, blocks=20)
        return made.profile("ascend910b3", {}, CORES)["kernel_us"]

    assert us(16386) / us(16384) == pytest.approx(1.97, rel=0.1)


def test_the_critical_path_goes_back_through_the_blocks_of_a_core():
    """Each of four blocks on one core stores its sum on every step, and nothing else goes on meanwhile."""
    report = kernel(form="gemm-round-trip", m=256, n=256, k=128).profile("ascend910b3", {"cores": 1}, CORES)
    stored = sum(part["us"] for part in report["critical_path"] if part["pipe"] == "FIX")
    assert stored == pytest.approx(report["pipes"]["aic.FIX"]["busy_us"], rel=0.1)


def recorded(name: str) -> dict:
    entries = json.loads((ROOT / "benchmarks" / "accuracy.json").read_text())
    return next(entry for entry in entries if entry["row"] == f"report/{name}.toml")


@pytest.mark.parametrize(("name", "limit"), [("tilelang-1024", 0.25), ("tilelang-2048", 0.25), ("tilelang-4096", 0.25),
                                             ("dlc-triton-4096", 0.10), ("dlc-triton-8192", 0.10)])
def test_the_report_s_rows_are_met(name, limit):
    assert abs(recorded(name)["error"]) <= limit


@pytest.mark.parametrize("name", ["tilelang-1024", "dlc-triton-4096"])
def test_what_is_recorded_is_what_is_predicted(name):
    """Otherwise `make accuracy` has to be run anew."""
    result = run_accuracy.Runner().run(read(run_accuracy.OWN_ROWS / "report" / f"{name}.toml"))
    assert result.predicted == pytest.approx(recorded(name)["predicted"], rel=1e-3)
    assert result.report["faults"] == []


def test_the_page_shows_where_a_step_goes():
    row = read(run_accuracy.OWN_ROWS / "report" / "tilelang-1024.toml")
    spans, step_us = steps.one_step(row.kernel, row.target, run_accuracy.cores_of(row))
    parts = steps.chain(spans, step_us)
    assert sum(us for _, us in parts) == pytest.approx(step_us)
    assert all(us > 0 for _, us in parts)
    assert {span.what for span in spans} >= {"fixpipe", "nd2nz", "load_l0a", "load_l0b", "mad", "load", "vadd", "copy"}
    written = (ROOT / "docs" / "simulator-accuracy.md").read_text()
    assert "Nothing here was measured by this project" in written
    assert f"{step_us:.3f}" in written
