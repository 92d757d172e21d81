"""Kernels that read or copy global memory once, or several times over, and compute nothing.

Buffers are filled in turn; the pipe that would use them gives each back by a flag, as a kernel that computes would.
"""

from __future__ import annotations

from dataclasses import dataclass

from simaccuracy.final_ir import Value, Writer

#: read, copy and write by the vector cores, rows as they are; by the cube cores read-l1, the same, and read-fractals, nd2nz.
DIRECTIONS = ("read", "copy", "write", "read-l1", "read-fractals")
#: The pipe that fills a buffer and the one that gives it back.
PIPES = {"read": ("MTE2", "V"), "copy": ("MTE2", "MTE3"), "write": ("V", "MTE3"), "read-l1": ("MTE2", "MTE1"),
         "read-fractals": ("MTE2", "MTE1")}


@dataclass(frozen=True)
class Stream:
    direction: str
    #: The tensor: rows of row_bytes, pitch_bytes apart (0: they follow each other).
    rows: int
    row_bytes: int
    #: Of one instruction: rows, and bytes of each.
    tile: tuple[int, int]
    pitch_bytes: int = 0
    #: How often all of it is moved; beyond the first time from L2 where it fits there.
    passes: int = 1
    #: Cores; each takes every blocks-th tile.
    blocks: int = 1
    buffers: int = 4

    def __post_init__(self) -> None:
        rows, columns = self.tile
        if self.rows % rows or self.row_bytes % columns:
            raise ValueError(f"tile {list(self.tile)} does not divide the {self.rows} rows of {self.row_bytes} bytes")
        if self.direction != "read-fractals" and (rows != 1 or self.pitch_bytes):
            raise ValueError("only read-fractals takes pitch_bytes and tiles of several rows")
        if columns % 4:
            raise ValueError("tile[1] has to be a multiple of 4")
        if self.buffers > 8:
            raise ValueError("there are events for 8 buffers")
        if self.tiles % (self.buffers * self.blocks):
            raise ValueError(f"the {self.tiles} tiles are no multiple of {self.buffers} buffers x {self.blocks} blocks")

    @property
    def core(self) -> str:
        return "aic" if self.direction in ("read-l1", "read-fractals") else "aiv"

    @property
    def pitch(self) -> int:
        return self.pitch_bytes or self.row_bytes

    @property
    def tiles(self) -> int:
        return self.rows // self.tile[0] * (self.row_bytes // self.tile[1])

    @property
    def argument_bytes(self) -> list[int]:
        return [self.rows * self.pitch] * (2 if self.direction == "copy" else 1)


def text(stream: Stream) -> str:
    fractals = stream.direction == "read-fractals"
    element, size = ("f16", 2) if stream.core == "aic" else ("f32", 4)
    writer = Writer(stream.core, [element] * len(stream.argument_bytes))
    rows, columns = stream.tile[0], stream.tile[1] // size
    across = stream.row_bytes // stream.tile[1]
    zero, one, passes, end = (writer.constant(each) for each in (0, 1, stream.passes, stream.tiles))
    step = writer.constant(stream.buffers * stream.blocks)
    none, pad = writer.constant(0, "i32"), writer.constant("0.0", "f32")

    def move(index: Value, number: int) -> None:
        offset = writer.apply(f"(t floordiv {across}) * {rows * stream.pitch // size} + (t mod {across}) * {columns}", t=index)
        if stream.core == "aic":
            place = number * rows * stream.tile[1]
            if fractals:
                target = writer.buffer("l1", place, [-(-columns // 16), -(-rows // 16), 16, 16], "f16")
                writer.call("nd2nz_half", writer.window(0, offset, [rows, columns], [stream.pitch // size, 1]), target)
            else:
                writer.call("load_gm_to_cbuf_1d_half", writer.window(0, offset, [columns], [1]),
                            writer.buffer("l1", place, [columns], "f16"))
            writer.flag("set", fills, empties, number)
            writer.flag("wait", fills, empties, number)
            return
        local = writer.buffer("ub", number * stream.tile[1], [columns], "f32")
        if stream.direction != "write":
            writer.call("load_gm_to_ubuf_1d_float", writer.window(0, offset, [columns], [1]), local, none, pad, zero)
        writer.flag("set", fills, empties, number)
        writer.flag("wait", fills, empties, number)
        if stream.direction != "read":
            target = writer.window(len(writer.tensors) - 1, offset, [columns], [1])
            writer.call("store_ubuf_to_gm_1d_float", local, target, none)

    fills, empties = PIPES[stream.direction]
    for number in range(stream.buffers):
        writer.flag("set", empties, fills, number)
    block = writer.block()
    writer.loop(zero, passes, one)
    tile = writer.loop(block, end, step)
    for number in range(stream.buffers):
        writer.flag("wait", empties, fills, number)
        move(tile if number == 0 else writer.apply(f"t + {number * stream.blocks}", t=tile), number)
        writer.flag("set", empties, fills, number)
    writer.end_loop()
    writer.end_loop()
    for number in range(stream.buffers):
        writer.flag("wait", empties, fills, number)
    return writer.text()
