"""Control flow, scalars, and sizes at the edges: loops that are left, negative division, nothing to do, wide grids."""

import numpy as np
import pytest
import tilekiln
import tilelang.language as T

from checking import DEVICES, check

on_devices = pytest.mark.parametrize("device", DEVICES)


def numbers(*shape, dtype="float32", low=-9, high=10):
    return np.random.default_rng(0).integers(low, high, shape).astype(dtype)


@on_devices
@pytest.mark.parametrize("taken", [(0, 1, 1), (1, 0, 1), (0, 0, 0)])
def test_product_under_a_condition(device, taken):
    m, n, k, block = 40, 24, 96, 32

    @T.prim_func
    def kernel(A: T.Tensor((m, k), "float16"), B: T.Tensor((k, n), "float16"), M: T.Tensor((k // block,), "int32"),
               C: T.Tensor((m, n), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((m, block), "float16")
            b = T.alloc_shared((block, n), "float16")
            acc = T.alloc_fragment((m, n), "float32")
            T.clear(acc)
            for step in T.serial(k // block):
                if M[step] != 0:
                    T.copy(A[0, step * block], a)
                    T.copy(B[step * block, 0], b)
                    T.gemm(a, b, acc)
            T.copy(acc, C)

    a, b = numbers(m, k, dtype="float16", low=-3, high=4), numbers(k, n, dtype="float16", low=-3, high=4)
    mask = np.array(taken, "int32")
    chosen = np.repeat(mask, block)
    want = (a.astype("float32") * chosen) @ b.astype("float32")
    compiled = check(kernel, [a, b, mask, np.zeros((m, n), "float32")], {3: want}, device)
    assert any("inside of a branch" in message.text for message in compiled.messages)


@on_devices
def test_break_and_continue(device):
    n = 60

    @T.prim_func
    def kernel(A: T.Tensor((n,), "int32"), B: T.Tensor((2,), "int32")):
        with T.Kernel(1, threads=128) as _:
            total = T.alloc_var("int32", init=0)
            count = T.alloc_var("int32", init=0)
            for i in T.serial(n):
                if A[i] < 0:
                    continue
                if total > 30:
                    T.loop_break()
                total += A[i]
                count += 1
            B[0] = total
            B[1] = count

    a = numbers(n, dtype="int32")
    total = count = 0
    for value in a:
        if value < 0:
            continue
        if total > 30:
            break
        total, count = total + value, count + 1
    check(kernel, [a, np.zeros(2, "int32")], {1: [total, count]}, device)


@on_devices
def test_while(device):
    """The greatest common divisor."""

    @T.prim_func
    def kernel(A: T.Tensor((3, 2), "int32"), B: T.Tensor((3,), "int32")):
        with T.Kernel(3, threads=128) as bx:
            a = T.alloc_var("int32")
            b = T.alloc_var("int32")
            t = T.alloc_var("int32")
            a = A[bx, 0]
            b = A[bx, 1]
            while b != 0:
                t = a % b
                a = b
                b = t
            B[bx] = a

    a = np.array([[84, 36], [17, 5], [9, 0]], "int32")
    check(kernel, [a, np.zeros(3, "int32")], {1: np.gcd(a[:, 0], a[:, 1])}, device)


@on_devices
def test_division_of_negative_numbers(device):
    n = 61

    @T.prim_func
    def kernel(A: T.Tensor((n,), "int32"), B: T.Tensor((n,), "int32"), C: T.Tensor((4, n), "int32")):
        with T.Kernel(1, threads=128) as _:
            for i in T.Parallel(n):
                C[0, i] = A[i] // B[i]
                C[1, i] = A[i] % B[i]
                C[2, i] = T.truncdiv(A[i], B[i])
                C[3, i] = T.truncmod(A[i], B[i])

    a = numbers(n, dtype="int32", low=-2**30, high=2**30)
    b = numbers(n, dtype="int32", low=1, high=9) * np.where(np.arange(n) % 2, 1, -1).astype("int32")
    quotient = (np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))).astype("int32")
    want = np.array([a // b, a % b, quotient, a - quotient * b], "int32")
    check(kernel, [a, b, np.zeros((4, n), "int32")], {2: want}, device)


@on_devices
def test_indices_below_zero(device):
    """Floor division and modulo of block and loop indices that are negative."""

    @T.prim_func
    def kernel(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
        with T.Kernel(2, threads=128) as bx:
            for i in T.Parallel(32):
                B[bx * 32 + i] = A[((bx - 2) * 32 + i) % 64] * 100 + (i - 40) // 16 * 10 + (i - 40) % 16

    a = numbers(64, dtype="int32")
    index = np.arange(64)
    want = a[(index - 64) % 64] * 100 + (index % 32 - 40) // 16 * 10 + (index % 32 - 40) % 16
    check(kernel, [a, np.zeros(64, "int32")], {1: want}, device)


@on_devices
@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0), (7, 40)])
def test_nothing_to_do(device, shape):
    n, m = T.dynamic("n"), T.dynamic("m")

    @T.prim_func
    def kernel(A: T.Tensor((n, m), "float32"), B: T.Tensor((n, m), "float32")):
        with T.Kernel(T.ceildiv(n, 16), threads=128) as bx:
            tile = T.alloc_shared((16, 32), "float32")
            for step in T.serial(T.ceildiv(m, 32)):
                T.copy(A[bx * 16, step * 32], tile)
                T.copy(tile, B[bx * 16, step * 32])

    a = numbers(*shape)
    check(kernel, [a, np.zeros(shape, "float32")], {1: a}, device)


def test_grid_above_65535():
    n = 70000

    @T.prim_func
    def kernel(B: T.Tensor((n,), "int32")):
        with T.Kernel(n, threads=32) as bx:
            B[bx] = bx

    check(kernel, [np.zeros(n, "int32")], {0: np.arange(n)}, "cpu")


@on_devices
def test_grid_of_three_dimensions(device):
    @T.prim_func
    def kernel(B: T.Tensor((5, 4, 3), "int32")):
        with T.Kernel(3, 4, 5, threads=32) as (bx, by, bz):
            B[bz, by, bx] = bz * 100 + by * 10 + bx

    z, y, x = np.indices((5, 4, 3))
    check(kernel, [np.zeros((5, 4, 3), "int32")], {0: z * 100 + y * 10 + x}, device)


def test_index_above_two_to_the_31():
    """A tensor that spans more than 2^31 elements; only what is touched takes memory."""
    rows, stride = 3, 2**30 + 8

    @T.prim_func
    def kernel(A: T.StridedTensor((rows, 16), (stride, 1), "int8"), B: T.Tensor((rows, 16), "int8")):
        with T.Kernel(rows, threads=32) as bx:
            tile = T.alloc_shared((1, 16), "int8")
            T.copy(A[bx, 0], tile)
            T.copy(tile, B[bx, 0])

    memory = np.zeros(2 * stride + 16, "int8")
    a = np.lib.stride_tricks.as_strided(memory, (rows, 16), (stride, 1))
    a[:] = numbers(rows, 16, dtype="int8")
    b = np.zeros((rows, 16), "int8")
    tilekiln.compile(kernel, device="cpu")(a, b)
    np.testing.assert_array_equal(b, a)


@on_devices
def test_symbolic_strides(device):
    stride, m = T.dynamic("stride"), T.dynamic("m")

    @T.prim_func
    def kernel(A: T.StridedTensor((m, 40), (stride, 1), "float32"), B: T.Tensor((m, 40), "float32")):
        with T.Kernel(T.ceildiv(m, 16), threads=128) as bx:
            tile = T.alloc_shared((16, 40), "float32")
            T.copy(A[bx * 16, 0], tile)
            T.copy(tile, B[bx * 16, 0])

    a = numbers(37, 64)[:, :40]
    b = np.zeros((37, 40), "float32")
    tilekiln.compile(kernel, device=device)(a, b)
    np.testing.assert_array_equal(b, a)


@on_devices
def test_macros_lets_and_branches(device):
    n = 100

    @T.macro
    def doubled(tile, i):
        tile[i] = tile[i] * 2.0

    @T.prim_func
    def kernel(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 32), threads=128) as bx:
            tile = T.alloc_shared((32,), "float32")
            start = bx * 32
            length = T.min(n - start, 32)
            T.copy(A[start], tile)
            if bx == 0:
                for i in T.Parallel(32):
                    doubled(tile, i)
            elif bx == 1:
                T.fill(tile, 5.0)
            else:
                for i in T.Parallel(32):
                    x = tile[i]
                    tile[i] = x * x + x
            for i in T.Parallel(32):
                if i < length:
                    B[start + i] = tile[i]

    a = numbers(n)
    want = a * a + a
    want[:32], want[32:64] = a[:32] * 2, 5
    check(kernel, [a, np.zeros(n, "float32")], {1: want}, device)


@on_devices
def test_steps_of_three(device):
    @T.prim_func
    def kernel(A: T.Tensor((20,), "int32"), B: T.Tensor((20,), "int32")):
        with T.Kernel(1, threads=128) as _:
            for i in T.serial(2, 20, 3):
                B[i] = A[i]

    a = numbers(20, dtype="int32")
    want = np.zeros(20, "int32")
    want[2:20:3] = a[2:20:3]
    check(kernel, [a, np.zeros(20, "int32")], {1: want}, device)


@on_devices
def test_barrier_of_all_blocks(device):
    n = 300

    @T.prim_func
    def kernel(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 64), threads=128) as bx:
            between = T.alloc_global((n,), "float32")
            start = bx * 64
            for i in T.Parallel(64):
                between[start + i] = A[start + i] * 2.0
            T.sync_grid()
            for i in T.Parallel(64):
                B[start + i] = between[n - 1 - (start + i)] + 1.0

    a = numbers(n)
    check(kernel, [a, np.zeros(n, "float32")], {1: a[::-1] * 2 + 1}, device)


def test_tile_across_a_barrier_of_all_blocks():
    @T.prim_func
    def kernel(A: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=128) as _:
            tile = T.alloc_shared((64,), "float32")
            T.copy(A, tile)
            T.sync_grid()
            T.copy(tile, A)

    with pytest.raises(tilekiln.CompileError, match="'tile' is used before and after T.sync_grid.*global"):
        tilekiln.compile(kernel, device="cpu")


def test_barrier_of_all_blocks_in_a_loop():
    @T.prim_func
    def kernel(A: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=128) as _:
            for _k in T.serial(3):
                A[0] = A[0] + 1.0
                T.sync_grid()

    with pytest.raises(tilekiln.CompileError, match="T.sync_grid inside of a loop or branch.*T.Kernel"):
        tilekiln.compile(kernel, device="cpu")
