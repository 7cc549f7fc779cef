"""Memoizing what passes made: one definition is compiled under many schedules, one after the other."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar, cast

from finalist.ir.steps import Step, note, watched, watching

P = ParamSpec("P")
R = TypeVar("R")

#: Results of a function that are memoized; a graph of some thousand operations takes some megabytes.
MOST = 24

#: Has each memoized function begin anew, with room for so many times its number of results.
_resize: list[Callable[[int], None]] = []
_times = 1


def memoized(function: Callable[P, R], most: int = MOST) -> Callable[P, R]:
    """The function, its last results memoized: for the same arguments, given by position, the same graph.

    While someone watches, the steps that a result took are memoized with it, and reported each time. What it
    raises is not memoized.
    """

    def with_steps(*args: P.args, **kwargs: P.kwargs) -> tuple[R, list[Step]]:
        with watching() as steps:
            return function(*args, **kwargs), steps

    plain: Callable[P, R]
    recorded: Callable[P, tuple[R, list[Step]]]

    def resize(times: int) -> None:
        nonlocal plain, recorded
        # lru_cache loses the types of parameters.
        plain = cast(Any, lru_cache(maxsize=most * times)(cast(Any, function)))
        recorded = cast(Any, lru_cache(maxsize=most * times)(cast(Any, with_steps)))

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if not watched():
            return plain(*args, **kwargs)
        found, steps = recorded(*args, **kwargs)
        note(steps)
        return found

    resize(_times)
    _resize.append(resize)
    return call


def widen(times: int) -> None:
    """Memoize so many times as many results: for a process that compiles many programs and has the memory.

    What was memoized before is forgotten.
    """
    global _times
    _times = times
    for resize in _resize:
        resize(times)


@contextmanager
def uncollected() -> Iterator[None]:
    """No search for cycles meanwhile: nodes are made by the hundred thousand, live long and form none.

    Walking over all of them again and again takes a fifth of a compilation.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
