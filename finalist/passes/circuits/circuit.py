"""Straight-line boolean circuits: the form in which a bitsliced S-box is kept and proved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

MAX_INPUTS = 16

OPS: dict[str, Callable[[int, int], int]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "andn": lambda a, b: a & ~b,
    "not": lambda a, _: ~a,
}


@dataclass(frozen=True, slots=True)
class Gate:
    """One word operation on two registers; ``andn`` is ``a & ~b`` and ``not`` repeats a as b."""

    op: str
    a: int
    b: int

    def __post_init__(self) -> None:
        if self.op not in OPS:
            raise ValueError(f"unknown gate {self.op!r}; the gates are {', '.join(OPS)}")
        if self.op == "not" and self.a != self.b:
            raise ValueError(f"a not gate reads one register, but was given {self.a} and {self.b}")


@dataclass(frozen=True, slots=True)
class Circuit:
    """Registers below ``inputs`` hold the input bits; gate k writes register ``inputs + k``.

    ``outputs`` lists the registers that hold the result, bit 0 first.
    """

    inputs: int
    gates: tuple[Gate, ...]
    outputs: tuple[int, ...]

    def __post_init__(self) -> None:
        if not 1 <= self.inputs <= MAX_INPUTS:
            raise ValueError(f"a circuit has 1 to {MAX_INPUTS} inputs, not {self.inputs}")
        if not self.outputs:
            raise ValueError("a circuit needs at least one output")
        for k, gate in enumerate(self.gates):
            self._check_reads(f"gate {k} ({gate.op})", (gate.a, gate.b), self.inputs + k)
        self._check_reads("the output list", self.outputs, self.inputs + len(self.gates))

    @staticmethod
    def _check_reads(who: str, registers: tuple[int, ...], written: int) -> None:
        for register in registers:
            if not 0 <= register < written:
                raise ValueError(f"{who} reads register {register}, but only 0..{written - 1} are written")

    @property
    def cost(self) -> int:
        """The number of gates: every kind costs one."""
        return len(self.gates)

    @property
    def depth(self) -> int:
        """The number of gates on the longest path from an input to an output."""
        level = [0] * self.inputs
        for gate in self.gates:
            level.append(1 + max(level[gate.a], level[gate.b]))
        return max(level[register] for register in self.outputs)

    def columns(self) -> tuple[int, ...]:
        """Every output as one integer whose bit x is that output on input x."""
        size = 1 << self.inputs
        everywhere = (1 << size) - 1
        values = input_columns(self.inputs)
        for gate in self.gates:
            values.append(OPS[gate.op](values[gate.a], values[gate.b]) & everywhere)
        return tuple(values[register] for register in self.outputs)

    def table(self) -> tuple[int, ...]:
        """The output for every input in order: the exhaustive evaluation used in proofs."""
        columns = self.columns()
        return tuple(
            sum((column >> x & 1) << bit for bit, column in enumerate(columns))
            for x in range(1 << self.inputs)
        )

    def prove(self, table: tuple[int, ...]) -> Circuit:
        """Return this circuit if it computes ``table``; raise ValueError with a witness if not."""
        mine = self.table()
        if len(mine) != len(table):
            raise ValueError(f"the circuit has {len(mine)} entries, the table {len(table)}")
        for x, (got, want) in enumerate(zip(mine, table, strict=True)):
            if got != want:
                raise ValueError(f"the circuit maps {x} to {got}, the table to {want}")
        return self

    def to_json(self) -> dict[str, Any]:
        """The fields that a library record keeps of a circuit."""
        gates = [[g.op, g.a] if g.op == "not" else [g.op, g.a, g.b] for g in self.gates]
        return {"inputs": self.inputs, "gates": gates, "out": list(self.outputs)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Circuit:
        """Read what ``to_json`` wrote."""
        for field in ("inputs", "gates", "out"):
            if field not in record:
                raise ValueError(f"a circuit record needs the field {field!r}")
        gates = tuple(_gate(row) for row in record["gates"])
        return cls(record["inputs"], gates, tuple(record["out"]))


def input_columns(inputs: int) -> list[int]:
    """The truth table of each input bit on its own, as integers of ``2**inputs`` bits."""
    everywhere = (1 << (1 << inputs)) - 1
    return [everywhere // ((1 << (1 << i)) + 1) << (1 << i) for i in range(inputs)]


def table_columns(table: tuple[int, ...], outputs: int) -> tuple[int, ...]:
    """The truth table of each output bit of ``table``: the transpose of the table."""
    return tuple(sum((entry >> bit & 1) << x for x, entry in enumerate(table)) for bit in range(outputs))


def _gate(row: list[Any]) -> Gate:
    if len(row) != (2 if row[:1] == ["not"] else 3):
        raise ValueError(f"a gate is written [op, a, b], or ['not', a]; found {row}")
    return Gate(row[0], row[1], row[-1])
