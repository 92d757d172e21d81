"""Samples that the vendor's compiler accepts: what it makes of them runs in the simulator, right and without a fault.

The samples lie beside the checkout (../shared/facts/bishengir-samples), where they are there at all. They are what
others feed to bishengir-compile: written by hand or by Triton's front end, not by TileKiln, so this is a test of
the simulator against the vendor's compiler alone. The first blocks of each grid run; what other blocks would write
must stay as it was.
"""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tilekiln import vendor

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT.parent / "shared" / "facts" / "bishengir-samples"
TOOL = ROOT / "build" / "bin" / "tilekiln-sim"
FLAGS = ("--target=Ascend910B3", "--enable-auto-multi-buffer=true", "--enable-hfusion-compile=true",
         "--enable-hivm-compile=true", "--enable-triton-kernel-compile=true")
SENTINEL = 77


@dataclass(frozen=True)
class Sample:
    name: str
    # The arrays and numbers of the launch, in the kernel's order; the name of the one that is written.
    arguments: Callable[[np.random.Generator], dict]
    output: str
    # What it holds afterwards.
    expected: Callable[[dict], np.ndarray]
    grid: int
    blocks: int
    rtol: float = 0.0
    atol: float = 0.0
    flags: tuple[str, ...] = ()


def integers(rng, shape, dtype, limit=2):
    """Sums of products of these are exact in float32."""
    return rng.integers(-limit, limit + 1, shape).astype(dtype)


