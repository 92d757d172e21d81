"""What TileLang's front end made, as the JSON text that the compiler reads.

tilelang is imported only when one of its objects is given.
"""

from __future__ import annotations

import contextlib
import inspect
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Source:
    """A PrimFunc as text, with what the text itself does not carry."""

    json: str
    file: str = ""
    line: int = 0
    out_idx: int | Sequence[int] | None = None


def source_of(function: Any, arguments: Sequence[Any] = (), keywords: dict[str, Any] | None = None) -> Source:
    """The PrimFunc behind a TileLang object. Raises TypeError for anything else.

    arguments and keywords are what a tilelang.jit function is called with.
    """
    if isinstance(function, str) and function.lstrip().startswith("{"):
        return Source(function, "<PrimFunc's JSON>", 1)
    if is_jit_function(function):
        prim_func = _call_jit(function, arguments, keywords or {})
        file, line = location(prim_func, function)
        return Source(_save_json(prim_func), file, line, _out_idx(prim_func, function.out_idx))
    if arguments or keywords:
        raise TypeError("arguments are for tilelang.jit functions; a PrimFunc has its sizes already")
    if hasattr(function, "functions") and hasattr(function, "get_global_var"):
        function = _only_function(function)
    elif not is_prim_func(function) and is_prim_func(getattr(function, "prim_func", None)):
        function = function.prim_func
    if isinstance(function, str):
        raise TypeError(f"expected a TileLang PrimFunc or a PrimFunc's JSON text, but got the text {function[:40]!r}: "
                        "a script's kernels are compiled by `tilekiln compile SCRIPT.py`")
    if not is_prim_func(function):
        raise TypeError(f"expected a TileLang PrimFunc or a tilelang.jit function, but got {type(function).__name__}: "
                        "decorate the kernel with @T.prim_func")
    file, line = location(function)
    return Source(_save_json(function), file, line, _out_idx(function, None))


def is_prim_func(value: Any) -> bool:
    """A TIR PrimFunc of whichever TVM, told without importing it."""
    return type(value).__name__ == "PrimFunc" and hasattr(value, "buffer_map")


def is_jit_function(value: Any) -> bool:
    """What @tilelang.jit makes of a function."""
    return callable(getattr(value, "get_tir", None)) and hasattr(value, "out_idx")


def name_of(function: Any) -> str:
    """The name the author gave."""
    for candidate in (function, getattr(function, "func", None), getattr(function, "prim_func", None)):
        original = getattr(candidate, "orig_func", None)
        if original is not None:
            return original.__name__
        attributes = getattr(candidate, "attrs", None)
        if attributes and "global_symbol" in attributes:
            return str(attributes["global_symbol"])
    return "kernel"


def location(*candidates: Any) -> tuple[str, int]:
    """File and line of the Python function behind the first object that knows it."""
    for candidate in candidates:
        for holder in (candidate, getattr(candidate, "func", None)):
            code = getattr(getattr(holder, "orig_func", None), "__code__", None)
            if code is not None:
                return code.co_filename, code.co_firstlineno
    span = getattr(candidates[0], "span", None)
    return (span.source_name.name, span.line) if span else ("", 0)


@contextlib.contextmanager
def default_target():
    """TileLang's front end asks which target it is for, and finds none on a machine without a GPU."""
    name = "TILELANG_DEFAULT_TARGET"
    if os.environ.get(name):
        yield
        return
    os.environ[name] = "llvm"
    try:
        yield
    finally:
        del os.environ[name]


def _call_jit(function: Any, arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
    try:
        function.signature.bind(*arguments, **keywords)
    except TypeError as mismatch:
        needed = ", ".join(_parameter_names(function))
        raise TypeError(f"{name_of(function)} is a tilelang.jit function of ({needed}); {mismatch}: give them with "
                        "arguments=(...) in Python, or --set NAME=VALUE on the command line") from None
    with default_target():
        return function.get_tir(*arguments, **keywords)


def _parameter_names(function: Any) -> list[str]:
    return [p.name if p.default is inspect.Parameter.empty else f"{p.name}={p.default!r}"
            for p in function.signature.parameters.values()]


def _out_idx(prim_func: Any, declared: Any) -> Any:
    if declared is None and prim_func.attrs and "tilelang_out_idx" in prim_func.attrs:
        return [int(i) for i in prim_func.attrs["tilelang_out_idx"]]
    return declared


def _only_function(module: Any) -> Any:
    functions = [f for f in dict(module.functions.items()).values() if is_prim_func(f)]
    if len(functions) != 1:
        raise TypeError(f"expected a module of one PrimFunc, but it has {len(functions)}: pass one of them")
    return functions[0]


def _save_json(prim_func: Any) -> str:
    import tilelang

    return tilelang.tvm.ir.save_json(prim_func)
