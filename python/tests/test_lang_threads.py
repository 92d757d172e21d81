"""Kernels that use the thread index: SIMT code, barriers, one copy of a local buffer per thread."""

import numpy as np
import pytest
import tilekiln
import tilelang.language as T

from checking import DEVICES, check

on_devices = pytest.mark.parametrize("device", DEVICES)


def numbers(*shape, dtype="float32", low=-9, high=10):
    return np.random.default_rng(0).integers(low, high, shape).astype(dtype)


@on_devices
def test_one_element_per_thread(device):
    n = 1000

    @T.prim_func
    def kernel(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
            tx = T.get_thread_binding(0)
            x = A[bx * 128 + tx]
            B[bx * 128 + tx] = x * 2.0 + 1.0

    a = numbers(n)
    check(kernel, [a, np.zeros(n, "float32")], {1: a * 2 + 1}, device)


@on_devices
def test_guarded_by_the_author(device):
    n = 1000

    @T.prim_func
    def kernel(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
            tx = T.get_thread_binding(0)
            index = bx * 128 + tx
            if index < n - 100:
                B[index] = T.exp2(A[index])
            else:
                if index < n:
                    B[index] = -1.0

    a = numbers(n)
    want = np.exp2(a)
    want[n - 100:] = -1
    check(kernel, [a, np.zeros(n, "float32")], {1: want}, device, rtol=1e-5)


@on_devices
def test_barriers_and_shared_memory(device):
    """A tree reduction: each step reads what other threads wrote in the one before."""
    rows, n = 5, 200

    @T.prim_func
    def kernel(A: T.Tensor((rows, n), "float32"), B: T.Tensor((rows,), "float32")):
        with T.Kernel(rows, threads=128) as bx:
            tx = T.get_thread_binding(0)
            s = T.alloc_shared((128,), "float32")
            s[tx] = 0.0
            for k in T.serial(T.ceildiv(n, 128)):
                if k * 128 + tx < n:
                    s[tx] += A[bx, k * 128 + tx]
            T.sync_threads()
            for step in T.serial(7):
                if tx < (64 >> step):
                    s[tx] += s[tx + (64 >> step)]
                T.sync_threads()
            if tx == 0:
                B[bx] = s[0]

    a = numbers(rows, n)
    check(kernel, [a, np.zeros(rows, "float32")], {1: a.sum(1)}, device)


@on_devices
def test_no_explicit_barrier_between_statements(device):
    """TileLang puts barriers around shared memory by itself."""

    @T.prim_func
    def kernel(A: T.Tensor((128,), "float32"), B: T.Tensor((128,), "float32")):
        with T.Kernel(1, threads=128) as _:
            tx = T.get_thread_binding(0)
            s = T.alloc_shared((128,), "float32")
            s[tx] = A[tx]
            B[tx] = s[127 - tx]

    a = numbers(128)
    check(kernel, [a, np.zeros(128, "float32")], {1: a[::-1]}, device)


@on_devices
def test_value_read_before_a_later_store(device):
    """A name keeps what was read, although the memory changes afterwards."""

    @T.prim_func
    def kernel(A: T.Tensor((64,), "int32"), B: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=64) as _:
            tx = T.get_thread_binding(0)
            old = A[tx]
            A[tx] = 7
            B[tx] = old + A[tx]

    a = numbers(64, dtype="int32")
    check(kernel, [a, np.zeros(64, "int32")], {0: np.full(64, 7), 1: a + 7}, device)


@on_devices
def test_local_buffer_per_thread(device):
    m, n, k = 50, 37, 29

    @T.prim_func
    def kernel(A: T.Tensor((m, k), "float32"), B: T.Tensor((k, n), "float32"), C: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, 16), T.ceildiv(m, 8), threads=(16, 8)) as (bx, by):
            tx = T.get_thread_binding(0)
            ty = T.get_thread_binding(1)
            acc = T.alloc_local((1,), "float32")
            acc[0] = 0.0
            for step in T.serial(k):
                acc[0] += A[by * 8 + ty, step] * B[step, bx * 16 + tx]
            C[by * 8 + ty, bx * 16 + tx] = acc[0]

    a, b = numbers(m, k), numbers(k, n)
    check(kernel, [a, b, np.zeros((m, n), "float32")], {2: a @ b}, device)


@on_devices
def test_local_array_and_vectorized_lanes(device):
    n = 512

    @T.prim_func
    def kernel(A: T.Tensor((n,), "float16"), B: T.Tensor((n,), "float16")):
        with T.Kernel(1, threads=64) as _:
            tx = T.get_thread_binding(0)
            x = T.alloc_local((8,), "float16")
            for v in T.vectorized(8):
                x[v] = A[tx * 8 + v]
            for v in T.serial(4):
                t = x[v]
                x[v] = x[7 - v]
                x[7 - v] = t
            for v in T.vectorized(8):
                B[tx * 8 + v] = x[v]

    a = numbers(n, dtype="float16")
    check(kernel, [a, np.zeros(n, "float16")], {1: a.reshape(-1, 8)[:, ::-1].reshape(-1)}, device)


@on_devices
def test_loop_whose_bounds_differ(device):
    n = 100

    @T.prim_func
    def kernel(A: T.Tensor((n,), "int32"), B: T.Tensor((n,), "int32")):
        with T.Kernel(T.ceildiv(n, 32), threads=32) as bx:
            tx = T.get_thread_binding(0)
            total = T.alloc_var("int32", init=0)
            for k in T.serial(tx):
                total += A[bx * 32 + k]
            if bx * 32 + tx < n:
                B[bx * 32 + tx] = total

    a = numbers(n, dtype="int32")
    want = np.array([a[i // 32 * 32:i].sum() for i in range(n)])
    check(kernel, [a, np.zeros(n, "int32")], {1: want}, device)


@on_devices
def test_while_and_break_that_differ(device):
    """Steps to 1 of the 3x+1 sequence, at most 40."""
    n = 50

    @T.prim_func
    def kernel(A: T.Tensor((n,), "int32"), B: T.Tensor((n,), "int32")):
        with T.Kernel(T.ceildiv(n, 32), threads=32) as bx:
            tx = T.get_thread_binding(0)
            x = T.alloc_var("int32")
            steps = T.alloc_var("int32")
            if bx * 32 + tx < n:
                x = A[bx * 32 + tx]
                steps = 0
                while x > 1:
                    if steps >= 40:
                        break
                    x = T.if_then_else(x % 2 == 0, x // 2, 3 * x + 1)
                    steps += 1
                B[bx * 32 + tx] = steps

    def steps(x):
        count = 0
        while x > 1 and count < 40:
            x, count = (x // 2 if x % 2 == 0 else 3 * x + 1), count + 1
        return count

    a = np.arange(n, dtype="int32")
    check(kernel, [a, np.zeros(n, "int32")], {1: [steps(x) for x in range(n)]}, device)


@on_devices
def test_atomics_count_every_thread(device):
    @T.prim_func
    def kernel(A: T.Tensor((2,), "int32"), bins: T.Tensor((8,), "int32")):
        with T.Kernel(3, threads=(16, 4)) as _:
            tx = T.get_thread_binding(0)
            T.atomic_add(A[0], 1)
            if tx < 5:
                T.atomic_add(A[1], tx)
            T.atomic_add(bins[tx % 8], 1)

    check(kernel, [np.zeros(2, "int32"), np.zeros(8, "int32")],
          {0: [3 * 64, 3 * 4 * 10], 1: np.full(8, 3 * 64 // 8)}, device)


@on_devices
def test_threads_beside_tile_operations(device):
    m, n, k = 60, 40, 64

    @T.prim_func
    def kernel(A: T.Tensor((m, k), "float16"), B: T.Tensor((k, n), "float16"), C: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, 32), T.ceildiv(m, 32), threads=128) as (bx, by):
            tx = T.get_thread_binding(0)
            a = T.alloc_shared((32, k), "float16")
            b = T.alloc_shared((k, 32), "float16")
            out = T.alloc_shared((32, 32), "float32")
            acc = T.alloc_fragment((32, 32), "float32")
            T.copy(A[by * 32, 0], a)
            T.copy(B[0, bx * 32], b)
            T.clear(acc)
            T.gemm(a, b, acc)
            T.copy(acc, out)
            T.sync_threads()
            for row in T.serial(8):
                out[row * 4 + tx // 32, tx % 32] = out[row * 4 + tx // 32, tx % 32] * 2.0
            T.sync_threads()
            T.copy(out, C[by * 32, bx * 32])

    a, b = numbers(m, k, dtype="float16", low=-2, high=3), numbers(k, n, dtype="float16", low=-2, high=3)
    want = a.astype("float32") @ b.astype("float32") * 2
    check(kernel, [a, b, np.zeros((m, n), "float32")], {2: want}, device)


@on_devices
def test_local_buffers_are_cleared(device):
    """A tile of results per thread."""
    m, n, k = 40, 32, 20

    @T.prim_func
    def kernel(A: T.Tensor((m, k), "float32"), B: T.Tensor((k, n), "float32"), C: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(m, 16), threads=(16, 8)) as by:
            tx = T.get_thread_binding(0)
            ty = T.get_thread_binding(1)
            acc = T.alloc_local((2, 2), "float32")
            T.clear(acc)
            for step in T.serial(k):
                for i, j in T.grid(2, 2):
                    acc[i, j] += A[by * 16 + ty * 2 + i, step] * B[step, tx + j * 16]
            for i, j in T.grid(2, 2):
                if by * 16 + ty * 2 + i < m:
                    C[by * 16 + ty * 2 + i, tx + j * 16] = acc[i, j]

    a, b = numbers(m, k), numbers(k, n)
    check(kernel, [a, b, np.zeros((m, n), "float32")], {2: a @ b}, device)


def refused(kernel):
    with pytest.raises(tilekiln.CompileError) as caught:
        tilekiln.compile(kernel, device="cpu")
    assert "test_lang_threads.py:" in str(caught.value)
    return str(caught.value)


def test_tile_operation_of_some_threads():
    @T.prim_func
    def kernel(A: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            tx = T.get_thread_binding(0)
            s = T.alloc_shared((64,), "float32")
            if tx < 32:
                T.copy(A, s)

    assert "only some of the threads reach it" in refused(kernel)


def test_tile_operation_at_a_thread_s_place():
    @T.prim_func
    def kernel(A: T.Tensor((64, 8), "float32")):
        with T.Kernel(1, threads=64) as _:
            tx = T.get_thread_binding(0)
            s = T.alloc_shared((1, 8), "float32")
            T.copy(A[tx, 0], s)

    assert "'tl.tileop.copy' is work of all threads together" in refused(kernel)


def test_barrier_of_some_threads():
    @T.prim_func
    def kernel(A: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            tx = T.get_thread_binding(0)
            if tx < 32:
                A[tx] = 1.0
                T.sync_threads()

    assert "a barrier that only some of the threads reach" in refused(kernel)


def test_parallel_with_the_thread_index():
    @T.prim_func
    def kernel(A: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            tx = T.get_thread_binding(0)
            for i in T.Parallel(64):
                A[i] = T.cast(tx, "float32")

    assert "T.Parallel is work of all threads together" in refused(kernel)


def test_warp_shuffle():
    @T.prim_func
    def kernel(A: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            tx = T.get_thread_binding(0)
            A[tx] = T.shfl_xor(A[tx], 1)

    message = refused(kernel)
    assert "shfl_xor" in message and "T.reduce_*" in message


def test_warp_reduction():
    @T.prim_func
    def kernel(A: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=64) as _:
            tx = T.get_thread_binding(0)
            A[tx] = T.warp_reduce_sum(A[tx])

    message = refused(kernel)
    assert "warp_reduce_sum" in message and "T.reduce_*" in message
