"""A unit of logic with registers inside of it: the stages that a cut of it makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from finalist.ir.ops import Op
from finalist.machines.fpga.model.delays import longest_way
from finalist.machines.fpga.part import Fabric
from finalist.machines.fpga.signals import Part, Register, Signal, Stage, again
from finalist.machines.fpga.stages.copies import spread
from finalist.machines.fpga.stages.narrow import narrow
from finalist.machines.fpga.walks import in_order


@dataclass(frozen=True, slots=True)
class Placement:
    """The stage of each cell of a unit, of ``stages``; see `Cut` for the rest."""

    inputs: Set[Signal]
    ends: Sequence[Signal]
    stages: int
    place: Mapping[Signal, int]
    fabric: Fabric
    chosen: bool
    still: bool
    copied: bool


class Staged:
    """A unit after cutting: its further stages, and its results in the last of them."""

    def __init__(
        self, cut: Placement, turn: Signal, title: str, first: int, turned: bool, *, prefix: str = "s"
    ) -> None:
        self._cut, self._title, self._first, self._prefix = cut, title, first, prefix
        self._versions: dict[tuple[Signal, int], Signal] = {}
        self.stages: list[Stage] = []
        self._turns = [turn]
        for number in range(1, cut.stages):
            name = f"turn{first + number}"
            self._turns.append(Signal(Part.INPUT, (), turn.width, name=name) if turned else turn)
            self.stages.append(Stage(self._named(number), self._turns[-1]))
        self.results = [self._at(end, cut.stages - 1) for end in cut.ends]
        if not cut.still:  # a register's word may then be read in any later stage
            self._tidy()
        for stage in self.stages:
            stage.is_alike(object())

    def onto(
        self, own: Sequence[Signal], signals: Sequence[Signal], turn: Signal, title: str, first: int
    ) -> Staged:
        """The same registers in a unit of the same `Shape`: ``own`` in the order of its signals are these."""
        made = copy(self)
        leaves = zip(own, signals, strict=True)
        known = {a: b for a, b in leaves if a.op in (Part.INPUT, Part.KEY)} | {self._turns[0]: turn}
        made._title, made._first, made._turns, made.stages = title, first, [turn], []
        for number, stage in enumerate(self.stages, 1):
            turn = stage.turn
            if turn is not self._turns[0]:
                turn = Signal(Part.INPUT, (), turn.width, name=f"turn{first + number}")
            made._turns.append(turn)
            made.stages.append(Stage(made._named(number), known.setdefault(stage.turn, turn)))
            made.stages[-1].registers = self._moved(number, known, first)
            made.stages[-1].is_alike(stage.like())
        made.results = _renewed(self._orders[-1], self.results, known)
        return made

    @cached_property
    def _orders(self) -> list[list[Signal]]:
        """What each row of its registers needs, and its results, operands first."""
        rows = [[register.input for register in stage.registers] for stage in self.stages]
        return [in_order(row) for row in (*rows, self.results)]

    def _named(self, number: int) -> str:
        return f"{self._title}, part {number + 1} of {self._cut.stages}"

    def _moved(self, number: int, known: dict[Signal, Signal], first: int) -> list[Register]:
        """A row of registers in another unit; adds their outputs to what is known."""
        registers = self.stages[number - 1].registers
        words = [register.input for register in registers]
        inputs = _renewed(self._orders[number - 1], words, known)
        before, after = f"{self._prefix}{self._first + number}", f"{self._prefix}{first + number}"
        found = []
        for register, word in zip(registers, inputs, strict=True):
            old = register.output
            name = after + old.name.removeprefix(before)
            known[old] = Signal(Part.INPUT, (), old.width, name=name)
            found.append(Register(known[old], word, register.table, register.keep))
        return found

    @cached_property
    def period(self) -> float:
        """ns of its longest stage, each being all that there is in the part."""
        rows = [[register.input for register in stage.registers] for stage in self.stages]
        fabric, chosen = self._cut.fabric, self._cut.chosen
        found = [longest_way(row, fabric) for row in rows]
        return max(*found, longest_way(self.results, fabric, chosen=chosen))

    def _tidy(self) -> None:
        """Registers with the bits that are read, and copies of those that drive much.

        The last stage comes first, as what it reads is what is read of the one before.
        """
        self.results = self._tidied(self.stages[-1], self.results)
        for stage, after in reversed(list(pairwise(self.stages))):
            inputs = self._tidied(stage, [register.input for register in after.registers])
            for register, word in zip(after.registers, inputs, strict=True):
                register.input = word

    def _tidied(self, stage: Stage, ends: list[Signal]) -> list[Signal]:
        ends = narrow(stage, ends)
        return spread(stage, ends) if self._cut.copied else ends

    def _at(self, signal: Signal, stage: int) -> Signal:
        """The signal as the logic of a stage sees it: made there, or handed on in registers."""
        if self._cut.still:
            stage = min(stage, 0 if signal in self._cut.inputs else self._cut.place.get(signal, stage) + 1)
        key = (signal, stage)
        if key not in self._versions:
            self._versions[key] = self._made(signal, stage)
        return self._versions[key]

    def _made(self, signal: Signal, stage: int) -> Signal:
        if signal in self._turns:
            return self._turns[stage]
        if signal.op in (Part.KEY, Op.CONST):
            return signal
        home = (
            0 if signal.op is Part.INPUT or signal in self._cut.inputs else self._cut.place.get(signal, stage)
        )
        if home == stage:
            if signal.op is Part.INPUT or signal in self._cut.inputs:
                return signal
            inputs = [self._at(child, stage) for child in signal.inputs]
            return Signal(signal.op, inputs, signal.width, signal.attr, signal.name, signal.line)
        before = self._at(signal, stage - 1)
        own = signal.name.split("_", 1)[-1] if signal.name else len(self._versions)
        name = f"{self._prefix}{self._first + stage}_{own}"
        output = Signal(Part.INPUT, (), signal.width, name=name)
        self.stages[stage - 1].registers.append(Register(output, before))
        return output


def _renewed(order: Sequence[Signal], ends: Sequence[Signal], known: Mapping[Signal, Signal]) -> list[Signal]:
    """The ends, of other registers and round keys; ``order``: what they need, operands first."""
    made = dict(known)
    for signal in order:
        if signal not in made:
            made[signal] = again(signal, [made[child] for child in signal.inputs])
    return [made[end] for end in ends]
