"""The command `tilekiln`, as a user runs it."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass

import pytest

from tilekiln import stages
from tilekiln.cli import compile as compile_command
from tilekiln.cli import main

SCRIPT = '''\
import sys

import tilelang
import tilelang.language as T

N = int(sys.argv[1]) if len(sys.argv) > 1 else 128


@T.prim_func
def plus_one(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
    with T.Kernel(T.ceildiv(N, 64), threads=128) as bx:
        for i in T.Parallel(64):
            B[bx * 64 + i] = A[bx * 64 + i] + 1.0


def plus(n, shift):
    @T.prim_func
    def shifted(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 64), threads=128) as bx:
            for i in T.Parallel(64):
                B[bx * 64 + i] = A[bx * 64 + i] + shift

    return shifted


@tilelang.jit(out_idx=[-1])
def times(n, factor=3.0):
    @T.prim_func
    def scaled(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 64), threads=128) as bx:
            for i in T.Parallel(64):
                B[bx * 64 + i] = A[bx * 64 + i] * factor

    return scaled


if __name__ == "__main__":
    import torch

    a, b = torch.arange(N, dtype=torch.float32), torch.zeros(N)
    tilelang.compile(plus_one)(a, b)
    print("sum", b.sum().item(), times(N)(a).sum().item())
'''
REFUSED = '''\
import tilelang
import tilelang.language as T


@T.prim_func
def beyond(A: T.Tensor((64,), "float32"), B: T.Tensor((128,), "float32")):
    with T.Kernel(2, threads=128) as bx:
        tile = T.alloc_shared((64,), "float32")
        T.copy(A[bx * 64], tile)
        T.copy(tile, B[bx * 64])


if __name__ == "__main__":
    tilelang.compile(beyond)
'''
STAGE_FILES = ("commonir.mlir", "tiles.mlir", "linked.mlir", "hivm.mlir", "report.json")


@dataclass
class Ran:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def cli(tmp_path, monkeypatch, capfd):
    """Runs the command in a folder with both scripts, inside this process: importing tilelang takes seconds."""
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "refused.py").write_text(REFUSED)
    monkeypatch.chdir(tmp_path)

    def call(*arguments, **environment):
        with monkeypatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            try:
                status = main(arguments)
            except SystemExit as left:
                status = left.code
        return Ran(status, *capfd.readouterr())

    call.folder = tmp_path
    return call


def process(*arguments, cwd, **environment):
    """The same as a process, for what only a process shows."""
    return subprocess.run([sys.executable, "-m", "tilekiln", *arguments], cwd=cwd, capture_output=True, text=True,
                          timeout=300, env={**os.environ, **environment})


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def assert_refused(ran, *words, status=1):
    assert ran.returncode == status, ran.stderr
    assert "Traceback" not in ran.stderr
    for word in words:
        assert word in ran.stderr, ran.stderr


@pytest.mark.parametrize("arguments, words", [
    ((), ("compile", "run", "doctor")),
    (("compile",), ("--out", "--set", "--out-of-bounds", "TILEKILN_OUT_OF_BOUNDS", "examples:")),
    (("run",), ("DLC_DUMP_IR", "TILELANG_PRINT_COMMONIR", "SCRIPT.py")),
    (("doctor",), ("--json",)),
])
def test_help(cli, arguments, words):
    ran = cli(*arguments, "--help")
    assert ran.returncode == 0
    for word in words:
        assert word in ran.stdout


def test_compile_writes_every_stage(cli):
    ran = cli("compile", "script.py:plus_one", "--out", "out")
    assert ran.returncode == 0, ran.stderr
    assert names(cli.folder / "out") == sorted(f"plus_one.{suffix}" for suffix in STAGE_FILES)
    assert "hivm.hir." in (cli.folder / "out" / "plus_one.hivm.mlir").read_text()
    assert json.loads((cli.folder / "out" / "plus_one.report.json").read_text())["launches"][0]["unit"] == "vector"


def test_compile_finds_all_kernels_of_a_script(cli):
    ran = cli("compile", "script.py", "--set", "n=64", "--out", "out", "--", "256")
    assert ran.returncode == 0, ran.stderr
    assert {name.split(".")[0] for name in names(cli.folder / "out")} == {"plus_one", "times"}
    assert "256" in (cli.folder / "out" / "plus_one.commonir.mlir").read_text()


def test_compile_a_function_that_returns_a_kernel(cli):
    ran = cli("compile", "script.py:plus", "--set", "n=64", "--set", "shift=4.0", "--out", "out")
    assert ran.returncode == 0, ran.stderr
    assert "shifted.linked.mlir" in names(cli.folder / "out")


def test_compile_keeps_other_files_of_the_folder(cli):
    (cli.folder / "out").mkdir()
    (cli.folder / "out" / "notes.txt").write_text("mine")
    assert cli("compile", "script.py:plus_one", "--out", "out").returncode == 0
    assert (cli.folder / "out" / "notes.txt").read_text() == "mine"
    assert len(names(cli.folder / "out")) == len(STAGE_FILES) + 1


def test_failed_writing_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    (tmp_path / "there").mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(stages.Path, "write_text", full)
        for folder in ("there", "new/folder"):
            with pytest.raises(OSError, match="No space left"):
                stages.write_atomically(tmp_path / folder, {"a": "1", "b": "2"})
    assert names(tmp_path) == ["there"] and not names(tmp_path / "there")


def test_nothing_is_written_where_one_file_cannot_be(tmp_path):
    (tmp_path / "b").mkdir()
    with pytest.raises(IsADirectoryError, match="b is a folder"):
        stages.write_atomically(tmp_path, {"a": "1", "b": "2"})
    assert names(tmp_path) == ["b"]


def test_an_existing_folder_is_enough(tmp_path, monkeypatch):
    """Its parent may not be ours to write to."""
    made = []
    original = stages.tempfile.mkdtemp
    monkeypatch.setattr(stages.tempfile, "mkdtemp", lambda **given: made.append(given["dir"]) or original(**given))
    (tmp_path / "out").mkdir()
    stages.write_atomically(tmp_path / "out", {"a": "1"})
    assert made == [tmp_path / "out"] and names(tmp_path / "out") == ["a"]


def test_a_folder_that_cannot_be_written_to_is_refused_before_compiling(cli, monkeypatch):
    monkeypatch.setattr(stages.os, "access", lambda *_: False)
    monkeypatch.setattr(compile_command, "compile_function", None)
    ran = cli("compile", "script.py:plus_one", "--out", "out")
    assert_refused(ran, "out: error: the stages cannot be written", "cannot be written to")


def test_script_without_a_kernel_names_the_function_to_ask_for(cli):
    (cli.folder / "maker.py").write_text("def make(n):\n    return n\n\n\ndef main():\n    pass\n")
    assert_refused(cli("compile", "maker.py", "--out", "o"), "maker.py:make,")


def test_refused_kernel_leaves_nothing_behind(cli):
    before = names(cli.folder)
    ran = process("compile", "refused.py", "--out", "out", cwd=cli.folder)
    assert_refused(ran, "refused.py:9: error: ", "T.copy(A[bx * 64], tile)")
    assert [n for n in names(cli.folder) if n != "__pycache__"] == before


def test_out_of_bounds_zero_compiles_what_is_refused_otherwise(cli):
    assert cli("compile", "refused.py", "--out", "out", "--out-of-bounds", "zero").returncode == 0
    assert cli("compile", "refused.py", "--out", "out2", TILEKILN_OUT_OF_BOUNDS="zero").returncode == 0


@pytest.mark.parametrize("arguments, words", [
    (("compile", "missing.py", "--out", "o"), ("missing.py", "no such file")),
    (("compile", "script.py:nothing", "--out", "o"), ("no function nothing", "plus_one", "times")),
    (("compile", "script.py:times", "--out", "o"), ("times is a tilelang.jit function", "'n'", "--set")),
    (("compile", "script.py:plus_one", "--out", "script.py"), ("script.py", "is a file")),
    (("compile", "script.py:pls", "--out", "o"), ("no function pls", "plus_one, times, plus")),
    (("compile", "script.py:plus", "--set", "q=1", "--out", "o"), ("--set q", "there are n, shift")),
    (("compile", "script.py:plus", "--set", "n=64", "--out", "o"), ("script.py:16", "plus needs values for shift", "--set")),
    (("compile", "script.py:plus_one", "--set", "q=1", "--out", "o"), ("--set q", "fixed in the script")),
    (("compile", "script.py:plus_one", "--out", "script.py/o"), ("script.py is not a folder",)),
    (("compile", "script.py:plus_one", "--out", "o", "--vendor-timeout-seconds", "0"), ("above 0",)),
    (("compile", "script.py:plus_one", "--out", "o", "--disabled-passes", "hoist"), ("'hoist'", "hoist-clear")),
    (("compile", "script.py", "--out", "o", "--", "many"), ("script.py:6", "ValueError", "many")),
    (("run", "missing.py"), ("missing.py", "no such file")),
    (("run", "."), ("this is a folder",)),
    (("profile", "script.py:plus_one", "--argument", "n=3"), ("--argument n", "all extents are numbers")),
    (("run", "refused.py"), ("refused.py:9: error: ",)),
])
def test_bad_input(cli, arguments, words):
    assert_refused(cli(*arguments), *words)
    assert not (cli.folder / "o").exists()


@pytest.mark.parametrize("arguments, words", [
    ((), ("COMMAND",)),
    (("explode",), ("explode",)),
    (("compile", "script.py"), ("--out",)),
    (("compile", "script.py", "--out", "o", "--out-of-bounds", "maybe"), ("maybe", "zero")),
    (("compile", "script.py", "--out", "o", "--set", "novalue"), ("NAME=VALUE", "novalue")),
    (("compile", "script.py", "--out", "o", "--chek-placement", "off"), ("tilekiln compile", "did you mean --check-placement")),
    (("compile", "script.py", "--out", "o", "--replaced-stages", "linked"), ("'linked'", "stage=file")),
    # Not taken for --device-library-folder.
    (("profile", "script.py", "--device", "npu"), ("unknown option --device",)),
    (("doctor", "more"), ("unknown argument more",)),
])
def test_wrong_command_line(cli, arguments, words):
    assert_refused(cli(*arguments), *words, status=2)


@pytest.mark.parametrize("text, words", [
    ("def broken(:\n", ("broken.py:1: error: ",)),
    ("import no_such_module\n", ("broken.py:1", "no_such_module")),
    ("x = 1\n", ("no TileLang kernel found", "@T.prim_func")),
])
def test_scripts_that_cannot_be_compiled(cli, text, words):
    (cli.folder / "broken.py").write_text(text)
    assert_refused(cli("compile", "broken.py", "--out", "o"), *words)


def test_run_gives_values(cli):
    ran = process("run", "script.py", "64", cwd=cli.folder)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["sum", str(64 * 63 / 2 + 64), str(3 * 64 * 63 / 2)]


def test_run_dumps_and_prints_where_the_environment_says_so(cli):
    ran = cli("run", "script.py", "64", DLC_DUMP_IR="1", TILELANG_PRINT_COMMONIR="1")
    assert ran.returncode == 0, ran.stderr
    folders = list((cli.folder / "tmp").iterdir())
    assert len(folders) == 2, "one for each kernel"
    for folder in folders:
        assert names(folder) == sorted(f"kernel.{suffix}" for suffix in STAGE_FILES)
    assert "// ----- plus_one: commonir -----" in ran.stdout


def test_run_takes_an_edited_linked_ir(cli):
    (cli.folder / "one.py").write_text(SCRIPT.replace(", times(N)(a).sum().item()", ""))
    assert cli("compile", "one.py:plus_one", "--out", "out", "--", "64").returncode == 0
    linked = cli.folder / "out" / "plus_one.linked.mlir"
    linked.write_text(linked.read_text().replace("arith.addf", "arith.subf"))
    ran = cli("run", "one.py", "64", DLC_REPLACE_COMMONIR_LINKED_IR_FILE=str(linked))
    assert ran.stdout.split() == ["sum", str(64 * 63 / 2 - 64)], ran.stderr


def test_run_leaves_tilelang_alone_when_told(cli):
    ran = cli("run", "script.py", "64", TILELANG_USE_DLCOMPILER="0")
    assert ran.returncode != 0, "TileLang itself has no device on this machine"
    assert "sum" not in ran.stdout


def test_run_passes_on_arguments_and_exit_status(cli):
    (cli.folder / "exits.py").write_text("import sys\nprint(sys.argv[1:], __name__)\nsys.exit(7)\n")
    ran = cli("run", "exits.py", "--out", "x", "-1")
    assert ran.returncode == 7
    assert ran.stdout.strip() == "['--out', 'x', '-1'] __main__"


def test_run_shows_the_scripts_own_exceptions_as_python_does(cli):
    (cli.folder / "raises.py").write_text("def f():\n    raise KeyError('mine')\n\n\nf()\n")
    ran = process("run", "raises.py", cwd=cli.folder)
    assert ran.returncode == 1
    assert "KeyError: 'mine'" in ran.stderr and "raises.py" in ran.stderr
    assert "tilekiln" not in ran.stderr, "frames of the command are not shown"


def test_doctor_lists_every_part():
    ran = subprocess.run([sys.executable, "-m", "tilekiln", "doctor", "--json"], capture_output=True, text=True, timeout=60)
    findings = {f["name"]: f for f in json.loads(ran.stdout)}
    expected = {"LLVM/MLIR", "tilelang", "torch", "bishengir-compile", "device library", "hivmc", "CANN", "torch_npu", "NPU"}
    assert expected <= findings.keys()
    assert findings["LLVM/MLIR"]["found"] and "19.1" in findings["LLVM/MLIR"]["detail"]
    assert ran.returncode == 0
    for finding in findings.values():
        assert finding["found"] or finding["detail"].startswith("would add: ")


def test_doctor_fails_where_nothing_can_be_compiled(tmp_path):
    """A Python that sees the package and numpy, but no tilelang."""
    code = ("import sys, importlib.metadata as m; known = m.version\n"
            "def version(name):\n"
            "    if name == 'tilelang': raise m.PackageNotFoundError(name)\n"
            "    return known(name)\n"
            "m.version = version\n"
            "from tilekiln.cli import main; sys.exit(main(['doctor']))")
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 1
    assert "MISSING" in ran.stdout and "the front end" in ran.stdout
