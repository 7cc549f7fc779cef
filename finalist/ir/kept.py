"""Keeping what passes made: one definition is compiled under many schedules, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")

#: What a pass made of so many graphs is kept; a graph of some thousand operations takes some megabytes.
MOST = 24


def kept(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which for the same arguments gives the same result: graphs and programs never change.

    Arguments are given by place. What it raises is not kept.
    """
    return cast(Callable[P, R], lru_cache(maxsize=MOST)(cast(Callable[..., Any], function)))
