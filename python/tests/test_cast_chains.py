"""Conversions by way of another type, which the vendor's compiler likes to leave out: every pair, then every third."""

import expressions as ex
import numpy as np
import pytest
import tilelang.language as T

import tilekiln

TYPES = (*ex.FLOATS, *ex.SIGNED, "int64", "uint8", "uint32")
COUNT = 64


def chains(dtype, between):
    """Converts to `between`, and from there to every type, two rows a type."""

    @T.prim_func
    def kernel(A: T.Tensor((COUNT,), dtype), f32: T.Tensor((COUNT,), "float32"), f16: T.Tensor((COUNT,), "float16"),
               bf16: T.Tensor((COUNT,), "bfloat16"), i8: T.Tensor((COUNT,), "int8"), i16: T.Tensor((COUNT,), "int16"),
               i32: T.Tensor((COUNT,), "int32"), i64: T.Tensor((COUNT,), "int64"), u8: T.Tensor((COUNT,), "uint8"),
               u32: T.Tensor((COUNT,), "uint32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((COUNT,), dtype)
            T.copy(A, a)
            for i in T.Parallel(COUNT):
                f32[i] = T.cast(T.cast(a[i], between), "float32")
            for i in T.Parallel(COUNT):
                f16[i] = T.cast(T.cast(a[i], between), "float16")
            for i in T.Parallel(COUNT):
                bf16[i] = T.cast(T.cast(a[i], between), "bfloat16")
            for i in T.Parallel(COUNT):
                i8[i] = T.cast(T.cast(a[i], between), "int8")
            for i in T.Parallel(COUNT):
                i16[i] = T.cast(T.cast(a[i], between), "int16")
            for i in T.Parallel(COUNT):
                i32[i] = T.cast(T.cast(a[i], between), "int32")
            for i in T.Parallel(COUNT):
                i64[i] = T.cast(T.cast(a[i], between), "int64")
            for i in T.Parallel(COUNT):
                u8[i] = T.cast(T.cast(a[i], between), "uint8")
            for i in T.Parallel(COUNT):
                u32[i] = T.cast(T.cast(a[i], between), "uint32")

    return kernel


def numbers(dtype):
    rng = np.random.default_rng(0)
    if dtype in ex.FLOATS:
        drawn = np.concatenate([rng.standard_normal(COUNT - 8) * 30, [0, 1, -1, 0.5, -0.5, 1.5, 99, -100]])
        return drawn.astype(ex.numpy_type(dtype))
    info = np.iinfo(dtype)
    wide = rng.integers(max(info.min, -2**40), min(info.max, 2**40), COUNT // 2)
    near = rng.integers(max(info.min, -300), min(info.max, 300), COUNT // 2)
    return np.concatenate([wide, near]).astype(dtype)


def converted(x, dtype):
    """To nearest even; towards zero and to the nearest that the type has; modulo 2^bits."""
    if x.dtype.kind in "iu":
        return np.array([float(v) for v in x]).astype(ex.numpy_type(dtype)) if dtype in ex.FLOATS else x.astype(dtype)
    wide = x.astype(np.float64)
    if dtype in ex.FLOATS:
        return wide.astype(ex.numpy_type(dtype))
    info = np.iinfo(dtype)
    return np.array([min(max(int(v), info.min), info.max) if np.isfinite(v) else 0 for v in wide]).astype(dtype)


def defined(x, dtype):
    """A float that an integer type cannot hold has no value that is agreed upon."""
    if x.dtype.kind in "iu" or dtype in ex.FLOATS:
        return np.full(x.shape, True)
    info = np.iinfo(dtype)
    return (x.astype(np.float64) > info.min - 1) & (x.astype(np.float64) < info.max)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("between", TYPES)
@pytest.mark.parametrize("dtype", TYPES)
def test_chain(dtype, between):
    a = numbers(dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        middle = converted(a, between)
        expected = [converted(middle, last) for last in TYPES]
    fixed = defined(a, between)
    for device in ("cpu", "sim"):
        got = [np.zeros(COUNT, ex.numpy_type(last)) for last in TYPES]
        tilekiln.compile(chains(dtype, between), device=device)(a, *got)
        for last, values, want in zip(TYPES, got, expected):
            known = fixed & defined(middle, last)
            assert known.any()
            np.testing.assert_array_equal(values[known].astype(np.float64), want[known].astype(np.float64),
                                          err_msg=f"{dtype} to {between} to {last} on {device}")
