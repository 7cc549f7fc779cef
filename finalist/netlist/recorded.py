"""A course of a circuit as a straight-line program, carried out again on other data of the same control.

What is computed, and in which cycle, hangs on the control, not on the data; but for choices between values
that are equal, which are found on data drawn at random and looked at again whenever the program is carried
out. Tables become choices between two bits (Shannon's expansion), of which none is made twice (hash consing).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import chain

from finalist.netlist.circuit import Cell
from finalist.netlist.course import Control, Course
from finalist.netlist.lanes import Lanes
from finalist.netlist.tables import halves

#: Lanes of the data drawn at random: bits that are the same in all of them are taken for equal.
DRAWN = 256
#: The slots of the constants 0 and 1.
ZERO, ONE = 0, 1
#: By its slots a choice: what chooses, what is taken where that is 1, and where it is 0.
Choice = tuple[int, int, int]
#: Choices, one slot each; then a cell, if any, with the slots of its inputs, and a slot for each output.
Part = tuple[list[Choice], Cell | None, Sequence[Sequence[int]]]


class Recorder:
    """The values of a course as slots of a program; ``inputs``: slots of data, after the constants'."""

    def __init__(self, inputs: int) -> None:
        source, self.lanes = random.Random(1), Lanes(DRAWN)
        #: By slot the bits in the lanes that were drawn.
        self.drawn = [0, self.lanes.ones, *(source.getrandbits(DRAWN) for _ in range(inputs))]
        self.parts: list[Part] = []
        self.choices: list[Choice] = []
        self.equal: list[tuple[int, int]] = []
        self._slots: dict[Choice, int] = {}

    def constant(self, value: int) -> int:
        """The slot of 0 or 1."""
        return value

    def unknown(self, name: object) -> int:
        """0, as `Lanes` has it."""
        return ZERO

    def same(self, a: int, b: int) -> bool:
        """Whether two slots hold the same in all lanes that were drawn; noted, to be looked at again."""
        if a != b and self.drawn[a] == self.drawn[b]:
            self.equal.append((a, b))
        return self.drawn[a] == self.drawn[b]

    def table(self, truth: int, inputs: Sequence[int]) -> int:
        """The bit of a truth table, the last input chosen first."""
        if truth in (0, (1 << (1 << len(inputs))) - 1):
            return ONE if truth else ZERO
        *rest, last = inputs
        low, high = halves(truth, len(rest), len(inputs))
        return self._choice(last, self.table(high, rest), self.table(low, rest))

    def _choice(self, select: int, high: int, low: int) -> int:
        if high == low:
            return low
        if (high, low) == (ONE, ZERO):
            return select
        slot = self._slots.get((select, high, low))
        if slot is None:
            a, b = self.drawn[high], self.drawn[low]
            slot = self._slots[select, high, low] = len(self.drawn)
            self.drawn.append(b ^ self.drawn[select] & (a ^ b))
            self.choices.append((select, high, low))
        return slot

    def word(self, cell: Cell, inputs: Sequence[Sequence[int]]) -> Sequence[int]:
        """The outputs of a cell."""
        made = self.lanes.word(cell, [[self.drawn[slot] for slot in word] for word in inputs])
        self.parts.append((self.choices, cell, inputs))
        self.choices = []
        start = len(self.drawn)
        self.drawn += made
        return range(start, len(self.drawn))

    def program(self) -> list[Part]:
        """All that was recorded."""
        return [*self.parts, (self.choices, None, ())]


class Recorded:
    """The value of a port in a cycle under a control; ``given``: data by port and cycle, of which only where
    they are and how many bits they have counts here."""

    def __init__(
        self, control: Control, port: str, cycle: int, given: Mapping[tuple[str, int], Sequence[int]]
    ) -> None:
        self.control, self.port, self.cycle = control, port, cycle
        recorder = Recorder(sum(map(len, given.values())))
        slots = iter(range(2, len(recorder.drawn)))
        data = {at: [next(slots) for _ in bits] for at, bits in given.items()}
        self._results = Course(control, recorder, data).port(port, cycle)
        self._parts, self._equal = recorder.program(), recorder.equal

    def __call__(self, lanes: Lanes, data: Mapping[tuple[str, int], Sequence[int]]) -> list[int]:
        """The value, lowest bit first, of data in lanes."""
        values = self._values(lanes, data)
        if any(values[a] != values[b] for a, b in self._equal):
            return Course(self.control, lanes, data).port(self.port, self.cycle)
        return [values[slot] for slot in self._results]

    def _values(self, lanes: Lanes, data: Mapping[tuple[str, int], Sequence[int]]) -> list[int]:
        """The value of each slot."""
        values = [0, lanes.ones, *chain.from_iterable(data.values())]
        for choices, cell, words in self._parts:
            for select, high, low in choices:
                values.append(values[low] ^ values[select] & (values[high] ^ values[low]))
            if cell is not None:
                values += lanes.word(cell, [[values[slot] for slot in word] for word in words])
        return values
