"""tilekiln.compile and the kernel it returns: what is taken, what is refused and how, what is told."""

import json
import subprocess
import sys
import threading

import kernels
import ml_dtypes
import numpy as np
import pytest
import tilelang
import tilelang.language as T
import torch

import tilekiln

SIZE = 192


@pytest.fixture(scope="module")
def scaled():
    """B = A * scale + shift over a symbolic n."""
    return tilekiln.compile(kernels.scaled_add())


@pytest.fixture(scope="module")
def added():
    """C = A + B over SIZE elements."""
    return tilekiln.compile(kernels.binary(SIZE, 64, "float32", lambda a, b: a + b, "shared"))


def arrays(count=3, size=SIZE, dtype=np.float32):
    return [np.arange(size).astype(dtype) + i for i in range(count)]


# What is taken.

def test_numpy_arrays_in_place(added):
    a, b, c = arrays()
    assert added(a, b, c) is None
    np.testing.assert_array_equal(c, 2 * np.arange(SIZE) + 1)


def test_torch_tensors_in_place(added):
    a, b, c = (torch.from_numpy(x) for x in arrays())
    added(a, b, c)
    assert torch.equal(c, a + b)


def test_numpy_and_torch_may_be_mixed(added):
    a, b, c = arrays()
    added(torch.from_numpy(a.copy()), b, c)
    np.testing.assert_array_equal(c, a + b)


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 1000])
def test_one_kernel_many_sizes(scaled, size):
    a, b = arrays(2, size)
    scaled(a, 2.0, 3, b)
    np.testing.assert_array_equal(b, 2 * a + 3)


def test_scalars_of_numpy_and_torch(scaled):
    a, b = arrays(2)
    for scale, shift in ((np.float32(2), np.int64(3)), (torch.tensor(2.0), torch.tensor(3)), (2, np.array(3))):
        b[:] = -1
        scaled(a, scale, shift, b)
        np.testing.assert_array_equal(b, 2 * a + 3)


def test_bfloat16_of_ml_dtypes_and_of_torch():
    kernel = tilekiln.compile(kernels.binary(SIZE, 64, "bfloat16", lambda a, b: a + b, "shared"))
    a, b, c = (np.ones(SIZE, ml_dtypes.bfloat16) * i for i in (1, 2, 0))
    kernel(a, b, c)
    assert (c == 3).all()
    a, b, c = (torch.full((SIZE,), i, dtype=torch.bfloat16) for i in (1, 2, 0))
    kernel(a, b, c)
    assert (c == 3).all()


def test_a_strided_view_gives_right_values_or_names_the_parameter(added):
    a, b, c = arrays()
    wide = np.repeat(a, 2)
    try:
        added(wide[::2], b, c)
    except (ValueError, tilekiln.LaunchError) as refused:
        assert "A" in str(refused) and "stride" in str(refused)
    else:
        np.testing.assert_array_equal(c, a + b)


def test_strides_by_symbols():
    rows, columns, pitch = T.dynamic("rows"), T.dynamic("columns"), T.dynamic("pitch")

    @T.prim_func
    def double(A: T.StridedTensor((rows, columns), (pitch, 1), "float32"), B: T.Tensor((rows, columns), "float32")):
        with T.Kernel(T.ceildiv(columns, 32), T.ceildiv(rows, 16), threads=128) as (bx, by):
            tile = T.alloc_shared((16, 32), "float32")
            T.copy(A[by * 16, bx * 32], tile)
            for i, j in T.Parallel(16, 32):
                tile[i, j] = tile[i, j] * 2.0
            T.copy(tile, B[by * 16, bx * 32])

    base = np.arange(20 * 64, dtype=np.float32).reshape(20, 64)
    b = np.zeros((20, 40), np.float32)
    tilekiln.compile(double)(base[:, :40], b)
    np.testing.assert_array_equal(b, 2 * base[:, :40])


# What is refused, and how.

def test_argument_count(added):
    with pytest.raises(TypeError, match=r"expected 3 arguments but got 2.*A: float32\[192\]"):
        added(*arrays(2))


def test_element_type_names_the_parameter(added):
    a, b, c = arrays()
    with pytest.raises(TypeError, match="B: .*float32.*float64"):
        added(a, b.astype(np.float64), c)
    with pytest.raises(TypeError, match="C: .*float32.*float16"):
        added(a, b, torch.zeros(SIZE, dtype=torch.float16))


def test_shape_names_the_parameter(added):
    a, b, c = arrays()
    with pytest.raises(ValueError, match=r"B: .*192 in dimension 0.*\(191,\)"):
        added(a, b[:-1], c)
    with pytest.raises(ValueError, match=r"A: .*1 dimensions.*\(2, 96\)"):
        added(a.reshape(2, 96), b, c)


