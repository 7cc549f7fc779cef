"""Reservation tables: what each unit of a processor does in each cycle of the work on a block.

Of processors whose code says what is issued when; of a software pipelined loop, the modulo reservation table
of its kernel, in which several blocks are in flight.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from finalist.errors import UsageError
from finalist.ir.ops import Op
from finalist.isa.simulate.exposed import packets
from finalist.isa.simulate.run import Pipelined, SimulatedProgram
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.meaning import Leaf
from finalist.isa.target.processor import Processor
from finalist.machines.base import CompiledProgram

#: Kinds of instructions, in the order of legends.
KINDS = ("sums", "logic", "shifts", "products", "loads", "stores", "branches", "moves and others")
_SUMS, _LOGIC, _SHIFTS, _PRODUCTS, _LOADS, _STORES, _BRANCHES, _OTHERS = KINDS
_BY_OPERATION: dict[object, str] = {
    **dict.fromkeys((Op.ADD, Op.SUB), _SUMS),
    **dict.fromkeys((Op.AND, Op.OR, Op.XOR, Op.NOT, Op.EQ, Op.LT), _LOGIC),
    **dict.fromkeys((Op.SHL, Op.SHR, Op.ROL, Op.ROR), _SHIFTS),
    **dict.fromkeys((Op.MUL, Op.MULHI), _PRODUCTS),
    **dict.fromkeys((Leaf.OPERAND, Leaf.CONSTANT), _OTHERS),
}
_BY_EFFECT = {"load": _LOADS, "read": _LOADS, "store": _STORES, "write": _STORES}


@dataclass(frozen=True, slots=True)
class Slot:
    """A unit in a cycle: the mnemonic and ``kind`` of what it does, and for which of the blocks in flight, 1
    for the one that began last."""

    cycle: int
    unit: str
    name: str
    kind: str
    block: int = 1


@dataclass(frozen=True, slots=True)
class ReservationTable:
    """The units of a processor over so many cycles; ``blocks``: how many are in flight at once."""

    cycles: int
    units: tuple[str, ...]
    slots: tuple[Slot, ...]
    blocks: int = 1

    @property
    def summary(self) -> str:
        """How much of all units is taken, in words."""
        share = len(self.slots) / (self.cycles * len(self.units))
        return f"{len(self.slots)} instructions in {self.cycles} cycles: {100 * share:.0f} % of all units."


def reservation_table(program: CompiledProgram) -> ReservationTable:
    """The units in the work on a block. Raises UsageError where code does not say what is issued when."""
    if not isinstance(program, SimulatedProgram) or not program.processor.exposed:
        raise UsageError(
            f"{program.cipher}: this machine's code does not say what is issued when; accepted: programs of"
            " processors with an exposed pipeline"
        )
    processor = program.processor
    if program.loop is not None:
        cycles, blocks = program.loop.schedule.interval, program.loop.schedule.stages
        slots = tuple(_of_loop(program.loop, processor))
    else:
        found = list(_of_packets(program))
        cycles, blocks, slots = found[-1][0], 1, tuple(slot for _, slot in found if slot is not None)
    known = {way.unit for one in processor.instructions for way in one.ways}
    units = [unit for unit in processor.units if unit in known]
    return ReservationTable(cycles, tuple(units), tuple(sorted(slots, key=lambda one: one.cycle)), blocks)


def kind_of(instruction: Instruction) -> str:
    """What a legend calls an instruction."""
    if instruction.flow is not None:
        return _BRANCHES
    return _BY_EFFECT.get(instruction.effect) or _BY_OPERATION.get(instruction.main.op, _OTHERS)


def _of_loop(loop: Pipelined, processor: Processor) -> Iterator[Slot]:
    problem, schedule = loop.problem, loop.schedule
    for number, (operation, time) in enumerate(zip(problem.operations, schedule.times, strict=True)):
        stage, cycle = divmod(time, schedule.interval)
        unit = schedule.choice(problem, number).resources[0]
        kind = kind_of(processor.by_name[operation.name][0])
        yield Slot(cycle, unit, operation.name, kind, stage + 1)


def _of_packets(program: SimulatedProgram) -> Iterator[tuple[int, Slot | None]]:
    """What is issued, in the order of the code, with the cycle after it; at the end all cycles."""
    code, cycle = program.simulator.code, 0
    for places in packets(code):
        if program.image.parts[places[0]] != "block":
            continue
        for one in (code[place] for place in places):
            if one.issue.way.unit:
                name = one.instruction.name
                yield cycle + 1, Slot(cycle, one.issue.way.unit, name, kind_of(one.instruction))
        cycle += max(code[place].instruction.cycles for place in places)
    yield cycle, None
