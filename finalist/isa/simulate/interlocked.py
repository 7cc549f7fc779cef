"""How many cycles a piece of straight code takes on a processor that issues in order.

An instruction starts in the present cycle if what it reads is there, a unit is free, and no more than
``issue`` instructions have started; else the cycle ends. A word is there ``latency`` cycles after its
instruction started. In one cycle nothing is written twice, no access to memory follows a store, no bank is
read after it was written. A branch, taken or not, ends its cycle. (Fiskiran and Lee 2005, section 3.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from finalist.isa.assembly.assembler import Decoded
from finalist.isa.target.instruction import Processor

#: Words under way at the end of a block: register and cycles until it is there, counted from the next cycle.
Pending = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Timed:
    """Cycles of a block and what is still under way after them."""

    cycles: int
    pending: Pending


def timed(code: Sequence[Decoded], processor: Processor, pending: Pending = ()) -> Timed:
    """The cycles of instructions that follow one another, entered with ``pending`` words under way."""
    issue = _Issue(processor, dict(pending))
    for one in code:
        issue.start(one)
    return issue.done()


class _Issue:
    def __init__(self, processor: Processor, ready: dict[int, int]) -> None:
        self.processor = processor
        self.ready = ready
        self.cycle = 0
        self._new_cycle()

    def _new_cycle(self) -> None:
        self.issued = 0
        self.used: dict[str, int] = {}
        self.written: set[int] = set()
        self.stored = False
        self.bank_written = False

    def start(self, one: Decoded) -> None:
        """Issues the instruction in the first cycle that it can."""
        while not self._fits(one):
            self.cycle += 1
            self._new_cycle()
        instruction = one.instruction
        self.issued += 1
        self.used[instruction.unit] = self.used.get(instruction.unit, 0) + 1
        if one.written:
            self.written.add(one.written)
            self.ready[one.written] = self.cycle + instruction.latency
        self.stored |= instruction.effect == "store"
        self.bank_written |= instruction.effect == "write"
        if instruction.flow is not None:
            self.cycle += 1
            self._new_cycle()

    def _fits(self, one: Decoded) -> bool:
        instruction = one.instruction
        unit = instruction.unit
        blocked = (self.stored and instruction.effect in ("load", "store")) or (
            self.bank_written and instruction.effect in ("read", "write")
        )
        return (
            self.issued < self.processor.issue
            and self.used.get(unit, 0) < self.processor.unit_count(unit)
            and not blocked
            and one.written not in self.written
            and all(self.ready.get(register, 0) <= self.cycle for register in one.read)
        )

    def done(self) -> Timed:
        """The last cycle is over, too."""
        cycles = self.cycle + (1 if self.issued else 0)
        left = {register: ready - cycles for register, ready in self.ready.items() if ready > cycles}
        return Timed(cycles, tuple(sorted(left.items())))