def test_symbols_must_agree(scaled):
    a, b = arrays(2)
    with pytest.raises(ValueError, match="dimension 0 of B makes n 10, but dimension 0 of A makes it 192"):
        scaled(a, 1.0, 0, b[:10])


def test_lists_and_numbers_are_not_arrays(added):
    a, b, c = arrays()
    for wrong in (a.tolist(), 3.0, None, a[0]):
        with pytest.raises(TypeError, match="A: .*numpy array or a torch CPU tensor"):
            added(wrong, b, c)


@pytest.mark.parametrize("shift, kind", [(1.5, TypeError), ("3", TypeError), (2**31, ValueError), (np.zeros(2), TypeError)])
def test_scalars_that_do_not_fit(scaled, shift, kind):
    a, b = arrays(2)
    with pytest.raises(kind, match="shift: int32"):
        scaled(a, 1.0, shift, b)


def test_read_only_output(added):
    a, b, c = arrays()
    c.flags.writeable = False
    with pytest.raises(ValueError, match="C: .*read-only"):
        added(a, b, c)


def test_foreign_byte_order(added):
    a, b, c = arrays()
    with pytest.raises(TypeError, match="A: .*foreign order"):
        added(a.astype(">f4"), b, c)


def test_tensors_elsewhere_than_on_the_cpu(added):
    a, b, c = arrays()
    with pytest.raises(TypeError, match="A: .*meta.*CPU"):
        added(torch.empty(SIZE, device="meta"), b, c)


def test_hivm_kernels_are_not_run():
    kernel = tilekiln.compile(kernels.binary(SIZE, 64, "float32", lambda a, b: a + b, "shared"), device="hivm")
    with pytest.raises(tilekiln.LaunchError, match="hivm"):
        kernel(*arrays())


# Options.

def test_unknown_option_suggests_the_right_one():
    with pytest.raises(TypeError, match="out_of_bound: did you mean out_of_bounds"):
        tilekiln.compile(kernels.scaled_add(), out_of_bound="zero")


@pytest.mark.parametrize("name, value", [("out_of_bounds", "maybe"), ("device", "gpu"), ("check_placement", "loud")])
def test_wrong_value_names_the_choices(name, value):
    with pytest.raises(ValueError, match=f"{name} is one of .*{value}"):
        tilekiln.compile(kernels.scaled_add(), **{name: value})


def test_unknown_target_is_named():
    with pytest.raises(tilekiln.CompileError, match="ascend9999"):
        tilekiln.compile(kernels.scaled_add(), target="ascend9999")


def test_environment_gives_defaults_and_arguments_win(monkeypatch):
    monkeypatch.setenv("TILEKILN_DEVICE", "hivm")
    assert tilekiln.compile(kernels.scaled_add()).device == "hivm"
    assert tilekiln.compile(kernels.scaled_add(), device="cpu").device == "cpu"
    monkeypatch.setenv("TILEKILN_DEVICE", "gpu")
    with pytest.raises(ValueError, match="TILEKILN_DEVICE is one of"):
        tilekiln.compile(kernels.scaled_add())


def test_replaced_stage_is_read_from_the_file(tmp_path):
    function = kernels.binary(SIZE, 64, "float32", lambda a, b: a + b, "shared")
    linked = tilekiln.compile(function).ir("linked")
    assert "arith.addf" in linked
    edited = tmp_path / "edited.mlir"
    edited.write_text(linked.replace("arith.addf", "arith.subf"))
    a, b, c = arrays()
    tilekiln.compile(function, replaced_stages={"linked": edited})(a, b, c)
    np.testing.assert_array_equal(c, a - b)


# What is told.

def test_every_stage_has_its_text(added):
    assert "commonir." in added.ir("commonir")
    assert "commonir." in added.ir("tiles")
    assert "commonir." not in added.ir("linked") and "func.func" in added.ir("linked")
    assert "hivm.hir." in added.ir("hivm")
    with pytest.raises(ValueError, match="unknown stage 'ptx': there are commonir, tiles, linked, hivm"):
        added.ir("ptx")


def test_report_of_a_pure_gemm():
    report = tilekiln.compile(kernels.gemm_tt(256, 256, 256), device="hivm").report()
    assert {"import", "transforms", "conversion", "vendor"} <= report["timings_ms"].keys()
    launch, = report["launches"]
    assert launch["unit"] == "cube"
    assert launch["workspace_bytes_per_block"] == 0
    assert launch["global_round_trips"] == 0
    doubled = [buffer for buffer in launch["buffers"] if buffer["copies"] == 2]
    assert len(doubled) == 2, "A and B are double-buffered"
    assert launch["used_bytes"], "bytes of each memory space"


