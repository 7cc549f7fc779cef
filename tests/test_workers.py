"""Work in several processes."""

from __future__ import annotations

import os

from finalist import workers


def test_each_takes_as_many_tasks_as_there_are() -> None:
    """Not one of these is left when its process has done some."""
    with workers.processes(at_once=2) as pool:
        assert sorted(pool.map(abs, range(-20, 0))) == list(range(1, 21))


def test_they_are_others_than_this() -> None:
    with workers.processes(at_once=1) as pool:
        (found,) = set(pool.map(_process, range(3)))
    assert found != os.getpid()


def _process(_: int) -> int:
    return os.getpid()
