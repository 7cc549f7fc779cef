"""The structural form: what Verilog and VHDL are both written from.

A signal is one word of the data path: an input, a register, a round-key word, or an operation of the
graph on other signals. Beside the graph's operations there is one of hardware: a multiplexer.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from finalist.ir.graph import TableData
from finalist.ir.ops import Op


class Part(enum.Enum):
    """What hardware has beside the operations of the graph."""

    INPUT = "a port, or the output of a register; attr: its table, of one in a block RAM"
    FLAG = "a register of one bit: whether inputs[0], the turn of its row, is one of attr"
    KEY = "a word of the round-key registers; attr: its lowest bit there"
    MUX = "inputs[1 + attr[inputs[0]]]; attr: for each value of the select word a choice, or None"

    __hash__ = object.__hash__  # an enumeration's own is slow, and asked for at every look into a set


class Signal:
    """One word: ``op`` on ``inputs``. Equality is identity."""

    __slots__ = ("_bases", "_fixed", "attr", "inputs", "line", "name", "op", "width")

    def __init__(
        self,
        op: Op | Part,
        inputs: Sequence[Signal],
        width: int,
        attr: Any = None,
        name: str = "",
        line: str = "",
    ) -> None:
        self.op = op
        self.inputs = tuple(inputs)
        self.width = width
        self.attr = attr
        self.name = name
        self.line = line
        self._fixed: bool | None = None
        self._bases: tuple[Signal, ...] | None = None

    def __repr__(self) -> str:
        return f"<{self.name or self.op} u{self.width}>"

    @property
    def fixed(self) -> bool:
        """Whether it is a rotation or shift by a constant, or another arrangement of wires."""
        if self._fixed is None:
            by_constant = self.op in (Op.ROL, Op.SHL, Op.SHR) and self.inputs[1].op is Op.CONST
            self._fixed = by_constant or is_wiring(self.op, self.attr)
        return self._fixed

    @property
    def bases(self) -> tuple[Signal, ...]:
        """The words that an arrangement of wires takes bits of, constants left out; else the word itself."""
        if self._bases is None:
            if not self.fixed:
                self._bases = () if self.op is Op.CONST else (self,)
            else:
                words = self.inputs if self.op in (Op.JOIN, Op.LINEAR) else self.inputs[:1]
                self._bases = tuple(dict.fromkeys(base for word in words for base in word.bases))
        return self._bases


def is_wiring(op: Op | Part, attr: Any) -> bool:
    """Whether the operation only picks bits (moves by constants aside)."""
    if op is Op.LINEAR:
        return len(attr) == 1 and all(row_weight(attr, bit) <= 1 for bit in range(_height(attr)))
    return op in (Op.SLICE, Op.JOIN, Op.EXTEND)


def row_weight(matrices: tuple[tuple[int, ...], ...], bit: int) -> int:
    """How many input bits meet in this output bit of a linear map."""
    return sum(column >> bit & 1 for matrix in matrices for column in matrix)


def _height(matrices: tuple[tuple[int, ...], ...]) -> int:
    return max((column.bit_length() for matrix in matrices for column in matrix), default=0)


def constant(value: int, width: int) -> Signal:
    """A constant word."""
    return Signal(Op.CONST, (), width, value & (1 << width) - 1)


def in_order(results: Iterable[Signal]) -> list[Signal]:
    """All signals that the results need, operands first; inputs and constants among them."""
    order: list[Signal] = []
    seen: set[Signal] = set()
    stack = [(signal, False) for signal in reversed(list(results))]
    while stack:
        signal, ready = stack.pop()
        if ready:
            order.append(signal)
        elif signal not in seen:
            seen.add(signal)
            stack.append((signal, True))
            stack.extend((child, False) for child in reversed(signal.inputs) if child not in seen)
    return order


def again(signal: Signal, inputs: Sequence[Signal]) -> Signal:
    """The same operation on other words; the signal itself where they are its own."""
    if all(new is old for new, old in zip(inputs, signal.inputs, strict=True)):
        return signal
    return Signal(signal.op, inputs, signal.width, signal.attr, signal.name, signal.line)


def rebuilt(ends: Iterable[Signal], make: Callable[[Signal, list[Signal]], Signal]) -> list[Signal]:
    """The ends, each signal that they need being made anew, of the new ones of its inputs."""
    ends = list(ends)
    made: dict[Signal, Signal] = {}
    for signal in in_order(ends):
        made[signal] = make(signal, [made[child] for child in signal.inputs])
    return [made[end] for end in ends]


@dataclass(frozen=True, slots=True)
class Turns:
    """The numbers that blocks carry: ``each`` turns a block, in so many ``directions``, which are the highest
    bit of the number where there are several."""

    each: int
    directions: int

    @property
    def bits(self) -> int:
        """Of the turn alone."""
        return (self.each - 1).bit_length()

    @property
    def width(self) -> int:
        """Bits of the number; one where there is nothing to tell apart, too."""
        return max(1, self.bits + (self.directions > 1))

    @property
    def count(self) -> int:
        """One more than the highest number."""
        return self.number(self.directions - 1, self.each - 1) + 1

    def number(self, direction: int, turn: int) -> int:
        """The number of a turn in a direction."""
        return direction << self.bits | turn

    def all(self) -> Iterator[tuple[int, int]]:
        """Every direction and turn, in the order of their numbers."""
        return ((direction, turn) for direction in range(self.directions) for turn in range(self.each))

    def direction(self, number: Signal) -> Signal:
        """The bit of a number that says which way its block goes."""
        return number if number.width == 1 else Signal(Op.SLICE, (number,), 1, number.width - 1)


@dataclass(slots=True)
class Register:
    """A word that is kept: ``output`` is what the logic reads, ``input`` what it takes at each clock.

    With a ``table``, the register of a block RAM: it takes the entry that ``input`` is the address of.
    ``keep``: one of several that are equal, which a synthesiser is told not to take for one.
    """

    output: Signal
    input: Signal
    table: TableData | None = None
    keep: bool = False


@dataclass(slots=True)
class Stage:
    """Logic between two rows of registers.

    ``registers``: the row that the logic reads. ``turn``: which turn of the data path the block in it
    takes. ``title``: what is computed. ``logic``: results, as the row after has them, for the delay.
    """

    title: str
    turn: Signal
    registers: list[Register] = field(default_factory=list)
    results: list[Signal] = field(default_factory=list)


@dataclass(slots=True)
class KeyUnit:
    """The key schedule on the chip: ``steps`` steps of ``clocks`` clocks each, after the key is written.

    ``key``: the register of the cipher's key; ``turn``: the number of the step. ``rows``: what steps hand on;
    ``inner``: registers inside of a step, written at every clock. ``writes``: (step, lowest bit in the
    round-key registers, word).
    """

    key: Signal
    turn: Signal
    steps: int
    clocks: int
    rows: list[Register]
    inner: list[Register]
    writes: list[tuple[int, int, Signal]]

    @property
    def cycles(self) -> int:
        """Clocks from the last word of the key to the last round key."""
        return self.steps * self.clocks

    @property
    def register_bits(self) -> int:
        """Bits of its registers, the key's own among them."""
        return self.key.width + sum(r.output.width for r in (*self.rows, *self.inner))

    def writes_by_step(self) -> Iterator[tuple[int, list[tuple[int, Signal]]]]:
        """For each step that makes round keys their places and words, in order."""
        by_step = sorted(self.writes, key=lambda write: write[:2])
        for step, group in groupby(by_step, key=lambda write: write[0]):
            yield step, [(low, word) for _, low, word in group]

    def ends(self) -> Iterator[Signal]:
        """Every signal that its registers and the round keys take."""
        yield from (register.input for register in (*self.rows, *self.inner))
        yield from dict.fromkeys(word for _, _, word in self.writes)


