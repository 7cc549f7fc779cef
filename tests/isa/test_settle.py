"""What code whose words live in memory takes in the end: bytes for words, calls, branches on data."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalist.isa.allocate.linear import NoRoomError
from finalist.isa.allocate.memory import WORTH, Taken
from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.listing import code_lines
from finalist.isa.code import Block, Cell, Code, Ins
from finalist.isa.settle import Settled, _cost, settled, written_out
from finalist.isa.simulate.simulator import Simulator
from finalist.isa.target.memory import Memory
from finalist.machines.hc05.model import Parameters, processor
from tests.processors.accumulator import PROCESSOR as PLAIN

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


HALVED, DOUBLED = CARD.idioms
BY_SYNTAX_IDIOMS = {one.syntax: one for one in (*CARD.instructions, HALVED.instruction, DOUBLED.instruction)}


def ins_idioms(syntax: str, number: int = 0, note: str = "") -> Ins:
    one = BY_SYNTAX_IDIOMS[syntax]
    return Ins(one, [number if o.kind == "imm" else 0 for o in one.operands], phase=3, note=note)


def names(code: Code) -> list[list[str]]:
    return [[one.instruction.name for one in block.body] for block in code.blocks]


def block(*body: Ins) -> Block:
    return Block("start", list(body), depth=2, part="setup", comment="why", entry="encrypt")


def test_a_branch_over_one_instruction() -> None:
    code = Code(
        [
            block(
                ins_idioms("lda *{m}", 64),
                ins_idioms("halved #{m}", 0x1B, "note"),
                ins_idioms("sta *{m}", 65),
            )
        ]
    )
    assert written_out(code, CARD)
    assert names(code) == [["lda", "lsra", "bcc"], ["eor"], ["sta"]]
    end = code.blocks[2].label
    assert code.blocks[0].body[2].target == end
    assert code.blocks[1].body[0].values["m"] == 0x1B
    assert {one.note for one in (*code.blocks[0].body[1:], *code.blocks[1].body)} == {"note"}
    assert {one.phase for one in code.instructions()} == {3}


def test_its_blocks_are_of_the_same_loop_and_part_and_the_first_is_the_entry() -> None:
    code = Code([block(ins_idioms("halved #{m}", 1), ins_idioms("stop"))])
    written_out(code, CARD)
    assert {(one.depth, one.part) for one in code.blocks} == {(2, "setup")}
    assert [one.entry for one in code.blocks] == ["encrypt", None, None]
    assert [one.comment for one in code.blocks] == ["why", "", ""]
    assert code.blocks[0].label == "start"


def test_several_have_labels_of_their_own() -> None:
    code = Code(
        [
            block(
                ins_idioms("halved #{m}", 1),
                ins_idioms("doubled #{m}", 2),
                ins_idioms("halved #{m}", 3),
                ins_idioms("stop"),
            )
        ]
    )
    written_out(code, CARD)
    labels = [one.label for one in code.blocks]
    assert len(set(labels)) == len(labels) == 7
    assert names(code)[-1] == ["stop"]


def test_code_without_any_stays() -> None:
    body = [ins_idioms("lda *{m}", 64), ins_idioms("stop")]
    code = Code([block(*body)])
    assert not written_out(code, CARD)
    assert code.blocks[0].body == body
    assert not written_out(Code([block()]), PLAIN)


@pytest.mark.parametrize(
    ("syntax", "expected"),
    [
        ("halved #{m}", lambda x, m: x >> 1 ^ m * (x & 1)),
        ("doubled #{m}", lambda x, m: x << 1 & 255 ^ m * (x >> 7)),
    ],
)
@pytest.mark.parametrize("number", [0, 0x1B, 0xFF])
def test_every_byte(syntax: str, expected: object, number: int) -> None:
    """As they were assembled, executed."""
    assert callable(expected)
    code = Code(
        [
            block(
                ins_idioms("lda *{m}", 64),
                ins_idioms(syntax, number),
                ins_idioms("sta *{m}", 65),
                ins_idioms("stop"),
            )
        ]
    )
    written_out(code, CARD)
    simulator = Simulator(assemble("\n".join(code_lines(code, CARD)), CARD), CARD, ("start",))
    memory = bytearray(512)
    for x in range(256):
        memory[64] = x
        simulator.run("start", memory, simulator.machine())
        assert memory[65] == expected(x, number), x
