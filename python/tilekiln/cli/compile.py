"""`tilekiln compile`: every stage of a script's kernels, written to a folder."""

from __future__ import annotations

import argparse
import ast
import inspect
import sys
from pathlib import Path
from typing import Any

import tilekiln
from tilekiln import frontend, stages
from tilekiln.cli import script
from tilekiln.cli.common import add_compile_options, compile_options
from tilekiln.cli.script import Failure

DESCRIPTION = """\
Compiles the TileLang kernels of a script down to the vendor's final IR for the target, and
writes every stage to a folder: NAME.commonir.mlir, NAME.tiles.mlir, NAME.linked.mlir,
NAME.hivm.mlir and NAME.report.json. Nothing is written unless all of it could be made.

The script is imported, not run as __main__. Kernels are its PrimFuncs and tilelang.jit
functions, and those that it compiles with tilelang.compile. A function that returns a
PrimFunc can be named too; --set gives its parameters. Arguments after -- are the script's."""

EXAMPLES = """\
examples:
  tilekiln compile gemm.py --out build/gemm
  tilekiln compile gemm.py:matmul --set M=1024 --set N=1024 --set K=512 --out build/gemm
  tilekiln compile script.py --out out -- 1024 1024 1024      (the script's own arguments)"""


def add_parser(commands: Any) -> None:
    """Adds `tilekiln compile` to the commands."""
    parser = commands.add_parser("compile", help="write every stage of a script's kernels", description=DESCRIPTION,
                                 epilog=EXAMPLES,
                                 usage="tilekiln compile SCRIPT.py[:function] --out DIR [options] [-- ARGS ...]",
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("script", metavar="SCRIPT.py[:function]", help="the script, and the one kernel of it that is wanted")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="folder for the stages; made where missing")
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="NAME=VALUE",
                        help="a parameter of a tilelang.jit function or of a function that returns a PrimFunc")
    add_compile_options(parser, without=("device",))
    parser.set_defaults(command=command)


def command(arguments: argparse.Namespace) -> int:
    """Compiles the kernels and writes their stages; returns the exit status."""
    path, _, wanted = arguments.script.partition(":")
    try:
        stages.check_folder(arguments.out)
    except OSError as failure:
        raise _unwritable(arguments.out, failure) from None
    settings = dict(setting("compile", text) for text in arguments.settings)
    options = {**compile_options(arguments), "device": "hivm"}
    functions = find_functions(Path(path), arguments.script_arguments, wanted, settings, compile_options(arguments))
    names = stages.unique_names(frontend.name_of(function) for function in functions)
    contents: dict[str, str] = {}
    kernels = []
    for name, function in zip(names, functions, strict=True):
        kernel = compile_function(Path(path), function, settings, options)
        contents.update(stages.files(kernel, name, stages.every(kernel)))
        kernels.append((name, kernel))
    try:
        stages.write_atomically(arguments.out, contents)
    except OSError as failure:
        raise _unwritable(arguments.out, failure) from None
    for name, kernel in kernels:
        print(f"{name}: compiled to the vendor's final IR for {kernel.target}")
        for file in [f for f in contents if f.startswith(f"{name}.")]:
            print(f"  {arguments.out / file}")
    return 0


def _unwritable(folder: Path, failure: OSError) -> Failure:
    return Failure(f"{folder}: error: the stages cannot be written: {failure.strerror or failure}")


def find_functions(path: Path, script_arguments: list[str], wanted: str, settings: dict[str, Any],
                   options: dict[str, Any]) -> list[Any]:
    """The kernels of a script. Raises Failure where there are none."""
    from tilekiln import tilelang_backend

    compiled: list[Any] = []
    try:
        with tilelang_backend.installed(lambda function, kernel: compiled.append(function), **options):
            names = script.execute(path, script_arguments, "__tilekiln__")
    except (Failure, tilekiln.CompileError):
        raise
    except (Exception, SystemExit) as failure:
        raise script.describe(path, failure) from None
    if wanted:
        value = _named(path, names, compiled, wanted)
        _check_settings(path, [value], settings)
        return [_prim_func_of(path, value, settings)]
    found = [value for name, value in names.items() if not name.startswith("_") and _is_kernel(value)]
    found += [function for function in compiled if not any(function.same_as(f) for f in found if frontend.is_prim_func(f))]
    unique = list({id(function): function for function in found}.values())
    if not unique:
        functions = [n for n, v in _own_functions(names).items() if n != "main"]
        raise Failure(f"{path}: error: no TileLang kernel found: name a function that returns a PrimFunc, as "
                      f"{path}:{functions[0] if functions else 'function'}, or decorate a kernel with @T.prim_func")
    _check_settings(path, unique, settings)
    return _without_unbound(unique, settings)


