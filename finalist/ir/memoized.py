"""Memoizing what passes made: one definition is compiled under many schedules, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar, cast

from finalist.ir.steps import Step, note, watched, watching

P = ParamSpec("P")
R = TypeVar("R")

#: Results of a function that are memoized; a graph of some thousand operations takes some megabytes.
MOST = 24


def memoized(function: Callable[P, R], most: int = MOST) -> Callable[P, R]:
    """The function, its last results memoized: for the same arguments, given by position, the same graph.

    While someone watches, the steps that a result took are memoized with it, and reported each time. What it
    raises is not memoized.
    """

    def with_steps(*args: P.args, **kwargs: P.kwargs) -> tuple[R, list[Step]]:
        with watching() as steps:
            return function(*args, **kwargs), steps

    # lru_cache loses the types of parameters.
    plain = cast(Callable[P, R], lru_cache(maxsize=most)(cast(Any, function)))
    recorded = cast(Callable[P, tuple[R, list[Step]]], lru_cache(maxsize=most)(cast(Any, with_steps)))

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if not watched():
            return plain(*args, **kwargs)
        found, steps = recorded(*args, **kwargs)
        note(steps)
        return found

    return call
