"""Addresses and masks that depend on data, atomic updates, im2col."""

import numpy as np
import pytest
import tilekiln
import tilelang.language as T

from checking import DEVICES, check

on_devices = pytest.mark.parametrize("device", DEVICES)


def numbers(*shape, dtype="float32", low=-9, high=10):
    return np.random.default_rng(0).integers(low, high, shape).astype(dtype)


def said(compiled, text):
    return any(text in message.text for message in compiled.messages)


@on_devices
def test_scatter(device):
    n, m = 200, 300

    @T.prim_func
    def kernel(A: T.Tensor((n,), "float32"), I: T.Tensor((n,), "int32"), B: T.Tensor((m,), "float32")):
        with T.Kernel(T.ceildiv(n, 64), threads=128) as bx:
            for i in T.Parallel(64):
                if bx * 64 + i < n:
                    B[I[bx * 64 + i]] = A[bx * 64 + i]

    a = numbers(n)
    places = np.random.default_rng(1).permutation(m)[:n].astype("int32")
    want = np.full(m, 77, "float32")
    want[places] = a
    compiled = check(kernel, [a, places, np.full(m, 77, "float32")], {2: want}, device)
    assert said(compiled, "runs on the scalar unit")


@on_devices
def test_store_where_data_says(device):
    m, n = 30, 50

    @T.prim_func
    def kernel(A: T.Tensor((m, n), "float32"), M: T.Tensor((m, n), "bool"), B: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(m, 16), threads=128) as bx:
            for i, j in T.Parallel(16, n):
                if M[bx * 16 + i, j]:
                    B[bx * 16 + i, j] = A[bx * 16 + i, j] * 2.0

    a, mask = numbers(m, n), np.random.default_rng(1).random((m, n)) > 0.5
    compiled = check(kernel, [a, mask, np.full((m, n), 7, "float32")], {2: np.where(mask, a * 2, 7)}, device)
    assert said(compiled, "runs on the scalar unit")


@on_devices
def test_embedding_and_scatter_add(device):
    n, rows, width = 70, 30, 24

    @T.prim_func
    def kernel(A: T.Tensor((rows, width), "float32"), I: T.Tensor((n,), "int32"), B: T.Tensor((n, width), "float32"),
               C: T.Tensor((rows, width), "float32")):
        with T.Kernel(T.ceildiv(n, 16), threads=128) as bx:
            for i, j in T.Parallel(16, width):
                if bx * 16 + i < n:
                    B[bx * 16 + i, j] = A[I[bx * 16 + i], j]
                    T.atomic_add(C[I[bx * 16 + i], j], A[I[bx * 16 + i], j])

    a, places = numbers(rows, width), numbers(n, dtype="int32", low=0, high=rows)
    want = np.zeros((rows, width), "float32")
    np.add.at(want, places, a[places])
    check(kernel, [a, places, np.zeros((n, width), "float32"), np.zeros((rows, width), "float32")],
          {2: a[places], 3: want}, device)


@on_devices
@pytest.mark.parametrize("shared", (False, True))
def test_histogram(device, shared):
    n, bins = 500, 19

    if shared:

        @T.prim_func
        def kernel(A: T.Tensor((n,), "int32"), B: T.Tensor((bins,), "int32")):
            with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
                own = T.alloc_shared((bins,), "int32")
                T.clear(own)
                for i in T.Parallel(128):
                    if bx * 128 + i < n:
                        T.atomic_add(own[A[bx * 128 + i]], 1)
                T.atomic_add(B, own)

    else:

        @T.prim_func
        def kernel(A: T.Tensor((n,), "int32"), B: T.Tensor((bins,), "int32")):
            with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
                for i in T.Parallel(128):
                    if bx * 128 + i < n:
                        T.atomic_add(B[A[bx * 128 + i]], 1)

    a = numbers(n, dtype="int32", low=0, high=bins)
    check(kernel, [a, np.zeros(bins, "int32")], {1: np.bincount(a, minlength=bins)}, device)


