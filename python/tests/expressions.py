"""Random expressions: how one is written in TileLang, and what it means in numpy, with a bound of the error.

A value is an array in the expression's own type, rounded after every operation, and beside it how far a right
implementation may be from it: nothing for what IEEE and two's complement arithmetic define, a few units in the
last place for the rest (exp, division, ...), and what becomes of the arguments' bounds. Where a result is not
defined by these rules (overflow, a comparison that the bounds leave open), the bound is infinite.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import ml_dtypes
import numpy as np

FLOATS = ("float32", "float16", "bfloat16")
SIGNED = ("int8", "int16", "int32")
UNSIGNED = ("uint8",)
INTEGERS = SIGNED + UNSIGNED


def numpy_type(dtype: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


@dataclass(frozen=True)
class Value:
    """`exact` is float64 or int64 and holds only what the type can; `bound` is how far off a result may be."""

    dtype: str
    exact: np.ndarray
    bound: np.ndarray


def rounded(dtype: str, exact: np.ndarray) -> np.ndarray:
    """To nearest even, or modulo 2^bits. float64 holds sums, products and quotients of float32 closely enough."""
    with np.errstate(over="ignore", invalid="ignore"):
        if dtype in FLOATS:
            return exact.astype(numpy_type(dtype)).astype(np.float64)
        return exact if dtype == "bool" else exact.astype(numpy_type(dtype)).astype(np.int64)


def unit(dtype: str, exact: np.ndarray) -> np.ndarray:
    """One unit in the last place; subnormal numbers may be flushed."""
    info = ml_dtypes.finfo(numpy_type(dtype))
    return np.maximum(np.abs(exact) * float(info.eps), float(info.tiny))


def value(dtype: str, exact: np.ndarray, bound: np.ndarray | float = 0.0, units: float = 0.0) -> Value:
    """Rounds; `units` in the last place are allowed for the operation itself.

    bfloat16 may stay unrounded within an expression: the device has no arithmetic for it, and widens it.
    """
    unrounded, exact = exact, rounded(dtype, exact)
    bound = np.broadcast_to(np.asarray(bound, np.float64), exact.shape)
    bound = np.where(np.isnan(bound), np.inf, bound)  # infinitely far off, times 0
    if dtype in FLOATS:
        with np.errstate(invalid="ignore"):
            if dtype == "bfloat16":
                bound = bound + np.abs(unrounded - exact)
            bound = np.where(bound > 0, bound + unit(dtype, exact), bound)  # the rounding of what is off already
            bound = bound + (units * unit(dtype, exact) if units else 0)
            bound = np.where(np.isfinite(exact), bound, np.inf)
    return Value(dtype, exact, bound)


# What operations mean. Each takes its arguments' values and gives one.

def exactly(function: Callable) -> Callable:
    """Correctly rounded, and no steeper than the sum of its arguments' bounds."""
    def apply(dtype, *arguments):
        with np.errstate(invalid="ignore"):
            return value(dtype, function(*(a.exact for a in arguments)), sum(a.bound for a in arguments))
    return apply


def product(dtype, a, b):
    with np.errstate(invalid="ignore"):
        bound = np.abs(a.exact) * b.bound + np.abs(b.exact) * a.bound + a.bound * b.bound
    return value(dtype, a.exact * b.exact, np.where((a.bound == 0) & (b.bound == 0), 0, bound))


def monotonic(function: Callable, units: float, absolute: float = 0.0) -> Callable:
    """A function that only rises or only falls where its argument may be; `absolute` is in units of 1."""
    def apply(dtype, a):
        with np.errstate(all="ignore"):
            exact, low, high = (function(x) for x in (a.exact, a.exact - a.bound, a.exact + a.bound))
            bound = np.where(a.bound > 0, np.maximum(np.abs(low - exact), np.abs(high - exact)), 0)
        return value(dtype, exact, bound + absolute * float(ml_dtypes.finfo(numpy_type(dtype)).eps), units)
    return apply


def wave(function: Callable) -> Callable:
    """Sine or cosine: the reduction of a large argument costs some of its last places."""
    def apply(dtype, a):
        with np.errstate(all="ignore"):
            eps = float(ml_dtypes.finfo(numpy_type(dtype)).eps)
            return value(dtype, function(a.exact), a.bound + 4 * eps * (1 + np.abs(a.exact)))
    return apply


def magnitude(function: Callable, shift: float, units: float, absolute: float = 0.0) -> Callable:
    """function(|a| + shift), each step rounded."""
    inner = monotonic(function, units, absolute)

    def apply(dtype, a):
        size = exactly(np.abs)(dtype, a)
        return inner(dtype, value(dtype, size.exact + shift, size.bound))
    return apply


