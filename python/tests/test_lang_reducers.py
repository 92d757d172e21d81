"""Reducers, reductions and scans of every kind, and conditions over whole buffers."""

import numpy as np
import pytest
import tilekiln
import tilelang.language as T

from checking import DEVICES, check

on_devices = pytest.mark.parametrize("device", DEVICES)


def numbers(*shape, dtype="float32", low=-9, high=10):
    return np.random.default_rng(0).integers(low, high, shape).astype(dtype)


COMBINE = {"sum": np.add, "max": np.maximum, "min": np.minimum, "bitand": np.bitwise_and, "bitor": np.bitwise_or,
           "bitxor": np.bitwise_xor}


@on_devices
@pytest.mark.parametrize("op, dtype", [("sum", "float32"), ("max", "float32"), ("min", "float16"), ("sum", "int32"),
                                       ("bitand", "int32"), ("bitor", "int32"), ("bitxor", "int32")])
def test_rows(device, op, dtype):
    m, n = 37, 100

    @T.prim_func
    def kernel(A: T.Tensor((m, n), dtype), B: T.Tensor((m,), dtype)):
        with T.Kernel(1, threads=128) as _:
            t = T.alloc_fragment((m, n), dtype)
            out = T.alloc_fragment((m,), dtype)
            acc = T.alloc_reducer((m,), dtype, op)
            T.copy(A, t)
            T.reducer_init(acc)
            for i, j in T.Parallel(m, n):
                T.reducer_update(acc[i], t[i, j])
            T.finalize_reducer(acc, out)
            T.copy(out, B)

    a = numbers(m, n, dtype=dtype)
    check(kernel, [a, np.zeros(m, dtype)], {1: COMBINE[op].reduce(a, 1)}, device)