def _without_unbound(functions: list[Any], settings: dict[str, Any]) -> list[Any]:
    """Leaves out tilelang.jit functions whose parameters have no values, unless there is nothing else."""
    bound = [f for f in functions if not frontend.is_jit_function(f) or _binds(f, settings)]
    for function in [f for f in functions if bound and not any(f is b for b in bound)]:
        print(f"tilekiln: {frontend.name_of(function)} is left out: its parameters have no values, --set NAME=VALUE "
              "gives them", file=sys.stderr)
    return bound or functions


def _binds(function: Any, settings: dict[str, Any]) -> bool:
    try:
        function.signature.bind(**_settings_of(function, settings))
    except TypeError:
        return False
    return True


def _settings_of(function: Any, settings: dict[str, Any]) -> dict[str, Any]:
    """The settings that are parameters of a tilelang.jit function; none for a PrimFunc."""
    if not frontend.is_jit_function(function):
        return {}
    return {name: value for name, value in settings.items() if name in function.signature.parameters}


def _named(path: Path, names: dict[str, Any], compiled: list[Any], wanted: str) -> Any:
    value = names.get(wanted)
    if value is None:
        value = next((function for function in compiled if frontend.name_of(function) == wanted), None)
    if value is None:
        kernels = [n for n, v in names.items() if _is_kernel(v)] + [frontend.name_of(f) for f in compiled]
        there = list(dict.fromkeys([*kernels, *_own_functions(names)]))
        raise Failure(f"{path}: error: no function {wanted}: " +
                      (f"there are {', '.join(there)}" if there else "there are no functions in it"))
    return value


def _own_functions(names: dict[str, Any]) -> dict[str, Any]:
    """Plain functions that the script itself defines."""
    return {name: value for name, value in names.items()
            if inspect.isfunction(value) and value.__module__ == names["__name__"] and not name.startswith("_")}


def _prim_func_of(path: Path, value: Any, settings: dict[str, Any]) -> Any:
    """What was named, or the PrimFunc that it returns."""
    if _is_kernel(value) or not inspect.isfunction(value):
        return value
    try:
        with frontend.default_target():
            return value(**settings)
    except Exception as failure:
        raise script.describe(path, failure) from None


def _check_settings(path: Path, functions: list[Any], settings: dict[str, Any]) -> None:
    """Raises Failure for a --set that no function takes, and for a named function's parameter without a value."""
    signatures = [f.signature if frontend.is_jit_function(f) else inspect.signature(f)
                  for f in functions if frontend.is_jit_function(f) or inspect.isfunction(f)]
    if any(p.kind is p.VAR_KEYWORD for signature in signatures for p in signature.parameters.values()):
        return
    there = dict.fromkeys(name for signature in signatures for name in signature.parameters)
    for name in settings:
        if name not in there:
            takes = f"there are {', '.join(there)}" if there else "the kernel's sizes are fixed in the script"
            raise Failure(f"{path}: error: --set {name}: there is no such parameter: {takes}")
    plain = [f for f in functions if inspect.isfunction(f)]
    for function in plain:
        missing = [p.name for p in inspect.signature(function).parameters.values()
                   if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name not in settings]
        if missing:
            raise Failure(f"{path}:{function.__code__.co_firstlineno}: error: {function.__name__} needs values for "
                          f"{', '.join(missing)}: --set {missing[0]}=VALUE gives one")


def compile_function(path: Path, function: Any, settings: dict[str, Any], options: dict[str, Any]) -> tilekiln.Kernel:
    try:
        return tilekiln.compile(function, keywords=_settings_of(function, settings), **options)
    except (TypeError, ValueError) as failure:
        raise Failure(f"{path}: error: {failure}") from None


def _is_kernel(value: Any) -> bool:
    return frontend.is_prim_func(value) or frontend.is_jit_function(value)


def setting(command_name: str, text: str, option: str = "--set") -> tuple[str, Any]:
    """NAME=VALUE of the command line; the value as Python reads it, or as text."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        print(f"tilekiln {command_name}: error: {option} takes NAME=VALUE, but got {text!r}", file=sys.stderr)
        raise SystemExit(2)
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value
