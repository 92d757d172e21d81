"""Element types that are stored narrower than they are computed: float8, packed int4, unsigned integers."""

import ml_dtypes
import numpy as np
import pytest
import tilekiln
import tilelang.language as T

from checking import DEVICES, check

on_devices = pytest.mark.parametrize("device", DEVICES)
FLOAT8 = [("float8_e4m3fn", ml_dtypes.float8_e4m3fn), ("float8_e5m2", ml_dtypes.float8_e5m2)]


@on_devices
@pytest.mark.parametrize("name, dtype", FLOAT8)
def test_every_float8(device, name, dtype):
    """All 256 bytes, by T.cast and by T.copy."""

    @T.prim_func
    def kernel(A: T.Tensor((256,), name), B: T.Tensor((256,), "float32"), C: T.Tensor((256,), "float16")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((256,), name)
            half = T.alloc_fragment((256,), "float16")
            T.copy(A, a)
            for i in T.Parallel(256):
                B[i] = T.cast(a[i], "float32")
            T.copy(a, half)
            T.copy(half, C)

    a = np.arange(256, dtype=np.uint8).view(dtype)
    check(kernel, [a, np.zeros(256, "float32"), np.zeros(256, "float16")],
          {1: a.astype("float32"), 2: a.astype("float16")}, device)


@on_devices
@pytest.mark.parametrize("name, dtype", FLOAT8)
def test_rounding_to_float8(device, name, dtype):
    """To nearest even, halfway cases and subnormals included; what is too large becomes the largest number."""
    every = np.sort(np.arange(256, dtype=np.uint8).view(dtype).astype("float32"))
    every = every[np.isfinite(every)]
    between = (every[1:] + every[:-1]) / 2
    values = np.concatenate([every, between, between * 1.0001, between * 0.9999, [np.inf, -np.inf, 1e9, np.nan]])
    a = values.astype("float32")
    n = len(a)

    @T.prim_func
    def kernel(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), name), C: T.Tensor((n,), name)):
        with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
            x = T.alloc_fragment((128,), "float32")
            y = T.alloc_fragment((128,), name)
            T.copy(A[bx * 128], x)
            for i in T.Parallel(128):
                y[i] = T.cast(x[i], name)
            T.copy(y, B[bx * 128])
            T.copy(x, C[bx * 128])

    largest = np.float32(ml_dtypes.finfo(dtype).max)
    want = np.clip(a, -largest, largest).astype(dtype)
    check(kernel, [a, np.zeros(n, dtype), np.zeros(n, dtype)], {1: want, 2: want}, device)