@on_devices
def test_columns_over_a_serial_loop_with_a_start(device):
    """The epoch spans loop steps; the start counts once."""
    m, n, block = 70, 24, 32

    @T.prim_func
    def kernel(A: T.Tensor((m, n), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=128) as _:
            out = T.alloc_fragment((n,), "float32")
            acc = T.alloc_reducer((n,), "float32", "sum")
            T.reducer_init(acc, 5.0)
            for k in T.serial(T.ceildiv(m, block)):
                for i, j in T.Parallel(block, n):
                    if k * block + i < m:
                        T.reducer_update(acc[j], A[k * block + i, j] * 2.0)
            T.finalize_reducer(acc, out)
            T.copy(out, B)

    a = numbers(m, n)
    check(kernel, [a, np.zeros(n, "float32")], {1: a.sum(0) * 2 + 5}, device)


@on_devices
def test_everything_into_one(device):
    m, n = 19, 33

    @T.prim_func
    def kernel(A: T.Tensor((m, n), "float32"), B: T.Tensor((2,), "float32")):
        with T.Kernel(1, threads=128) as _:
            out = T.alloc_fragment((1,), "float32")
            most = T.alloc_fragment((1,), "float32")
            acc = T.alloc_reducer((1,), "float32", "sum")
            top = T.alloc_reducer((1,), "float32", "max")
            T.reducer_init(acc)
            T.reducer_init(top)
            for i, j in T.Parallel(m, n):
                if A[i, j] > 0.0:
                    T.reducer_update(acc[0], A[i, j])
                    T.reducer_update(top[0], A[i, j])
            T.finalize_reducer(acc, out)
            T.finalize_reducer(top, most)
            B[0] = out[0]
            B[1] = most[0]

    a = numbers(m, n)
    check(kernel, [a, np.zeros(2, "float32")], {1: [a[a > 0].sum(), a.max()]}, device)


@on_devices
def test_transposed_and_shifted_elements(device):
    @T.prim_func
    def kernel(A: T.Tensor((8, 6, 10), "float32"), B: T.Tensor((12, 8), "float32")):
        with T.Kernel(1, threads=128) as _:
            out = T.alloc_fragment((12, 8), "float32")
            acc = T.alloc_reducer((12, 8), "float32", "sum")
            T.reducer_init(acc)
            for i, j, k in T.Parallel(8, 6, 10):
                T.reducer_update(acc[k + 2, i], A[i, j, k])
            T.finalize_reducer(acc, out)
            T.copy(out, B)

    a = numbers(8, 6, 10)
    want = np.zeros((12, 8), "float32")
    want[2:] = a.sum(1).T
    check(kernel, [a, np.ones((12, 8), "float32")], {1: want}, device)


@on_devices
def test_histogram_of_data(device):
    """Elements that depend on data: contributions one after the other."""
    n = 200

    @T.prim_func
    def kernel(A: T.Tensor((n,), "int32"), B: T.Tensor((10,), "int32")):
        with T.Kernel(1, threads=128) as _:
            bins = T.alloc_fragment((10,), "int32")
            acc = T.alloc_reducer((10,), "int32", "sum")
            T.reducer_init(acc)
            for i in T.Parallel(n):
                T.reducer_update(acc[A[i]], 1)
            T.finalize_reducer(acc, bins)
            T.copy(bins, B)

    a = numbers(n, dtype="int32", low=0, high=10)
    compiled = check(kernel, [a, np.zeros(10, "int32")], {1: np.bincount(a, minlength=10)}, device)
    assert any("runs on the scalar unit" in m.text for m in compiled.messages)


@on_devices
def test_reducer_of_the_old_form(device):
    m, n = 37, 100
    with pytest.warns(DeprecationWarning):

        @T.prim_func
        def kernel(A: T.Tensor((m, n), "float32"), B: T.Tensor((m,), "float32")):
            with T.Kernel(1, threads=128) as _:
                acc = T.alloc_reducer((m,), "float32", "sum", replication="all")
                T.clear(acc)
                for i, j in T.Parallel(m, n):
                    acc[i] += A[i, j] * A[i, j]
                T.finalize_reducer(acc)
                T.copy(acc, B)

    a = numbers(m, n)
    check(kernel, [a, np.zeros(m, "float32")], {1: (a * a).sum(1)}, device)


def test_largest_of_unsigned_numbers():
    @T.prim_func
    def kernel(A: T.Tensor((8,), "uint32"), B: T.Tensor((1,), "uint32")):
        with T.Kernel(1, threads=128) as _:
            acc = T.alloc_reducer((1,), "uint32", "max")
            T.reducer_init(acc)
            for i in T.Parallel(8):
                T.reducer_update(acc[0], A[i])

    with pytest.raises(tilekiln.CompileError, match="'acc' takes the max of unsigned numbers.*use a signed type"):
        tilekiln.compile(kernel, device="cpu")


@on_devices
@pytest.mark.parametrize("trues", (0, 1, 37))
def test_any_and_all(device, trues):
    m = 37

    @T.prim_func
    def kernel(A: T.Tensor((m,), "int32"), X: T.Tensor((4, 6), "float32"), B: T.Tensor((4,), "int32")):
        with T.Kernel(1, threads=128) as _:
            t = T.alloc_shared((m,), "bool")
            x = T.alloc_shared((4, 6), "float32")
            T.copy(X, x)
            for i in T.Parallel(m):
                t[i] = A[i] > 0
            if T.any_of(t):
                B[0] = 1
            if T.all_of(t):
                B[1] = 1
            if T.any_of(t[0:8]):
                B[2] = 1
            if T.all_of(x[2, 0:6]):
                B[3] = 1

    a = np.zeros(m, "int32")
    a[m - trues:] = 5
    x = np.zeros((4, 6), "float32")
    x[2] = 0.5
    x[2, 3] = 0 if trues == 0 else -1
    want = [trues > 0, trues == m, trues == m, trues > 0]
    check(kernel, [a, x, np.zeros(4, "int32")], {2: np.array(want, "int32")}, device)


@on_devices
@pytest.mark.parametrize("kind", ("sum", "max", "min", "abssum", "absmax", "bitand", "bitor", "bitxor"))
@pytest.mark.parametrize("dim", (0, 1))
def test_reductions(device, kind, dim):
    m, n = 19, 37
    dtype = "int32" if kind.startswith("bit") else "float32"
    size = (n, m)[dim]
    reduce = getattr(T, "reduce_" + kind)

    @T.prim_func
    def kernel(A: T.Tensor((m, n), dtype), B: T.Tensor((size,), dtype)):
        with T.Kernel(1, threads=128) as _:
            x = T.alloc_fragment((m, n), dtype)
            out = T.alloc_fragment((size,), dtype)
            T.copy(A, x)
            reduce(x, out, dim=dim)
            T.copy(out, B)

    a = numbers(m, n, dtype=dtype)
    plain = kind.removeprefix("abs")
    want = COMBINE[plain].reduce(np.abs(a) if plain != kind else a, dim)
    check(kernel, [a, np.zeros(size, dtype)], {1: want}, device)


@on_devices
@pytest.mark.parametrize("kind", ("cumsum", "cummax"))
@pytest.mark.parametrize("dim", (0, 1))
@pytest.mark.parametrize("reverse", (False, True))
def test_scans(device, kind, dim, reverse):
    m, n = 19, 37
    scan = getattr(T, kind)

    @T.prim_func
    def kernel(A: T.Tensor((m, n), "float32"), B: T.Tensor((m, n), "float32")):
        with T.Kernel(1, threads=128) as _:
            x = T.alloc_shared((m, n), "float32")
            T.copy(A, x)
            scan(x, x, dim=dim, reverse=reverse)
            T.copy(x, B)

    a = numbers(m, n)
    ordered = np.flip(a, dim) if reverse else a
    want = np.cumsum(ordered, dim) if kind == "cumsum" else np.maximum.accumulate(ordered, dim)
    check(kernel, [a, np.zeros((m, n), "float32")], {1: np.flip(want, dim) if reverse else want}, device)
