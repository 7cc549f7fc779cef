"""Rerolling: how many iterations, what may be in one, and what keeps code straight."""

from __future__ import annotations

import pytest

from finalist.isa.code import Block, Code
from finalist.isa.shrink.reroll import reroll
from tests.isa.shrink.test_outline import CARD, ins
from tests.isa.shrink.test_shrink import code, ran

Line = tuple[str, int]


def walk(*piece: Line, count: int = 8, fixed: tuple[str, ...] = ()) -> list[Line]:
    """The piece again and again, each a byte further, but for what is ``fixed``."""
    return [(text, number + k * (text not in fixed)) for k in range(count) for text, number in piece]


def tried(*lines: Line, worth: int = 1000) -> Code:
    """The code rerolled; it does what it did."""
    plain, made = code(*lines), code(*lines)
    reroll(made, CARD, worth)
    assert ran(made)[0] == ran(plain)[0]
    assert len(made.blocks) == 1 or ran(made)[1] < ran(plain)[1]
    return made


MOVE = (("lda {m}", 300), ("sta *{m}", 64))


@pytest.mark.parametrize(("count", "loops"), [(2, False), (3, True), (8, True)])
def test_so_many_iterations_at_least(count: int, loops: bool) -> None:
    """Three of them take 15 bytes; the loop 5 for itself, and 5 for an iteration."""
    made = tried(*walk(*MOVE, count=count))
    assert (len(made.blocks) == 3) is loops
    if loops:
        assert made.blocks[0].body[-1].values["m"] == count - 1


def test_what_pays_is_bytes() -> None:
    """Three single instructions of two bytes each are as short as any loop."""
    assert len(tried(*walk(("inc *{m}", 64), count=3)).blocks) == 1
    assert len(tried(*walk(("inc *{m}", 64), count=8)).blocks) == 3


def test_what_is_the_same_in_all_iterations_stays_as_it_is() -> None:
    lines = walk(("lda {m}", 300), ("eor *{m}", 100), ("sta *{m}", 64), fixed=("eor *{m}",))
    made = tried(*lines)
    assert [one.instruction.syntax for one in made.blocks[1].body] == [
        "lda {m},x",
        "eor *{m}",
        "sta {m},x",
        "decx",
        "bpl {to}",
    ]


def test_iterations_may_not_touch_what_another_one_writes() -> None:
    lines = walk(("lda {m}", 300), ("eor *{m}", 67), ("sta *{m}", 67), ("sta *{m}", 65))
    assert len(tried(*lines).blocks) == 1


def test_the_accumulator_may_not_be_handed_on() -> None:
    """Each piece adds to what the one before left."""
    assert len(tried(*walk(("add *{m}", 64), ("sta *{m}", 80))).blocks) == 1


def test_nor_be_read_behind() -> None:
    assert len(tried(*walk(*MOVE), ("sta *{m}", 100)).blocks) == 1
    assert len(tried(*walk(*MOVE), ("lda *{m}", 90), ("sta *{m}", 100)).blocks) == 3


def test_the_index_register_has_to_be_free() -> None:
    lines = walk(*MOVE)
    assert len(tried(("ldx *{m}", 90), *lines, ("stx *{m}", 91)).blocks) == 1
    assert len(tried(*walk(("ldx {m}", 300), ("stx *{m}", 64))).blocks) == 1


def test_steps_are_of_one_byte() -> None:
    assert len(tried(*[(text, number + k) for k in range(0, 16, 2) for text, number in MOVE]).blocks) == 1
    assert len(tried(*[(text, number - k) for k in range(8) for text, number in MOVE]).blocks) == 1


def test_the_rest_is_a_block_of_its_own() -> None:
    made = tried(("clr *{m}", 99), *walk(*MOVE), ("com *{m}", 98))
    assert [one.instruction.name for one in made.blocks[0].body] == ["clr", "ldx"]
    assert [one.instruction.name for one in made.blocks[2].body] == ["com", "stop"]
    assert [block.depth for block in made.blocks] == [0, 1, 0]


def test_two_loops() -> None:
    second = walk(("lda {m}", 400), ("sta *{m}", 80), count=6)
    made = tried(*walk(*MOVE), ("com *{m}", 99), *second)
    assert [len(block.body) for block in made.blocks] == [1, 4, 2, 4, 1]


def test_cycles_are_worth_more_within_a_loop() -> None:
    def rolled(depth: int, worth: int) -> bool:
        made = Code([Block("start", code(*walk(*MOVE)).blocks[0].body, depth)])
        reroll(made, CARD, worth)
        return len(made.blocks) > 1

    least = next(worth for worth in range(100) if rolled(0, worth))
    assert 0 < least < 10
    assert not rolled(1, least)
    assert not rolled(1, 16 * least - 16)
    assert rolled(1, 16 * least)


def test_labels_entries_and_comments_stay_with_the_first_block() -> None:
    block = Block("start", code(*walk(*MOVE)).blocks[0].body, 0, "setup", "why", "encrypt")
    made = Code([block])
    reroll(made, CARD, 1000)
    first, loop, last = made.blocks
    assert (first.label, first.comment, first.entry, first.part) == ("start", "why", "encrypt", "setup")
    assert (loop.entry, last.entry, loop.part, last.part) == (None, None, "setup", "setup")
    assert loop.body[-1].target == loop.label
    assert ins("stop").instruction is last.body[-1].instruction
