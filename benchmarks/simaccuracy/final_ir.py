"""A small writer of the vendor's final IR, for kernels of a few library calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SPACES = {"gm": "gm", "ub": "ub", "l1": "cbuf", "l0c": "cc"}
LIBRARY_TYPES = {"f32": "float", "f16": "half", "i16": "int16_t", "i32": "int32_t"}
BYTES = {"f32": 4, "f16": 2, "i16": 2, "i32": 4}


@dataclass(frozen=True)
class Value:
    """An SSA value and its type."""

    name: str
    type: str


class Writer:
    """One entry function of a cube core ("aic") or a vector core ("aiv")."""

    def __init__(self, core: str, tensors: Sequence[str]):
        self.core, self.tensors = core.upper(), list(tensors)
        self.lines: list[str] = []
        self.declared: dict[str, str] = {}
        self.count = 0

    def define(self, operation: str, type_: str) -> Value:
        self.count += 1
        self.lines.append(f"%v{self.count} = {operation}")
        return Value(f"%v{self.count}", type_)

    def constant(self, value: object, type_: str = "index") -> Value:
        # A truth value prints its type itself.
        return self.define(f"arith.constant {value}" + ("" if type_ == "i1" else f" : {type_}"), type_)

    def tensor(self, index: int) -> Value:
        return Value(f"%t{index}", f"memref<?x{self.tensors[index]}, #hivm.address_space<gm>>")

    def buffer(self, space: str, address: int, shape: Sequence[int], element: str) -> Value:
        """A place on chip."""
        type_ = f"memref<{'x'.join(map(str, shape))}x{element}, #hivm.address_space<{SPACES[space]}>>"
        return self.define(f"hivm.hir.pointer_cast({self.constant(address, 'i64').name}) : {type_}", type_)

    def window(self, tensor: int, offset: Value, sizes: Sequence[int], strides: Sequence[int]) -> Value:
        """A part of a tensor."""
        source = self.tensor(tensor)
        type_ = (f"memref<{'x'.join(map(str, sizes))}x{self.tensors[tensor]}, "
                 f"strided<[{', '.join(map(str, strides))}], offset: ?>, #hivm.address_space<gm>>")
        sizes_text, strides_text = (", ".join(map(str, each)) for each in (sizes, strides))
        return self.define(f"memref.reinterpret_cast {source.name} to offset: [{offset.name}], sizes: [{sizes_text}], "
                           f"strides: [{strides_text}] : {source.type} to {type_}", type_)

    def call(self, function: str, *operands: Value) -> None:
        """A library function; buffers are passed with all extents unknown."""
        passed = [self._unknown(operand) if operand.type.startswith("memref") else operand for operand in operands]
        types = ", ".join(operand.type for operand in passed)
        self.declared[function] = types
        self.lines.append(f"func.call @{function}({', '.join(operand.name for operand in passed)}) : ({types}) -> ()")

    def _unknown(self, value: Value) -> Value:
        body, _, space = value.type.removeprefix("memref<").rpartition(", #hivm")
        *extents, element = body.split(",")[0].split("x")
        unknown = (f"memref<{'?x' * len(extents)}{element}, strided<[{', '.join('?' * len(extents))}], offset: ?>, #hivm{space}")
        return self.define(f"memref.cast {value.name} : {value.type} to {unknown}", unknown)

    def flag(self, operation: str, source: str, destination: str, event: int = 0) -> None:
        self.lines.append(f"hivm.hir.{operation}_flag[<PIPE_{source}>, <PIPE_{destination}>, <EVENT_ID{event}>]")

    def barrier(self, pipe: str = "ALL") -> None:
        self.lines.append(f"hivm.hir.pipe_barrier[<PIPE_{pipe}>]")

    def block(self) -> Value:
        index = self.define("hivm.hir.get_block_idx -> i64", "i64")
        return self.define(f"arith.index_cast {index.name} : i64 to index", "index")

    def apply(self, expression: str, **values: Value) -> Value:
        """An affine expression of named values."""
        names, operands = ", ".join(values), ", ".join(value.name for value in values.values())
        return self.define(f"affine.apply affine_map<({names}) -> ({expression})>({operands})", "index")

    def loop(self, begin: Value, end: Value, step: Value) -> Value:
        self.count += 1
        self.lines.append(f"scf.for %v{self.count} = {begin.name} to {end.name} step {step.name} {{")
        return Value(f"%v{self.count}", "index")

    def end_loop(self) -> None:
        self.lines.append("}")

    def text(self) -> str:
        core = f"#hivm.func_core_type<{self.core}>"
        private = "".join(
            f"  func.func private @{name}({types}) attributes {{hacc.always_inline, hivm.func_core_type = {core}, "
            f"llvm.emit_c_interface}}\n" for name, types in self.declared.items())

        def given(kind: str) -> str:
            return f"{{hacc.arg_type = #hacc.arg_type<{kind}>}}"

        arguments = [f"%ffts: i64 {given('ffts_base_address')}",
                     f"%lock: memref<?xi8, #hivm.address_space<gm>> {given('sync_block_lock')}",
                     f"%ws: memref<?xi8, #hivm.address_space<gm>> {given('workspace')}",
                     *(f"{self.tensor(i).name}: {self.tensor(i).type}" for i in range(len(self.tensors))),
                     "%gx: i32", "%gy: i32", "%gz: i32"]
        memrefs = ["false", "true", "true", *["true"] * len(self.tensors), "false", "false", "false"]
        attributes = ("SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, "
                      f"func_dyn_memref_args = dense<[{', '.join(memrefs)}]> : vector<{len(memrefs)}xi1>, hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>, "
                      f"hivm.func_core_type = {core}, mix_mode = \"{self.core.lower()}\", parallel_mode = \"simd\"")
        body = "".join(f"    {line}\n" for line in self.lines)
        return (f"module attributes {{hivm.module_core_type = #hivm.module_core_type<{self.core}>}} {{\n{private}"
                f"  func.func @kernel({', '.join(arguments)}) attributes {{{attributes}}} {{\n    hivm.hir.set_mask_norm\n{body}"
                "    hivm.hir.pipe_barrier[<PIPE_ALL>]\n    return\n  }\n}\n")