def test_report_of_a_vector_kernel(added):
    launch, = added.report()["launches"]
    assert launch["unit"] == "vector"


def test_report_prints_as_text_and_is_a_dictionary(added):
    report = added.report()
    assert "on the unit vector" in str(report) and "ub: " in str(report)
    assert json.loads(json.dumps(report)) == report


def test_report_without_the_vendors_compiler_says_so():
    text = str(tilekiln.compile(kernels.scaled_add(), bishengir_compile="/missing").report())
    assert "'/missing'" in text


@pytest.mark.parametrize("given, kind, words", [
    ({"vendor_timeout_seconds": "soon"}, ValueError, "vendor_timeout_seconds takes a number above 0, but got 'soon'"),
    ({"vendor_timeout_seconds": -1}, ValueError, "above 0, but got -1"),
    ({"replaced_stages": "linked"}, TypeError, "replaced_stages takes a dictionary"),
    ({"replaced_stages": {"llvm": "x"}}, ValueError, "stage 'llvm' cannot be read"),
    ({"target": 3}, TypeError, "target takes text, but got 3"),
    ({"out_idx": "C"}, TypeError, "out_idx takes a parameter's position"),
])
def test_options_of_the_wrong_kind_are_named(given, kind, words):
    with pytest.raises(kind, match=words):
        tilekiln.compile(kernels.scaled_add(), **given)


@pytest.mark.parametrize("given, words", [
    ({"disabled_passes": ["hoist"]}, "no pass 'hoist'.*hoist-clear"),
    ({"replaced_stages": {"linked": "missing.mlir"}}, "stage 'linked', missing.mlir, cannot be read: No such file"),
])
def test_options_that_name_nothing_are_refused(given, words):
    with pytest.raises(tilekiln.CompileError, match=words):
        tilekiln.compile(kernels.scaled_add(), **given)


def test_a_path_in_the_place_of_a_kernel_names_the_command():
    with pytest.raises(TypeError, match="'gemm.py'.*tilekiln compile"):
        tilekiln.compile("gemm.py")


def test_report_of_two_launches():
    @T.prim_func
    def twice(A: T.Tensor((128,), "float32"), B: T.Tensor((128,), "float32")):
        with T.Kernel(2, threads=128) as bx:
            for i in T.Parallel(64):
                B[bx * 64 + i] = A[bx * 64 + i] + 1.0
        with T.Kernel(2, threads=128) as bx:
            for i in T.Parallel(64):
                B[bx * 64 + i] = B[bx * 64 + i] * 2.0

    kernel = tilekiln.compile(twice)
    a, b = arrays(2, 128)
    kernel(a, b)
    np.testing.assert_array_equal(b, 2 * (a + 1))
    assert len(kernel.report()["launches"]) == 2


def test_parameters(scaled):
    assert [str(p) for p in scaled.parameters] == ["A: float32[n]", "scale: float32", "shift: int32", "B: float32[n]"]
    assert "scaled(A: float32[n]" in repr(scaled)


# TileLang's objects.

def lazy(n, shift=1.0):
    @T.prim_func
    def plus(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 64), threads=128) as bx:
            for i in T.Parallel(64):
                B[bx * 64 + i] = A[bx * 64 + i] + shift

    return plus


def test_lazy_jit_function_with_allocated_output():
    kernel = tilekiln.compile(tilelang.jit(out_idx=[-1])(lazy), arguments=(128,), keywords={"shift": 2.0})
    a = torch.arange(128, dtype=torch.float32)
    b = kernel(a)
    assert isinstance(b, torch.Tensor) and torch.equal(b, a + 2)
    from_numpy = kernel(a.numpy())
    assert isinstance(from_numpy, np.ndarray) and (from_numpy == b.numpy()).all()
    given = torch.zeros(128)
    assert kernel(a, given) is None and torch.equal(given, b)


def test_jit_function_without_its_arguments():
    with pytest.raises(TypeError, match=r"lazy is a tilelang.jit function of \(n, shift=1.0\).*'n'"):
        tilekiln.compile(tilelang.jit(lazy))


def test_eager_jit_function_with_an_empty_output():
    @tilelang.jit
    def eager(A, block: int = 64):
        N = T.const("N")
        A: T.Tensor[[N], "float32"]
        B = T.empty((N,), "float32")
        with T.Kernel(T.ceildiv(N, block), threads=128) as bx:
            for i in T.Parallel(block):
                B[bx * block + i] = A[bx * block + i] * 2.0
        return B

    a = torch.arange(256, dtype=torch.float32)
    assert torch.equal(tilekiln.compile(eager, arguments=(a,))(a), 2 * a)


