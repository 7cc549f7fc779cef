"""A circuit carried out clock by clock on values of any kind: of single bits, of many at once, unknown ones.

First it is gone through with three values, where all data, keys and registers are unknown: what is known then
in a cycle, states of the control above all, is so whatever they are. Then values are computed, only those
that are asked for and what they need in the same cycle and the ones before.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from finalist.netlist.circuit import MUX, OPEN, VALUES, Bit, Cell, Circuit, Kind
from finalist.netlist.tables import with_known

V = TypeVar("V")
#: A bit in a cycle.
At = tuple[Bit, int]


class Algebra(Protocol[V]):
    """What is to be known of values to carry out cells; words lowest bit first."""

    def constant(self, value: int) -> V:
        """0 or 1."""
        ...

    def unknown(self, name: object) -> V:
        """A bit that nothing is known of."""
        ...

    def same(self, a: V, b: V) -> bool:
        """Whether two values are known to be equal."""
        ...

    def table(self, truth: int, inputs: Sequence[V]) -> V:
        """A bit of a truth table."""
        ...

    def word(self, cell: Cell, inputs: Sequence[Sequence[V]]) -> Sequence[V]:
        """The outputs of a cell of any other kind."""
        ...


class Control:
    """What is known of all wires in each cycle, whatever data, keys and registers before the first cycle
    are. ``driven``: for each cycle by port a number; the others are data."""

    def __init__(self, circuit: Circuit, driven: Sequence[Mapping[str, int]]) -> None:
        self.circuit = circuit
        self.known: list[dict[Bit, int]] = []
        self._pins = [cell.pins for cell in circuit.cells]
        self._users: dict[Bit, list[int]] = {}
        for rank, pins in enumerate(self._pins):
            for bit in pins:
                self._users.setdefault(bit, []).append(rank)
        self._now: dict[Bit, int] = dict(VALUES)
        self._constant_cells()
        for ports in driven:
            self._cycle(ports)

    def _constant_cells(self) -> None:
        """What follows from constants alone, in all cycles."""
        self._settle(range(len(self.circuit.cells)))

    def _cycle(self, ports: Mapping[str, int]) -> None:
        """The next cycle: registers have taken what they were given, and inputs change."""
        new: dict[Bit, int | None] = {}
        last = self.known[-1] if self.known else {}
        for shown, taken in self.circuit.registers.items():
            new[shown] = VALUES.get(str(taken), last.get(taken)) if self.known else None
        for name in self.circuit.inputs:
            for k, bit in enumerate(self.circuit.ports[name]):
                new[bit] = ports[name] >> k & 1 if name in ports else None
        self._settle({rank for bit, value in new.items() for rank in self._set(bit, value)})
        self.known.append(dict(self._now))

    def _set(self, bit: Bit, value: int | None) -> Sequence[int]:
        """Gives a wire its value; the cells that have to follow."""
        if self._now.get(bit) == value:
            return ()
        if value is None:
            del self._now[bit]
        else:
            self._now[bit] = value
        return self._users.get(bit, ())

    def _settle(self, changed: Sequence[int] | set[int]) -> None:
        heap = sorted(changed)
        waiting = set(heap)
        while heap:
            rank = heapq.heappop(heap)
            waiting.discard(rank)
            cell = self.circuit.cells[rank]
            values = tuple([self._now.get(bit) for bit in self._pins[rank]])
            for bit, value in zip(cell.outputs, _ternary(cell, values), strict=True):
                for user in self._set(bit, value):
                    if user not in waiting:
                        waiting.add(user)
                        heapq.heappush(heap, user)


def _ternary(cell: Cell, pins: tuple[int | None, ...]) -> Sequence[int | None]:
    """The outputs of a cell some of whose inputs are not known."""
    if cell.kind is Kind.TABLE:
        truth, left = with_known(cell.truth, pins)
        return (None if left else truth & 1,)
    if cell.kind in (Kind.ALL, Kind.ANY):
        decides = int(cell.kind is Kind.ANY)
        if decides in pins:
            return (decides,)
    if None in pins:
        return (None,) * len(cell.outputs)
    numbers, at = [], 0
    for word in cell.inputs:
        numbers.append(sum((pins[at + k] or 0) << k for k in range(len(word))))
        at += len(word)
    made = computed(cell, numbers)
    return tuple(made >> k & 1 for k in range(len(cell.outputs)))


def computed(cell: Cell, words: Sequence[int]) -> int:
    """What a cell makes of numbers."""
    first = words[0]
    if cell.kind is Kind.TABLE:
        return cell.truth >> first & 1
    if cell.kind is Kind.ALL:
        return int(first == (1 << len(cell.inputs[0])) - 1)
    if cell.kind is Kind.ANY:
        return int(first != 0)
    if cell.kind is Kind.PARITY:
        return first.bit_count() & 1
    if cell.kind is Kind.ROM:
        return cell.words[first]
    if cell.kind is Kind.LESS:
        return int(first < words[1])
    whole = sum(words) if cell.kind is Kind.SUM else first * words[1]
    return whole & (1 << len(cell.outputs)) - 1


class Course(Generic[V]):
    """The values of a circuit under a control. ``data``: those of the inputs that are data, by port and
    cycle, lowest bit first."""

    def __init__(
        self, control: Control, algebra: Algebra[V], data: Mapping[tuple[str, int], Sequence[V]]
    ) -> None:
        self.control, self.circuit, self.algebra = control, control.circuit, algebra
        self.made: list[dict[Bit, V]] = [{} for _ in control.known]
        self.first: dict[Bit, V] = {}
        self._constants = tuple(algebra.constant(value) for value in (0, 1))
        for (port, cycle), bits in data.items():
            self.made[cycle].update(zip(self.circuit.ports[port], bits, strict=True))

    def port(self, name: str, cycle: int) -> list[V]:
        """The value of a port in a cycle, lowest bit first."""
        return [self.value(bit, cycle) for bit in self.circuit.ports[name]]

    def value(self, bit: Bit, cycle: int) -> V:
        """The value of a wire in a cycle."""
        known, made = self.control.known, self.made
        waiting = [(bit, cycle)]
        while waiting:
            wire, at = waiting[-1]
            if wire in made[at] or wire in known[at] or not (missing := self._missing(wire, at)):
                waiting.pop()
            else:  # a circuit has no loop of logic, so that each of these has its turn
                waiting += missing
        return self._get(bit, cycle)

    def _get(self, bit: Bit, cycle: int) -> V:
        known = self.control.known[cycle].get(bit)
        return self.made[cycle][bit] if known is None else self._constants[known]

    def _missing(self, bit: Bit, cycle: int) -> list[At]:
        """What has to be there first; without any the value is made."""
        taken = self.circuit.registers.get(bit)
        if taken is not None:
            return self._register(bit, taken, cycle)
        cell = self.circuit.driver.get(bit)
        if cell is None:  # a constant that may be either, an input, or a wire that nothing drives
            self.made[cycle][bit] = self.algebra.unknown(("wire", bit, 0 if bit in OPEN else cycle))
            return []
        if cell.kind is Kind.TABLE:
            return self._table(cell, cycle)
        known, made = self.control.known[cycle], self.made[cycle]
        missing = [(pin, cycle) for pin in dict.fromkeys(cell.pins) if pin not in made and pin not in known]
        if not missing:
            words = [[self._get(pin, cycle) for pin in word] for word in cell.inputs]
            made.update(zip(cell.outputs, self.algebra.word(cell, words), strict=True))
        return missing

    def _register(self, bit: Bit, taken: Bit, cycle: int) -> list[At]:
        if cycle == 0:
            self.made[0][bit] = self.algebra.unknown(("register", bit))
            return []
        if taken not in self.made[cycle - 1] and taken not in self.control.known[cycle - 1]:
            return [(taken, cycle - 1)]
        self.made[cycle][bit] = self._get(taken, cycle - 1)
        return []

    def _table(self, cell: Cell, cycle: int) -> list[At]:
        """Only what it depends on under what is known."""
        known, made = self.control.known[cycle], self.made[cycle]
        truth, left = with_known(cell.truth, tuple([known.get(pin) for pin in cell.inputs[0]]))
        pins = [cell.inputs[0][k] for k in left]
        if truth == MUX and len(pins) == 3:
            # What chooses counts for nothing where there is no choice: mapped logic hides conditions so.
            missing = [(pin, cycle) for pin in pins[:2] if pin not in made]
            if not missing and self.algebra.same(made[pins[0]], made[pins[1]]):
                made[cell.outputs[0]] = made[pins[0]]
            if missing or cell.outputs[0] in made:
                return missing
        missing = [(pin, cycle) for pin in pins if pin not in made]
        if not missing:
            made[cell.outputs[0]] = self.algebra.table(truth, [made[pin] for pin in pins])
        return missing