@dataclass(slots=True)
class Design:
    """A whole data path. Blocks enter through ``load`` into stage 0, run ``turns`` times through all stages,
    and leave through ``unload``.

    ``block_in``, ``block_out``: the ports, first byte of the block in the highest bits. ``load``: what the
    registers of stage 0 take from a new block. ``finish``: the result registers. ``keys``: bits of the
    round-key registers; ``key_fields``: (name, number, lowest bit, width) of each word in them.
    """

    block_bits: int
    turns: int
    stages: list[Stage]
    block_in: Signal
    load: list[Signal]
    finish: list[Register]
    block_out: Signal
    keys: int
    key_fields: list[tuple[str, int, int, int]]
    #: Whether several rounds follow one another in a stage.
    deep: bool = False
    #: What makes the round keys, where that is on the chip.
    key_unit: KeyUnit | None = None
    #: The port that says which way a block goes, of a design for both.
    decrypt: Signal | None = None

    @property
    def both(self) -> bool:
        """Whether it encrypts and decrypts."""
        return self.decrypt is not None

    @property
    def turned(self) -> bool:
        """Whether blocks carry a number: their turn, their direction, or both."""
        return self.turns > 1 or self.both

    @property
    def last_turns(self) -> frozenset[int]:
        """The numbers of a block's last turn."""
        turns = Turns(self.turns, 1 + self.both)
        return frozenset(turns.number(direction, self.turns - 1) for direction in range(turns.directions))

    @property
    def latency(self) -> int:
        """Clock cycles from the edge that takes a block to the one that brings its result."""
        return self.turns * len(self.stages)

    @property
    def key_cycles(self) -> int:
        """Clocks in which the chip makes round keys, after the key is written."""
        return self.key_unit.cycles if self.key_unit else 0

    @property
    def register_bits(self) -> int:
        """Bits of data registers: of stages, result and key schedule, but for those in block RAMs."""
        rows = (r.output.width for stage in self.stages for r in stage.registers if r.table is None)
        own = self.key_unit.register_bits if self.key_unit else 0
        return own + sum(rows) + sum(register.output.width for register in self.finish)

    @property
    def memories(self) -> list[tuple[TableData, tuple[int, ...]]]:
        """Each block RAM: its table, and the rank of the registers (one or two) that are its ports, counted
        through all stages."""
        every = [r for stage in self.stages for r in stage.registers]
        found: list[tuple[TableData, tuple[int, ...]]] = []
        for table in dict.fromkeys(r.table for r in every if r.table is not None):
            ports = [rank for rank, register in enumerate(every) if register.table is table]
            found += [(table, tuple(ports[k : k + 2])) for k in range(0, len(ports), 2)]
        return found

    def ends(self) -> Iterator[Signal]:
        """Every signal that something outside of the logic takes: registers and the port."""
        for stage in self.stages:
            yield from (register.input for register in stage.registers)
        yield from self.load
        yield from (register.input for register in self.finish)
        yield self.block_out
        if self.key_unit:
            yield from self.key_unit.ends()
