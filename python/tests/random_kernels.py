"""Random tile programs: what each means in numpy, and how it is written in TileLang.

A program is a list of statements over a few square buffers. Both the TileLang text and the numpy run are made
from the same list, so they differ only where the compiler is wrong. Values are small integers; what grows is
clamped, so that every sum is exact in float32 and every tile in float16.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Callable

import numpy as np

N = 32  # extent of every tile
TILES = 4  # tiles in each input
LIMIT = 2 ** 22  # beyond this, sums are no longer surely exact
SHARED = ("s0", "s1", "s2")
FRAGMENTS = ("f0", "f1", "f2")
STORES = 6  # tiles in the output


@dataclass
class Statement:
    """`text` is TileLang, `run` changes the buffers (and "O") of a state; loops and branches hold others."""

    text: str
    run: Callable[[dict], None] | None = None
    body: list["Statement"] = field(default_factory=list)
    other: list["Statement"] = field(default_factory=list)
    kind: str = "plain"
    variable: str = ""
    trips: Callable[[dict], int] | None = None
    condition: Callable[[dict], bool] | None = None

    def lines(self, indent: str) -> list[str]:
        if self.kind == "plain":
            return [indent + line for line in self.text.split("\n")]
        result = [indent + self.text]
        result += [line for s in self.body for line in s.lines(indent + "    ")]
        if self.other:
            result.append(indent + "else:")
            result += [line for s in self.other for line in s.lines(indent + "    ")]
        return result

    def execute(self, state: dict) -> None:
        if self.kind == "plain":
            self.run(state)
            for name in (*SHARED, *FRAGMENTS):
                if np.abs(state[name]).max() > LIMIT:
                    raise OverflowError(self.text)
        elif self.kind == "loop":
            for step in range(self.trips(state)):
                state[self.variable] = step
                for statement in self.body:
                    statement.execute(state)
        else:
            for statement in self.body if self.condition(state) else self.other:
                statement.execute(state)


class Writer:
    """Makes statements; `loops` are the loop variables in scope."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.variables = 0
        self.stores = 0

    def program(self) -> list[Statement]:
        start = [self.load(name, []) for name in SHARED] + [self.fill(name) for name in FRAGMENTS]
        body = self.block([], depth=0, length=self.random.randint(4, 9))
        end = [self.store(name, slot) for slot, name in enumerate(FRAGMENTS)]
        return start + body + end

    def block(self, loops: list[str], depth: int, length: int) -> list[Statement]:
        return [self.statement(loops, depth) for _ in range(length)]

    def statement(self, loops: list[str], depth: int) -> Statement:
        makers = [self.gemm] * 4 + [self.load_any] * 3 + [self.clear] * 2 + [self.elementwise] * 3 + [
            self.part] * 2 + [self.narrow] * 2 + [self.fragment_copy, self.store_any, self.row_sum, self.half_copy]
        if depth < 2:
            makers += [self.loop] * 3 + [self.branch] * 2
        maker = self.random.choice(makers)
        if maker in (self.loop, self.branch):
            return maker(loops, depth)
        return maker(loops)

    def fragment(self) -> str:
        return self.random.choice(FRAGMENTS)

    # Tile statements.

    def fill(self, name: str) -> Statement:
        value = self.random.randint(-2, 2)
        return Statement(f"T.fill({name}, {value})", lambda s: s[name].fill(value))

    def clear(self, loops) -> Statement:
        name = self.fragment()
        return Statement(f"T.clear({name})", lambda s: s[name].fill(0))

    def load(self, name: str, loops) -> Statement:
        if loops and self.random.random() < 0.7:
            variable = self.random.choice(loops)
            return Statement(f"T.copy(A[{variable} % {TILES}, 0:{N}, 0:{N}], {name})",
                             lambda s: s[name].__setitem__(..., s["A"][s[variable] % TILES]))
        tile = self.random.randrange(TILES)
        return Statement(f"T.copy(A[{tile}, 0:{N}, 0:{N}], {name})",
                         lambda s: s[name].__setitem__(..., s["A"][tile]))

    def load_any(self, loops) -> Statement:
        return self.load(self.random.choice(SHARED), loops)

    def gemm(self, loops) -> Statement:
        a, b, c = self.random.choice(SHARED), self.random.choice(SHARED), self.fragment()
        turned = self.random.random() < 0.3
        clear, text = self.random.choice([(lambda s: False, "")] * 3 + [(lambda s: True, ", clear_accum=True")])
        if loops and self.random.random() < 0.25:
            variable = self.random.choice(loops)
            clear, text = (lambda s: s[variable] == 0), f", clear_accum={variable} == 0"

        def run(s):
            product = s[a] @ (s[b].T if turned else s[b])
            s[c][...] = product if clear(s) else s[c] + product

        return Statement(f"T.gemm({a}, {b}, {c}{', transpose_B=True' if turned else ''}{text})", run)

    def elementwise(self, loops) -> Statement:
        c, d, e = self.fragment(), self.fragment(), self.random.choice(SHARED)
        text, run = self.random.choice([
            (f"T.max({c}[i, j], 0.0)", lambda s: np.maximum(s[c], 0)),
            (f"{c}[i, j] + {d}[i, j]", lambda s: s[c] + s[d]),
            (f"{d}[i, j] - 1.0", lambda s: s[d] - 1),
            (f"{c}[i, j] - T.cast({e}[i, j], 'float32')", lambda s: s[c] - s[e]),
            (f"T.min(T.max({d}[i, j], -8.0), 8.0)", lambda s: np.clip(s[d], -8, 8)),
        ])
        return Statement(f"for i, j in T.Parallel({N}, {N}):\n    {c}[i, j] = {text}",
                         lambda s: s[c].__setitem__(..., run(s)))

    def part(self, loops) -> Statement:
        """Half of a fragment's rows, from the other half of another."""
        c, d, low = self.fragment(), self.fragment(), self.random.choice((0, N // 2))
        high, half = N // 2 - low, N // 2

        def run(s):
            s[c][low:low + half] = s[d][high:high + half] + 1

        return Statement(
            f"for i, j in T.Parallel({half}, {N}):\n    {c}[i + {low}, j] = {d}[i + {high}, j] + 1.0", run)

    def half_copy(self, loops) -> Statement:
        c, d = self.random.sample(FRAGMENTS, 2)
        half = N // 2
        return Statement(f"T.copy({c}[0:{half}, 0:{N}], {d}[{half}:{N}, 0:{N}])",
                         lambda s: s[d].__setitem__(slice(half, N), s[c][:half]))

    def narrow(self, loops) -> Statement:
        """A clamped fragment becomes an operand."""
        c, a = self.fragment(), self.random.choice(SHARED)
        return Statement(
            f"for i, j in T.Parallel({N}, {N}):\n"
            f"    {a}[i, j] = T.cast(T.min(T.max({c}[i, j], -3.0), 3.0), 'float16')",
            lambda s: s[a].__setitem__(..., np.clip(s[c], -3, 3)))

    def fragment_copy(self, loops) -> Statement:
        c, d = self.random.sample(FRAGMENTS, 2)
        return Statement(f"T.copy({c}, {d})", lambda s: s[d].__setitem__(..., s[c]))

    def row_sum(self, loops) -> Statement:
        """A reduction whose result meets the tile again."""
        c, d = self.fragment(), self.fragment()
        return Statement(
            f"T.reduce_max({c}, row, dim=1)\n"
            f"for i, j in T.Parallel({N}, {N}):\n    {d}[i, j] = T.min({d}[i, j], row[i])",
            lambda s: s[d].__setitem__(..., np.minimum(s[d], s[c].max(1, keepdims=True))))

    def store(self, name: str, slot: int) -> Statement:
        return Statement(f"T.copy({name}, O[{slot}, 0:{N}, 0:{N}])",
                         lambda s: s["O"].__setitem__(slot, s[name]))

    def store_any(self, loops) -> Statement:
        return self.store(self.fragment(), self.random.randrange(len(FRAGMENTS), STORES))

    # Control flow.

    def loop(self, loops, depth) -> Statement:
        variable = f"k{self.variables}"
        self.variables += 1
        choice = self.random.random()
        if choice < 0.4:
            count = self.random.randint(1, 3)
            text, trips = str(count), lambda s: count
        elif choice < 0.7:
            slot = self.random.randrange(3)
            text, trips = f"Trip[{slot}]", lambda s: int(s["Trip"][slot])
        elif choice < 0.85 and loops:
            outer = self.random.choice(loops)
            text, trips = outer, lambda s: s[outer]
        else:
            text, trips = "rows // 16", lambda s: s["rows"] // 16
        if choice < 0.5:
            text = f"for {variable} in T.Pipelined({text}, num_stages={self.random.randint(0, 3)}):"
        else:
            text = f"for {variable} in T.serial({text}):"
        body = self.block([*loops, variable], depth + 1, self.random.randint(1, 4))
        return Statement(text, body=body, kind="loop", variable=variable, trips=trips)

    def branch(self, loops, depth) -> Statement:
        if loops and self.random.random() < 0.6:
            variable, step = self.random.choice(loops), self.random.randint(0, 1)
            text, condition = f"if {variable} == {step}:", lambda s: s[variable] == step
        else:
            slot = self.random.randrange(3)
            text, condition = f"if Trip[{slot}] > 1:", lambda s: s["Trip"][slot] > 1
        body = self.block(loops, depth + 1, self.random.randint(1, 3))
        other = self.block(loops, depth + 1, self.random.randint(1, 2)) if self.random.random() < 0.5 else []
        return Statement(text, body=body, other=other, kind="branch", condition=condition)


HEADER = f'''import tilelang.language as T

rows = T.dynamic("rows")


@T.prim_func
def kernel(A: T.Tensor(({TILES}, {N}, {N}), "float16"), Trip: T.Tensor((3,), "int32"),
           R: T.Tensor((rows, 16), "float32"), O: T.Tensor(({STORES}, {N}, {N}), "float32")):
    with T.Kernel(1, threads=128):
'''


def source(program: list[Statement]) -> str:
    lines = [f'        {name} = T.alloc_shared(({N}, {N}), "float16")' for name in SHARED]
    lines += [f'        {name} = T.alloc_fragment(({N}, {N}), "float32")' for name in FRAGMENTS]
    lines.append(f'        row = T.alloc_fragment(({N},), "float32")')
    lines += [line for statement in program for line in statement.lines(" " * 8)]
    return HEADER + "\n".join(lines) + "\n"


def inputs(seed: int, rows: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {"A": rng.integers(-2, 3, (TILES, N, N)).astype(np.float16),
            "Trip": rng.integers(0, 4, 3).astype(np.int32),
            "R": np.zeros((rows, 16), np.float32),
            "O": np.full((STORES, N, N), -99, np.float32)}


def expected(program: list[Statement], arrays: dict[str, np.ndarray]) -> np.ndarray:
    """Raises OverflowError where values are no longer exact."""
    state = {name: np.zeros((N, N)) for name in (*SHARED, *FRAGMENTS)}
    state |= {"A": arrays["A"].astype(float), "Trip": arrays["Trip"], "rows": len(arrays["R"]),
              "O": arrays["O"].copy()}
    for statement in program:
        statement.execute(state)
    return state["O"]
