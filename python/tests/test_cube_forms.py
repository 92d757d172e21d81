"""Products whose operands, loops and names are unusual: right on the CPU, and a pure cube kernel or refused."""

import kernels
import ml_dtypes
import numpy as np
import pytest
import tilelang.language as T

import tilekiln

M, N, K, BIG = 32, 32, 64, 128


def sliced(operand, axis, start, transposed, dtype, result):
    """C = A B where one operand is a slice, from `start` on one axis, of a tile twice as large or more."""
    shapes = {"A": (K, M) if transposed else (M, K), "B": (N, K) if transposed else (K, N)}
    part = shapes[operand]
    tile = tuple(BIG if dim == axis else extent for dim, extent in enumerate(part))
    a_shape, b_shape = (tile if name == operand else shapes[name] for name in "AB")
    low = [start if dim == axis else 0 for dim in range(2)]
    high = [at + extent for at, extent in zip(low, part, strict=True)]

    @T.prim_func
    def kernel(A: T.Tensor(a_shape, dtype), B: T.Tensor(b_shape, dtype), C: T.Tensor((M, N), result)):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared(a_shape, dtype)
            b = T.alloc_shared(b_shape, dtype)
            acc = T.alloc_fragment((M, N), result)
            T.copy(A, a)
            T.copy(B, b)
            T.clear(acc)
            if operand == "A":
                T.gemm(a[low[0]:high[0], low[1]:high[1]], b, acc, transpose_A=transposed, transpose_B=transposed)
            else:
                T.gemm(a, b[low[0]:high[0], low[1]:high[1]], acc, transpose_A=transposed, transpose_B=transposed)
            T.copy(acc, C)

    window = tuple(slice(lowest, highest) for lowest, highest in zip(low, high, strict=True))
    return kernel, a_shape, b_shape, window


def assert_pure_cube(function):
    launch, = tilekiln.compile(function, device="hivm").report()["launches"]
    assert (launch["unit"], launch["workspace_bytes_per_block"], launch["global_round_trips"]) == ("cube", 0, 0)


def numbers(shape, dtype, seed):
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


@pytest.mark.parametrize("dtype, result", [("float16", "float32"), ("bfloat16", "float32"), ("float32", "float32"),
                                           ("int8", "int32")])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("operand", ["A", "B"])
@pytest.mark.parametrize("axis, start", [(0, 0), (0, 32), (0, 7), (1, 32), (1, 7)])
def test_operand_that_is_a_slice(operand, axis, start, transposed, dtype, result):
    function, a_shape, b_shape, window = sliced(operand, axis, start, transposed, dtype, result)
    element = ml_dtypes.bfloat16 if dtype == "bfloat16" else np.dtype(dtype)
    a, b, c = numbers(a_shape, element, 1), numbers(b_shape, element, 2), np.full((M, N), -99, result)
    tilekiln.compile(function)(a, b, c)
    wide_a, wide_b = (x.astype(np.float64) for x in (a, b))
    if operand == "A":
        wide_a = wide_a[window]
    else:
        wide_b = wide_b[window]
    np.testing.assert_array_equal(c, wide_a.T @ wide_b.T if transposed else wide_a @ wide_b)
    assert_pure_cube(function)


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_slice_of_a_tile_that_crosses_the_edge(device):
    """C goes on where A has ended: zeros there, which the cube alone would leave undefined."""

    @T.prim_func
    def kernel(A: T.Tensor((50, 60), "float16"), B: T.Tensor((64, 32), "float16"), C: T.Tensor((64, 32), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 64), "float16")
            b = T.alloc_shared((64, 32), "float16")
            acc = T.alloc_fragment((16, 32), "float32")
            T.copy(A[0, 0], a)
            T.copy(B, b)
            for i in T.serial(4):
                T.clear(acc)
                T.gemm(a[i * 16:i * 16 + 16, :], b, acc)
                T.copy(acc, C[i * 16, 0])

    a, b, c = numbers((50, 60), np.float16, 1), numbers((64, 32), np.float16, 2), np.full((64, 32), -9, np.float32)
    tilekiln.compile(kernel, device=device)(a, b, c)
    np.testing.assert_array_equal(c[:50], a.astype(np.float64) @ b[:60].astype(np.float64))
    assert not c[50:].any()


