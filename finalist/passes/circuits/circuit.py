"""Straight-line boolean circuits: the form in which a bitsliced S-box is stored and proved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
LUT3 = "lut3"
KINDS = (*OPS, LUT3)


@dataclass(frozen=True, slots=True)
class Gate:
    """One word operation on two registers; ``andn`` is ``a & ~b`` and ``not`` repeats a as b.

    ``lut3`` is any function of three registers: bit ``a + 2b + 4c`` of ``truth``, 8 bits.  Only it has a c.
    """

    op: str
    a: int
    b: int
    c: int | None = None
    truth: int | None = None

    def __post_init__(self) -> None:
        if self.op not in KINDS:
            raise ValueError(f"unknown gate {self.op!r}; the gates are {', '.join(KINDS)}")
        if self.op == "not" and self.a != self.b:
            raise ValueError(f"a not gate reads one register, but was given {self.a} and {self.b}")
        if (self.op == LUT3) != (self.c is not None and self.truth is not None and 0 <= self.truth < 256):
            raise ValueError(f"{LUT3} gates alone have a third register and a truth table of 8 bits: {self}")

    @property
    def reads(self) -> tuple[int, ...]:
        """The registers that it reads."""
        return (self.a, self.b) if self.c is None else (self.a, self.b, self.c)

    def of(self, registers: Sequence[int]) -> int:
        """What it writes, where these are the registers' contents, of any number of bits (maybe negative)."""
        if self.c is None or self.truth is None:
            return OPS[self.op](registers[self.a], registers[self.b])
        total = 0
        for m in (m for m in range(8) if self.truth >> m & 1):
            total |= (
                (registers[self.a] if m & 1 else ~registers[self.a])
                & (registers[self.b] if m & 2 else ~registers[self.b])
                & (registers[self.c] if m & 4 else ~registers[self.c])
            )
        return total


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
            self._check_reads(f"gate {k} ({gate.op})", gate.reads, self.inputs + k)
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
    def ternary(self) -> bool:
        """Whether it has gates of three inputs."""
        return any(gate.op == LUT3 for gate in self.gates)

    @property
    def depth(self) -> int:
        """The number of gates on the longest path from an input to an output."""
        level = [0] * self.inputs
        for gate in self.gates:
            level.append(1 + max(level[register] for register in gate.reads))
        return max(level[register] for register in self.outputs)

    def columns(self) -> tuple[int, ...]:
        """Every output as one integer whose bit x is that output on input x."""
        size = 1 << self.inputs
        everywhere = (1 << size) - 1
        values = input_columns(self.inputs)
        for gate in self.gates:
            values.append(gate.of(values) & everywhere)
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
        if 1 << self.inputs != len(table):
            raise ValueError(f"the circuit has {1 << self.inputs} entries, the table {len(table)}")
        if self.columns() == table_columns(table, len(self.outputs)) and max(table) >> len(self.outputs) == 0:
            return self
        for x, (got, want) in enumerate(zip(self.table(), table, strict=True)):
            if got != want:
                raise ValueError(f"the circuit maps {x} to {got}, the table to {want}")
        raise AssertionError("columns differ where no entry does")

    def to_json(self) -> dict[str, Any]:
        """The fields that a library record keeps of a circuit."""
        gates = [_row(gate) for gate in self.gates]
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


def table_of(columns: Sequence[int], inputs: int) -> tuple[int, ...]:
    """The table whose entries' bits are these functions, given by their truth tables."""
    rows = range(1 << inputs)
    return tuple(sum((column >> x & 1) << bit for bit, column in enumerate(columns)) for x in rows)


def table_columns(table: tuple[int, ...], outputs: int) -> tuple[int, ...]:
    """The truth table of each output bit of ``table``: the transpose of the table."""
    rows = table[::-1]
    return tuple(int("".join("1" if y >> bit & 1 else "0" for y in rows), 2) for bit in range(outputs))


def _row(gate: Gate) -> list[Any]:
    if gate.op == LUT3:
        return [gate.op, *gate.reads, gate.truth]
    return [gate.op, gate.a] if gate.op == "not" else [gate.op, gate.a, gate.b]


def _gate(row: list[Any]) -> Gate:
    wanted = {"not": 2, LUT3: 5}.get(row[0] if row else "", 3)
    if len(row) != wanted:
        raise ValueError(f"a gate is written [op, a, b], ['not', a] or ['lut3', a, b, c, truth]; found {row}")
    return Gate(row[0], row[1], row[1]) if row[0] == "not" else Gate(*row)