def product(name, m=4096, n=4096, k=4096, tile=(128, 256), blocks=2, types=("float16", "float16", "float16"),
            transpose_b=False, start=SENTINEL, finish=None, extra=None, arguments=None, rtol=0.0, scale=1.0, flags=()):
    """C = finish(A B, arguments), tiles counted along the rows of C; `arguments` puts them into the kernel's order."""
    left, right, result = (np.dtype(getattr(ml_dtypes, t, None) or t) for t in types)

    def inputs(rng):
        given = {"A": (integers(rng, (m, k), np.float32) * scale).astype(left),
                 "B": (integers(rng, (n, k) if transpose_b else (k, n), np.float32) * scale).astype(right),
                 **(extra(rng) if extra else {}), "C": np.full((m, n), start, result)}
        return {key: given.get(key, {"M": m, "N": n, "K": k}.get(key)) for key in arguments} if arguments else given

    def expected(x):
        c, columns = x["C"].copy(), -(-n // tile[1])
        wide = np.float64 if right == np.int8 else np.float32
        a, b = x["A"].astype(wide), x["B"].astype(wide)
        b = b.T if transpose_b else b
        for block in range(blocks):
            rows = slice(block // columns * tile[0], min(block // columns * tile[0] + tile[0], m))
            cols = slice(block % columns * tile[1], min(block % columns * tile[1] + tile[1], n))
            value = a[rows] @ b[:, cols]
            c[rows, cols] = (finish(value, x, rows, cols) if finish else value).astype(result)
        return c

    return Sample(name, inputs, "C", expected, -(-m // tile[0]) * -(-n // tile[1]), blocks, rtol, flags=flags)


def attention(name, dtype="float16", blocks=2, causal=False, atol=2e-3):
    length, width = 4096, 128
    element = np.dtype(getattr(ml_dtypes, dtype, None) or dtype)

    def inputs(rng):
        q, k, v = (rng.standard_normal((length, width)).astype(element) for _ in range(3))
        return {"Q": q, "K": k, "V": v, "O": np.full((length, width), SENTINEL, element)}

    def expected(x):
        o, rows = x["O"].copy(), blocks * 128
        q, k, v = (x[name].astype(np.float64) for name in "QKV")
        scores = q[:rows] @ k.T * width ** -0.5
        if causal:
            scores = np.where(np.arange(rows)[:, None] >= np.arange(length), scores, -1e30)
        p = np.exp(scores - scores.max(1, keepdims=True))
        o[:rows] = (p @ v / p.sum(1, keepdims=True)).astype(element)
        return o

    return Sample(name, inputs, "O", expected, 32, blocks, atol=atol)


def softmax(name, rows=16, columns=1024, blocks=3):
    def expected(x):
        o, wide = x["O"].copy(), x["A"][: rows * blocks].astype(np.float64)
        p = np.exp(wide - wide.max(1, keepdims=True))
        o[: rows * blocks] = p / p.sum(1, keepdims=True)
        return o

    return Sample(name, lambda rng: {"A": rng.standard_normal((64, columns)).astype(np.float32),
                                     "O": np.full((64, columns), SENTINEL, np.float32)}, "O", expected, 4, blocks,
                  rtol=1e-5, atol=1e-7)


def relu(value, *_):
    return np.maximum(value, 0)


def bias_relu(value, x, rows, cols):
    return np.maximum(value + x["Bias"][cols], 0)


DYNAMIC = ("A", "B", "C", "M", "N", "K")
SMALL = {"m": 300, "n": 520, "k": 200, "blocks": 9}
EDGE = {"m": 1000, "n": 1000, "k": 1000, "blocks": 32}

ALL = (
    # Forms of a product.
    product("gemm_b_triton"),
    product("gemm_b_triton", flags=("--enable-hivm-unit-flag-sync=true",)),
    product("gemm_a2_naive", n=4096, tile=(128, 128), types=("float16", "float16", "float32"), blocks=1),
    product("t_bk256"),
    product("t_128x128x256", tile=(128, 128)),
    product("t_transB", transpose_b=True),
    product("t_skinny48", m=48, n=7168, k=16384, tile=(48, 256)),
    product("gemm_relu_fixpipe", finish=relu),
    # Edges.
    product("t_edge1000", **EDGE),
    product("t_edgeT", transpose_b=True, **EDGE),
    product("gemm_dyn_", arguments=DYNAMIC, **SMALL),
    product("gemm_dyn_bias_relu", arguments=("A", "B", "C", "Bias", "M", "N", "K"), finish=bias_relu,
            extra=lambda rng: {"Bias": integers(rng, 520, np.float32, 50)}, **SMALL),
    # Other types.
    product("t_i8", types=("int8", "int8", "int32")),
    product("t_bf16", types=("bfloat16",) * 3),
    # Split along K: added to what is there.
    product("gemm_atomic", types=("float16", "float16", "float32"), start=3, finish=lambda value, *_: value + 3),
    # Something of the vector unit behind it or in front of it.
    product("mix_exp_triton", tile=(128, 128), scale=0.125, finish=lambda value, *_: np.exp(value), rtol=2e-3),
    product("if_gemm", tile=(128, 128), scale=0.125, finish=lambda value, *_: np.exp(value), rtol=2e-3),
    product("dequant_gemm", tile=(128, 128), arguments=("A", "B", "Scale", "C"),
            extra=lambda rng: {"Scale": 2.0 ** rng.integers(-3, 3, 4096).astype(np.float32)},
            finish=lambda value, x, rows, cols: value * x["Scale"][rows, None]),
    product("w8a16_gemm", types=("int8", "float16", "float16")),
    # Reductions, attention.
    softmax("softmax_f32_1024"),
    attention("fa_maximumf"),
    attention("fa_causal", blocks=6, causal=True),
    attention("fa_bf16", "bfloat16", atol=2e-2),
)


def compiled(sample: Sample, folder: Path) -> Path:
    """The final IR, as hivmc would be given it. The vendor's compiler keeps it, and then fails for want of one."""
    compiler = vendor.find_compiler()
    if compiler is None:
        pytest.skip("the vendor's compiler is not installed (pip install ascendnpu-ir)")
    ran = subprocess.run([compiler, SAMPLES / f"{sample.name}.mlir", *FLAGS, *sample.flags, f"--save-temps={folder}",
                          "-o", folder / "kernel"], capture_output=True, text=True)
    final_ir = folder / "module.hivm.opt.mlir"
    assert final_ir.exists(), ran.stderr
    return final_ir


@pytest.mark.parametrize("sample", ALL, ids=lambda sample: "-".join((sample.name, *sample.flags)))
def test_sample(sample, tmp_path):
    if not SAMPLES.is_dir():
        pytest.skip("the samples are not beside this checkout (../shared/facts/bishengir-samples)")
    if not TOOL.exists():
        pytest.skip(f"{TOOL.relative_to(ROOT)} is not built")
    final_ir = compiled(sample, tmp_path)
    x = sample.arguments(np.random.default_rng(0))
    arguments = []
    for name, value in x.items():
        if isinstance(value, int):
            arguments.append(f"--arg=int:{value}")
        else:
            value.tofile(tmp_path / name)
            arguments.append(f"--arg={tmp_path / name}")
    ran = subprocess.run([TOOL, final_ir, "--target", ROOT / "share/targets/ascend910b3.json", "--json",
                          f"--grid={sample.grid}", f"--blocks={sample.blocks}", *arguments],
                         capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    assert [fault["text"] for fault in report["faults"]] == []
    assert report["predicted_us"] > 0
    for name, value in x.items():
        if isinstance(value, int):
            continue
        after = np.fromfile(tmp_path / name, value.dtype).reshape(value.shape)
        if name != sample.output:
            np.testing.assert_array_equal(after.view(np.uint8), value.view(np.uint8), err_msg=name)
            continue
        np.testing.assert_allclose(after.astype(np.float64), sample.expected(x).astype(np.float64), sample.rtol,
                                   sample.atol)
