"""Packets of instructions on registers: cycles between dependent ones, and what no unit takes."""

from __future__ import annotations

import pytest

from finalist.errors import GraphError
from finalist.isa.assembly.text import Issue
from finalist.isa.code import Block, Code, Ins
from finalist.isa.schedule.packets import fill, idle_of, pack, packets
from finalist.isa.target.instruction import Instruction
from finalist.machines.c6x.model import processor

P = processor("c64x")


def named(name: str, syntax: str) -> Instruction:
    return next(one for one in P.instructions if one.name == name and syntax in one.syntax)


def ins(name: str, syntax: str, *operands: int, files: str = "aaa") -> Ins:
    one = named(name, syntax)
    return Ins(one, list(operands), files=tuple(files[: len(one.operands)]))


def packed(*body: Ins) -> list[str]:
    """The mnemonics, with the bars that say what is issued together."""
    code = Code([Block("b", list(body))])
    pack(code, P)
    return [
        "|" * (one.issue is not None and one.issue.parallel) + one.instruction.name
        for one in code.blocks[0].body
    ]


def test_independent_instructions_share_a_packet() -> None:
    assert packed(ins("ADD", "{rb}", 3, 1, 2), ins("XOR", "{rb}", 4, 1, 2)) == ["ADD", "|XOR"]


def test_a_result_is_waited_for() -> None:
    product = ins("MPYU", "{rb}", 3, 1, 2)
    assert packed(product, ins("ADD", "{rb}", 4, 3, 2)) == ["MPYU", "NOP", "ADD"]


def test_an_operand_that_no_unit_takes_is_refused() -> None:
    """It would be looked for in one cycle after the other, for ever."""
    with pytest.raises(GraphError, match=r"ADD .*-32.*no unit takes these operands"):
        packed(Ins(named("ADD", "{imm}"), [3, -32, 3], files=("a", "", "a")))


def test_idling() -> None:
    assert idle_of(P).cycles == 1
    assert idle_of(P, 7).cycles == 7
    with pytest.raises(GraphError, match="no instruction that does nothing"):
        idle_of(P, 0)


def test_reads_of_one_register_in_a_cycle() -> None:
    """Four; what reads it twice needs two of them."""
    add, product = ("ADD", "{rb}"), ("MPYU", "{rb}")
    twice = [ins(*add, k, 1, 1) for k in (3, 4, 5)]
    assert packed(*twice) == ["ADD", "|ADD", "ADD"]
    once = [ins(*add, 3, 1, 2), ins(*add, 4, 1, 8), ins(*product, 5, 1, 9)]
    assert packed(*once, ins(*add, 6, 1, 7)) == ["MPYU", "|ADD", "|ADD", "|ADD", "NOP"]
    assert packed(*once, ins(*add, 6, 1, 1)) == ["MPYU", "|ADD", "|ADD", "ADD"]


def lengths(cpu: str, *sizes: int) -> list[int]:
    p = processor(cpu)
    nop = next(i for i in p.instructions if i.name == "NOP" and i.cycles == 1)
    body = [Ins(nop, [], issue=Issue(nop.ways[0], parallel=k > 0)) for size in sizes for k in range(size)]
    code = Code([Block("b", body)])
    fill([code], p)
    return [len(packet) for packet in packets(code.blocks[0].body)]


def test_the_packet_before_is_filled() -> None:
    assert lengths("c62x", 3, 3, 4, 8, 1) == [3, 5, 8, 8, 1]
    assert lengths("c62x", 3, 5, 8) == [3, 5, 8]


def test_where_packets_may_be_fetched_in_two_parts() -> None:
    assert lengths("c64x", 3, 3, 4, 8, 1) == [3, 3, 4, 8, 1]
