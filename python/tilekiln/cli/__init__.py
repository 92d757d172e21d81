"""The command `tilekiln`: compile, run, profile, doctor.

Bad input ends with a message on stderr and a non-zero exit, never with a traceback:
2 for a wrong command line, 1 for anything that the command found.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tilekiln.cli import compile as compile_command
from tilekiln.cli import doctor as doctor_command
from tilekiln.cli import profile as profile_command
from tilekiln.cli import run as run_command
from tilekiln.cli.script import Failure
from tilekiln.errors import CompileError

COMMANDS = (compile_command, run_command, profile_command, doctor_command)


def build_parser() -> argparse.ArgumentParser:
    import tilekiln

    parser = argparse.ArgumentParser(
        prog="tilekiln", description="TileLang kernels for Ascend 910B3, compiled and run without the hardware.",
        epilog="`tilekiln COMMAND --help` tells more. Options have TILEKILN_... environment variables; see the README.")
    parser.add_argument("--version", action="version", version=f"tilekiln {tilekiln.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    argv, script_arguments = _split(list(sys.argv[1:] if argv is None else argv))
    arguments = build_parser().parse_args(argv, argparse.Namespace(script_arguments=script_arguments))
    try:
        return arguments.command(arguments)
    except (CompileError, Failure) as refused:
        print(refused, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("tilekiln: interrupted", file=sys.stderr)
        return 130


def _split(argv: list[str]) -> tuple[list[str], list[str]]:
    """A script's own arguments come after --, which argparse cannot tell from its own."""
    if argv[:1] in (["compile"], ["profile"]) and "--" in argv:
        place = argv.index("--")
        return argv[:place], argv[place + 1:]
    return argv, []
