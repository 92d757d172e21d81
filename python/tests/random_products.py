"""Random products, drawn by hypothesis: types, transposes, ragged or symbolic sizes, tiles, stages, epilogues.

Operands are small integers, so that every sum is exact in the accumulator and a result is rounded once.
"""

from __future__ import annotations

from dataclasses import dataclass

import expressions as ex
import numpy as np
from hypothesis import strategies as st
from random_vectors import built

TYPES = (  # operands, accumulator, result
    ("float16", "float32", "float16"),
    ("float16", "float32", "float32"),
    ("bfloat16", "float32", "bfloat16"),
    ("float32", "float32", "float32"),
    ("int8", "int32", "int32"),
)
EXTENTS = (1, 7, 15, 16, 17, 32, 33, 64, 72, 100, 128, 150)
TILES = (16, 32, 48, 64, 128)
STEPS = (16, 32, 64)
# Name, and the lines after the loop over K; {acc} is the accumulator's type.
EPILOGUES = {
    "none": "",
    "relu": """
for i, j in T.Parallel({tm}, {tn}):
    acc[i, j] = T.max(acc[i, j], T.cast(0, '{acc}'))""",
    "bias": """
bias = T.alloc_shared(({tn},), '{acc}')
T.copy(Bias[bx * {tn}], bias)
for i, j in T.Parallel({tm}, {tn}):
    acc[i, j] = acc[i, j] + bias[j]""",
    "scale": """
for i, j in T.Parallel({tm}, {tn}):
    acc[i, j] = acc[i, j] * T.cast(2, '{acc}') - T.cast(1, '{acc}')""",
    "residual": """
for i, j in T.Parallel({tm}, {tn}):
    if by * {tm} + i < {m} and bx * {tn} + j < {n}:
        acc[i, j] += Residual[by * {tm} + i, bx * {tn} + j]""",
    "shared": """
moved = T.alloc_shared(({tm}, {tn}), '{acc}')
T.copy(acc, moved)
for i, j in T.Parallel({tm}, {tn}):
    acc[i, j] = moved[i, j] + T.cast(1, '{acc}')""",
}


