"""Stretches: where a sequence repeats itself, how often, and what is saved."""

from __future__ import annotations

from finalist.passes.repetition.stretches import Stretch, labels, stretches


def test_the_longest_of_each_period() -> None:
    """Three times ``abc`` with two more of them, then ``xx``."""
    sequence = labels("-abcabcabcab=xx")
    best, *others = stretches(sequence, 0, len(sequence))
    assert best == Stretch(3, 1, 12)
    assert (best.iterations, best.saved) == (3, 6)
    assert others == [Stretch(1, 13, 15)]
    assert stretches(sequence, 0, len(sequence), 2) == [best]
    assert stretches(sequence, 8, len(sequence)) == others


def test_which_iteration_a_position_is_in() -> None:
    stretch = Stretch(3, 1, 12)
    assert [stretch.iteration(at) for at in (0, 1, 3, 4, 9, 10, 11, 40)] == [-1, 0, 0, 1, 2, 3, 3, 3]
