"""Bytes are numbered so that code that walks over them can be a loop."""

from __future__ import annotations

from finalist.isa.allocate.rows import in_a_row
from finalist.isa.code import Block, Cell, Ins
from finalist.machines.hc05.model import instructions

LDA, EOR, STA = (
    next(one for one in instructions() if one.syntax == syntax)
    for syntax in ("lda {m}", "eor *{m}", "sta *{m}")
)


def block(words: list[int], first: int = 1328) -> Block:
    """A byte from each address on, with the block's own, to these words."""
    body = []
    for k, word in enumerate(words):
        body += [Ins(LDA, [first + k]), Ins(EOR, [Cell(k)]), Ins(STA, [Cell(word)])]
    return Block("piece", body)


def test_words_that_are_walked_over_get_bytes_in_a_row() -> None:
    now = in_a_row([block([30, 17, 25, 21])], set(range(16)), 176)
    assert [now[word] for word in (30, 17, 25, 21)] == [16, 17, 18, 19]


def test_every_byte_stays_one() -> None:
    now = in_a_row([block([30, 17, 25]), block([17, 40, 41])], set(range(16)), 176)
    assert sorted(now) == [17, 25, 30, 40, 41] and len(set(now.values())) == 5
    assert min(now.values()) == 16 and max(now.values()) == 20


def test_bytes_of_the_block_and_those_beyond_the_short_addresses_stay() -> None:
    assert not set(in_a_row([block([3, 200, 1, 201])], set(range(16)), 176)) & {1, 3, 200, 201}


def test_words_that_nothing_walks_over_keep_their_order() -> None:
    piece = Block("piece", [Ins(STA, [Cell(word)]) for word in (18, 30, 22)])
    assert in_a_row([piece], set(range(16)), 176) == {18: 16, 22: 17, 30: 18}


def test_bytes_of_the_block_are_walked_over_as_well() -> None:
    """The block's own bytes have their places: what is worked on with them gets bytes in a row."""
    lda = next(one for one in instructions() if one.syntax == "lda *{m}")
    body = []
    for k, word in enumerate((30, 17, 25)):
        body += [Ins(lda, [Cell(word)]), Ins(EOR, [Cell(k)]), Ins(STA, [Cell(k)])]
    now = in_a_row([Block("piece", body)], set(range(16)), 176)
    assert [now[word] for word in (30, 17, 25)] == [16, 17, 18]
