"""tilelang.compile and @tilelang.jit through TileKiln.

`tilekiln run` installs this before it runs a script. The switches of DLCompiler's TileLang
path, which scripts set, are honoured:

TILELANG_USE_DLCOMPILER=0        leaves tilelang.compile as it is
DLC_DUMP_IR=1                    writes every stage under ./tmp/<hash>/, kernel.commonir.mlir among them
TILELANG_PRINT_COMMONIR=1        prints the IR after each stage
DLC_REPLACE_COMMONIR_LINKED_IR_FILE=FILE   reads the linked IR from FILE instead of making it
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tilekiln import frontend, options, stages
from tilekiln.kernel import Kernel, build

OFF = ("0", "false", "off", "no")


class TileLangKernel(Kernel):
    """What tilelang.compile returns: a kernel that also answers to tilelang's names."""

    def get_kernel_source(self, kernel_only: bool = True) -> str:
        """The linked IR: what stands where a GPU's source would."""
        return self.ir("linked")

    @property
    def kernel_source(self) -> str:
        """As get_kernel_source(), which tilelang has under both names."""
        return self.get_kernel_source()


@contextlib.contextmanager
def installed(on_compile: Callable[[Any, Kernel], None] | None = None, **given: Any) -> Iterator[None]:
    """Within it, TileLang compiles through TileKiln with these options.

    on_compile is told of every PrimFunc and its kernel.
    """
    import tilelang

    jit_module = sys.modules["tilelang.jit"]
    original = jit_module.compile

    def through_tilekiln(func: Any = None, out_idx: Any = None, *positional: Any, **tilelang_options: Any) -> Any:
        if os.environ.get("TILELANG_USE_DLCOMPILER", "1").lower() in OFF:
            return original(func, out_idx, *positional, **tilelang_options)
        kernel = compile_prim_func(func, out_idx, **given)
        if on_compile:
            on_compile(func, kernel)
        return kernel

    jit_module.compile = tilelang.compile = through_tilekiln
    try:
        with frontend.default_target():
            yield
    finally:
        jit_module.compile = tilelang.compile = original


def compile_prim_func(func: Any, out_idx: Any = None, **given: Any) -> TileLangKernel:
    """Compiles as tilelang.compile does, and dumps or prints where the environment asks for it."""
    replaced = os.environ.get("DLC_REPLACE_COMMONIR_LINKED_IR_FILE")
    if replaced:
        given = {**given, "replaced_stages": {"linked": replaced, **(given.get("replaced_stages") or {})}}
    source = frontend.source_of(func)
    kernel = build(source, options.resolve(given), out_idx, TileLangKernel)
    if _is_on("TILELANG_PRINT_COMMONIR"):
        for stage, text in stages.available(kernel).items():
            print(f"// ----- {kernel.name}: {stage} -----\n{text}", flush=True)
    if _is_on("DLC_DUMP_IR"):
        dump(kernel, source.json)
    return kernel


def dump(kernel: Kernel, tir_json: str) -> Path:
    """Every stage under ./tmp/<hash of the kernel>/."""
    folder = Path("tmp") / hashlib.sha256(tir_json.encode()).hexdigest()[:16]
    stages.write_atomically(folder, stages.files(kernel, "kernel", stages.available(kernel)))
    print(f"tilekiln: {kernel.name}: the stages are in {folder}", file=sys.stderr)
    return folder


def _is_on(variable: str) -> bool:
    return os.environ.get(variable, "0").lower() not in ("", *OFF)
