"""What passes have done to a program: steps, noted for whoever watches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from finalist.errors import GraphError
from finalist.ir.program import Program


@dataclass(frozen=True, slots=True)
class Step:
    """A pass that ran: its name, what it does in a sentence, its file; the program before and after."""

    name: str
    summary: str
    file: str
    before: Program
    after: Program


_watched: ContextVar[list[Step] | None] = ContextVar("watched", default=None)
_check: ContextVar[Callable[[Step], None] | None] = ContextVar("check", default=None)


@contextmanager
def watching() -> Iterator[list[Step]]:
    """Note all steps in the list that this yields, in order; those too whose results were memoized before.

    Steps of what raised an error inside of a memoized function are not among them.
    """
    steps: list[Step] = []
    token = _watched.set(steps)
    try:
        yield steps
    finally:
        _watched.reset(token)


@contextmanager
def checking(check: Callable[[Step], None]) -> Iterator[None]:
    """Call ``check`` after each pass that runs, which may raise; not for what was memoized before."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


def watched() -> bool:
    """Whether anyone is `watching`."""
    return _watched.get() is not None


def ran(step: Step) -> None:
    """Report a pass that has just run."""
    check = _check.get()
    if check is not None:
        check(step)
    note([step])


def note(steps: Iterable[Step]) -> None:
    """Hand steps to whoever is watching."""
    found = _watched.get()
    if found is not None:
        found.extend(steps)


def path(steps: Iterable[Step], begin: Program, end: Program) -> list[Step]:
    """Those of the steps that lead from one program to another, in order: not those to what was not taken.

    Raises GraphError where none do.
    """
    found: dict[int, Step] = {}
    program = end
    for step in reversed(list(steps)):
        if step.after == program:
            found[id(step)] = step
            program = step.before
    if program != begin:
        raise GraphError(f"{end.cipher}: no steps lead to this program")
    return list(found.values())[::-1]
