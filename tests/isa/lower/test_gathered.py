"""Bits from here and there: what is gathered, what is left, and that the word is the same."""

from __future__ import annotations

import random

import pytest

from finalist.isa.lower.accumulator import AccumulatorSelector
from finalist.isa.lower.gathered import gathered, wires
from finalist.isa.target.meaning import Term, constant, evaluate, operand, register
from finalist.machines.hc05.model import Parameters, processor

CARD = processor(Parameters())
A, B, C = (register(number) for number in (1, 2, 3))
#: Eight bits of three words, in no order.
SCATTERED = (A & 4) << 2 ^ (B & 16) >> 3 ^ (C & 8) << 3 ^ (A & 64) >> 6 ^ (B & 4) << 1 ^ (C & 1) << 7


def cost(term: Term) -> int:
    return AccumulatorSelector(CARD, lambda: 0, lambda ins: None, lambda value: 0).cost(term)


def value(term: Term, words: tuple[int, int, int]) -> int:
    def named(part: Term) -> Term:
        if part in (A, B, C):
            return operand(f"w{part.attr}")
        return Term(part.op, tuple(map(named, part.args)), part.attr, part.lane, part.width)

    return evaluate(named(term), {f"w{k}": word for k, word in enumerate(words, start=1)}, 8)


@pytest.mark.parametrize("term", [SCATTERED, SCATTERED ^ A, (SCATTERED & 0x3F) + B])
def test_a_word_of_scattered_bits(term: Term) -> None:
    made = gathered(term, 8, cost)
    assert cost(made) < cost(term)
    draw = random.Random(3)
    for _ in range(50):
        words = (draw.randrange(256), draw.randrange(256), draw.randrange(256))
        assert value(made, words) == value(term, words)


@pytest.mark.parametrize(
    "term",
    [
        A >> 3 & 31,  # bits of one word that move together
        (A >> 3 | B << 5) & 63,  # cheap as it is
        A ^ B,
        (A & 12) + (B & 3),
        (A & 3) ^ (B & 6),  # two have a bit in common
        constant(5),
    ],
)
def test_what_costs_no_less_stays(term: Term) -> None:
    assert gathered(term, 8, cost) is term


def test_where_bits_come_from() -> None:
    assert wires((A & 6) << 1 | B >> 7, 8) == ((B, 7), None, (A, 1), (A, 2), None, None, None, None)
    assert wires((A & 3) | (B & 2), 8) is None
    assert wires(A << B, 8) is None
    assert wires(A + B, 8) is None
    assert wires(register("x"), 8) is None
