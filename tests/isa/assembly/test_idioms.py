"""Instructions that stand for a branch over one: written out, they do for every byte what they mean."""

from __future__ import annotations

import pytest

from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.idioms import written_out
from finalist.isa.assembly.listing import code_lines
from finalist.isa.code import Block, Code, Ins
from finalist.isa.simulate.simulator import Simulator
from finalist.machines.hc05.model import processor
from finalist.machines.hc05.parameters import Parameters
from tests.processors.accumulator import PROCESSOR as PLAIN

CARD = processor(Parameters())
HALVED, DOUBLED = CARD.idioms
BY_SYNTAX = {one.syntax: one for one in (*CARD.instructions, HALVED.instruction, DOUBLED.instruction)}


def ins(syntax: str, number: int = 0, note: str = "") -> Ins:
    one = BY_SYNTAX[syntax]
    return Ins(one, [number if o.kind == "imm" else 0 for o in one.operands], phase=3, note=note)


def names(code: Code) -> list[list[str]]:
    return [[one.instruction.name for one in block.body] for block in code.blocks]


def block(*body: Ins) -> Block:
    return Block("start", list(body), depth=2, part="setup", comment="why", entry="encrypt")


def test_a_branch_over_one_instruction() -> None:
    code = Code([block(ins("lda *{m}", 64), ins("halved #{m}", 0x1B, "note"), ins("sta *{m}", 65))])
    assert written_out(code, CARD)
    assert names(code) == [["lda", "lsra", "bcc"], ["eor"], ["sta"]]
    end = code.blocks[2].label
    assert code.blocks[0].body[2].target == end
    assert code.blocks[1].body[0].values["m"] == 0x1B
    assert {one.note for one in (*code.blocks[0].body[1:], *code.blocks[1].body)} == {"note"}
    assert {one.phase for one in code.instructions()} == {3}


def test_its_blocks_are_of_the_same_loop_and_part_and_the_first_is_the_entry() -> None:
    code = Code([block(ins("halved #{m}", 1), ins("stop"))])
    written_out(code, CARD)
    assert {(one.depth, one.part) for one in code.blocks} == {(2, "setup")}
    assert [one.entry for one in code.blocks] == ["encrypt", None, None]
    assert [one.comment for one in code.blocks] == ["why", "", ""]
    assert code.blocks[0].label == "start"


def test_several_have_labels_of_their_own() -> None:
    code = Code([block(ins("halved #{m}", 1), ins("doubled #{m}", 2), ins("halved #{m}", 3), ins("stop"))])
    written_out(code, CARD)
    labels = [one.label for one in code.blocks]
    assert len(set(labels)) == len(labels) == 7
    assert names(code)[-1] == ["stop"]


def test_code_without_any_stays() -> None:
    body = [ins("lda *{m}", 64), ins("stop")]
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
    code = Code([block(ins("lda *{m}", 64), ins(syntax, number), ins("sta *{m}", 65), ins("stop"))])
    written_out(code, CARD)
    simulator = Simulator(assemble("\n".join(code_lines(code, CARD)), CARD), CARD, ("start",))
    memory = bytearray(512)
    for x in range(256):
        memory[64] = x
        simulator.run("start", memory, simulator.machine())
        assert memory[65] == expected(x, number), x
