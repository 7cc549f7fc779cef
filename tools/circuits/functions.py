"""Boolean functions up to complement, sets of them, and the circuits that compute such a set.

A function is its truth table without row 0, where it is taken as 0.  {and, or, xor, andn} of
such functions are such functions, and up to complement they are all the gates of two inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from finalist.passes.circuits.circuit import OPS, Circuit, Gate, input_columns

Functions = tuple[int, ...]
PAIR_OPS = ("and", "or", "xor", "andn")


def normal(column: int, inputs: int) -> int:
    """The function of a truth table, up to complement."""
    return (column ^ -(column & 1) & (1 << (1 << inputs)) - 1) >> 1


def inputs_of(inputs: int) -> list[int]:
    """The functions that cost nothing."""
    return [column >> 1 for column in input_columns(inputs)]


def gates_of(a: int, b: int) -> tuple[int, int, int, int, int]:
    """Every function that one gate makes of two."""
    return a & b, a | b, a ^ b, a & ~b, b & ~a


def ordered(functions: Iterable[int], inputs: int) -> list[int] | None:
    """The functions, each after two that it is a gate of; None if there is no such order."""
    order, waiting = inputs_of(inputs), set(functions)
    for position, newest in enumerate(order):  # `order` grows while it is walked through
        for other in order[:position]:
            for made in gates_of(newest, other):
                if made in waiting:
                    waiting.remove(made)
                    order.append(made)
    return None if waiting else order[inputs:]


def pruned(functions: Iterable[int], wanted: Iterable[int], inputs: int) -> Functions:
    """The functions that are left when superfluous ones are dropped."""
    keep = set(functions) - set(inputs_of(inputs))
    for function in sorted(keep - set(wanted)):
        if ordered(keep - {function}, inputs) is not None:
            keep.remove(function)
    return tuple(ordered(keep, inputs) or ())


def functions_of(circuit: Circuit) -> Functions:
    """What the gates of a circuit compute."""
    whole = Circuit(circuit.inputs, circuit.gates, tuple(range(circuit.inputs + circuit.cost)))
    return tuple({normal(column, circuit.inputs) for column in whole.columns()} - {0})


# ---- from a set of functions to a circuit -----------------------------------------------------


class Realisation:
    """A set of functions as gates: which functions to complement, for given output columns."""

    def __init__(self, functions: Functions, inputs: int, columns: tuple[int, ...]) -> None:
        self.inputs, self.columns = inputs, columns
        self.everywhere = (1 << (1 << inputs)) - 1
        wanted = [normal(column, inputs) for column in columns]
        constant = [0] if 0 in wanted else []
        self.order = inputs_of(inputs) + constant + list(functions)
        self.at = [self.order.index(function) for function in wanted]
        self.sources = [self._sources(k) for k in range(len(self.order))]

    def _sources(self, k: int) -> list[tuple[int, int, str]]:
        """The gates that make function k of earlier ones."""
        if k < self.inputs:
            return []
        if self.order[k] == 0:
            return [(0, 0, "xor")]
        return [
            (i, j, op)
            for i in range(k)
            for j in range(k)
            for op in PAIR_OPS
            if OPS[op](self.order[i], self.order[j]) == self.order[k] and (i < j or op == "andn")
        ]

    def circuit(self, most_nots: int) -> Circuit | None:
        """The circuit with the fewest ``not`` gates, if it has at most ``most_nots``."""
        needs = [0] * len(self.order)
        for k, column in zip(self.at, self.columns, strict=True):
            needs[k] |= 2 if column & 1 else 1
        forced = {k for k, need in enumerate(needs) if need == 3 or (k < self.inputs and need == 2)}
        spare = [k for k in range(len(self.order)) if k not in forced]
        choices = [set(extra) for count in range(3) for extra in combinations(spare, count)]
        choices.append({k for k, need in enumerate(needs) if need & 2})
        for extra in choices:
            if len(forced | extra) <= most_nots:
                forms = self._forms(needs, forced | extra, [])
                if forms:
                    return self._emit(forms)
        return None

    def _forms(self, needs: list[int], doubled: set[int], forms: list[int]) -> list[int] | None:
        """For each function 1 to have it as it is, 2 complemented, 3 (for doubled ones) both.

        On input 0 a function is 0 and its complement 1, so a gate maps forms as it maps bits.
        """
        k = len(forms)
        if k == len(self.order):
            return forms
        possible = 1 if k < self.inputs else 0
        for i, j, op in self.sources[k]:
            for a in (a for a in (0, 1) if forms[i] >> a & 1):
                for b in (b for b in (0, 1) if forms[j] >> b & 1):
                    possible |= 1 << OPS[op](a, b)
        options = [3] if k in doubled and possible else [f for f in (1, 2) if f & possible]
        for form in options:
            if form | needs[k] == form:
                rest = self._forms(needs, doubled, [*forms, form])
                if rest:
                    return rest
        return None

    def _both(self, k: int) -> tuple[int, int]:
        """The truth tables of function k and of its complement."""
        plain = self.order[k] << 1
        return plain, plain ^ self.everywhere

    def _emit(self, forms: list[int]) -> Circuit:
        """The circuit with those forms; each gate reads the least deep operands."""
        gates: list[Gate] = []
        register: dict[int, int] = {}  # by truth table
        level: list[int] = []

        def write(column: int, gate: Gate | None) -> None:
            register[column] = len(level)
            level.append(1 + max(level[gate.a], level[gate.b]) if gate else 0)
            gates.extend([gate] if gate else [])

        def gates_for(column: int, k: int) -> Iterator[Gate]:
            operands = {a for i, j, _ in self.sources[k] for a in (i, j)}
            ready = [c for a in operands for c in self._both(a) if c in register]
            for a in ready:
                for b in ready:
                    for op in PAIR_OPS:
                        if OPS[op](a, b) & self.everywhere == column:
                            yield Gate(op, register[a], register[b])

        for k in range(self.inputs):
            write(self._both(k)[0], None)
        for k, form in enumerate(forms):
            either = [c for bit, c in enumerate(self._both(k)) if form >> bit & 1]
            if k >= self.inputs:
                made = [(gate, column) for column in either for gate in gates_for(column, k)]
                gate, column = min(made, key=lambda m: max(level[m[0].a], level[m[0].b]))
                write(column, gate)
            for column in either:
                if column not in register:
                    known = register[column ^ self.everywhere]
                    write(column, Gate("not", known, known))
        return Circuit(self.inputs, tuple(gates), tuple(register[c] for c in self.columns))