def clamped(function: Callable, low: float, high: float, units: float, absolute: float = 0.0) -> Callable:
    inner = monotonic(function, units, absolute)
    return lambda dtype, a: inner(dtype, exactly(lambda x: np.clip(x, low, high))(dtype, a))


def quotient(dtype, a, b):
    """a / (|b| + 1)"""
    below = value(dtype, np.abs(b.exact) + 1, b.bound)
    with np.errstate(all="ignore"):
        exact = a.exact / below.exact
        least = np.maximum(below.exact - below.bound, 1e-30)
        bound = np.where((a.bound == 0) & (below.bound == 0), 0, (a.bound + np.abs(exact) * below.bound) / least)
    return value(dtype, exact, bound, units=2)


def comparison(function: Callable) -> Callable:
    def apply(dtype, a, b):
        with np.errstate(invalid="ignore"):
            open_ = (np.abs(a.exact - b.exact) <= a.bound + b.bound) & (a.bound + b.bound > 0)
            unknown = open_ | np.isinf(a.bound) | np.isinf(b.bound)
            return Value("bool", function(a.exact, b.exact), np.where(unknown, np.inf, 0.0))
    return apply


def logical(function: Callable) -> Callable:
    return lambda dtype, *a: Value("bool", function(*(x.exact for x in a)), sum(x.bound for x in a))


def select(dtype, condition, a, b):
    with np.errstate(invalid="ignore"):
        either = np.abs(a.exact - b.exact) + np.maximum(a.bound, b.bound)
        picked = np.where(condition.exact, a.bound, b.bound)
        bound = np.where(condition.bound > 0, either if dtype in FLOATS else np.where(either > 0, np.inf, 0), picked)
    return value(dtype, np.where(condition.exact, a.exact, b.exact), bound)


def convert(dtype, a):
    """Between any two types; to an integer type only from what it can hold (`cast` clamps before)."""
    if a.dtype in FLOATS and dtype not in FLOATS:
        with np.errstate(invalid="ignore"):
            low, high = np.trunc(a.exact - a.bound), np.trunc(a.exact + a.bound)
            same = (low == high) & np.isfinite(a.bound)
            return value(dtype, np.where(same, np.trunc(a.exact), 0).astype(np.int64), np.where(same, 0.0, np.inf))
    return value(dtype, a.exact.astype(np.float64 if dtype in FLOATS else np.int64), a.bound)


def limits(dtype: str) -> tuple[int, int]:
    return (0, 100) if dtype.startswith("uint") else (-100, 100)


def cast(dtype, a):
    if a.dtype in FLOATS and dtype not in FLOATS:
        return convert(dtype, exactly(lambda x: np.clip(x, *limits(dtype)))(a.dtype, a))
    return convert(dtype, a)


def erf(x: np.ndarray) -> np.ndarray:
    import math
    return np.vectorize(math.erf, otypes=[np.float64])(x)


@dataclass(frozen=True)
class Operation:
    """`text` has one {} for each argument, and {dtype}, {low}, {high}."""

    name: str
    text: str
    meaning: Callable
    arity: int = 1


def operations(*entries) -> dict[str, Operation]:
    return {entry[0]: Operation(*entry) for entry in entries}


