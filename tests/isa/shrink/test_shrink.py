"""Straight code as loops, repeated instructions as subroutines: assembled, executed, and compared."""

from __future__ import annotations

import pytest

from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.listing import code_lines
from finalist.isa.code import Block, Code, Ins
from finalist.isa.shrink.outline import Calls, outline
from finalist.isa.shrink.reroll import reroll
from finalist.isa.simulate.simulator import Simulator
from finalist.machines.hc05.model import Parameters, processor
from tests.processors.accumulator import PROCESSOR as PLAIN

CARD = processor(Parameters())


def code(*lines: tuple[str, int]) -> Code:
    """Instructions, each by its syntax and number, and the end."""
    by_syntax = {one.syntax: one for one in CARD.instructions}
    body = []
    for syntax, number in (*lines, ("stop", 0)):
        one = by_syntax[syntax]
        body.append(Ins(one, [number if o.kind == "imm" else 0 for o in one.operands]))
    return Code([Block("start", body)])


def ran(made: Code) -> tuple[bytes, int]:
    """Memory after a run from memory of different bytes, and the bytes of code."""
    image = assemble("\n".join(code_lines(made, CARD)), CARD)
    simulator = Simulator(image, CARD, ("start",))
    memory = bytearray(k * 7 % 251 for k in range(512))
    simulator.run("start", memory, simulator.machine())
    return bytes(memory[:0xE0]), len(image.words)


WALK = [line for k in range(8) for line in (("lda {m}", 300 + k), ("eor *{m}", 64 + k), ("sta *{m}", 64 + k))]


def test_straight_code_becomes_a_loop() -> None:
    straight, looped = code(*WALK), code(*WALK)
    reroll(looped, CARD, 1000)
    assert len(looped.blocks) == 3
    assert ran(straight)[0] == ran(looped)[0]
    assert ran(looped)[1] < ran(straight)[1] / 3


def test_not_where_cycles_are_worth_more() -> None:
    straight = code(*WALK)
    reroll(straight, CARD, 0)
    assert len(straight.blocks) == 1


def test_pieces_that_hand_something_on_stay() -> None:
    """Each takes what the one before has written."""
    chain = [line for k in range(8) for line in (("lda *{m}", 64 + k), ("inca", 0), ("sta *{m}", 65 + k))]
    straight, tried = code(*chain), code(*chain)
    reroll(tried, CARD, 1000)
    assert ran(tried)[0] == ran(straight)[0]
    assert len(tried.blocks) == 1


def test_repeated_instructions_become_a_subroutine() -> None:
    piece = [
        ("lda *{m}", 64),
        ("lsra", 0),
        ("eor *{m}", 70),
        ("sta *{m}", 64),
        ("rol *{m}", 71),
        ("inc *{m}", 70),
    ]
    lines = [*piece, ("com *{m}", 64), *piece, ("com *{m}", 71), *piece]
    plain, small = code(*lines), code(*lines)
    outline(small, CARD, 1000)
    assert Calls.of(small).deepest == 1
    assert ran(plain)[0] == ran(small)[0]
    assert ran(small)[1] < ran(plain)[1]


def test_a_processor_without_calls_keeps_its_code() -> None:
    made = code(*WALK)
    outline(made, PLAIN, 1000)
    reroll(made, PLAIN, 1000)
    assert len(made.blocks) == 1


@pytest.mark.parametrize("worth", [0, 5])
def test_pieces_are_worth_their_cycles(worth: int) -> None:
    lines = [("lda *{m}", 64), ("asla", 0), ("asla", 0), ("sta *{m}", 64)] * 3
    made = code(*lines)
    outline(made, CARD, worth)
    assert (Calls.of(made).deepest > 0) is (worth > 0 and 36 <= worth * (2 * 6 - 3 * 3 - 1))


@pytest.mark.parametrize("after", [("stx *{m}", 90), ("rol *{m}", 90)])
def test_a_piece_keeps_what_is_wanted_after_its_calls(after: tuple[str, int]) -> None:
    """A loop would change the index, and condition codes that a rotation takes."""
    straight, made = code(*WALK, after, *WALK, after), code(*WALK, after, *WALK, after)
    outline(made, CARD, 1000)
    assert len(made.blocks) == 2
    reroll(made, CARD, 1000)
    assert ran(straight)[0] == ran(made)[0]


def test_what_is_not_wanted_after_a_piece_is_no_hindrance() -> None:
    other = ("inc *{m}", 90)
    straight, made = code(*WALK, other, *WALK, other), code(*WALK, other, *WALK, other)
    outline(made, CARD, 1000)
    reroll(made, CARD, 1000)
    assert len(made.blocks) == 4
    assert ran(straight)[0] == ran(made)[0]


def test_what_a_piece_takes_in_a_register_is_kept_before_it() -> None:
    """The piece stores the index: what walks over memory before it is no loop then."""
    piece = [("stx *{m}", 90 + k) for k in range(8)]
    lines = [("ldx #{m}", 77), *WALK, *piece, ("ldx #{m}", 78), ("inc *{m}", 64), *piece]
    straight, made = code(*lines), code(*lines)
    outline(made, CARD, 1000)
    assert len(made.blocks) == 2
    reroll(made, CARD, 1000)
    assert ran(straight)[0] == ran(made)[0]
