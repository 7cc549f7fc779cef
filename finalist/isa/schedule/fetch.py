"""Words of code that are fetched together: instructions issued together lie in one such group.

Where they would not, the packet before gets instructions that do nothing, up to the group's end, on
processors that ask for it; they cost no time. (TMS320C62x DSP CPU and Instruction Set, SPRU731, section
3.3.2.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from finalist.isa.assembly.text import Issue
from finalist.isa.code import Code, Ins
from finalist.isa.schedule.packets import idle_of
from finalist.isa.target.processor import Processor


def fill(pieces: Sequence[Code], processor: Processor) -> None:
    """Changes code, which lies one piece after the other, so that no packet is fetched in two parts."""
    if not processor.fetch or processor.crossing:
        return
    idle = idle_of(processor)
    position, before = 0, None
    for block in (block for piece in pieces for block in piece.blocks):
        body, block.body = block.body, []
        for packet in packets(body):
            lacking = -position % processor.fetch
            if len(packet) > lacking > 0:
                assert before is not None
                before.body += [
                    Ins(idle, [], issue=Issue(idle.ways[0], parallel=True)) for _ in range(lacking)
                ]
                position += lacking
            block.body += packet
            position += len(packet)
            before = block


def packets(body: Sequence[Ins]) -> Iterator[list[Ins]]:
    """The instructions of a block that are issued together."""
    packet: list[Ins] = []
    for ins in body:
        if packet and not (ins.issue and ins.issue.parallel):
            yield packet
            packet = []
        packet.append(ins)
    if packet:
        yield packet
