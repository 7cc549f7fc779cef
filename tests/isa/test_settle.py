"""What code whose words live in memory takes in the end: bytes for words, calls, branches on data."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalist.isa.allocate.linear import NoRoomError
from finalist.isa.allocate.memory import WORTH, Taken
from finalist.isa.code import Block, Cell, Code, Ins
from finalist.isa.settle import Settled, _cost, settled
from finalist.isa.target.memory import Memory
from finalist.machines.hc05.model import processor
from finalist.machines.hc05.parameters import Parameters

CARD = processor(Parameters())
BY_SYNTAX = {one.syntax: one for one in (*CARD.instructions, *(one.instruction for one in CARD.idioms))}


def ins(syntax: str, number: int = 0, *, word: bool = False) -> Ins:
    one = BY_SYNTAX[syntax]
    return Ins(one, [(Cell(number) if word else number) if o.kind == "imm" else 0 for o in one.operands])


def code(*body: Ins, words: int = 1) -> Code:
    return Code([Block("start", [*body, ins("stop")])], words)


def crowded(count: int) -> Code:
    """So many words that are live at once."""
    body = [x for k in range(1, count + 1) for x in (ins("lda {m}", 2000 + k), ins("sta *{m}", k, word=True))]
    body += [ins("eor *{m}", k, word=True) for k in range(1, count + 1)]
    return code(*body, ins("sta {m}", 3000), words=count + 1)


WALK = [x for k in range(8) for x in (ins("lda {m}", 300 + k), ins("sta *{m}", 64 + k))]


def test_words_get_bytes_of_working_memory() -> None:
    memory = Memory(1500)
    made = crowded(3)
    found = settled([crowded(2), made], CARD, memory, None)
    assert [one.beyond for one in found.taken] == [0, 0]
    working = CARD.working
    assert working is not None
    stored = [one.values["m"] for one in made.instructions() if one.instruction.syntax == "sta *{m}"]
    assert len(set(stored)) == 3
    assert all(working.first <= x < working.first + working.direct for x in stored)
    assert memory.places == []


def test_what_does_not_fit_is_a_place_in_memory_as_large_as_the_largest_piece_needs() -> None:
    direct = 4
    assert CARD.working is not None
    small = replace(CARD, working=replace(CARD.working, direct=direct, beyond=10))
    memory = Memory(1500)
    found = settled([crowded(direct + 5), crowded(direct + 2)], small, memory, None)
    assert [one.beyond for one in found.taken] == [5, 2]
    assert [(place.name, place.address, place.size) for place in memory.places] == [("beyond", 1500, 5)]


def test_there_may_be_no_room() -> None:
    assert CARD.working is not None
    small = replace(CARD, working=replace(CARD.working, direct=4, beyond=1))
    with pytest.raises(NoRoomError):
        settled([crowded(6)], small, Memory(1500), None)


def test_only_the_operations_are_shrunk_and_only_where_that_is_wanted() -> None:
    def blocks(worth: int | None) -> list[int]:
        pieces = [code(*WALK), code(*WALK)]
        settled(pieces, CARD, Memory(1500), worth)
        return [len(one.blocks) for one in pieces]

    assert blocks(None) == [1, 1]
    assert blocks(0) == [1, 1]
    assert blocks(1000) == [1, 3]


def test_calls_within_calls_are_those_of_the_operations() -> None:
    call = Ins(BY_SYNTAX["jsr {to}"], ["routine"])
    routine = Block("routine", [ins("nop"), ins("rts")])
    calling = Code([Block("start", [call, ins("stop")]), routine])
    assert settled([code(), calling], CARD, Memory(1500), None).depth == 1
    assert settled([calling.copy(), code()], CARD, Memory(1500), None).depth == 0


def test_an_idiom_is_a_branch_in_any_piece() -> None:
    def shift() -> Code:
        return code(ins("lda {m}", 300), ins("halved #{m}", 0x1B), ins("sta {m}", 3000))

    assert not settled([code(), code()], CARD, Memory(1500), None).branching
    assert settled([shift(), code()], CARD, Memory(1500), None).branching
    assert settled([code(), shift()], CARD, Memory(1500), None).branching
    assert Settled() == Settled((), 0, False)


def test_calls_of_what_is_near_are_short() -> None:
    call = Ins(BY_SYNTAX["jsr {to}"], ["routine"])
    calling = Code([Block("start", [call, ins("stop")]), Block("routine", [ins("nop"), ins("rts")])])
    settled([code(), calling], CARD, Memory(1500), None)
    assert calling.blocks[0].body[0].instruction.name == "bsr"


def test_what_costs_least_is_kept() -> None:
    """A byte of working memory is worth some bytes of code, and bytes of code some cycles."""
    body = [
        ins("lda {m}", 2000),
        ins("sta *{m}", 1, word=True),
        ins("eor *{m}", 1, word=True),
        ins("sta {m}", 2001),
    ]
    made = code(*body, words=2)
    taken = Taken(0, frozenset({0}))
    assert _cost(made, taken, 1) == 4 + 4 + 3 + 5 + 2 + (3 + 2 + 2 + 3 + 1) + WORTH
    assert _cost(made, replace(taken, beyond=3), 2) - _cost(made, taken, 2) == 2 * 3 * WORTH
