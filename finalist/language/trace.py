"""Tracing: while a definition runs, every operation on its words becomes a node."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import CodeType, FrameType
from typing import Protocol

from finalist.errors import DefinitionError
from finalist.ir.builder import Builder
from finalist.ir.graph import Node

#: Frames that are not the definition's: the language itself, and what runs its context managers.
_PASSED = (str(Path(__file__).parent), contextlib.__file__)


class Trace:
    """One definition being traced: the builder, the round boundaries met, the arrays alive.

    ``watcher`` is told of round boundaries, where values are watched; see `finalist.language.watch`.
    """

    def __init__(self, watcher: Watching | None = None) -> None:
        self.watcher = watcher
        self.builder = Builder()
        self.rounds: list[tuple[int, int]] = []
        self.arrays: list[ArrayState] = []
        self.depth = 0
        #: A misuse that could not be reported where it was noticed.
        self.fault: DefinitionError | None = None


class Watching(Protocol):
    """What notes the values that a definition has names for."""

    def running(self) -> AbstractContextManager[None]:
        """Note what is done within."""

    def boundary(self, frame: FrameType, phase: int, turn: tuple[int, int] | None) -> None:
        """A round ends, or what comes before the first; ``phase`` begins, which is round ``turn`` if any."""


class ArrayState:
    """What the trace knows of an array of the definition: its present version."""

    def __init__(self, node: Node) -> None:
        self.node = node


_current: ContextVar[Trace | None] = ContextVar("finalist_trace", default=None)


@contextmanager
def tracing(watcher: Watching | None = None) -> Iterator[Trace]:
    """A fresh trace for the operations made within."""
    trace = Trace(watcher)
    token = _current.set(trace)
    try:
        yield trace
    finally:
        _current.reset(token)


def current() -> Trace:
    """The trace under way; its builder notes the definition's line. Raises outside of a definition."""
    trace = _current.get()
    if trace is None:
        raise DefinitionError("words exist only while a definition is traced", here())
    if trace.fault is not None:
        raise trace.fault
    trace.builder.line = here()
    return trace


def builder() -> Builder:
    """The builder of the trace under way."""
    return current().builder


def definition_frame() -> FrameType:
    """The definition's own frame: the innermost caller outside of the language itself."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _passed(frame.f_code):
        frame = frame.f_back
    return frame


def _passed(code: CodeType) -> bool:
    made = code.co_filename == "<string>" and code.co_name == "__init__"  # a dataclass's
    return made or code.co_filename.startswith(_PASSED)


def here() -> str:
    """``file:line`` of the definition."""
    frame = definition_frame()
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def fail(message: str) -> DefinitionError:
    """The error for a misuse of the language at the present line."""
    return DefinitionError(message, here())
