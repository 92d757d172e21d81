"""`tilekiln run`: a script in which TileLang compiles through TileKiln."""

from __future__ import annotations

import argparse
import sys
import traceback
from pathlib import Path
from typing import Any

import tilekiln
from tilekiln.cli import script
from tilekiln.cli.common import add_compile_options, compile_options

DESCRIPTION = """\
Runs a script as `python SCRIPT.py ARGS` would, with one difference: tilelang.compile and
@tilelang.jit compile through TileKiln, and the kernels run on this machine's CPU. Options of
tilekiln come before the script; everything after it is the script's.

Environment variables of DLCompiler's TileLang path are honoured:
  TILELANG_USE_DLCOMPILER=0   leave TileLang as it is
  DLC_DUMP_IR=1               write every stage under ./tmp/<hash>/, kernel.commonir.mlir among them
  TILELANG_PRINT_COMMONIR=1   print the IR of each stage
  DLC_REPLACE_COMMONIR_LINKED_IR_FILE=FILE   take the linked IR from FILE"""


def add_parser(commands: Any) -> None:
    """Adds `tilekiln run` to the commands."""
    parser = commands.add_parser("run", help="run a script whose kernels compile through TileKiln", description=DESCRIPTION,
                                 epilog="example:\n  DLC_DUMP_IR=1 tilekiln run --out-of-bounds zero gemm.py 1024 1024 1024",
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    add_compile_options(parser)
    parser.add_argument("script", metavar="SCRIPT.py", type=Path)
    parser.add_argument("arguments", metavar="ARGS", nargs=argparse.REMAINDER, help="the script's arguments")
    parser.set_defaults(command=command)


def command(arguments: argparse.Namespace) -> int:
    """Runs the script; returns the exit status."""
    script.check_readable(arguments.script)
    from tilekiln import tilelang_backend

    try:
        with tilelang_backend.installed(**compile_options(arguments)):
            script.execute(arguments.script, arguments.arguments, "__main__")
    except tilekiln.CompileError:
        raise
    except Exception as failure:
        if isinstance(failure, SyntaxError) or script.comes_from_tilekiln(failure):
            raise script.describe(arguments.script, failure) from None
        _print_own_traceback(arguments.script, failure)
        return 1
    return 0


def _print_own_traceback(path: Path, failure: Exception) -> None:
    """An exception of the script's own is shown as Python shows it, from the script's first line on."""
    trace = failure.__traceback__
    start = trace
    while start is not None and Path(start.tb_frame.f_code.co_filename).resolve() != path.resolve():
        start = start.tb_next
    traceback.print_exception(type(failure), failure, start or trace, file=sys.stderr)
