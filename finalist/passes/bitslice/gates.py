"""The order of a circuit's gates: so that few values are alive at once, for few registers are to be had.

A gate may come as soon as its operands are there. From each state the gate that leaves the fewest values
alive goes next, ties broken at random; of some such orders, and the given one, the one with the lowest
peak is kept, and of those the one with the least alive all in all.
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

from finalist.passes.circuits.circuit import Circuit, Gate

_TRIES = 20
#: What an operand is worth that is not yet free but will be soon, and how far chance may go.
_SOON, _CHANCE = 0.2, 0.6


@cache
def with_few_alive(circuit: Circuit) -> Circuit:
    """The same circuit, its gates in an order with few values alive."""
    orders = [list(range(len(circuit.gates)))]
    orders += [_Order(circuit, random.Random(seed)).made() for seed in range(_TRIES)]
    return _permuted(circuit, min(orders, key=lambda order: pressure(circuit, order)))


def pressure(circuit: Circuit, order: list[int]) -> tuple[int, int]:
    """The most values alive at once, inputs from the first gate that takes them on; and their sum.

    An output stays alive: it waits for what takes it.
    """
    uses, alive, peak, total = _uses(circuit), 0, 0, 0
    seen: set[int] = set()
    for number in order:
        operands = set(circuit.gates[number].reads)
        fresh = {register for register in operands if register < circuit.inputs} - seen
        seen |= fresh
        for register in operands:
            uses[register] -= 1
        alive += len(fresh) + 1 - sum(1 for register in operands if uses[register] == 0)
        peak, total = max(peak, alive), total + alive
    return peak, total


def _uses(circuit: Circuit) -> list[int]:
    """For each register how many gates take it, and once more if it is an output."""
    uses = [0] * (circuit.inputs + len(circuit.gates))
    for gate in circuit.gates:
        for register in set(gate.reads):
            uses[register] += 1
    for register in set(circuit.outputs):
        uses[register] += 1
    return uses


class _Order:
    """One order, being made."""

    def __init__(self, circuit: Circuit, source: random.Random) -> None:
        self.inputs = circuit.inputs
        self.source = source
        self.operands = [set(gate.reads) for gate in circuit.gates]
        self.uses = _uses(circuit)
        self.missing = [sum(1 for r in own if r >= circuit.inputs) for own in self.operands]
        self.users: dict[int, list[int]] = {}
        for number, own in enumerate(self.operands):
            for register in own:
                self.users.setdefault(register, []).append(number)
        self.touched: set[int] = set()

    def made(self) -> list[int]:
        """The numbers of the gates."""
        ready = [number for number, count in enumerate(self.missing) if not count]
        order: list[int] = []
        while ready:
            number = min(ready, key=self._cost)
            ready.remove(number)
            order.append(number)
            self.touched |= self.operands[number]
            for register in self.operands[number]:
                self.uses[register] -= 1
            for user in self.users.get(self.inputs + number, ()):
                self.missing[user] -= 1
                if not self.missing[user]:
                    ready.append(user)
        return order

    def _cost(self, number: int) -> float:
        """How many values more there are after a gate."""
        own = self.operands[number]
        fresh = sum(1 for r in own if r < self.inputs and r not in self.touched)
        freed = sum(1 for r in own if self.uses[r] == 1)
        soon = sum(_SOON / self.uses[r] for r in own)
        return fresh - freed - soon + _CHANCE * self.source.random()


def _permuted(circuit: Circuit, order: list[int]) -> Circuit:
    place = {number: number for number in range(circuit.inputs)}
    place |= {circuit.inputs + number: circuit.inputs + at for at, number in enumerate(order)}
    gates = [circuit.gates[number] for number in order]
    moved = tuple(_moved(gate, place) for gate in gates)
    return Circuit(circuit.inputs, moved, tuple(place[output] for output in circuit.outputs))


def _moved(gate: Gate, place: dict[int, int]) -> Gate:
    c = None if gate.c is None else place[gate.c]
    return replace(gate, a=place[gate.a], b=place[gate.b], c=c)
