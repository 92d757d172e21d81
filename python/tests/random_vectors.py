"""Random vector kernels: element-wise and reduction statements over tiles, drawn by hypothesis.

A program is a list of statements, each giving a tile (or, by a reduction, a vector) that later ones may read. The
TileLang text and what numpy says about it come from the same expressions (expressions.py).
"""

from __future__ import annotations

import linecache
from dataclasses import dataclass

import expressions as ex
import numpy as np
from expressions import Node
from hypothesis import strategies as st

EXTENTS = (1, 2, 7, 8, 15, 16, 17, 31, 33, 40, 64, 65, 100, 130)
TILES = (1, 8, 16, 24, 32, 33, 64)
TYPES = ex.FLOATS + ex.INTEGERS
# A type is met more often where kernels are.
WEIGHTED = ("float32",) * 4 + ("float16",) * 3 + ("bfloat16",) * 2 + ("int32",) * 2 + ("int8", "int16", "uint8")


@dataclass(frozen=True)
class Input:
    """`axes` are the axes of the tile that the tensor has; a tensor without a buffer is read in the loop."""

    name: str
    dtype: str
    axes: tuple[int, ...]
    scope: str  # "shared", "fragment", or "" to be read from global memory


@dataclass(frozen=True)
class Statement:
    """An expression over the whole tile, or a reduction of a tile that was computed before."""

    name: str
    dtype: str
    node: Node | None
    scope: str = "fragment"
    source: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Program:
    shape: tuple[int, ...]
    tile: tuple[int, ...]
    axis: int | None  # along which is reduced; a tile has all of this axis
    inputs: tuple[Input, ...]
    statements: tuple[Statement, ...]
    direct: bool  # the last result is stored by the loop that computes it
    seed: int

    def __repr__(self) -> str:
        return f"shape={self.shape} seed={self.seed}\n{self.text()}"

    # TileLang.

    @property
    def loops(self) -> list[str]:
        return list("ijk"[:len(self.shape)])

    def place(self, axes) -> str:
        """The first element of this block's tile."""
        return ", ".join(f"b{axis} * {self.tile[axis]}" for axis in axes)

    def element(self, axes) -> str:
        return ", ".join(f"b{axis} * {self.tile[axis]} + {self.loops[axis]}" for axis in axes)

    def remaining(self) -> tuple[int, ...]:
        """The axes of a reduction's result."""
        return tuple(axis for axis in range(len(self.shape)) if axis != self.axis)

    def axes(self, statement: Statement) -> tuple[int, ...]:
        return self.remaining() if statement.kind else tuple(range(len(self.shape)))

    def names(self) -> dict[str, str]:
        """How leaves are written inside a loop over the tile."""
        names = {f"at{axis}": f"T.cast({self.element([axis])}, 'int32')" for axis in range(len(self.shape))}
        for tensor in self.inputs:
            where = self.element(tensor.axes) if not tensor.scope else ", ".join(self.loops[a] for a in tensor.axes)
            names[tensor.name] = f"{tensor.name}{'_tile' if tensor.scope else ''}[{where}]"
        for statement in self.statements:
            names[statement.name] = f"{statement.name}[{', '.join(self.loops[a] for a in self.axes(statement))}]"
        return names

    def text(self) -> str:
        names, everything = self.names(), tuple(range(len(self.shape)))
        shaped = lambda sizes, axes: "(" + "".join(f"{sizes[axis]}, " for axis in axes) + ")"  # noqa: E731
        parameters = [f"{t.name}: T.Tensor({shaped(self.shape, t.axes)}, '{t.dtype}')" for t in self.inputs]
        parameters += [f"out_{s.name}: T.Tensor({shaped(self.shape, self.axes(s))}, '{s.dtype}')" for s in self.statements]
        grid = ", ".join(f"T.ceildiv({n}, {tile})" for n, tile in zip(self.shape, self.tile))
        blocks = ", ".join(f"b{axis}" for axis in everything)
        lines = ["import tilelang.language as T", "", "", "@T.prim_func", f"def kernel({', '.join(parameters)}):",
                 f"    with T.Kernel({grid}, threads=128) as {f'({blocks})' if len(everything) > 1 else blocks}:"]
        body = [f"{t.name}_tile = T.alloc_{t.scope}({shaped(self.tile, t.axes)}, '{t.dtype}')" for t in self.inputs if t.scope]
        body += [f"{s.name} = T.alloc_{s.scope}({shaped(self.tile, self.axes(s))}, '{s.dtype}')" for s in self.statements]
        body += [f"T.copy({t.name}[{self.place(t.axes)}], {t.name}_tile)" for t in self.inputs if t.scope]
        loop = f"for {', '.join(self.loops)} in T.Parallel({', '.join(map(str, self.tile))}):"
        for statement in self.statements:
            last = statement is self.statements[-1]
            if statement.kind:
                body.append(f"T.reduce_{statement.kind}({statement.source}, {statement.name}, dim={self.axis})")
            elif last and self.direct:
                body += [loop, f"    out_{statement.name}[{self.element(everything)}] = {statement.node.text(names)}"]
                continue
            else:
                body += [loop, f"    {names[statement.name]} = {statement.node.text(names)}"]
            body.append(f"T.copy({statement.name}, out_{statement.name}[{self.place(self.axes(statement))}])")
        return "\n".join(lines + ["        " + line for line in body]) + "\n"

    def build(self):
        return built(self.text())

    # numpy.

    def arrays(self) -> dict[str, np.ndarray]:
        rng = np.random.default_rng(self.seed)
        result = {}
        for tensor in self.inputs:
            shape = tuple(self.shape[axis] for axis in tensor.axes)
            if tensor.dtype in ex.FLOATS:
                # Some are whole numbers: they meet, cancel and are equal.
                drawn = rng.standard_normal(shape) * rng.choice([1, 4])
                drawn = np.where(rng.random(shape) < 0.25, np.round(drawn), drawn)
            else:
                drawn = rng.integers(*(0, 256) if tensor.dtype.startswith("uint") else (-128, 128), shape)
            result[tensor.name] = drawn.astype(ex.numpy_type(tensor.dtype))
        for statement in self.statements:
            shape = tuple(self.shape[axis] for axis in self.axes(statement))
            result[f"out_{statement.name}"] = np.full(shape, 99).astype(ex.numpy_type(statement.dtype))
        return result

    def expected(self, arrays: dict[str, np.ndarray]) -> dict[str, ex.Value]:
        """For every output."""
        spread = lambda array, axes: np.broadcast_to(  # noqa: E731
            np.expand_dims(array, tuple(a for a in range(len(self.shape)) if a not in axes)), self.shape)
        values = {f"at{axis}": ex.Value("int32", spread(np.arange(n), (axis,)), np.zeros(self.shape))
                  for axis, n in enumerate(self.shape)}
        for tensor in self.inputs:
            wide = arrays[tensor.name].astype(np.float64 if tensor.dtype in ex.FLOATS else np.int64)
            values[tensor.name] = ex.Value(tensor.dtype, spread(wide, tensor.axes), np.zeros(self.shape))
        result = {}
        for statement in self.statements:
            if statement.kind:
                small = ex.reduced(statement.kind, values[statement.source], self.axis)
                result[f"out_{statement.name}"] = small
                axes = self.remaining()
                values[statement.name] = ex.Value(small.dtype, spread(small.exact, axes), spread(small.bound, axes))
            else:
                found = statement.node.value(values)
                whole = ex.Value(found.dtype, np.broadcast_to(found.exact, self.shape),
                                 np.broadcast_to(found.bound, self.shape))
                values[statement.name] = result[f"out_{statement.name}"] = whole
        return result


