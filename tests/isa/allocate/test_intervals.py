"""Registers of intervals: as many as overlap, pairs, registers that conditions test."""

from __future__ import annotations

import pytest

from finalist.isa.allocate.intervals import Interval, NoRegisterError, coloured, overfull


def given(*spans: tuple[int, int]) -> dict[int, Interval]:
    return {k: Interval(k, start, end) for k, (start, end) in enumerate(spans, start=1)}


def colours(found: dict[int, Interval], count: int, **more: dict[int, object]) -> dict[int, int]:
    files = dict.fromkeys(found, "a")
    return coloured(found, {"a": range(count)}, files, more.get("pairs", {}), more.get("tested", {}))  # type: ignore[arg-type]


def test_one_register_for_one_after_the_other() -> None:
    assert len(set(colours(given((0, 2), (3, 4), (5, 9)), 1).values())) == 1


def test_too_many_at_once() -> None:
    found = given((0, 2), (1, 4), (2, 9))
    assert len(set(colours(found, 3).values())) == 3
    assert overfull(found, {"a": 2}, dict.fromkeys(found, "a")) == [("a", 2)]
    with pytest.raises(NoRegisterError):
        colours(found, 2)


def test_pairs_and_tested_words() -> None:
    found = given((0, 9), (1, 5), (1, 3), (4, 6))
    made = colours(found, 4, pairs={2: 3}, tested={1: [1]})
    assert made[1] == 1 and (made[2], made[3]) == (2, 3) and made[4] in (0, 3)
