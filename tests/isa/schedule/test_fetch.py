"""Packets that lie in what is fetched together."""

from __future__ import annotations

from finalist.isa.assembly.text import Issue
from finalist.isa.code import Block, Code, Ins
from finalist.isa.schedule.fetch import fill, packets
from finalist.machines.c6x.model import processor


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