def slice_of_a_written_tensor():
    @T.prim_func
    def kernel(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 32), "float16"), C: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 64), "float16")
            b = T.alloc_shared((64, 32), "float16")
            zero = T.alloc_shared((64, 64), "float16")
            acc = T.alloc_fragment((32, 32), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(acc)
            T.fill(zero, 0)
            T.copy(zero, A)
            T.gemm(a[32:64, :], b, acc)
            T.copy(acc, C)

    return kernel


def test_slice_of_a_tensor_that_is_overwritten_meanwhile():
    a, b, c = numbers((64, 64), np.float16, 1), numbers((64, 32), np.float16, 2), np.zeros((32, 32), np.float32)
    before = a.copy()
    tilekiln.compile(slice_of_a_written_tensor())(a, b, c)
    np.testing.assert_array_equal(c, before[32:].astype(np.float64) @ b.astype(np.float64))
    assert not a.any()
    with pytest.raises(tilekiln.CompileError, match="strided-operand"):
        tilekiln.compile(slice_of_a_written_tensor(), device="hivm")


@pytest.mark.parametrize("low, high, step", [(1, 4, 1), (1, 4, 2), (0, 4, 2)])
def test_loop_that_does_not_start_at_zero(low, high, step):
    @T.prim_func
    def kernel(A: T.Tensor((32, 128), "float16"), B: T.Tensor((128, 32), "float16"), C: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 32), "float16")
            b = T.alloc_shared((32, 32), "float16")
            acc = T.alloc_fragment((32, 32), "float32")
            T.clear(acc)
            for k in T.serial(low, high, step):
                T.copy(A[0, k * 32], a)
                T.copy(B[k * 32, 0], b)
                T.gemm(a, b, acc)
            T.copy(acc, C)

    a, b, c = numbers((32, 128), np.float16, 1), numbers((128, 32), np.float16, 2), np.zeros((32, 32), np.float32)
    tilekiln.compile(kernel)(a, b, c)
    columns = np.concatenate([np.arange(32) + k * 32 for k in range(low, high, step)])
    np.testing.assert_array_equal(c, a[:, columns].astype(np.float64) @ b[columns].astype(np.float64))
    assert_pure_cube(kernel)


def test_loop_up_to_the_block_index():
    @T.prim_func
    def kernel(A: T.Tensor((128, 128), "float16"), B: T.Tensor((128, 32), "float16"), C: T.Tensor((128, 32), "float32")):
        with T.Kernel(4, threads=128) as bx:
            a = T.alloc_shared((32, 32), "float16")
            b = T.alloc_shared((32, 32), "float16")
            acc = T.alloc_fragment((32, 32), "float32")
            T.clear(acc)
            for k in T.Pipelined(bx + 1, num_stages=2):
                T.copy(A[bx * 32, k * 32], a)
                T.copy(B[k * 32, 0], b)
                T.gemm(a, b, acc)
            T.copy(acc, C[bx * 32, 0])

    a, b, c = numbers((128, 128), np.float16, 1), numbers((128, 32), np.float16, 2), np.zeros((128, 32), np.float32)
    tilekiln.compile(kernel)(a, b, c)
    lower = np.kron(np.tril(np.ones((4, 4))), np.ones((32, 32)))
    np.testing.assert_array_equal(c, (a.astype(np.float64) * lower) @ b.astype(np.float64))
    assert_pure_cube(kernel)


@pytest.mark.parametrize("name", ["nd2nz_half", "mma_tile_half_to_float", "vadd_1d_float"])
def test_kernel_named_like_a_function_of_the_device_library(name):
    function = kernels.gemm_nn(64, 64, 64, (32, 32, 32)).with_attr("global_symbol", name)
    with pytest.raises(tilekiln.CompileError, match=rf"kernels\.py:\d+: error: .*'{name}'.*another name"):
        tilekiln.compile(function, device="hivm")
