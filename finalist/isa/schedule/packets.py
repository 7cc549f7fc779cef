"""Packets of a basic block, on processors whose pipeline shows: a list schedule of instructions in registers.

Every dependence is a distance in cycles between two instructions of the block (an edge a -> b of d says that
b is issued at least d cycles after a). What the block makes is there when it ends, and a branch takes effect
there. The priority is the longest way to the end (R. L. Graham 1966; J. A. Fisher, "Trace Scheduling", 1981).

Packets issued together are fetched together, too: where they would not be, the one before gets instructions
that do nothing and cost no time. (TMS320C62x DSP CPU and Instruction Set, SPRU731, section 3.3.2.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from finalist.errors import GraphError
from finalist.isa.assembly.text import Issue
from finalist.isa.code import Block, Code, Ins
from finalist.isa.schedule.dependences import Edge, of_registers, registers_of
from finalist.isa.target.instruction import Instruction, Way
from finalist.isa.target.meaning import Flow
from finalist.isa.target.processor import Processor
from finalist.isa.target.registers import Register


def pack(code: Code, processor: Processor) -> None:
    """Puts each block's instructions, which are on registers, in packets."""
    for block in code.blocks:
        block.body = list(flat(_Scheduler(block, processor).run(), processor))


def idle_of(processor: Processor, most: int = 1) -> Instruction:
    """The instruction that does nothing for as many cycles as there are, ``most`` at most. Raises
    GraphError."""
    found = [one for one in processor.instructions if one.flow is Flow.IDLE and one.cycles <= most]
    if not found:
        raise GraphError(f"{processor.name} has no instruction that does nothing")
    return max(found, key=lambda one: one.cycles)


def flat(packets: Sequence[Sequence[Ins]], processor: Processor) -> Iterator[Ins]:
    """The instructions of packets one after the other; cycles without one as instructions that do nothing."""
    empty = 0
    for packet in packets:
        if not packet:
            empty += 1
            continue
        yield from _idle(empty, processor)
        empty = 0
        for number, ins in enumerate(packet):
            assert ins.issue is not None
            ins.issue = Issue(ins.issue.way, ins.issue.condition, number > 0)
            yield ins
    yield from _idle(empty, processor)


def _idle(cycles: int, processor: Processor) -> Iterator[Ins]:
    while cycles:
        idle = idle_of(processor, cycles)
        yield Ins(idle, [], issue=Issue(idle.ways[0]))
        cycles -= idle.cycles


# -- scheduling --------------------------------------------------------------------------------------


def ways_of(ins: Ins) -> list[Way]:
    """The ways to issue an instruction whose operands have their registers."""
    return [
        way
        for way in ins.instruction.ways
        if all(
            (way.files.get(o.name) or o.file) == file
            for o, file in zip(ins.instruction.operands, ins.files, strict=True)
            if o.is_register
        )
        and takes(ins, way)
    ]


def takes(ins: Ins, way: Way) -> bool:
    """Whether the numbers that are operands fit a way."""
    return not way.operands or all(
        not isinstance(x, int) or way.operands[o.name].accepts(int(x))
        for o, x in zip(ins.instruction.operands, ins.operands, strict=True)
        if o.kind == "imm" and o.name in way.operands
    )


class _Scheduler:
    def __init__(self, block: Block, processor: Processor) -> None:
        self.processor = processor
        self.body = block.body
        self.after: list[list[Edge]] = [[] for _ in self.body]
        self.waiting = [0] * len(self.body)
        for edge in of_registers(self.body, processor):
            self.after[edge.source].append(edge)
            self.waiting[edge.target] += 1
        self.height = self._heights()
        self.earliest = [0] * len(self.body)
        self.packets: list[list[Ins]] = []
        self.used: list[dict[str, int]] = []

    def _heights(self) -> list[int]:
        """Cycles from each instruction to the end of the block, at least."""
        height = [0] * len(self.body)
        for k in reversed(range(len(self.body))):
            own = max((latency for latency in _latencies(self.body[k])), default=1)
            ways = [edge.distance + height[edge.target] for edge in self.after[k]]
            height[k] = max([own, *ways])
        return height

    def run(self) -> list[list[Ins]]:
        branch = len(self.body) - 1 if self.body and self.body[-1].instruction.flow is not None else None
        ready = [k for k, count in enumerate(self.waiting) if not count and k != branch]
        end = 0
        while ready:
            k = max(ready, key=lambda k: (self.height[k], -k))
            ready.remove(k)
            cycle = self._put(k, self.earliest[k])
            end = max([end, cycle + 1, *(cycle + latency for latency in _latencies(self.body[k]))])
            ready += self._release(k, cycle, branch)
        if branch is not None:
            end = self._close(branch, end)
        self._reach(end - 1)
        return self.packets

    def _release(self, k: int, cycle: int, branch: int | None) -> list[int]:
        """What waited for nothing but an instruction that has just got its cycle."""
        found = []
        for edge in self.after[k]:
            then = edge.target
            self.earliest[then] = max(self.earliest[then], cycle + edge.distance)
            self.waiting[then] -= 1
            if not self.waiting[then] and then != branch:
                found.append(then)
        return found

    def _close(self, branch: int, end: int) -> int:
        """The branch where it takes effect with the block's end; the cycles of the block."""
        ins = self.body[branch]
        latency = ins.instruction.latency
        cycle = self._put(branch, max(self.earliest[branch], end - latency))
        return cycle + latency

    def _put(self, k: int, cycle: int) -> int:
        """An instruction into the first packet from a cycle on that has a unit for it."""
        ins, cycle = self.body[k], max(cycle, 0)
        ways = ways_of(ins)
        if not ways:
            raise GraphError(f"{ins.instruction.name} {ins.operands}: no unit takes these operands")
        while True:
            self._reach(cycle)
            way = next((way for way in ways if self._is_free(ins, way, cycle)), None)
            if way is not None:
                break
            cycle += 1
        now = (*way.resources, *map(str, _reads(ins)))
        for resource, later in (*((r, 0) for r in now), *way.later):
            self._reach(cycle + later)
            self.used[cycle + later][resource] = self.used[cycle + later].get(resource, 0) + 1
        ins.issue = Issue(way, ins.issue.condition if ins.issue else 0)
        self.packets[cycle].append(ins)
        return cycle

    def _reach(self, cycle: int) -> None:
        while len(self.packets) <= cycle:
            self.packets.append([])
            self.used.append({})

    def _is_free(self, ins: Ins, way: Way, cycle: int) -> bool:
        units, used = self.processor.unit_count, self.used[cycle]
        if len(self.packets[cycle]) >= self.processor.issue:
            return False
        if self.processor.reads and not self._may_read(ins, used):
            return False
        soon = [(self.used[cycle + k], r) for r, k in way.later if cycle + k < len(self.used)]
        wanted = [*soon, *((used, resource) for resource in way.resources)]
        return all(cell.get(resource, 0) < units(resource) for cell, resource in wanted)

    def _may_read(self, ins: Ins, used: Mapping[str, int]) -> bool:
        """Whether no register is read too often in a cycle; an instruction may read one twice."""
        read = _reads(ins)
        return all(used.get(str(r), 0) + read.count(r) <= self.processor.reads for r in read)


def _reads(ins: Ins) -> list[Register]:
    return registers_of(ins, ins.instruction.read)


def _latencies(ins: Ins) -> Iterator[int]:
    """Cycles until what it writes can be read."""
    for place in ins.instruction.written:
        yield ins.instruction.latency_of(ins.instruction.operands[place].name)


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
