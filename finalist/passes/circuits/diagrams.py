"""A circuit for any table of up to thirteen inputs by expansion of each output, quickly.

Every function is split on one input x into its halves f0 and f1 and their difference d, any two of
which give it back in at most three gates (Shannon's and Davio's expansions; a diagram that chooses
at each node is Sasao's pseudo-Kronecker decision diagram, 1991).  Functions are shared between
nodes and outputs, and several orders of the inputs are tried.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice, permutations
from typing import NamedTuple

from finalist.passes.circuits.circuit import OPS, Circuit, Gate, input_columns, table_columns

# Orders of the inputs to try, by the number of inputs: about half a second's worth.
TRIALS = (0, 1, 2, 6, 24, 120, 80, 20, 8, 2, 1, 1, 1, 1)
MAX_INPUTS = len(TRIALS) - 1

Step = tuple[str, int, int]


class Plan(NamedTuple):
    """Gates, as an operation on two functions each, that follow once some functions are there."""

    parts: tuple[int, ...]
    steps: tuple[Step, ...]


def from_diagrams(table: tuple[int, ...], inputs: int, outputs: int) -> Circuit:
    """The smallest circuit of several orders of the inputs."""
    columns = table_columns(table, outputs)
    wide = max(1, outputs // 8)  # many outputs take as long by themselves
    orders = islice(_orders(inputs), -(-TRIALS[inputs] // wide))
    trials = [_Diagram(inputs, order).circuit(columns) for order in orders]
    return min(trials, key=lambda circuit: (circuit.cost, circuit.depth))


def _orders(inputs: int) -> Iterator[tuple[int, ...]]:
    if inputs <= 4:
        yield from permutations(range(inputs))
    shuffler = random.Random(inputs)
    while True:
        yield tuple(shuffler.sample(range(inputs), inputs))


class _Diagram:
    """Gates under construction; all functions but the outputs are 0 where all inputs are 0.

    ``not`` is then needed for outputs alone, because {and, or, xor, andn} of such functions are
    such functions, and give all gates of two inputs up to complement.
    """

    def __init__(self, inputs: int, order: tuple[int, ...]) -> None:
        self.inputs, self.order = inputs, order
        self.everywhere = (1 << (1 << inputs)) - 1
        self.columns = input_columns(inputs)
        self.register = {column: k for k, column in enumerate(self.columns)}
        self.gates: list[Gate] = []

    def circuit(self, columns: tuple[int, ...]) -> Circuit:
        """The finished circuit with these outputs."""
        for column in columns:
            self._build(self._normal(column))
        complements: dict[int, int] = {}
        for column in columns:
            if column & 1 and column not in complements:
                plain = self.register[self._normal(column)]
                complements[column] = self._write(Gate("not", plain, plain))
        outputs = tuple((complements if c & 1 else self.register)[c] for c in columns)
        return Circuit(self.inputs, tuple(self.gates), outputs)

    def _normal(self, column: int) -> int:
        return column ^ self.everywhere if column & 1 else column

    def _write(self, gate: Gate) -> int:
        self.gates.append(gate)
        return self.inputs + len(self.gates) - 1

    def _step(self, op: str, a: int, b: int) -> None:
        """Make a function of two that are there, unless it is there."""
        made = OPS[op](a, b)
        if made not in self.register:
            self.register[made] = self._write(Gate(op, self.register[a], self.register[b]))

    def _build(self, f: int) -> None:
        if f in self.register:
            return
        step = self._one_step(f)
        if step is not None:
            self._step(*step)
            return
        plan = min(self._plans(f), key=self._estimate)
        for part in plan.parts:
            self._build(part)
        for op, a, b in plan.steps:
            self._step(op, a, b)

    def _one_step(self, f: int) -> Step | None:
        """A gate that makes f of functions that are there."""
        if f == 0:
            return "xor", self.columns[0], self.columns[0]
        for a in self.register:
            if f ^ a in self.register:
                return "xor", a, f ^ a
        above = [a for a in self.register if a & f == f]
        below = [a for a in self.register if a | f == f]
        apart = [a for a in self.register if not a & f]
        for op, left, right in (("and", above, above), ("or", below, below), ("andn", above, apart)):
            for a in left:
                for b in right:
                    if OPS[op](a, b) == f:
                        return op, a, b
        return None

    def _estimate(self, plan: Plan) -> int:
        """The gates that a plan will probably add: a missing function of k inputs about 2^(k-1)."""
        missing = [part for part in plan.parts if part not in self.register]
        return len(plan.steps) + sum((1 << len(self._support(part))) // 2 for part in missing)

    def _support(self, f: int) -> list[int]:
        return [i for i in self.order if len(set(self._halves(f, i))) == 2]

    def _halves(self, f: int, i: int) -> tuple[int, int]:
        """f with input i set to 0 and to 1, still as functions of all inputs."""
        x, distance = self.columns[i], 1 << i
        low, high = f & ~x, f & x
        return low | low << distance, high | high >> distance

    def _plans(self, f: int) -> list[Plan]:
        """Ways to make f of functions without the first input that it depends on."""
        i = self._support(f)[0]
        x = self.columns[i]
        f0, half = self._halves(f, i)
        f1, d = self._normal(half), self._normal(f0 ^ half)
        flipped = half & 1  # f1 and d stand for their complements
        pick = "andn" if flipped else "and"  # x & half = pick(x, f1), x & difference = pick(x, d)
        if f0 == 0:
            return [Plan((f1,), ((pick, x, f1),))]
        if f1 == 0:
            return [Plan((f0,), (("or", x, f0) if flipped else ("andn", f0, x),))]
        if d == 0:
            return [Plan((f0,), (("xor", x, f0),))]
        last = ("or", x, d) if flipped else ("andn", d, x)
        davio = ((pick, x, d), ("xor", f0, OPS[pick](x, d)))
        plans = [
            Plan((f0, d), davio),
            Plan((f1, d), (last, ("xor", f1, OPS[last[0]](*last[1:])))),
            Plan((f0, f1), (("xor", f0, f1), *davio)),
        ]
        if f0 & ~half == 0:
            plans.append(Plan((f0, f1), ((pick, x, f1), ("or", f0, OPS[pick](x, f1)))))
        elif f1 & ~f0 == 0 and not flipped:
            plans.append(Plan((f0, f1), (("andn", f0, x), ("or", f1, f0 & ~x))))
        return plans