def built(text: str):
    """The PrimFunc of a text; TileLang wants to see the lines of a function."""
    name = f"<random kernel {hash(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope: dict = {}
    exec(compile(text, name, "exec"), scope)
    return scope["kernel"]


# Drawing.

@st.composite
def nodes(draw, dtype: str, leaves: dict[str, str], depth: int) -> Node:
    """An expression of this type; `leaves` gives the types of what may be read."""
    if dtype == "bool":
        return draw(conditions(leaves, depth))
    own = sorted(name for name, its in leaves.items() if its == dtype)
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        if own and draw(st.integers(0, 3)):
            return Node(dtype, leaf=draw(st.sampled_from(own)))
        if not leaves or draw(st.booleans()):
            low, high = (0, 9) if dtype in ex.UNSIGNED else (-9, 9)
            number = draw(st.integers(low, high))
            return Node(dtype, leaf=f"{number / 4}" if dtype in ex.FLOATS else f"{number}")
    choice = draw(st.integers(0, 9))
    other = sorted(set(leaves.values()) - {dtype})
    if choice == 0 and other:
        source = draw(st.sampled_from(other))
        clamped = source in ex.FLOATS and dtype not in ex.FLOATS
        return Node(dtype, ex.CLAMPED_CAST if clamped else ex.CAST, (draw(nodes(source, leaves, max(depth - 1, 0))),))
    if choice == 1:
        below = max(depth - 1, 0)
        return Node(dtype, ex.SELECT, (draw(conditions(leaves, below)), draw(nodes(dtype, leaves, below)),
                                       draw(nodes(dtype, leaves, below))))
    if depth == 0:
        return Node(dtype, leaf=draw(st.sampled_from(own))) if own else Node(dtype, leaf="1")
    operation = draw(st.sampled_from(list(ex.of_type(dtype).values())))
    return Node(dtype, operation, tuple(draw(nodes(dtype, leaves, depth - 1)) for _ in range(operation.arity)))


