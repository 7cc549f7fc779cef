"""Select bits that are replicated: the same words, and no copy drives many cells."""

from __future__ import annotations

import random

import pytest

from finalist.ir.ops import Op
from finalist.machines.fpga.model.fanout import bit_loads
from finalist.machines.fpga.signals import Flag, Part, Signal
from finalist.machines.fpga.stages.select_copies import MOST, replicate_selects
from finalist.machines.fpga.walks import in_order
from tests.machines.fpga.values import value, word

ITERATIONS = 6


def by_iteration(iteration: Signal, words: list[Signal]) -> Signal:
    """One of several words by the lowest bits of the iteration."""
    bits = (len(words) - 1).bit_length()
    select = Signal(Op.SLICE, (iteration,), bits, 0) if bits < iteration.width else iteration
    numbers = tuple(k if k < len(words) else None for k in range(1 << bits))
    return Signal(Part.MUX, (select, *words), words[0].width, numbers)


def flagged(iteration: Signal, iterations: set[int], one: Signal, other: Signal) -> Signal:
    flag = Signal(Part.FLAG, (iteration,), 1, Flag(frozenset(iterations)))
    return Signal(Part.MUX, (flag, one, other), one.width, (0, 1))


def check(iteration: Signal, words: list[Signal], ends: list[Signal]) -> list[Signal]:
    """The same words in each iteration, from bits that each drive at most so much; returns the flags."""
    found = replicate_selects(ends, iteration, ITERATIONS)
    draw = random.Random(3)
    for number in range(ITERATIONS):
        given = {own: draw.getrandbits(own.width) for own in words} | {iteration: number}
        flags = {s: int(number in s.attr.iterations) for s in in_order([*ends, *found]) if s.op is Part.FLAG}
        wanted = [value(end, given | flags) for end in ends]
        assert [value(end, given | flags) for end in found] == wanted
    flags = [signal for signal in in_order(found) if signal.op is Part.FLAG]
    loads = bit_loads(in_order(found), ())
    assert all(max(loads.get(own, [0])) <= MOST for own in (iteration, *flags))
    return flags


def test_a_choice_of_a_wide_word_is_made_in_parts() -> None:
    iteration, one, other = word(3, "iteration0"), word(128, "a"), word(128, "b")
    flags = check(iteration, [one, other], [by_iteration(iteration, [one, other])])
    assert [(flag.attr.iterations, flag.attr.copy) for flag in flags] == [({1, 3, 5}, k) for k in (1, 2, 3)]


@pytest.mark.parametrize("count", [3, 4, 6, 8])
def test_one_of_many_words(count: int) -> None:
    iteration, words = word(3, "iteration0"), [word(32, f"w{k}") for k in range(count)]
    flags = check(iteration, words, [by_iteration(iteration, words)])
    assert len({flag.attr.iterations for flag in flags}) == (count - 1).bit_length()


def test_flags_are_made_several_times_too() -> None:
    iteration, one, other = word(3, "iteration0"), word(64, "a"), word(64, "b")
    own = {0, 5}
    flags = check(
        iteration, [one, other], [flagged(iteration, own, one, other), flagged(iteration, own, other, one)]
    )
    assert sorted(flag.attr.copy for flag in flags) == [0, 1, 2, 3]


def test_choices_of_few_bits_share_one() -> None:
    """What drives little is left as it is; a copy is full before there is another."""
    iteration, words = word(3, "iteration0"), [word(8, f"w{k}") for k in range(2)]
    few = [by_iteration(iteration, words)]
    assert replicate_selects(few, iteration, ITERATIONS) == few
    ends = [by_iteration(iteration, words) for _ in range(8)]
    assert [flag.attr.copy for flag in check(iteration, words, ends)] == [1]


def test_what_another_word_chooses_is_left_alone() -> None:
    iteration, bit, words = word(3, "iteration0"), word(1, "bit"), [word(128, "a"), word(128, "b")]
    mux = Signal(Part.MUX, (bit, *words), 128, (0, 1))
    assert replicate_selects([mux], iteration, ITERATIONS) == [mux]
