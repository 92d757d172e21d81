"""Matrix products as linked IR: the fast form, and the form in which DLCompiler emits TileLang's.

Both compute C (m x n) = A (m x k) B (k x n), or A B^T with B stored n x k.
"""

from __future__ import annotations

from dataclasses import dataclass

ELEMENT_BYTES = {"f16": 2, "bf16": 2, "f32": 4}


@dataclass(frozen=True)
class Gemm:
    m: int
    n: int
    k: int
    tile: tuple[int, int] = (128, 256)
    k_step: int = 256
    dtype: str = "f16"
    out: str = "f16"
    transpose_b: bool = False
    #: Rows of tiles that are taken before the next column, so that neighbours share operands; 0: 4, or what divides.
    group: int = 0

    def __post_init__(self) -> None:
        for name, extent, tile in (("m", self.m, self.tile[0]), ("n", self.n, self.tile[1])):
            if extent % tile:
                raise ValueError(f"{name} = {extent} is no multiple of its tile {tile}")
        if self.k % 16 or self.k_step % 16:
            raise ValueError(f"k = {self.k} and k_step = {self.k_step} have to be multiples of 16")
        rows = self.m // self.tile[0]
        if not self.group:
            object.__setattr__(self, "group", next(count for count in (4, 2, 1) if rows % count == 0))
        if rows % self.group:
            raise ValueError(f"{rows} rows of tiles are no multiple of group = {self.group}")

    @property
    def tiles(self) -> int:
        return (self.m // self.tile[0]) * (self.n // self.tile[1])

    @property
    def argument_bytes(self) -> list[int]:
        size = ELEMENT_BYTES[self.dtype]
        return [self.m * self.k * size, self.k * self.n * size, self.m * self.n * ELEMENT_BYTES[self.out]]


def _entry(name: str, gemm: Gemm, mode: str) -> str:
    """The vendor's argument list: lock, workspace, A, B, C, the grid, the program's place in it."""
    def tensor(argument: str, element: str, kind: int) -> str:
        return f"%{argument}: memref<?x{element}> {{tt.divisibility = 16 : i32, tt.tensor_kind = {kind} : i32}}"

    arguments = ["%lock: memref<?xi8>", "%ws: memref<?xi8>", tensor("A", gemm.dtype, 0), tensor("B", gemm.dtype, 0),
                 tensor("C", gemm.out, 1), *(f"%{each}: i32" for each in ("gx", "gy", "gz", "px", "py", "pz"))]
    return (f"func.func @{name}({', '.join(arguments)}) attributes {{SyncBlockLockArgIdx = 0 : i64, "
            f'WorkspaceArgIdx = 1 : i64, global_kernel = "local", mix_mode = "{mode}", parallel_mode = "simd"}}')


def _window(result: str, tensor: str, offset: str, rows: int, columns: int, pitch: int, element: str) -> tuple[str, str]:
    """A reinterpret_cast of a tensor and its type."""
    strided = f"memref<{rows}x{columns}x{element}, strided<[{pitch}, 1], offset: ?>>"
    return (f"%{result} = memref.reinterpret_cast %{tensor} to offset: [%{offset}], sizes: [{rows}, {columns}], "
            f"strides: [{pitch}, 1] : memref<?x{element}> to {strided}"), strided


def _load(name: str, tensor: str, offset: str, rows: int, columns: int, pitch: int, element: str) -> list[str]:
    """A tile of a tensor in on-chip memory, as the SSA tensor %name."""
    local = f"memref<{rows}x{columns}x{element}>"
    window, strided = _window(f"{name}_window", tensor, offset, rows, columns, pitch, element)
    return [window, f"%{name}_tile = memref.alloc() : {local}",
            f"memref.copy %{name}_window, %{name}_tile : {strided} to {local}",
            f"%{name} = bufferization.to_tensor %{name}_tile restrict writable : {local}"]


def _product(gemm: Gemm, suffix: str, k_offset: str, depth: int, accumulator: str) -> list[str]:
    """One k-step: %mm{suffix} = accumulator + A tile * B tile."""
    bm, bn = gemm.tile
    acc = f"tensor<{bm}x{bn}xf32>"
    a, b = f"tensor<{bm}x{depth}x{gemm.dtype}>", f"tensor<{depth}x{bn}x{gemm.dtype}>"
    lines = [f"%ao{suffix} = affine.apply affine_map<(m, k) -> (m * {gemm.k} + k)>(%m0, %{k_offset})",
             *_load(f"a{suffix}", "A", f"ao{suffix}", bm, depth, gemm.k, gemm.dtype)]
    if gemm.transpose_b:
        stored = f"tensor<{bn}x{depth}x{gemm.dtype}>"
        lines += [f"%bo{suffix} = affine.apply affine_map<(n, k) -> (n * {gemm.k} + k)>(%n0, %{k_offset})",
                  *_load(f"bt{suffix}", "B", f"bo{suffix}", bn, depth, gemm.k, gemm.dtype),
                  f"%be{suffix} = tensor.empty() : {b}",
                  f"%b{suffix} = linalg.transpose ins(%bt{suffix} : {stored}) outs(%be{suffix} : {b}) permutation = [1, 0]"]
    else:
        lines += [f"%bo{suffix} = affine.apply affine_map<(n, k) -> (k * {gemm.n} + n)>(%n0, %{k_offset})",
                  *_load(f"b{suffix}", "B", f"bo{suffix}", depth, bn, gemm.n, gemm.dtype)]
    return [*lines, f"%mm{suffix} = linalg.matmul {{input_precision = \"ieee\"}} ins(%a{suffix}, %b{suffix} : {a}, {b}) "
                    f"outs(%{accumulator} : {acc}) -> {acc}"]


def _text(lines: list[str]) -> str:
    """Indents by braces."""
    out, depth = [], 0
    for line in lines:
        depth -= line.startswith("}")
        out.append("  " * depth + line)
        depth += line.endswith("{")
    return "\n".join(out) + "\n"


def fast(gemm: Gemm) -> str:
    """The sum is a tensor that the k-loop carries; blocks stay on their core and take tiles in turn.

    Where k_step does not divide k, the rest is a product of its own behind the loop.
    """
    bm, bn = gemm.tile
    columns = gemm.n // bn
    acc = f"tensor<{bm}x{bn}xf32>"
    whole, rest = divmod(gemm.k, gemm.k_step)
    in_group = gemm.group * columns
    lines = [
        "module {", _entry("gemm", gemm, "aic") + " {",
        "%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
        f"%steps = arith.constant {whole} : index", f"%tiles = arith.constant {gemm.tiles} : index",
        "%zero = arith.constant 0.000000e+00 : f32",
        "%first = arith.index_cast %px : i32 to index", "%stride = arith.index_cast %gx : i32 to index",
        "scf.for %tile = %first to %tiles step %stride {",
        f"%m0 = affine.apply affine_map<(t) -> (((t floordiv {in_group}) * {gemm.group} + t mod {gemm.group}) * {bm})>(%tile)",
        f"%n0 = affine.apply affine_map<(t) -> (((t mod {in_group}) floordiv {gemm.group}) * {bn})>(%tile)",
        f"%empty = tensor.empty() : {acc}",
        f"%start = linalg.fill ins(%zero : f32) outs(%empty : {acc}) -> {acc}",
        f"%sum = scf.for %step = %c0 to %steps step %c1 iter_args(%acc = %start) -> ({acc}) {{",
        f"%k0 = affine.apply affine_map<(s) -> (s * {gemm.k_step})>(%step)",
        *_product(gemm, "", "k0", gemm.k_step, "acc"),
        f"scf.yield %mm : {acc}", "}",
    ]
    total = "sum"
    if rest:
        lines += [f"%kr = arith.constant {gemm.k - rest} : index", *_product(gemm, "_rest", "kr", rest, "sum")]
        total = "mm_rest"
    if gemm.out != "f32":
        out = f"tensor<{bm}x{bn}x{gemm.out}>"
        lines.append(f"%out = arith.truncf %{total} : {acc} to {out}")
        total = "out"
    result = f"tensor<{bm}x{bn}x{gemm.out}>"
    lines.append(f"%co = affine.apply affine_map<(m, n) -> (m * {gemm.n} + n)>(%m0, %n0)")
    window, strided = _window("c_window", "C", "co", bm, bn, gemm.n, gemm.out)
    lines += [window, f"bufferization.materialize_in_destination %{total} in writable %c_window : ({result}, {strided}) -> ()",
              "}", "return", "}", "}"]
    return _text(lines)


def round_trip(gemm: Gemm) -> str:
    """The sum is a buffer that is read and written back on every k-step; one block a tile."""
    if gemm.transpose_b or gemm.out != "f32" or gemm.k % gemm.k_step:
        raise ValueError("the round-trip form takes B as k x n, out = \"f32\" and a k that k_step divides")
    bm, bn = gemm.tile
    columns, depth = gemm.n // bn, gemm.k_step
    acc, local = f"tensor<{bm}x{bn}xf32>", f"memref<{bm}x{bn}xf32>"
    a_local, b_local = f"memref<{bm}x{depth}x{gemm.dtype}>", f"memref<{depth}x{bn}x{gemm.dtype}>"
    a_window, a_strided = _window("a_window", "A", "ao", bm, depth, gemm.k, gemm.dtype)
    b_window, b_strided = _window("b_window", "B", "bo", depth, bn, gemm.n, gemm.dtype)
    c_window, c_strided = _window("c_window", "C", "co", bm, bn, gemm.n, "f32")
    a, b = f"tensor<{bm}x{depth}x{gemm.dtype}>", f"tensor<{depth}x{bn}x{gemm.dtype}>"
    return _text([
        "module {", _entry("gemm", gemm, "mix") + " {",
        "%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index",
        f"%steps = arith.constant {gemm.k // depth} : index",
        "%zero = arith.constant 0.000000e+00 : f32",
        "%tile = arith.index_cast %px : i32 to index",
        f"%m0 = affine.apply affine_map<(t) -> ((t floordiv {columns}) * {bm})>(%tile)",
        f"%n0 = affine.apply affine_map<(t) -> ((t mod {columns}) * {bn})>(%tile)",
        f"%a_shared = memref.alloc() : {a_local}", f"%b_shared = memref.alloc() : {b_local}",
        f"%fragment = memref.alloc() : {local}",
        f"linalg.fill ins(%zero : f32) outs(%fragment : {local})",
        "scf.for %step = %c0 to %steps step %c1 {",
        f"%ao = affine.apply affine_map<(m, s) -> (m * {gemm.k} + s * {depth})>(%m0, %step)", a_window,
        f"%bo = affine.apply affine_map<(n, s) -> (s * {depth * gemm.n} + n)>(%n0, %step)", b_window,
        f"memref.copy %a_window, %a_shared : {a_strided} to {a_local}",
        f"memref.copy %b_window, %b_shared : {b_strided} to {b_local}",
        f"%a = bufferization.to_tensor %a_shared restrict writable : {a_local}",
        f"%b = bufferization.to_tensor %b_shared restrict writable : {b_local}",
        f"%old = bufferization.to_tensor %fragment restrict writable : {local}",
        f"%mm = linalg.matmul ins(%a, %b : {a}, {b}) outs(%old : {acc}) -> {acc}",
        f"bufferization.materialize_in_destination %mm in writable %fragment : ({acc}, {local}) -> ()",
        "}",
        f"%co = affine.apply affine_map<(m, n) -> (m * {gemm.n} + n)>(%m0, %n0)", c_window,
        f"memref.copy %fragment, %c_window : {local} to {c_strided}",
        "return", "}", "}",
    ])
