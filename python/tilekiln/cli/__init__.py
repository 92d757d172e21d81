"""The command `tilekiln`: compile, run, profile, doctor.

Bad input ends with a message on stderr and a non-zero exit, never with a traceback:
2 for a wrong command line, 1 for anything that the command found.
"""

from __future__ import annotations

import argparse
import difflib
import re
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
    """The command line of all commands."""
    import tilekiln

    parser = argparse.ArgumentParser(
        prog="tilekiln", description="TileLang kernels for Ascend 910B3, compiled and run without the hardware.",
        epilog="`tilekiln COMMAND --help` tells more. Options have TILEKILN_... environment variables; see the README.")
    parser.add_argument("--version", action="version", version=f"tilekiln {tilekiln.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(commands)
    for command_parser in commands.choices.values():
        # A shortened --device would be taken for --device-library-folder.
        command_parser.allow_abbrev = False
        command_parser.set_defaults(help_text=command_parser.format_help())
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status; without argv, the process's own arguments."""
    argv, script_arguments = _split(list(sys.argv[1:] if argv is None else argv))
    arguments, unknown = build_parser().parse_known_args(argv, argparse.Namespace(script_arguments=script_arguments))
    if unknown:
        _refuse_unknown(argv[0], arguments.help_text, unknown[0])
        return 2
    try:
        return arguments.command(arguments)
    except (CompileError, Failure) as refused:
        print(refused, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("tilekiln: interrupted", file=sys.stderr)
        return 130


def _refuse_unknown(command: str, help_text: str, unknown: str) -> None:
    """argparse's own message shows the usage of `tilekiln` and not of its command."""
    name = unknown.partition("=")[0]
    kind = "option" if name.startswith("-") else "argument"
    close = difflib.get_close_matches(name, re.findall(r"--[a-z-]+", help_text), 1)
    hint = f"did you mean {close[0]}?" if close else f"`tilekiln {command} --help` shows what there is"
    print(f"tilekiln {command}: error: unknown {kind} {unknown}: {hint}", file=sys.stderr)


def _split(argv: list[str]) -> tuple[list[str], list[str]]:
    """A script's own arguments come after --, which argparse cannot tell from its own."""
    if argv[:1] in (["compile"], ["profile"]) and "--" in argv:
        place = argv.index("--")
        return argv[:place], argv[place + 1:]
    return argv, []
