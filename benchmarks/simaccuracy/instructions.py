"""Kernels of one instruction, issued again and again: what a table of single instructions is compared with.

"apart" puts a barrier over all pipes between two of them; otherwise they follow each other as fast as the pipe takes them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from simaccuracy.final_ir import BYTES, LIBRARY_TYPES, Writer


@dataclass(frozen=True)
class Instruction:
    core: str
    #: Element types of the tensors.
    tensors: tuple[str, ...]
    #: Writes what is needed once, and gives what writes one instruction.
    build: Callable[[Writer, dict[str, int]], Callable[[], None]]
    #: Fields of the row and their defaults; ... where there is none.
    fields: dict[str, Any] = field(default_factory=dict)
    #: Bytes of each tensor.
    bytes: Callable[[dict[str, int]], list[int]] = lambda shape: []


def _flat_load(space: str, function: str, element: str) -> Callable:
    def build(writer: Writer, shape: dict[str, int]) -> Callable[[], None]:
        count = shape["bytes"] // BYTES[element]
        zero = writer.constant(0)
        source = writer.window(0, zero, [count], [1])
        target = writer.buffer(space, 0, [count], element)
        none, pad = writer.constant(0, "i32"), writer.constant("0.0", element)
        extra = (none, pad, zero) if space == "ub" else ()
        return lambda: writer.call(function, source, target, *extra)

    return build


def _store_ub(writer: Writer, shape: dict[str, int]) -> Callable[[], None]:
    count = shape["bytes"] // 4
    source = writer.buffer("ub", 0, [count], "f32")
    target = writer.window(0, writer.constant(0), [count], [1])
    none = writer.constant(0, "i32")
    return lambda: writer.call("store_ubuf_to_gm_1d_float", source, target, none)


def _copy_ub(writer: Writer, shape: dict[str, int]) -> Callable[[], None]:
    count = shape["bytes"] // 4
    source, target = writer.buffer("ub", 0, [count], "f32"), writer.buffer("ub", shape["bytes"], [count], "f32")
    none, pad = writer.constant(0, "i32"), writer.constant("0.0", "f32")
    return lambda: writer.call("copy_ubuf_to_ubuf_1d_float", source, target, none, pad)


def _nd2nz(writer: Writer, shape: dict[str, int]) -> Callable[[], None]:
    rows, columns = shape["rows"], shape["row_bytes"] // 2
    source = writer.window(0, writer.constant(0), [rows, columns], [shape["pitch_bytes"] // 2, 1])
    target = writer.buffer("l1", 0, [-(-columns // 16), -(-rows // 16), 16, 16], "f16")
    return lambda: writer.call("nd2nz_half", source, target)


def _mma(writer: Writer, shape: dict[str, int]) -> Callable[[], None]:
    m, k, n = shape["m"], shape["k"], shape["n"]
    a = writer.buffer("l1", 0, [k // 16, m // 16, 16, 16], "f16")
    b = writer.buffer("l1", m * k * 2, [n // 16, k // 16, 16, 16], "f16")
    c = writer.buffer("l0c", 0, [n // 16, m // 16, 16, 16], "f32")
    init = writer.constant("true", "i1")
    extents = [writer.constant(extent) for extent in (m, k, n)]
    no_flag, no_unit_flag = writer.constant(-1, "i64"), writer.constant(0, "i8")
    return lambda: writer.call("mma_tile_half_to_float", a, b, init, *extents, c, *[no_flag] * 7, no_unit_flag)


def _fixpipe(out: str) -> Callable:
    def build(writer: Writer, shape: dict[str, int]) -> Callable[[], None]:
        m, n = shape["m"], shape["n"]
        source = writer.buffer("l0c", 0, [n // 16, m // 16, 16, 16], "f32")
        target = writer.window(0, writer.constant(0), [m, n], [n, 1])
        quantisation, relu = writer.constant(int(out != "f32"), "i64"), writer.constant(0, "i64")
        false, no_unit_flag = writer.constant("false", "i1"), writer.constant(0, "i8")
        return lambda: writer.call(f"fixpipe_nz2nd_float_to_{LIBRARY_TYPES[out]}_4d_to_2d", source, target, quantisation, relu,
                                   false, no_unit_flag)

    return build


def _vector(function: str, operands: str, element: str = "f32", out: str = "") -> Callable:
    """`operands`: i an input, s a number, o the result, t an empty temporary, m a mode of 0."""
    def build(writer: Writer, shape: dict[str, int]) -> Callable[[], None]:
        count = shape["repeats"] * 256 // BYTES[element]
        size, address, passed = shape["repeats"] * 256, 0, []
        for kind in operands:
            if kind == "s":
                passed.append(writer.constant("1.5", element))
            elif kind == "m":
                passed.append(writer.constant(0, "i32"))
            elif kind == "t":
                passed.append(writer.buffer("ub", 0, [0], element))
            else:
                passed.append(writer.buffer("ub", address, [count], out or element if kind == "o" else element))
                address += size + shape["gap_bytes"]
        return lambda: writer.call(function, *passed)

    return build


#: Without a gap both operands lie in the same groups of banks; with one of 256 bytes they do not.
_REPEATS = {"repeats": 64, "gap_bytes": 0}
_MOVED = {"bytes": ...}


def _one_tensor(shape: dict[str, int]) -> list[int]:
    return [shape["bytes"]]


INSTRUCTIONS = {
    "load-l1": Instruction("aic", ("f16",), _flat_load("l1", "load_gm_to_cbuf_1d_half", "f16"), _MOVED, _one_tensor),
    "load-ub": Instruction("aiv", ("f32",), _flat_load("ub", "load_gm_to_ubuf_1d_float", "f32"), _MOVED, _one_tensor),
    "store-ub": Instruction("aiv", ("f32",), _store_ub, _MOVED, _one_tensor),
    "copy-ub": Instruction("aiv", (), _copy_ub, _MOVED),
    "nd2nz": Instruction("aic", ("f16",), _nd2nz, {"rows": ..., "row_bytes": ..., "pitch_bytes": 8192},
                         lambda shape: [shape["rows"] * shape["pitch_bytes"]]),
    "mma": Instruction("aic", (), _mma, {"m": ..., "k": ..., "n": ...}),
    "fixpipe-f32": Instruction("aic", ("f32",), _fixpipe("f32"), {"m": ..., "n": ...},
                               lambda shape: [shape["m"] * shape["n"] * 4]),
    "fixpipe-f16": Instruction("aic", ("f16",), _fixpipe("f16"), {"m": ..., "n": ...},
                               lambda shape: [shape["m"] * shape["n"] * 2]),
    **{name: Instruction("aiv", (), _vector(f"{name}_1d_float", "iiot"), _REPEATS)
       for name in ("vadd", "vsub", "vmul", "vdiv", "vmax", "vmin")},
    **{name: Instruction("aiv", (), _vector(f"{name}_vs_1d_float", "isot"), _REPEATS)
       for name in ("vadds", "vmuls", "vmaxs", "vmins")},
    **{name: Instruction("aiv", (), _vector(f"{name}_1d_float", "iot"), _REPEATS)
       for name in ("vexp", "vln", "vsqrt", "vrsqrt", "vabs", "vrelu", "vrec")},
    "vand": Instruction("aiv", (), _vector("vand_1d_int16_t", "iiot", "i16"), _REPEATS),
    "vor": Instruction("aiv", (), _vector("vor_1d_int16_t", "iiot", "i16"), _REPEATS),
    "vcast-f32-f16": Instruction("aiv", (), _vector("vcast_float_to_half_1d_with_mode", "iom", "f32", "f16"), _REPEATS),
}


def text(name: str, shape: dict[str, int], count: int, apart: bool) -> tuple[str, list[int]]:
    """The kernel, and the bytes of its tensors."""
    instruction = INSTRUCTIONS[name]
    writer = Writer(instruction.core, instruction.tensors)
    one = instruction.build(writer, shape)
    bounds = [writer.constant(each) for each in (0, count, 1)]
    writer.loop(*bounds)
    one()
    if apart:
        writer.barrier()
    writer.end_loop()
    return writer.text(), instruction.bytes(shape)
