"""What a definition's names stand for while it is traced: each value as it is named, function by function.

A graph keeps few of a definition's names. Here all are noted, through Python's own tracing: what is assigned
to a name, what a function of the definition is given and what it returns, and what is known by which name
where one round ends and the next begins. The graph that is made is the same as without.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.language.control import Array
from finalist.language.word import Word

#: Kinds of events: a name was bound, a function was given or has returned something, a round has ended.
BOUND, GIVEN, RETURNED, STATE = "bound", "given", "returned", "state"


@dataclass(frozen=True, slots=True)
class Event:
    """A value that has a name.

    ``function``: the definition's function; ``name``: the name in it, empty of what it returned. ``depth``:
    how many of the definition's functions call one another there; ``nodes``: its words (or the array).
    ``phase``: as nodes have it; ``mark``: a serial number between those of nodes made before and after.
    """

    kind: str
    function: str
    name: str
    depth: int
    nodes: tuple[Node, ...]
    phase: int
    line: str
    mark: int


@dataclass(slots=True)
class _Frame:
    """What is known of a function that is running: its words by name, and the line that it is at."""

    function: str
    known: dict[str, list[tuple[Node, ...]]]
    line: str


class Watcher:
    """Notes the events of one trace. ``turns``: for the phase of each round which `rounds()` it is of, from 1
    on, and what that gave; ``keys``: what the watched method was given last."""

    def __init__(self, cipher: type[Any]) -> None:
        self.folder = str(Path(inspect.getsourcefile(cipher) or "").parent)
        self.events: list[Event] = []
        self.turns: dict[int, tuple[int, int]] = {}
        self.keys: Any = None
        self.phase = 0
        self._frames: dict[FrameType, _Frame] = {}

    @contextmanager
    def running(self) -> Iterator[None]:
        """Note what is done within."""
        before = sys.gettrace()
        sys.settrace(self._called)
        try:
            yield
        finally:
            sys.settrace(before)

    def boundary(self, frame: FrameType, phase: int, turn: tuple[int, int] | None) -> None:
        """A round ends, or what comes before the first; ``phase`` begins, which is round ``turn`` if any."""
        mark = Node(Op.CONST, (), WordType(1), 0).serial
        for name, value in frame.f_locals.items():
            self._note(
                STATE, frame.f_code.co_name, name, len(self._frames), nodes_of(value), _line(frame), mark
            )
        self.phase = phase
        if turn is not None:
            self.turns[phase] = turn

    def _called(self, frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        if code.co_name.startswith("<") or str(Path(code.co_filename).parent) != self.folder:
            return None
        if frame not in self._frames:
            known = {name: _items(value) for name, value in frame.f_locals.items()}
            self._frames[frame] = _Frame(code.co_name, known, _line(frame))
            for name, items in known.items():
                self._note(GIVEN, code.co_name, name, len(self._frames), _flat(items), _line(frame))
        return self._within

    def _within(self, frame: FrameType, event: str, value: Any) -> Any:
        own = self._frames[frame]
        self._compare(frame, own)
        own.line = _line(frame)
        if event == "return":
            depth = len(self._frames)
            del self._frames[frame]
            self._note(RETURNED, own.function, "", depth, nodes_of(value), own.line)
        return self._within

    def _compare(self, frame: FrameType, own: _Frame) -> None:
        """Note the names that stand for something else than before."""
        for name, value in list(frame.f_locals.items()):
            new = _items(value)
            old = own.known.get(name)
            if new == old:
                continue
            own.known[name] = new
            for part, nodes in _changed(name, old, new, isinstance(value, list)):
                self._note(BOUND, own.function, part, len(self._frames), nodes, own.line)

    def _note(
        self,
        kind: str,
        function: str,
        name: str,
        depth: int,
        nodes: tuple[Node, ...],
        line: str,
        mark: int = 0,
    ) -> None:
        if nodes:
            self.events.append(Event(kind, function, name, depth, nodes, self.phase, line, mark))


def _line(frame: FrameType) -> str:
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def nodes_of(value: Any) -> tuple[Node, ...]:
    """The words in a value, however nested in lists, tuples and dicts; an array is one node."""
    if isinstance(value, Word):
        return (value.node,)
    if isinstance(value, list | tuple):
        return tuple(node for part in value for node in nodes_of(part))
    if isinstance(value, dict):
        return tuple(node for part in value.values() for node in nodes_of(part))
    return (value.state.node,) if isinstance(value, Array) else ()


def _items(value: Any) -> list[tuple[Node, ...]]:
    """The same, each item of a list by itself."""
    return [nodes_of(item) for item in value] if isinstance(value, list | tuple) else [nodes_of(value)]


def _flat(items: list[tuple[Node, ...]]) -> tuple[Node, ...]:
    return tuple(node for item in items for node in item)


def _changed(
    name: str, old: list[tuple[Node, ...]] | None, new: list[tuple[Node, ...]], is_list: bool
) -> Iterator[tuple[str, tuple[Node, ...]]]:
    """What is new: of a list that was there and has kept some of its items only the others."""
    before = old or []
    places = [k for k, item in enumerate(new) if k >= len(before) or item != before[k]]
    if is_list and old is not None and len(places) < len(new):
        yield from ((f"{name}[{k}]", new[k]) for k in places)
    else:
        yield name, _flat(new)