def test_out_idx_outside_the_parameters():
    with pytest.raises(ValueError, match="out_idx 5"):
        tilekiln.compile(kernels.scaled_add(), out_idx=5)


def test_module_of_one_function():
    module = tilelang.tvm.IRModule({"scaled": kernels.scaled_add()})
    assert len(tilekiln.compile(module).parameters) == 4


# The process.

def test_import_needs_no_tilelang():
    code = "import sys, tilekiln; sys.exit(any(m in sys.modules for m in ('tilelang', 'torch', 'tvm')))"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def test_kernels_compile_and_run_from_several_threads():
    failures = []

    def work(shift):
        try:
            kernel = tilekiln.compile(texts[shift])
            for _ in range(5):
                a, b = arrays(2)
                kernel(a, b)
                np.testing.assert_array_equal(b, a + shift)
        except Exception as failure:
            failures.append(failure)

    texts = [tilelang.tvm.ir.save_json(kernels.unary(SIZE, 64, "float32", lambda a, s=s: a + float(s))) for s in range(4)]
    threads = [threading.Thread(target=work, args=(s,)) for s in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_one_kernel_from_several_threads(scaled):
    """Stages are made when first asked for, while other threads launch."""
    wrong = []

    def work(shift):
        for _ in range(20):
            a, b = arrays(2)
            scaled(a, 1.0, shift, b)
            if not (b == a + shift).all() or "func.func" not in scaled.ir("hivm"):
                wrong.append(shift)

    threads = [threading.Thread(target=work, args=(s,)) for s in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_interpreter_is_free_while_a_kernel_runs():
    """Another thread counts while a large product runs."""
    size = 1024
    kernel = tilekiln.compile(kernels.gemm_nn(size, size, size))
    a, b, c = (np.ones((size, size), np.float16) for _ in range(3))
    kernel(a, b, c)
    counted = 0
    runner = threading.Thread(target=lambda: [kernel(a, b, c) for _ in range(5)])
    runner.start()
    while runner.is_alive():
        counted += 1
    assert counted > 1000


# Arguments at the edge.

def test_tensor_without_memory(added):
    a, b, c = (torch.ones(SIZE) for _ in range(3))
    a.untyped_storage().resize_(0)
    with pytest.raises(TypeError, match="A: .*without memory"):
        added(a, b, c)


def test_number_larger_than_any_float(scaled):
    a, b = arrays(2)
    with pytest.raises(ValueError, match="scale: float32"):
        scaled(a, 10**400, 1, b)


def test_rows_that_run_backwards_name_the_parameter():
    first, second = T.dynamic("first"), T.dynamic("second")

    @T.prim_func
    def double(A: T.StridedTensor((8, 16), (first, second), "float32"), B: T.Tensor((8, 16), "float32")):
        with T.Kernel(1, threads=128):
            for i, j in T.Parallel(8, 16):
                B[i, j] = A[i, j] * 2.0

    a, b = np.arange(128, dtype=np.float32).reshape(8, 16), np.zeros((8, 16), np.float32)
    kernel = tilekiln.compile(double)
    kernel(np.asfortranarray(a), b)
    np.testing.assert_array_equal(b, 2 * a)
    with pytest.raises(tilekiln.LaunchError, match="'A' runs backwards in dimension 0"):
        kernel(a[::-1], b)


@pytest.mark.parametrize("dtype, numpy_type", [("uint8", np.uint8), ("uint32", np.uint32), ("bool", np.bool_)])
def test_unsigned_and_bool_arrays_are_taken(dtype, numpy_type):
    @T.prim_func
    def keep(A: T.Tensor((64,), dtype), B: T.Tensor((64,), dtype)):
        with T.Kernel(1, threads=128):
            for i in T.Parallel(64):
                B[i] = A[i]

    a, b = (np.arange(64) % 2).astype(numpy_type), np.zeros(64, numpy_type)
    tilekiln.compile(keep)(a, b)
    np.testing.assert_array_equal(b, a)


@pytest.mark.parametrize("to", ["bfloat16", "int8", "int32", "int64"])
def test_float64_converts(to):
    @T.prim_func
    def convert(A: T.Tensor((64,), "float64"), B: T.Tensor((64,), to)):
        with T.Kernel(1, threads=128):
            for i in T.Parallel(64):
                B[i] = T.cast(A[i], to)

    a = np.linspace(-9, 9, 64)
    b = np.zeros(64, ml_dtypes.bfloat16 if to == "bfloat16" else to)
    tilekiln.compile(convert)(a, b)
    np.testing.assert_array_equal(b, a.astype(b.dtype))
