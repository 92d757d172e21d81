"""What can go wrong, told in the terms of the kernel's author.

A message keeps the line of the Python script that it is about. The text of an error has
one "file:line: error: ..." a message, notes included, each followed by the source line
where the file can be read.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Message:
    """One message of the compiler. Line and column count from 1; 0 is unknown."""

    severity: str  # "error", "warning", "remark" or "note"
    file: str
    line: int
    column: int
    text: str

    def render(self) -> str:
        """The message as an editor or a terminal understands it."""
        where = f"{self.file}:{self.line}: " if self.file and self.line else f"{self.file}: " if self.file else ""
        head = f"{where}{self.severity}: {self.text}"
        source = self.source_line()
        return f"{head}\n    {source}" if source else head

    def source_line(self) -> str:
        """The line of the script, without its indentation; empty where it cannot be read."""
        if not self.file or not self.line:
            return ""
        linecache.checkcache(self.file)
        return linecache.getline(self.file, self.line).strip()


def as_messages(messages: Iterable[Message | tuple]) -> list[Message]:
    """Messages from the tuples that the extension module gives."""
    return [m if isinstance(m, Message) else Message(*m) for m in messages]


class CompileError(Exception):
    """A kernel was refused. `messages` says what, where, why and what to do instead."""

    def __init__(self, messages: Iterable[Message | tuple] | str):
        if isinstance(messages, str):
            messages = [Message("error", "", 0, 0, messages)]
        self.messages = as_messages(messages)
        super().__init__("\n".join(m.render() for m in self.messages) or "error: the compiler gave no reason")

    def __reduce__(self):
        return (CompileError, (self.messages,))


class LaunchError(RuntimeError):
    """A compiled kernel could not be run, or stopped while it ran."""


class CompileWarning(UserWarning):
    """The kernel compiled, but not as its author probably meant, for example off the fast path."""
