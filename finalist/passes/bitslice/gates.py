"""The order of a circuit's gates: so that few values are alive at once, for few registers are to be had.

A gate may come as soon as its operands are there. From each state the gate that leaves the fewest values
alive goes next, ties broken at random; of many such orders the one with the lowest peak is kept, and of
those the one with the least alive all in all.
"""

from __future__ import annotations

import random
from functools import cache

from finalist.passes.circuits.circuit import Circuit, Gate

_TRIES = 60


@cache
def with_few_alive(circuit: Circuit) -> Circuit:
    """The same circuit, its gates in an order with few values alive."""
    orders = [list(range(len(circuit.gates)))]
    orders += [_order(circuit, random.Random(seed)) for seed in range(_TRIES)]
    return _permuted(circuit, min(orders, key=lambda order: _pressure(circuit, order)))


def _operands(gate: Gate) -> set[int]:
    return {gate.a} if gate.op == "not" else {gate.a, gate.b}


def _uses(circuit: Circuit) -> list[int]:
    """For each register how many gates take it, and once more if it is an output."""
    uses = [0] * (circuit.inputs + len(circuit.gates))
    for gate in circuit.gates:
        for register in _operands(gate):
            uses[register] += 1
    for register in set(circuit.outputs):
        uses[register] += 1
    return uses


def _pressure(circuit: Circuit, order: list[int]) -> tuple[int, int]:
    """The most values alive at once, inputs from the first gate that takes them on; and their sum.

    An output stays alive: it waits for what takes it.
    """
    uses, alive, seen = _uses(circuit), 0, set()
    peak = total = 0
    for number in order:
        operands = _operands(circuit.gates[number])
        for register in operands:
            if register < circuit.inputs and register not in seen:
                seen.add(register)
                alive += 1
            uses[register] -= 1
        alive += 1 - sum(1 for register in operands if uses[register] == 0)
        peak, total = max(peak, alive), total + alive
    return peak, total


def _order(circuit: Circuit, source: random.Random) -> list[int]:
    uses, made = _uses(circuit), set(range(circuit.inputs))
    touched: set[int] = set()
    waiting = set(range(len(circuit.gates)))
    ready = [n for n in waiting if _operands(circuit.gates[n]) <= made]
    users: dict[int, list[int]] = {}
    for number, gate in enumerate(circuit.gates):
        for register in _operands(gate):
            users.setdefault(register, []).append(number)
    order: list[int] = []
    while ready:

        def cost(number: int) -> float:
            operands = _operands(circuit.gates[number])
            fresh = sum(1 for r in operands if r < circuit.inputs and r not in touched)
            freed = sum(1 for r in operands if uses[r] == 1)
            nearly = sum(0.2 / uses[r] for r in operands)
            return fresh - freed - nearly + source.random() * 0.6

        number = min(ready, key=cost)
        ready.remove(number)
        waiting.discard(number)
        order.append(number)
        operands = _operands(circuit.gates[number])
        touched |= {r for r in operands if r < circuit.inputs}
        for register in operands:
            uses[register] -= 1
        register = circuit.inputs + number
        made.add(register)
        ready += [n for n in users.get(register, ()) if n in waiting and _operands(circuit.gates[n]) <= made]
        ready = list(dict.fromkeys(ready))
    return order


def _permuted(circuit: Circuit, order: list[int]) -> Circuit:
    place = {number: number for number in range(circuit.inputs)}
    place |= {circuit.inputs + number: circuit.inputs + at for at, number in enumerate(order)}
    gates = [circuit.gates[number] for number in order]
    moved = tuple(Gate(gate.op, place[gate.a], place[gate.b]) for gate in gates)
    return Circuit(circuit.inputs, moved, tuple(place[output] for output in circuit.outputs))
