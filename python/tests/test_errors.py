"""Input that is refused: an error that says why, never a crash, never a wrong answer."""

import json
import pickle
import random
import subprocess
import sys

import kernels
import numpy as np
import pytest
import tilelang
import tilelang.language as T

import tilekiln
from tilekiln.errors import Message


def tir_json():
    return tilelang.tvm.ir.save_json(kernels.unary(256, 64, "float32", lambda a: a + 1))


GOOD = tir_json()


def test_good_json_text_compiles():
    assert tilekiln.compile(GOOD).parameters[0].name == "A"


@pytest.mark.parametrize("text", ["{", "{}", '{"root_index": 0, "nodes": []}', '{"root_index": 7, "nodes": [{"type": "None"}]}',
                                  '{"root_index": "x", "nodes": 3}', '{"nodes": [1, 2]}'])
def test_malformed_json_is_an_error(text):
    with pytest.raises(tilekiln.CompileError) as refused:
        tilekiln.compile(text)
    assert str(refused.value).startswith("<PrimFunc's JSON>:1: error: ")


# Damaged graphs are compiled in a process of their own, so that a crash is a plain failure.

COMPILE_EACH = """
import json, sys, tilekiln
refused = []
for number, text in enumerate(json.load(sys.stdin)):
    print(number, file=sys.stderr, flush=True)
    try:
        tilekiln.compile(text)
    except tilekiln.CompileError as error:
        assert str(error).strip()
        refused.append(number)
print(json.dumps(refused))
"""


def compile_each(texts):
    """The numbers of the texts that were refused; fails where one took the process down."""
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", COMPILE_EACH], input=json.dumps(texts), capture_output=True,
                         text=True, timeout=300)
    assert ran.returncode == 0, f"exit {ran.returncode} at number {ran.stderr[-2000:]}"
    return json.loads(ran.stdout)


def damaged(change, count=150):
    """Copies of the good graph, each changed by change(random, its nodes, one node with fields)."""
    rng, texts = random.Random(0), []
    for _ in range(count):
        graph = json.loads(GOOD)
        change(rng, graph["nodes"], rng.choice([n for n in graph["nodes"] if isinstance(n.get("data"), dict) and n["data"]]))
        texts.append(json.dumps(graph))
    return texts


def drop_a_field(rng, nodes, node):
    del node["data"][rng.choice(sorted(node["data"]))]


def point_elsewhere(rng, nodes, node):
    node["data"][rng.choice(sorted(node["data"]))] = rng.randint(-3, 2 * len(nodes))


def change_a_type(rng, nodes, node):
    node["type"] = rng.choice([n["type"] for n in nodes] + ["tirx.Unheard", ""])


def change_a_value(rng, nodes, node):
    node["data"][rng.choice(sorted(node["data"]))] = rng.choice(["", "float99", None, [], {}, -1, 1e300, True, "0"])


def test_truncated_json_is_an_error():
    texts = [GOOD[:length] for length in random.Random(0).sample(range(1, len(GOOD) - 2), 60)]
    assert compile_each(texts) == list(range(len(texts)))


@pytest.mark.parametrize("change", [drop_a_field, point_elsewhere, change_a_type, change_a_value])
def test_a_damaged_graph_is_an_error_or_harmless(change):
    assert compile_each(damaged(change)), "some of the damage must be noticed"


def test_gpu_only_operation_is_refused_at_its_line():
    @T.prim_func
    def shuffled(A: T.Tensor((128,), "float32"), B: T.Tensor((128,), "float32")):
        with T.Kernel(1, threads=128):
            for i in T.Parallel(128):
                B[i] = T.shfl_xor(A[i], 1)

    with pytest.raises(tilekiln.CompileError) as refused:
        tilekiln.compile(shuffled)
    error = refused.value.messages[0]
    assert "sh" in error.text and error.file == __file__
    assert open(__file__).read().splitlines()[error.line - 1].strip().startswith(("B[i] = T.shfl_xor", "for i in"))


@pytest.mark.parametrize("thing", [None, 3, "gemm", object(), lambda a: a])
def test_what_is_no_kernel_is_a_type_error(thing):
    with pytest.raises(TypeError, match="PrimFunc"):
        tilekiln.compile(thing)


def test_text_has_file_line_severity_and_the_source_line():
    messages = [Message("error", __file__, 1, 0, "x is wrong"), Message("note", __file__, 3, 0, "declared here"),
                Message("error", "no/such/file.py", 5, 2, "y is wrong"), Message("error", "", 0, 0, "z is wrong")]
    lines = str(tilekiln.CompileError(messages)).splitlines()
    source = open(__file__).read().splitlines()
    assert lines[0] == f"{__file__}:1: error: x is wrong"
    assert lines[1].strip() == source[0]
    assert lines[2] == f"{__file__}:3: note: declared here"
    assert lines[-2:] == ["no/such/file.py:5: error: y is wrong", "error: z is wrong"]


def test_compile_error_survives_pickling():
    original = tilekiln.CompileError([Message("error", "k.py", 3, 0, "too large")])
    copy = pickle.loads(pickle.dumps(original))
    assert copy.messages == original.messages and str(copy) == str(original)


def test_vendor_compiler_that_cannot_be_run_is_named(tmp_path):
    missing = tmp_path / "no-such-compiler"
    with pytest.raises(tilekiln.CompileError, match="no-such-compiler"):
        tilekiln.compile(GOOD, device="hivm", bishengir_compile=str(missing)).ir("hivm")


def test_float64_tiles_are_the_cpus_alone():
    @T.prim_func
    def double(A: T.Tensor((64,), "float64"), B: T.Tensor((64,), "float64")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64,), "float64")
            T.copy(A, a)
            for i in T.Parallel(64):
                a[i] = a[i] * 2
            T.copy(a, B)

    values, result = np.arange(64) / 3, np.zeros(64)
    tilekiln.compile(double, device="cpu")(values, result)
    np.testing.assert_array_equal(result, values * 2)
    for device in ("hivm", "sim"):
        with pytest.raises(tilekiln.CompileError, match=r"test_errors.py:\d+: error: 'a' holds float64.*use float32"):
            tilekiln.compile(double, device=device)
