"""Shapes: terms that differ in words and addresses alone have one, and instructions are replayed on each."""

from __future__ import annotations

from finalist.isa.assembly.text import written
from finalist.isa.code import Ins
from finalist.isa.lower.accumulator import AccumulatorSelector
from finalist.isa.lower.shape import Shapes
from finalist.isa.target.meaning import Term, address, load, register
from tests.processors.accumulator import PROCESSOR


def word_from(index: int, base: int) -> Term:
    return load(1, register(index) + address(base))


def test_words_and_addresses_are_left_open() -> None:
    shapes = Shapes(PROCESSOR)
    one, names = shapes.of(word_from(7, 300) ^ register(9))
    other, others = shapes.of(word_from(3, 4000) ^ register(7))
    assert one == other
    assert (names.words, others.words) == ({1: 7, 2: 9}, {1: 3, 2: 7})
    assert list(names.addresses.values()) == [300] and list(others.addresses.values()) == [4000]


def test_what_is_the_same_word_or_address_twice_stays_so() -> None:
    shapes = Shapes(PROCESSOR)
    twice, _ = shapes.of(register(7) + register(7), word_from(1, 300), word_from(1, 300))
    apart, _ = shapes.of(register(7) + register(8), word_from(1, 300), word_from(1, 301))
    assert twice != apart and twice[1] == twice[2] and apart[1] != apart[2]


def test_numbers_and_named_registers_are_part_of_a_shape() -> None:
    shapes = Shapes(PROCESSOR)
    assert shapes.of(register(1) + 3)[0] != shapes.of(register(1) + 4)[0]
    held = Term(register(1).op, attr="a")
    assert shapes.of(held)[0] == (held,)


def test_addresses_that_other_instructions_take_are_another_kind() -> None:
    """One with a short address has the shorter instructions."""
    shapes = Shapes(PROCESSOR)
    assert shapes.of(load(1, address(20)))[0] != shapes.of(load(1, address(300)))[0]


def test_replayed_instructions_have_the_words_of_their_term() -> None:
    found: list[Ins] = []
    numbers = iter(range(20, 30))
    selector = AccumulatorSelector(PROCESSOR, numbers.__next__, found.append, int)
    for a, b, c, d, base in ((1, 2, 3, 4, 300), (5, 1, 5, 6, 500)):
        selector.root((register(a) ^ register(b)) - (register(c) ^ word_from(d, base)), 9)
    text = [written(PROCESSOR, ins.instruction, ins.values) for ins in found]
    half = len(text) // 2
    renamed = {"*3": "*5", "*4": "*6", "*1": "*5", "*2": "*1", "300,x": "500,x", "*20": "*21"}
    assert text[half:] == [" ".join(renamed.get(part, part) for part in line.split()) for line in text[:half]]
