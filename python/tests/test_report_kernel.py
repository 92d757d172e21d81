"""The report's kernel: its wrong declarations are refused with everything its author needs; the right one is fast."""

import re
import subprocess
import sys

import kernels
import numpy as np
import pytest

import tilekiln

M, K, N = 48, 160, 96


def as_reported(m=M, k=K, n=N):
    """A declared (M, K) but read [k, m]; B declared (K, N) but read [n, k]."""
    return kernels.gemm_tt(m, n, k, a_shape=(m, k), b_shape=(k, n))


def line_of(text):
    """The line of kernels.py, in gemm_tt, that has this text."""
    lines = open(kernels.__file__).read().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize("device", ["cpu", "hivm"])
def test_transposed_declaration_is_refused(device):
    with pytest.raises(tilekiln.CompileError) as refused:
        tilekiln.compile(as_reported(), device=device)
    text = str(refused.value)
    error = next(m for m in refused.value.messages if m.severity == "error")
    assert re.search(r"\bA\b", error.text), text
    assert re.search(r"\bdim(ension)? 0\b", error.text), "the dimension: " + text
    assert re.search(rf"\b{M}\b", error.text), "the extent: " + text
    assert re.search(rf"\b{K}\b|\b{K - 1}\b", text), "the range that is read: " + text
    assert "transposed" in text, "the hint: " + text
    assert error.file == kernels.__file__
    assert error.line == line_of("T.copy(A[step * block_k, by * block_m], a_tile)")
    assert f"{kernels.__file__}:{error.line}: error: " in text
    assert "T.copy(A[step * block_k, by * block_m], a_tile)" in text, "the source line: " + text


def test_reported_sizes_are_refused_without_running():
    for m, k, n in ((48, 7168, 16384), (96, 18432, 7168)):
        with pytest.raises(tilekiln.CompileError, match=r"\bA\b"):
            tilekiln.compile(as_reported(m, k, n))


def test_out_of_bounds_zero_reads_zeros():
    rng = np.random.default_rng(1)
    a, b = ((rng.random(shape) - 0.5).astype(np.float16) for shape in ((M, K), (K, N)))
    c = np.full((M, N), -99, np.float16)
    tilekiln.compile(as_reported(), out_of_bounds="zero")(a, b, c)
    a_read, b_read = np.zeros((K, M)), np.zeros((N, K))
    a_read[:min(M, K), :min(M, K)] = a[:K, :M].astype(np.float64)
    b_read[:min(K, N), :min(N, K)] = b[:N, :K].astype(np.float64)
    np.testing.assert_allclose(c.astype(np.float64), a_read.T @ b_read.T, rtol=1e-2, atol=1e-2)


def test_out_of_bounds_zero_compiles_to_final_ir():
    assert "func.func" in tilekiln.compile(as_reported(), device="hivm", out_of_bounds="zero").ir("hivm")


def test_square_sizes_are_accepted_as_reported():
    a = np.eye(256, dtype=np.float16)
    b = (np.arange(256 * 256) % 7).reshape(256, 256).astype(np.float16)
    c = np.zeros((256, 256), np.float16)
    tilekiln.compile(as_reported(256, 256, 256))(a, b, c)
    np.testing.assert_array_equal(c, b.T)


def test_pure_gemm_stays_on_the_cube():
    final_ir = tilekiln.compile(kernels.gemm_tt(1024, 1024, 1024), device="hivm").ir("hivm")
    assert "_mix_aiv" not in final_ir and "func_core_type<AIV>" not in final_ir, "a vector part"
    assert "sync_block_wait" not in final_ir and "sync_block_set" not in final_ir, "cross-core flags"
    assert "infer_workspace_shape" not in final_ir, "a workspace"
    assert len(re.findall(r"\bcall @fixpipe", final_ir)) == 1


@pytest.mark.parametrize("name", ["tl_gemm_single.py", "dump_tl_gemm.py"])
def test_seed_script_without_torch_npu(seed_script, tmp_path, name):
    """The report's script runs once what needs the hardware is taken out: the NPU and the time measurement."""
    text = seed_script(name).read_text()
    text = text.replace("import torch, torch_npu", "import torch").replace('torch.device("npu")', 'torch.device("cpu")')
    text = re.sub(r"^torch\.npu\.synchronize\(\)$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^(ms_|tflops_|print\(f).*$", "", text, flags=re.MULTILINE)
    (tmp_path / name).write_text(text)
    ran = subprocess.run([sys.executable, "-m", "tilekiln", "run", name, "256", "256", "256"], cwd=tmp_path,
                         capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    if name == "dump_tl_gemm.py":
        assert list(tmp_path.glob("tmp/*/kernel.commonir.mlir")), "DLC_DUMP_IR=1 writes the stages"
        assert "commonir" in ran.stdout, "TILELANG_PRINT_COMMONIR=1 prints them"
        assert "TL GEMM run OK" in ran.stdout
