"""The logic of a design, by the row of registers that it ends in; rows that are alike are covered once.

Logic of two rows has nothing in common but round keys, which are there long before: each row reads the
registers of the row before. So that counts and delays of a deep pipeline are those of a few of its stages.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from finalist.machines.fpga.model.cover import Cell, Cover
from finalist.machines.fpga.model.delays import Delays
from finalist.machines.fpga.part import Fabric
from finalist.machines.fpga.signals import Design, Part, Register, Signal
from finalist.machines.fpga.walks import in_order


@dataclass(slots=True)
class Row:
    """``registers`` that take what the logic makes, ``finish``: those of the result among them; ``ends``:
    all that it makes. ``times``: how many rows of the design are like it."""

    registers: Sequence[Register]
    finish: Sequence[Register]
    cover: Cover
    times: int = 1


class Rows:
    """The rows of a design: by stage the one that its logic ends in, and what enters, leaves, and makes keys.

    ``memories``: tables that are still in its logic will be in block RAM.
    """

    def __init__(self, design: Design, *, memories: bool = False) -> None:
        self.design, self._memories = design, memories
        self._alike: dict[Hashable, Row] = {}
        self._named: dict[object, Row] = {}
        self.stages = [self._stage(place) for place in range(len(design.stages))]
        self._row([], [], [*design.load, design.block_out])
        if design.key_unit:
            self._row([], [], list(design.key_unit.ends()))

    def cells(self) -> Iterator[tuple[Cell, int]]:
        """Each cell of rows that differ, and how often it is there."""
        for row in self._alike.values():
            yield from ((cell, row.times) for cell in row.cover.cells.values())

    def delays(self, fabric: Fabric) -> list[float]:
        """ns from register to register, for each stage; one that ends in a choice of blocks pays for that."""
        made = {id(row): Delays(row.cover.on(fabric)) for row in self.stages}
        found = []
        for place, row in enumerate(self.stages):
            last, delays = place + 1 == len(self.stages), made[id(row)]
            ends = [] if last and self.design.turns == 1 else row.registers
            worst = _worst(delays, ends, chosen=last and self.design.turns > 1)
            found.append(max(worst, _worst(delays, row.finish, chosen=False)))
        return found

    def _stage(self, place: int) -> Row:
        """The row that the logic of a stage ends in."""
        stages = self.design.stages
        after = stages[(place + 1) % len(stages)]
        if place + 1 == len(stages):
            return self._row(after.registers, self.design.finish, [])
        name = after.like()
        if name is None:
            return self._row(after.registers, [], [])
        if name in self._named:
            self._named[name].times += 1
        else:
            self._named[name] = self._row(after.registers, [], [])
        return self._named[name]

    def _row(self, registers: list[Register], finish: list[Register], others: Sequence[Signal]) -> Row:
        ends = [*(register.input for register in (*registers, *finish)), *others]
        tables = tuple(register.table for register in registers)
        alike = len(registers), tables, Shape.of([], ends).key
        if alike in self._alike:
            self._alike[alike].times += 1
        else:
            self._alike[alike] = Row(registers, finish, Cover(ends, memories=self._memories))
        return self._alike[alike]


def _worst(delays: Delays, ends: Sequence[Register], *, chosen: bool) -> float:
    ways = (delays.at_register(r.input, chosen=chosen, memory=r.table is not None) for r in ends)
    return max(ways, default=0.0)


@dataclass(frozen=True, slots=True)
class Shape:
    """``key``: what is equal for units that differ in nothing but which registers and round keys they read;
    ``order``: the unit's signals, operands first, in which equal units agree place by place."""

    key: Hashable
    order: Sequence[Signal]

    @classmethod
    def of(cls, inputs: Sequence[Signal], ends: Sequence[Signal]) -> Shape:
        """The shape of a unit."""
        order = in_order([*inputs, *ends])
        number = {signal: rank for rank, signal in enumerate(order)}
        signals = [
            (
                signal.op,
                signal.width,
                None if signal.op is Part.KEY else signal.attr,
                *[number[child] for child in signal.inputs],
            )
            for signal in order
        ]
        return cls((tuple(signals), tuple([number[end] for end in ends])), order)
