"""The kernels of DLCompiler's own TileLang tests, written anew, against numpy in higher precision."""

from dataclasses import dataclass

import kernels
import linkcheck
import numpy as np
import pytest
import tilelang.language as T

import tilekiln

MILLION = 1 << 20
LOOSE = 2e-5  # a few roundings of float32, and the device's own functions


@dataclass(frozen=True)
class Example:
    name: str
    build: object
    reference: object
    shapes: tuple
    dtype: str = "float32"
    tolerance: float = 0.0
    kind: str = "ints"


def both(name, n, block, op, reference, memory="global", **more):
    return Example(name, lambda: kernels.binary(n, block, more.get("dtype", "float32"), op, memory), reference,
                   ((n,), (n,), (n,)), **more)


def one(name, op, reference, n=1024, block=128, **more):
    return Example(name, lambda: kernels.unary(n, block, more.get("dtype", "float32"), op), reference, ((n,), (n,)), **more)


def select(a, b):
    return T.if_then_else(a > b, a - b, a + b)


def selected(a, b):
    return np.where(a > b, a - b, a + b)


GEMM = dict(dtype="float16", tolerance=1e-2, kind="uniform")
SQUARE = ((1024, 1024),) * 3
EXAMPLES = (
    Example("gemm", lambda: kernels.gemm_nn(1024, 1024, 1024), lambda a, b: a @ b, SQUARE, **GEMM),
    Example("gemm-transposed", lambda: kernels.gemm_tt(1024, 1024, 1024), lambda a, b: a.T @ b.T, SQUARE, **GEMM),
    both("exp-of-sum", 4096, 128, lambda a, b: T.exp(a + b), lambda a, b: np.exp(a + b), tolerance=LOOSE, kind="uniform"),
    both("exp2-of-sum", 4096, 128, lambda a, b: T.exp2(a + b), lambda a, b: np.exp2(a + b), tolerance=LOOSE, kind="uniform"),
    both("if-then-else-1d", 128, 128, select, selected),
    Example("if-then-else-2d", lambda: kernels.binary_2d(128, 128, 64, "float32", select), selected, ((128, 128),) * 3),
    *(both(f"{name}-{memory}", MILLION, 1024, op, op, memory)
      for name, op in (("add", lambda a, b: a + b), ("sub", lambda a, b: a - b))
      for memory in ("global", "shared", "fragment")),
    one("plus-constant", lambda a: a + 2.5, lambda a: a + 2.5),
    one("times-constant", lambda a: 3 * a, lambda a: 3 * a),
    one("minus-constant", lambda a: a - 1.5, lambda a: a - 1.5),
    one("scale-and-shift", lambda a: a * 0.5 + 1, lambda a: a * 0.5 + 1),
    one("divided-by-constant", lambda a: a / 2.0, lambda a: a / 2.0),
    one("plus-constant-int32", lambda a: a + 10, lambda a: a + 10, dtype="int32"),
    both("max", 1024, 128, T.max, np.maximum),
    both("min", 1024, 128, T.min, np.minimum),
    one("relu", lambda a: T.max(a, T.float32(0)), lambda a: np.maximum(a, 0)),
    one("clip", lambda a: T.min(T.max(a, T.float32(-1)), T.float32(1)), lambda a: np.clip(a, -1, 1)),
    both("max-in-fragments", 1024, 128, T.max, np.maximum, "fragment"),
    Example("reduce-max-into-start", lambda: kernels.row_reduce(1024, 32, 64, T.reduce_max, 1.0, False),
            lambda a: np.maximum(a.max(1), 1.0), ((1024, 32), (1024,))),
    Example("reduce-sum", lambda: kernels.row_reduce(1024, 32, 64, T.reduce_sum, 0.0, True),
            lambda a: a.sum(1), ((1024, 32), (1024,))),
    one("sqrt", T.sqrt, np.sqrt, tolerance=LOOSE, kind="positive"),
    one("exp", T.exp, np.exp, tolerance=LOOSE, kind="uniform"),
    one("tanh", T.tanh, np.tanh, tolerance=LOOSE, kind="uniform"),
    one("abs", T.abs, np.abs),
    one("exp-of-sqrt-of-abs", lambda a: T.exp(T.sqrt(T.abs(a))), lambda a: np.exp(np.sqrt(np.abs(a))), tolerance=LOOSE,
        kind="uniform"),
)


def make_input(rng, kind, shape, dtype):
    if kind == "ints":
        return rng.integers(-3, 4, shape).astype(dtype)
    if kind == "positive":
        return (rng.random(shape) + 0.1).astype(dtype)
    return (rng.random(shape) - 0.5).astype(dtype)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_values_on_cpu(example):
    rng = np.random.default_rng(0)
    inputs = [make_input(rng, example.kind, shape, example.dtype) for shape in example.shapes[:-1]]
    output = np.full(example.shapes[-1], -99, dtype=example.dtype)
    before = [x.copy() for x in inputs]
    tilekiln.compile(example.build())(*inputs, output)
    wide = np.int64 if example.dtype == "int32" else np.float64
    expected = example.reference(*(x.astype(wide) for x in before))
    np.testing.assert_allclose(output.astype(wide), expected, rtol=example.tolerance, atol=example.tolerance)
    for given, original in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(given, original, "an input was written")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_compiles_to_final_ir(example):
    final_ir = tilekiln.compile(example.build(), device="hivm").ir("hivm")
    assert "func.func" in final_ir
    assert linkcheck.problems(final_ir) == []
