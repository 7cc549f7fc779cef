"""The structural form: what Verilog and VHDL are both written from.

A signal is one word of the data path: an input, a register, a round-key word, or an operation of the
graph on other signals. Beside the graph's operations there is one of hardware: a multiplexer.
"""

from __future__ import annotations

import enum
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.machines.fpga.wiring import is_wiring


class Part(enum.Enum):
    """What hardware has beside the operations of the graph."""

    INPUT = "a port, or the output of a register; attr: its table, of one in a block RAM"
    FLAG = "a register of one bit: whether inputs[0], the turn of its row, is in attr, a Flag"
    KEY = "a word of the round-key registers; attr: its lowest bit there"
    MUX = "inputs[1 + attr[inputs[0]]]; attr: for each value of the select word a choice, or None"

    __hash__ = object.__hash__  # an enumeration's own is slow, and asked for at every look into a set


@dataclass(frozen=True, slots=True)
class Flag:
    """The iterations in which a register of one bit is set, and which of several equal ones it is."""

    iterations: frozenset[int]
    copy: int = 0


class Signal:
    """One word: ``op`` on ``inputs``. Equality is identity."""

    __slots__ = ("_bases", "_fixed", "_runs", "attr", "inputs", "line", "name", "op", "width")

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
        self._runs: list[Run] | None = None

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

    @property
    def runs(self) -> list[Run]:
        """Where the bits of an arrangement of wires come from, the lowest first; those that are always zero
        are left out. Of another word: the word itself."""
        if self._runs is None:
            self._runs = _runs_of(self) if self.fixed else [Run(0, self, 0, self.width)]
        return self._runs

    def bits_of(self, low: int, size: int) -> Iterator[Run]:
        """The `runs` of some of its bits; ``at`` counts from the lowest of them."""
        runs, end = self.runs, low + size
        if size == self.width:
            yield from runs
            return
        for rank in range(max(0, bisect_right(runs, low, key=_at) - 1), len(runs)):
            at, word, begin, length = runs[rank]
            if at >= end:
                return
            first, last = max(at, low), min(at + length, end)
            if last > first:
                yield Run(first - low, word, begin + first - at, last - first)


class Run(NamedTuple):
    """``size`` bits of a word from bit ``low`` up, which are those of another from bit ``at`` up."""

    at: int
    word: Signal
    low: int
    size: int


def _at(run: Run) -> int:
    return run.at


def _runs_of(signal: Signal) -> list[Run]:
    if signal.op is Op.SLICE and not signal.inputs[0].fixed:  # most of them
        return [Run(0, signal.inputs[0], signal.attr, signal.width)]
    found: list[Run] = []
    for at, part, begin, length in _parts_of(signal):
        for inner, word, low, size in part.bits_of(begin, length):
            last = found[-1] if found else None
            if (
                last
                and last.word is word
                and last.at + last.size == at + inner
                and last.low + last.size == low
            ):
                found[-1] = Run(last.at, word, last.low, last.size + size)
            else:
                found.append(Run(at + inner, word, low, size))
    return found


def _parts_of(signal: Signal) -> Iterator[Run]:
    """The bits of its inputs that an arrangement of wires has, the lowest first."""
    word, width = signal.inputs[0], signal.width
    if signal.op is Op.JOIN:
        at = 0
        for part in signal.inputs:
            yield Run(at, part, 0, part.width)
            at += part.width
    elif signal.op is Op.LINEAR:
        ((matrix),) = signal.attr
        places = ((at, bit) for bit, column in enumerate(matrix) for at in range(width) if column >> at & 1)
        yield from (Run(at, word, bit, 1) for at, bit in sorted(places))
    elif signal.op is Op.ROL:
        first = signal.inputs[1].attr % width
        yield Run(0, word, width - first, first)
        yield Run(first, word, 0, width - first)
    elif signal.op is Op.SHL:
        yield Run(signal.inputs[1].attr, word, 0, max(0, width - signal.inputs[1].attr))
    else:
        low = signal.inputs[1].attr if signal.op is Op.SHR else signal.attr or 0
        yield Run(0, word, low, max(0, min(width, word.width - low)))


def constant(value: int, width: int) -> Signal:
    """A constant word."""
    return Signal(Op.CONST, (), width, value & (1 << width) - 1)


def again(signal: Signal, inputs: Sequence[Signal]) -> Signal:
    """The same operation on other words; the signal itself where they are its own."""
    if tuple(inputs) == signal.inputs:
        return signal
    made = Signal(signal.op, inputs, signal.width, signal.attr, signal.name, signal.line)
    if signal.op is Op.LINEAR:  # which takes long to tell
        made._fixed = signal._fixed
    return made


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
    takes. ``title``: what is computed. ``alike``: see `is_alike`.
    """

    title: str
    turn: Signal
    registers: list[Register] = field(default_factory=list)
    alike: Alike | None = None

    def is_alike(self, name: object | None) -> None:
        """Note that rows of this name take the same logic, of other registers, for as long as they take what
        they take now: so that an estimate need not find that out again. None: of no name."""
        self.alike = Alike(name, self._inputs())

    def like(self) -> object | None:
        """The name that `is_alike` gave them, if what they take is still the same."""
        known = self.alike
        return known.name if known and known.inputs == self._inputs() else None

    def _inputs(self) -> tuple[Signal, ...]:
        return tuple([register.input for register in self.registers])


class Alike(NamedTuple):
    """What registers that take the same logic have in common, and what they took when that was so."""

    name: object | None
    inputs: tuple[Signal, ...]


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
    round-key registers;
    """

    block_bits: int
    turns: int
    stages: list[Stage]
    block_in: Signal
    load: list[Signal]
    finish: list[Register]
    block_out: Signal
    keys: int
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
