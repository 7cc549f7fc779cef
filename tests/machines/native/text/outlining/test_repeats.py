"""Repeated runs of numbers: the suffix array against all runs compared one by one."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

import pytest

from finalist.machines.native.text.outlining.repeats import repeats


def by_comparison(numbers: Sequence[int]) -> set[tuple[int, tuple[int, ...]]]:
    """Runs at several places that neither the number before nor that behind would be the same at all."""
    found = set()
    for length in range(1, len(numbers)):
        places: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for place in range(len(numbers) - length + 1):
            run = tuple(numbers[place : place + length])
            if min(run) >= 0:
                places[run].append(place)
        for own in places.values():
            behind = {_at(numbers, place + length) for place in own}
            before = {_at(numbers, place - 1) for place in own}
            if len(own) > 1 and len(behind) > 1 and len(before) > 1:
                found.add((length, tuple(own)))
    return found


def _at(numbers: Sequence[int], place: int) -> int:
    inside = 0 <= place < len(numbers) and numbers[place] >= 0
    return numbers[place] if inside else -2 - place


@pytest.mark.parametrize("seed", range(60))
def test_all_maximal_repeats_are_found_and_nothing_else(seed: int) -> None:
    draw = random.Random(seed)
    numbers = [draw.randrange(-1, 3) for _ in range(draw.randrange(2, 40))]
    assert {(length, tuple(places)) for length, places in repeats(numbers)} == by_comparison(numbers)


@pytest.mark.parametrize("numbers", [[], [1], [-1, -1], [1, 2, 3]])
def test_nothing_is_found_where_nothing_repeats(numbers: list[int]) -> None:
    assert not list(repeats(numbers))
