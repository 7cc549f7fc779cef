"""Circuits put together of sums, gates and smaller circuits."""

from __future__ import annotations

from collections.abc import Sequence

from finalist.passes.circuits.circuit import OPS, Circuit, Gate
from finalist.passes.xors import shared_sums


class Assembly:
    """Gates under construction on ``inputs`` signals; the signal None is the constant 0."""

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self.gates: list[Gate] = []
        self._known: dict[Gate, int] = {}

    def gate(self, op: str, a: int | None, b: int | None) -> int | None:
        """The signal of a gate; each gate is made once, and none where an operand is constant."""
        if a is None or b is None:
            return _with_zero(op, a, b)
        if a == b and op != "not":
            return a if op in ("and", "or") else None
        gate = Gate(op, a, b) if op in ("andn", "not") else Gate(op, min(a, b), max(a, b))
        if gate not in self._known:
            self._known[gate] = self.inputs + len(self.gates)
            self.gates.append(gate)
        return self._known[gate]

    def with_complements(
        self, op: str, a: int | None, b: int | None, not_a: int, not_b: int
    ) -> tuple[int | None, int]:
        """The signal of a gate whose operands are given complemented where `not_a` or `not_b` is 1, and
        whether the result is complemented too: it is 0 where all signals are 0.  ``op`` is no ``not``."""
        value = OPS[op](not_a, not_b) & 1
        made = [[OPS[op](x ^ not_a, y ^ not_b) & 1 ^ value for y in (0, 1)] for x in (0, 1)]
        for name in ("and", "or", "xor", "andn"):
            for left, right, rows in ((a, b, made), (b, a, [list(row) for row in zip(*made, strict=True)])):
                if all(OPS[name](x, y) & 1 == rows[x][y] for x in (0, 1) for y in (0, 1)):
                    return self.gate(name, left, right), value
        raise ValueError(f"a {op} gate has no form without complements")

    def sums(self, masks: Sequence[int], signals: Sequence[int | None], trials: int = 20) -> list[int | None]:
        """The sums over GF(2) of the signals that each mask selects."""
        wanted = shared_sums(masks, len(signals), trials)
        known = list(signals)
        for a, b in wanted.steps:
            known.append(self.gate("xor", known[a], known[b]))
        return [None if output is None else known[output] for output in wanted.outputs]

    def place(self, circuit: Circuit, signals: Sequence[int | None]) -> list[int | None]:
        """The outputs of a circuit on these signals."""
        known = list(signals)
        for gate in circuit.gates:
            known.append(self.gate(gate.op, known[gate.a], known[gate.b]))
        return [known[output] for output in circuit.outputs]

    def circuit(self, outputs: Sequence[int | None]) -> Circuit:
        """The finished circuit."""
        zero = self._zero() if None in outputs else 0
        return Circuit(self.inputs, tuple(self.gates), tuple(zero if o is None else o for o in outputs))

    def _zero(self) -> int:
        self.gates.append(Gate("xor", 0, 0))
        return self.inputs + len(self.gates) - 1


def moved(circuit: Circuit, mask: int) -> Circuit:
    """A circuit for ``x -> C(x ^ mask) ^ C(mask)`` without ``not``, and with no more gates."""
    make = Assembly(circuit.inputs)
    signals: list[int | None] = list(range(circuit.inputs))
    complemented = [mask >> i & 1 for i in range(circuit.inputs)]
    for gate in circuit.gates:
        if gate.op == "not":
            signal, value = signals[gate.a], 1 - complemented[gate.a]
        else:
            signal, value = make.with_complements(
                gate.op, signals[gate.a], signals[gate.b], complemented[gate.a], complemented[gate.b]
            )
        signals.append(signal)
        complemented.append(value)
    return make.circuit([signals[output] for output in circuit.outputs])


def _with_zero(op: str, a: int | None, b: int | None) -> int | None:
    if op == "not":
        raise ValueError("the complement of a constant is not a signal of an assembly")
    if op == "and" or (op == "andn" and a is None):
        return None
    return b if a is None else a