COMMON = operations(
    ("add", "({} + {})", exactly(np.add), 2),
    ("sub", "({} - {})", exactly(np.subtract), 2),
    ("mul", "({} * {})", product, 2),
    ("max", "T.max({}, {})", exactly(np.maximum), 2),
    ("min", "T.min({}, {})", exactly(np.minimum), 2),
)
FLOAT = COMMON | operations(
    ("div", "({} / (T.abs({}) + {one}))", quotient, 2),
    ("neg", "(-{})", exactly(np.negative)),
    ("abs", "T.abs({})", exactly(np.abs)),
    ("exp", "T.exp(T.min({}, T.cast(4, '{dtype}')))", clamped(np.exp, -np.inf, 4, 4)),
    ("exp2", "T.exp2(T.min({}, T.cast(4, '{dtype}')))", clamped(np.exp2, -np.inf, 4, 8)),
    ("log", "T.log(T.abs({}) + {one})", magnitude(np.log, 1, 2, 4)),
    ("log2", "T.log2(T.abs({}) + {one})", magnitude(np.log2, 1, 2, 8)),
    ("sqrt", "T.sqrt(T.abs({}))", magnitude(np.sqrt, 0, 2)),
    ("rsqrt", "T.rsqrt(T.abs({}) + {one})", magnitude(lambda x: 1 / np.sqrt(x), 1, 4)),
    ("tanh", "T.tanh({})", monotonic(np.tanh, 2, 4)),
    ("sigmoid", "T.sigmoid({})", monotonic(lambda x: 1 / (1 + np.exp(-x)), 4)),
    ("erf", "T.erf({})", monotonic(erf, 2, 8)),
    ("sin", "T.sin({})", wave(np.sin)),
    ("cos", "T.cos({})", wave(np.cos)),
    ("floor", "T.floor({})", monotonic(np.floor, 0)),
    ("ceil", "T.ceil({})", monotonic(np.ceil, 0)),
    ("trunc", "T.trunc({})", monotonic(np.trunc, 0)),
    ("nearest", "T.nearbyint({})", monotonic(np.rint, 0)),
)
INTEGER = COMMON | operations(
    ("and", "({} & {})", exactly(np.bitwise_and), 2),
    ("or", "({} | {})", exactly(np.bitwise_or), 2),
    ("xor", "({} ^ {})", exactly(np.bitwise_xor), 2),
    ("not", "(~{})", exactly(np.invert)),
    ("shl", "T.shift_left({}, T.cast(3, '{dtype}'))", exactly(lambda x: x << 3)),
    ("shr", "T.shift_right({}, T.cast(2, '{dtype}'))", exactly(lambda x: x >> 2)),
    ("floordiv", "T.floordiv({}, T.max({}, {one}))", exactly(lambda x, y: x // np.maximum(y, 1)), 2),
    ("floormod", "T.floormod({}, T.max({}, {one}))", exactly(lambda x, y: x % np.maximum(y, 1)), 2),
)
SIGNED_ONLY = operations(
    ("abs", "T.abs({})", exactly(np.abs)),
    ("neg", "(-{})", exactly(np.negative)),
)
COMPARISONS = operations(
    *((name, f"({{}} {sign} {{}})", comparison(function), 2) for name, sign, function in (
        ("lt", "<", np.less), ("le", "<=", np.less_equal), ("eq", "==", np.equal),
        ("ne", "!=", np.not_equal), ("gt", ">", np.greater), ("ge", ">=", np.greater_equal))))
LOGICAL = operations(
    ("both", "T.And({}, {})", logical(np.logical_and), 2),
    ("either", "T.Or({}, {})", logical(np.logical_or), 2),
    ("neither", "T.Not({})", logical(np.logical_not)),
)
SELECT = Operation("select", "T.if_then_else({}, {}, {})", select, 3)
CAST = Operation("cast", "T.cast({}, '{dtype}')", cast, 1)
CLAMPED_CAST = Operation("clamped_cast", "T.cast(T.min(T.max({}, T.cast({low}, '{source}')), "
                         "T.cast({high}, '{source}')), '{dtype}')", cast, 1)


def of_type(dtype: str) -> dict[str, Operation]:
    """The operations with results of this type, apart from select and casts."""
    if dtype in FLOATS:
        return FLOAT
    return INTEGER | SIGNED_ONLY if dtype in SIGNED else INTEGER


@dataclass(frozen=True)
class Node:
    """An operation on other nodes; a leaf has a name in `leaf`: a tile, an index or a constant."""

    dtype: str
    operation: Operation | None = None
    arguments: tuple[Node, ...] = ()
    leaf: str = ""

    def text(self, names: dict[str, str]) -> str:
        """As TileLang; `names` gives the text of leaves, a constant is its own."""
        if self.operation is None:
            return names.get(self.leaf, f"T.cast({self.leaf}, '{self.dtype}')")
        source = self.arguments[0].dtype
        low, high = limits(self.dtype)
        return self.operation.text.format(*(a.text(names) for a in self.arguments), dtype=self.dtype, source=source,
                                          one=f"T.cast(1, '{self.dtype}')", low=low, high=high)

    def value(self, values: dict[str, Value]) -> Value:
        if self.operation is None:
            constant = self.leaf not in values
            return value(self.dtype, np.array(float(self.leaf) if self.dtype in FLOATS else int(self.leaf))
                         ) if constant else values[self.leaf]
        return self.operation.meaning(self.dtype, *(a.value(values) for a in self.arguments))

    def __repr__(self) -> str:
        return self.text({})


# Reductions along one axis.

def reduced(kind: str, a: Value, axis: int) -> Value:
    # The absolute value of the smallest integer is itself.
    exact = rounded(a.dtype, np.abs(a.exact)) if kind.startswith("abs") else a.exact
    if kind.endswith("sum"):
        if a.dtype not in FLOATS:
            return value(a.dtype, exact.sum(axis), a.bound.sum(axis))
        # Any order of summation: each of the n - 1 additions rounds a partial sum.
        eps = float(ml_dtypes.finfo(numpy_type(a.dtype)).eps)
        size = (np.abs(exact) + a.bound).sum(axis)
        return value(a.dtype, exact.sum(axis), a.bound.sum(axis) + eps * exact.shape[axis] * size)
    best = exact.max(axis) if kind.endswith("max") else exact.min(axis)
    return value(a.dtype, best, a.bound.max(axis))


REDUCTIONS = ("sum", "max", "min", "abssum", "absmax")