@on_devices
@pytest.mark.parametrize("name, dtype", FLOAT8)
def test_float8_product(device, name, dtype):
    m, n, k, block = 40, 24, 96, 32

    @T.prim_func
    def kernel(A: T.Tensor((m, k), name), B: T.Tensor((n, k), name), C: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(m, block), threads=128) as by:
            a = T.alloc_shared((block, block), name)
            b = T.alloc_shared((n, block), name)
            acc = T.alloc_fragment((block, n), "float32")
            T.clear(acc)
            for step in T.Pipelined(k // block, num_stages=2):
                T.copy(A[by * block, step * block], a)
                T.copy(B[0, step * block], b)
                T.gemm(a, b, acc, transpose_B=True)
            T.copy(acc, C[by * block, 0])

    rng = np.random.default_rng(0)
    a, b = (rng.integers(-6, 7, s).astype(dtype) for s in ((m, k), (n, k)))
    check(kernel, [a, b, np.zeros((m, n), "float32")], {2: a.astype("float32") @ b.astype("float32").T}, device)


@pytest.mark.parametrize("what", ("reduce", "atomic"))
def test_float8_where_it_is_refused(what):
    if what == "reduce":

        @T.prim_func
        def kernel(A: T.Tensor((64,), "float8_e5m2"), B: T.Tensor((1,), "float8_e5m2")):
            with T.Kernel(1, threads=128) as _:
                a = T.alloc_fragment((64,), "float8_e5m2")
                b = T.alloc_fragment((1,), "float8_e5m2")
                T.copy(A, a)
                T.reduce_max(a, b, dim=0)
                T.copy(b, B)

    else:

        @T.prim_func
        def kernel(A: T.Tensor((64,), "float8_e5m2"), B: T.Tensor((1,), "float8_e5m2")):
            with T.Kernel(1, threads=128) as _:
                for i in T.Parallel(64):
                    T.atomic_max(B[0], A[i])

    with pytest.raises(tilekiln.CompileError, match="float8 elements of .* not supported; T.copy them"):
        tilekiln.compile(kernel, device="cpu")


def test_int4_type():
    @T.prim_func
    def kernel(A: T.Tensor((64,), "int4")):
        with T.Kernel(1, threads=128) as _:
            A[0] = A[1]

    with pytest.raises(tilekiln.CompileError, match="element type 'int4'.*two to an int8"):
        tilekiln.compile(kernel, device="cpu")


@on_devices
def test_packed_int4_weights(device):
    m, n, k, block = 40, 64, 96, 32

    @T.prim_func
    def kernel(A: T.Tensor((m, k), "float16"), B: T.Tensor((k, n // 2), "int8"), S: T.Tensor((n,), "float16"),
               C: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(m, block), threads=128) as by:
            a = T.alloc_shared((block, block), "float16")
            packed = T.alloc_shared((block, n // 2), "int8")
            b = T.alloc_shared((block, n), "float16")
            acc = T.alloc_fragment((block, n), "float32")
            T.clear(acc)
            for step in T.Pipelined(k // block, num_stages=2):
                T.copy(A[by * block, step * block], a)
                T.copy(B[step * block, 0], packed)
                for i, j in T.Parallel(block, n):
                    nibble = (T.cast(packed[i, j // 2], "int32") >> ((j % 2) * 4)) & 15
                    b[i, j] = T.cast(nibble - 8, "float16") * S[j]
                T.gemm(a, b, acc)
            T.copy(acc, C[by * block, 0])

    rng = np.random.default_rng(0)
    a = rng.integers(-3, 4, (m, k)).astype("float16")
    q = rng.integers(0, 16, (k, n)).astype(np.uint8)
    packed = (q[:, ::2] | q[:, 1::2] << 4).view(np.int8)
    scale = rng.integers(1, 4, n).astype("float16")
    want = a.astype("float32") @ ((q.astype("float32") - 8) * scale.astype("float32"))
    check(kernel, [a, packed, scale, np.zeros((m, n), "float32")], {3: want}, device)


UNSIGNED = ("uint8", "uint16", "uint32")


def wide(dtype, n=70, low=0):
    return np.random.default_rng(0).integers(low, np.iinfo(dtype).max, n, dtype=dtype, endpoint=True)


@on_devices
@pytest.mark.parametrize("dtype", UNSIGNED)
@pytest.mark.parametrize("op", ("max", "min", "absmax", "cummax"))
def test_order_of_unsigned_numbers(device, dtype, op):
    n = 70
    size = n if op == "cummax" else 1

    @T.prim_func
    def kernel(A: T.Tensor((n,), dtype), B: T.Tensor((size,), dtype)):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((n,), dtype)
            b = T.alloc_shared((size,), dtype)
            T.copy(A, a)
            if op == "cummax":
                T.cummax(a, b)
            else:
                getattr(T, "reduce_" + op)(a, b, dim=0)
            T.copy(b, B)

    a = wide(dtype)
    want = {"max": a.max, "absmax": a.max, "min": a.min, "cummax": lambda: np.maximum.accumulate(a)}[op]()
    check(kernel, [a, np.zeros(size, dtype)], {1: np.reshape(want, size)}, device)


@on_devices
@pytest.mark.parametrize("dtype", UNSIGNED)
def test_unsigned_maximum_that_goes_on(device, dtype):
    @T.prim_func
    def kernel(A: T.Tensor((3, 40), dtype), B: T.Tensor((40,), dtype)):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((1, 40), dtype)
            b = T.alloc_fragment((40,), dtype)
            T.clear(b)
            for k in T.serial(3):
                T.copy(A[k, 0], a)
                T.reduce_max(a, b, dim=0, clear=False)
            T.copy(b, B)

    a = wide(dtype, (3, 40))
    check(kernel, [a, np.zeros(40, dtype)], {1: a.max(0)}, device)


@on_devices
@pytest.mark.parametrize("dtype", UNSIGNED)
def test_unsigned_arithmetic(device, dtype):
    n = 70

    @T.prim_func
    def kernel(A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype), C: T.Tensor((5, n), dtype)):
        with T.Kernel(1, threads=128) as _:
            for i in T.Parallel(n):
                C[0, i] = T.max(A[i], B[i])
                C[1, i] = T.min(A[i], B[i])
                C[2, i] = A[i] // B[i]
                C[3, i] = A[i] % B[i]
                C[4, i] = T.if_then_else(A[i] < B[i], A[i] >> T.cast(3, dtype), B[i])

    a, b = wide(dtype), wide(dtype, low=1)[::-1].copy()
    want = [np.maximum(a, b), np.minimum(a, b), a // b, a % b, np.where(a < b, a >> np.array(3, dtype), b)]
    check(kernel, [a, b, np.zeros((5, n), dtype)], {2: np.array(want, dtype)}, device)


def test_unsigned_product():
    @T.prim_func
    def kernel(A: T.Tensor((32, 32), "uint8"), C: T.Tensor((32, 32), "int32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((32, 32), "uint8")
            c = T.alloc_fragment((32, 32), "int32")
            T.copy(A, a)
            T.clear(c)
            T.gemm(a, a, c)
            T.copy(c, C)

    with pytest.raises(tilekiln.CompileError, match="unsigned elements of 'a'.*signed int8; T.copy to float16"):
        tilekiln.compile(kernel, device="cpu")