@dataclass(frozen=True)
class Product:
    types: tuple[str, str, str]
    size: tuple[int, int, int]
    tile: tuple[int, int, int]
    transpose_a: bool
    transpose_b: bool
    symbolic: bool
    stages: int
    clear: str  # "clear", "fill", "first" (by clear_accum on the first step)
    epilogue: str
    split: int  # blocks along K, which add atomically
    seed: int

    def __repr__(self) -> str:
        return f"size={self.size} seed={self.seed}\n{self.text()}"

    def text(self) -> str:
        dtype, acc, out = self.types
        tm, tn, tk = self.tile
        m, n, k = "mnk" if self.symbolic else self.size
        a_shape, a_tile, a_at = f"({m}, {k})", (tm, tk), f"by * {tm}, at * {tk}"
        b_shape, b_tile, b_at = f"({k}, {n})", (tk, tn), f"at * {tk}, bx * {tn}"
        if self.transpose_a:
            a_shape, a_tile, a_at = f"({k}, {m})", (tk, tm), f"at * {tk}, by * {tm}"
        if self.transpose_b:
            b_shape, b_tile, b_at = f"({n}, {k})", (tn, tk), f"bx * {tn}, at * {tk}"
        steps = f"T.ceildiv({k}, {tk})"
        each = f"T.ceildiv({steps}, {self.split})"
        trips = f"T.min({each}, {steps} - bz * {each})" if self.split > 1 else steps
        clear = {"clear": "T.clear(acc)", "fill": "T.fill(acc, 0)", "first": ""}[self.clear]
        turned = f", transpose_A={self.transpose_a}, transpose_B={self.transpose_b}"
        body = [f"a = T.alloc_shared({a_tile}, '{dtype}')", f"b = T.alloc_shared({b_tile}, '{dtype}')",
                f"acc = T.alloc_fragment(({tm}, {tn}), '{acc}')", *filter(None, [clear]),
                f"for ko in T.Pipelined({trips}, num_stages={self.stages}):",
                f"    at = bz * {each} + ko" if self.split > 1 else "    at = ko",
                f"    T.copy(A[{a_at}], a)", f"    T.copy(B[{b_at}], b)",
                f"    T.gemm(a, b, acc{turned}{', clear_accum=ko == 0' if self.clear == 'first' else ''})"]
        epilogue = EPILOGUES[self.epilogue].format(acc=acc, m=m, n=n, tm=tm, tn=tn)
        body += epilogue.strip("\n").split("\n") if epilogue else []
        store = "T.atomic_add(C[{0}], acc)" if self.split > 1 else "T.copy(acc, C[{0}])"
        body.append(store.format(f"by * {tm}, bx * {tn}"))
        grid, blocks = f"T.ceildiv({n}, {tn}), T.ceildiv({m}, {tm})", "bx, by"
        if self.split > 1:
            grid, blocks = f"{grid}, {self.split}", "bx, by, bz"
        symbols = [f"{name} = T.dynamic('{name}')" for name in "mnk"] if self.symbolic else []
        return "\n".join([
            "import tilelang.language as T", "", *symbols, "", "@T.prim_func",
            f"def kernel(A: T.Tensor({a_shape}, '{dtype}'), B: T.Tensor({b_shape}, '{dtype}'), "
            f"Bias: T.Tensor(({n},), '{acc}'), Residual: T.Tensor(({m}, {n}), '{acc}'), C: T.Tensor(({m}, {n}), '{out}')):",
            f"    with T.Kernel({grid}, threads=128) as ({blocks}):", *("        " + line for line in body)]) + "\n"

    def build(self):
        return built(self.text())

    def arrays(self) -> dict[str, np.ndarray]:
        (m, n, k), (dtype, acc, out) = self.size, self.types
        rng = np.random.default_rng(self.seed)
        draw = lambda shape, its: rng.integers(-3, 4, shape).astype(ex.numpy_type(its))  # noqa: E731
        return {"A": draw((k, m) if self.transpose_a else (m, k), dtype),
                "B": draw((n, k) if self.transpose_b else (k, n), dtype),
                "Bias": draw((n,), acc), "Residual": draw((m, n), acc),
                "C": draw((m, n), out) if self.split > 1 else np.full((m, n), 99).astype(ex.numpy_type(out))}

    def expected(self, arrays: dict[str, np.ndarray]) -> dict[str, ex.Value]:
        wide = {name: array.astype(np.float64) for name, array in arrays.items()}
        a, b = (wide["A"].T if self.transpose_a else wide["A"]), (wide["B"].T if self.transpose_b else wide["B"])
        c = a @ b
        c = {"none": lambda: c, "relu": lambda: np.maximum(c, 0), "bias": lambda: c + wide["Bias"],
             "scale": lambda: 2 * c - 1, "residual": lambda: c + wide["Residual"], "shared": lambda: c + 1,
             }[self.epilogue]()
        if self.split > 1:
            c = c + wide["C"]
        out = self.types[2]
        exact = ex.rounded(out, c if out in ex.FLOATS else c.astype(np.int64))
        return {"C": ex.Value(out, exact, np.zeros(c.shape))}


@st.composite
def products(draw, symbolic: bool | None = None) -> Product:
    types = draw(st.sampled_from(TYPES))
    split = draw(st.sampled_from((1, 1, 1, 2, 3))) if types[1] == types[2] else 1
    size = draw(st.tuples(*[st.sampled_from(EXTENTS)] * 3))
    tile = (draw(st.sampled_from(TILES)), draw(st.sampled_from(TILES)), draw(st.sampled_from(STEPS)))
    epilogue = draw(st.sampled_from(list(EPILOGUES))) if split == 1 else "none"
    return Product(types, size, tile, draw(st.booleans()), draw(st.booleans()),
                   draw(st.booleans()) if symbolic is None else symbolic, draw(st.integers(0, 3)), draw(st.sampled_from(("clear", "fill", "first"))), epilogue, split,
                   draw(st.integers(0, 2**16)))
