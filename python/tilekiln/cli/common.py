"""Command line options that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from tilekiln import options


def add_compile_options(parser: argparse.ArgumentParser, without: tuple[str, ...] = ()) -> None:
    """One --option for each compile option; what is not given stays with the environment."""
    group = parser.add_argument_group("compile options", "each also has an environment variable, named in brackets")
    for option in options.OPTIONS:
        if option.name in without:
            continue
        group.add_argument(f"--{option.name.replace('_', '-')}", dest=option.name, type=_reader(option), default=None,
                           choices=option.choices or None, metavar=None if option.choices else "VALUE",
                           help=f"{option.help} [{option.variable}]")


def _reader(option: options.Option) -> Callable[[str], Any]:
    """Reads the option's text; a message of argparse's own would name the function that could not."""
    def read(text: str) -> Any:
        try:
            return option.parse(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"cannot read {text!r} ({option.help})") from None

    return read


def compile_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Those given on the command line."""
    chosen = {option.name: getattr(arguments, option.name, None) for option in options.OPTIONS}
    return {name: value for name, value in chosen.items() if value is not None}