@on_devices
def test_an_update_at_a_named_place(device):
    """The name is bound in the loop, so that the element depends on the loop although no index of it is to be seen."""
    n, bins = 100, 7

    @T.prim_func
    def kernel(A: T.Tensor((n,), "int32"), B: T.Tensor((bins,), "int32")):
        with T.Kernel(1, threads=128) as _:
            own = T.alloc_shared((bins,), "int32")
            T.clear(own)
            for i in T.Parallel(n):
                bin = T.max(A[i], 2)
                T.atomic_add(own[T.min(bin, bins - 1)], 1)
            T.copy(own, B)

    a = numbers(n, dtype="int32", low=0, high=bins + 5)
    want = np.bincount(np.clip(a, 2, bins - 1), minlength=bins)
    compiled = check(kernel, [a, np.zeros(bins, "int32")], {1: want}, device)
    assert said(compiled, "runs on the scalar unit")


@on_devices
def test_row_sums_on_chip(device):
    """An element that one index decides: contributions are reduced as a tile."""
    m, n = 20, 64

    @T.prim_func
    def kernel(A: T.Tensor((m, n), "float32"), B: T.Tensor((m,), "float32")):
        with T.Kernel(1, threads=128) as _:
            total = T.alloc_shared((m,), "float32")
            T.clear(total)
            for i, j in T.Parallel(m, n):
                T.atomic_add(total[i], A[i, j])
            T.copy(total, B)

    a = numbers(m, n)
    compiled = check(kernel, [a, np.zeros(m, "float32")], {1: a.sum(1)}, device)
    assert not said(compiled, "runs on the scalar unit")


@on_devices
@pytest.mark.parametrize("name", ("max", "min"))
@pytest.mark.parametrize("dtype", ("float32", "float16", "int32"))
def test_largest_and_smallest(device, name, dtype):
    n = 300
    update = getattr(T, "atomic_" + name)

    @T.prim_func
    def kernel(A: T.Tensor((n,), dtype), B: T.Tensor((4,), dtype)):
        with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
            for i in T.Parallel(128):
                if bx * 128 + i < n:
                    update(B[(bx * 128 + i) % 4], A[bx * 128 + i])

    a = numbers(n, dtype=dtype, low=-99, high=100)
    combine = {"max": np.maximum, "min": np.minimum}[name]
    check(kernel, [a, np.zeros(4, dtype)], {1: combine(combine.reduce(a.reshape(-1, 4), 0), 0)}, device)


@on_devices
def test_compaction_by_the_old_value(device):
    """One block: what was there before an update numbers the kept elements."""
    n = 100

    @T.prim_func
    def kernel(A: T.Tensor((n,), "int32"), C: T.Tensor((1,), "int32"), B: T.Tensor((n,), "int32")):
        with T.Kernel(1, threads=128) as _:
            for i in T.Parallel(n):
                if A[i] > 0:
                    place = T.atomic_add(C[0], 1, return_prev=True)
                    B[place] = A[i]

    a = numbers(n, dtype="int32")
    kept = a[a > 0]
    want = np.zeros(n, "int32")
    want[:len(kept)] = kept
    check(kernel, [a, np.zeros(1, "int32"), np.zeros(n, "int32")], {1: [len(kept)], 2: want}, device)


@on_devices
def test_compaction_by_threads_on_chip(device):
    n = 64

    @T.prim_func
    def kernel(A: T.Tensor((n,), "int32"), B: T.Tensor((n,), "int32"), C: T.Tensor((1,), "int32")):
        with T.Kernel(1, threads=64) as _:
            tx = T.get_thread_binding(0)
            count = T.alloc_shared((1,), "int32")
            if tx == 0:
                count[0] = 0
            T.sync_threads()
            if A[tx] > 0:
                place = T.atomic_add(count[0], 1, return_prev=True)
                B[place] = A[tx]
            T.sync_threads()
            if tx == 0:
                C[0] = count[0]

    a = numbers(n, dtype="int32")
    kept = a[a > 0]
    want = np.zeros(n, "int32")
    want[:len(kept)] = kept
    check(kernel, [a, np.zeros(n, "int32"), np.zeros(1, "int32")], {1: want, 2: [len(kept)]}, device)


