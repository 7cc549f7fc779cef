"""What passes made of a graph is made once."""

from __future__ import annotations

import pytest

from finalist.errors import GraphError
from finalist.ir.kept import MOST, kept


def test_the_last_results_are_kept() -> None:
    calls: list[int] = []

    @kept
    def square(number: int) -> int:
        calls.append(number)
        return number * number

    assert [square(n) for n in (*range(MOST), *range(MOST))] == [n * n for n in range(MOST)] * 2
    assert calls == list(range(MOST))
    square(MOST)  # in place of the oldest
    square(0)
    assert calls[MOST:] == [MOST, 0]


def test_errors_are_not_kept() -> None:
    calls: list[int] = []

    @kept
    def refuse(number: int) -> None:
        calls.append(number)
        raise GraphError("no")

    for _ in range(2):
        with pytest.raises(GraphError):
            refuse(1)
    assert calls == [1, 1]