@st.composite
def conditions(draw, leaves: dict[str, str], depth: int) -> Node:
    if depth > 1 and draw(st.integers(0, 3)) == 0:
        operation = draw(st.sampled_from(list(ex.LOGICAL.values())))
        return Node("bool", operation, tuple(draw(conditions(leaves, depth - 1)) for _ in range(operation.arity)))
    dtype = draw(st.sampled_from(sorted(set(leaves.values()))))
    operation = draw(st.sampled_from(list(ex.COMPARISONS.values())))
    return Node("bool", operation, tuple(draw(nodes(dtype, leaves, max(depth - 1, 0))) for _ in range(2)))


@st.composite
def programs(draw, ranks=(1, 2, 2, 2, 3), reductions: bool | None = None) -> Program:
    """`reductions`: whether there must be an axis to reduce along, or must not."""
    rank = draw(st.sampled_from(ranks))
    shape = [draw(st.sampled_from(EXTENTS if rank < 3 else EXTENTS[:7])) for _ in range(rank)]
    tile = [draw(st.sampled_from(TILES if rank < 3 else TILES[:3])) for _ in range(rank)]
    axes = (*([None] if not reductions else []), *(range(rank) if rank > 1 and reductions is not False else []))
    axis = draw(st.sampled_from(axes))
    if axis is not None:
        tile[axis] = shape[axis]
    inputs = []
    for number in range(draw(st.integers(1, 3))):
        axes = draw(st.sampled_from([tuple(range(rank))] * 3 + [(rank - 1,), (0,)] * (rank > 1)))
        inputs.append(Input(f"x{number}", draw(st.sampled_from(WEIGHTED)), axes,
                            draw(st.sampled_from(("shared", "fragment", "")))))
    leaves = {tensor.name: tensor.dtype for tensor in inputs}
    if draw(st.integers(0, 3)) == 0:
        leaves[f"at{draw(st.integers(0, rank - 1))}"] = "int32"
    statements: list[Statement] = []
    for number in range(draw(st.integers(1, 4))):
        tiles = [s for s in statements if not s.kind]
        if axis is not None and tiles and draw(st.booleans()):
            source = draw(st.sampled_from(tiles))
            kinds = ex.REDUCTIONS if source.dtype not in ex.UNSIGNED else ("sum",)  # others are refused
            statements.append(Statement(f"y{number}", source.dtype, None, "fragment", source.name,
                                        draw(st.sampled_from(kinds))))
        else:
            dtype = draw(st.sampled_from(sorted({t for t in leaves.values()}) + [draw(st.sampled_from(WEIGHTED))]))
            node = draw(nodes(dtype, leaves, draw(st.integers(1, 4))))
            statements.append(Statement(f"y{number}", dtype, node, draw(st.sampled_from(("shared", "fragment")))))
        leaves[statements[-1].name] = statements[-1].dtype
    direct = statements[-1].kind == "" and draw(st.booleans())
    return Program(tuple(shape), tuple(tile), axis, tuple(inputs), tuple(statements), direct, draw(st.integers(0, 2**16)))