def test_old_value_across_blocks():
    @T.prim_func
    def kernel(A: T.Tensor((64,), "int32"), C: T.Tensor((1,), "int32")):
        with T.Kernel(2, threads=64) as bx:
            for i in T.Parallel(32):
                A[bx * 32 + i] = T.atomic_add(C[0], 1, return_prev=True)

    with pytest.raises(tilekiln.CompileError, match="old value of an atomic update of 'C'.*other blocks.*one block"):
        tilekiln.compile(kernel, device="cpu")


def test_signals_between_blocks():
    @T.prim_func
    def kernel(A: T.Tensor((64,), "int32")):
        with T.Kernel(2, threads=64) as bx:
            T.atomic_store(A[bx], 1)

    with pytest.raises(tilekiln.CompileError, match="atomic_store.*blocks have no order.*second launch"):
        tilekiln.compile(kernel, device="cpu")


def columns_of(image, kernel, stride, dilation, pad):
    n, height, width, channels = image.shape
    rows = (height + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1
    columns = (width + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1
    padded = np.pad(image, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    out = np.zeros((n, rows, columns, kernel, kernel, channels), image.dtype)
    for y in range(kernel):
        for x in range(kernel):
            part = padded[:, y * dilation:, x * dilation:]
            out[:, :, :, y, x] = part[:, :rows * stride:stride, :columns * stride:stride][:, :rows, :columns]
    return out.reshape(n * rows * columns, -1)


@on_devices
@pytest.mark.parametrize("geometry", [(3, 1, 1, 1), (3, 2, 1, 0), (2, 1, 2, 1)])
def test_convolution(device, geometry):
    n, height, width, channels, filters, block_m, block_k = 2, 7, 6, 16, 20, 32, 16
    kernel_size, stride, dilation, pad = geometry
    image = numbers(n, height, width, channels, dtype="float16", low=-2, high=3)
    want = columns_of(image, *geometry)
    m, k = want.shape

    @T.prim_func
    def kernel(A: T.Tensor((n, height, width, channels), "float16"), W: T.Tensor((k, filters), "float16"),
               C: T.Tensor((m, filters), "float32")):
        with T.Kernel(T.ceildiv(m, block_m), threads=128) as by:
            a = T.alloc_shared((block_m, block_k), "float16")
            w = T.alloc_shared((block_k, filters), "float16")
            acc = T.alloc_fragment((block_m, filters), "float32")
            T.clear(acc)
            for step in T.Pipelined(T.ceildiv(k, block_k), num_stages=2):
                T.im2col(A, a, by, step, kernel_size, stride, dilation, pad)
                T.copy(W[step * block_k, 0], w)
                T.gemm(a, w, acc)
            T.copy(acc, C[by * block_m, 0])

    weights = numbers(k, filters, dtype="float16", low=-2, high=3)
    check(kernel, [image, weights, np.zeros((m, filters), "float32")],
          {2: want.astype("float32") @ weights.astype("float32")}, device)


@on_devices
def test_columns_wider_than_the_channels(device):
    """A tile's row spans kernel positions, and goes behind the matrix's last column."""
    n, height, width, channels, block = 1, 5, 6, 8, 32
    image = numbers(n, height, width, channels)
    want = columns_of(image, 3, 1, 1, 1)
    m, k = want.shape

    @T.prim_func
    def kernel(A: T.Tensor((n, height, width, channels), "float32"), B: T.Tensor((m, k), "float32")):
        with T.Kernel(T.ceildiv(k, block), T.ceildiv(m, 16), threads=128) as (bx, by):
            t = T.alloc_shared((16, block), "float32")
            T.im2col(A, t, by, bx, 3, 1, 1, 1)
            T.copy(t, B[by * 16, bx * block])

    check(kernel, [image, np.zeros((m, k), "float32")], {1: want}, device)
