"""The order of a circuit's gates, for few live values: what a machine has to keep in registers."""

from __future__ import annotations

import random

from finalist.passes.circuits.circuit import Circuit, Gate

TRIALS = 60


def most_live(circuit: Circuit) -> int:
    """The most values that are needed later, inputs and outputs included, after any gate or before all."""
    last = _last_reads(circuit)
    live = [sum(last[i] > k for i in range(circuit.inputs)) for k in range(-1, circuit.cost)]
    for k in range(circuit.cost):
        for after in range(k, min(last[circuit.inputs + k], circuit.cost)):
            live[after + 1] += 1
    return max(live)


def _last_reads(circuit: Circuit) -> list[int]:
    """For each register the last gate that reads it; for an output the number of gates."""
    last = [-1] * (circuit.inputs + circuit.cost)
    for k, gate in enumerate(circuit.gates):
        for register in gate.reads:
            last[register] = k
    for register in circuit.outputs:
        last[register] = circuit.cost
    return last


def with_few_live(circuit: Circuit, trials: int = TRIALS, seed: int = 0) -> Circuit:
    """The same gates in the best of several orders; the first gates that end a value's life go first."""
    numbers = random.Random(seed)
    orders = [circuit, *(_greedy(circuit, numbers) for _ in range(trials))]
    return min(orders, key=most_live)


def _greedy(circuit: Circuit, numbers: random.Random) -> Circuit:
    readers = [0] * (circuit.inputs + circuit.cost)
    for register in (*(r for gate in circuit.gates for r in set(gate.reads)), *circuit.outputs):
        readers[register] += 1
    done, order = set(range(circuit.inputs)), []
    waiting = set(range(circuit.cost))
    while waiting:
        ready = [k for k in waiting if done.issuperset(circuit.gates[k].reads)]
        best = min(ready, key=lambda k: (*_urgency(circuit.gates[k], readers), numbers.random()))
        for register in set(circuit.gates[best].reads):
            readers[register] -= 1
        waiting.remove(best)
        order.append(best)
        done.add(circuit.inputs + best)
    return _reordered(circuit, order)


def _urgency(gate: Gate, readers: list[int]) -> tuple[int, int]:
    """First what ends lives; then what has an operand that is nearly dead."""
    reads = set(gate.reads)
    return 1 - sum(readers[register] == 1 for register in reads), min(readers[register] for register in reads)


def _reordered(circuit: Circuit, order: list[int]) -> Circuit:
    place = {k: k for k in range(circuit.inputs)}
    place |= {circuit.inputs + old: circuit.inputs + new for new, old in enumerate(order)}
    gates = (_renamed(circuit.gates[old], place) for old in order)
    return Circuit(circuit.inputs, tuple(gates), tuple(place[register] for register in circuit.outputs))


def _renamed(gate: Gate, place: dict[int, int]) -> Gate:
    third = None if gate.c is None else place[gate.c]
    return Gate(gate.op, place[gate.a], place[gate.b], third, gate.truth)
