"""Registers that drive many cells, made several times over: each copy drives a few.

A wire takes the longer the more cells it goes to, and a copy costs flip-flops alone, which the slices of
logic bring along. What chooses for a whole word, and a linear map, become parts, each with its own copy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from math import ceil

from finalist.ir.graph import Matrix
from finalist.ir.ops import Op
from finalist.machines.fpga.model.fanout import fanouts, reads
from finalist.machines.fpga.signals import Part, Register, Signal, Stage, again, constant
from finalist.machines.fpga.stages.narrow import placed
from finalist.machines.fpga.walks import in_order, rebuilt

#: Cells that one bit of a register drives, at most, unless one table alone has more.
MOST = 8
#: What is the same operation on some bits of its words, but for a word that chooses.
_PARTED = frozenset({Op.SELECT, Part.MUX, Op.LINEAR})


def spread(stage: Stage, ends: Sequence[Signal]) -> list[Signal]:
    """The same words, from the registers of a stage and from copies of them, which the stage is given."""
    loads = fanouts(in_order(ends), ())
    heavy = {r.output: _Copies(r) for r in stage.registers if loads.get(r.output, 0) > MOST}
    if not heavy:
        return list(ends)
    ends = rebuilt(ends, lambda signal, inputs: _in_parts(again(signal, inputs), heavy))
    read = {signal: _loads(signal, heavy) for signal in in_order(ends) if not signal.fixed}
    chosen = {
        signal: {word: heavy[word].take(bits) for word, bits in read[signal].items()}
        for signal in sorted(read, key=lambda signal: _most(read[signal]))
    }
    for copies in heavy.values():
        stage.registers += copies.registers()
    return rebuilt(ends, lambda signal, inputs: _rewired(signal, inputs, chosen.get(signal, {}), heavy))


class _Copies:
    """A register and its copies: how many cells each bit of each drives."""

    def __init__(self, register: Register) -> None:
        self.register = register
        self._loads: list[Counter[int]] = [Counter()]
        self._outputs: dict[int, Signal] = {}
        self._room: dict[tuple[int, int], int] = {}

    def take(self, bits: Mapping[int, int]) -> int:
        """The number of the copy that an operation reads; 0 is the register itself."""
        number = max((self._first(bit, more) for bit, more in bits.items()), default=0)
        while number < len(self._loads) and not self._has_room(number, bits):
            number += 1
        if number == len(self._loads):
            self._loads.append(Counter())
        self._loads[number].update(bits)
        return number

    def _first(self, bit: int, more: int) -> int:
        """The first copy that has room for so many more cells of a bit; loads only grow."""
        number = self._room.get((bit, more), 0)
        while number < len(self._loads) and not self._has_room(number, {bit: more}):
            number += 1
        self._room[bit, more] = number
        return number

    def _has_room(self, number: int, bits: Mapping[int, int]) -> bool:
        loads = self._loads[number]
        return all(not loads[bit] or loads[bit] + more <= MOST for bit, more in bits.items())

    def _range(self, number: int) -> tuple[int, int]:
        """The lowest bit that a copy has, and how many."""
        used = [bit for bit, loads in self._loads[number].items() if loads]
        return min(used), max(used) + 1 - min(used)

    def registers(self) -> list[Register]:
        """The copies, of those bits that something reads there. Of equal registers a synthesiser makes one
        where one of them is not to be kept."""
        found = []
        self.register.keep |= len(self._loads) > 1
        for number in range(1, len(self._loads)):
            low, size = self._range(number)
            output = Signal(Part.INPUT, (), size, name=f"{self.register.output.name}_copy{number}")
            self._outputs[number] = output
            found.append(Register(output, _slice(self.register.input, low, size), keep=True))
        return found

    def word(self, number: int) -> Signal:
        """What stands for the register where a copy is read: zeros in place of the bits that it lacks."""
        whole = self.register.output
        if number == 0:
            return whole
        return placed(self._outputs[number], self._range(number)[0], whole.width)


def _loads(signal: Signal, words: Container[Signal]) -> dict[Signal, Counter[int]]:
    """For each such word that an operation reads, how many of its cells each bit drives."""
    found: dict[Signal, Counter[int]] = {}
    for word, low, size, drives in reads(signal):
        if word in words:
            own = found.setdefault(word, Counter())
            own.update(dict.fromkeys(range(low, low + size), drives))
    return found


def _most(loads: Mapping[Signal, Counter[int]]) -> int:
    return max((count for bits in loads.values() for count in bits.values()), default=0)


# -- parts ------------------------------------------------------------------------------------------------


def _in_parts(signal: Signal, words: Container[Signal]) -> Signal:
    """The operation, in parts side by side where one bit of such a word drives too many of its cells."""
    most = 0 if signal.fixed or signal.op not in _PARTED else _most(_loads(signal, words))
    if most <= MOST:
        return signal
    least = min(signal.width, ceil(most / MOST))  # in fewer parts one has still too many
    for count in range(least, signal.width + 1):
        made = parts(signal, ceil(signal.width / count))
        if all(_most(_loads(part, words)) <= MOST for part in made):
            break
    return Signal(Op.JOIN, made, signal.width, None, signal.name, signal.line)


def parts(signal: Signal, size: int) -> list[Signal]:
    """The operation on so many bits of its words at a time, the lowest first."""
    lows = range(0, signal.width, size)
    return [_part(signal, low, min(size, signal.width - low)) for low in lows]


def _part(signal: Signal, low: int, size: int) -> Signal:
    """Some bits of the operation's result."""
    if signal.op is Op.LINEAR:
        attr = tuple(_rows(matrix, low, size) for matrix in signal.attr)
        return Signal(signal.op, signal.inputs, size, attr, "", signal.line)
    select, *words = signal.inputs
    return Signal(
        signal.op, [select, *(_slice(word, low, size) for word in words)], size, signal.attr, "", signal.line
    )


def _rows(matrix: Matrix, low: int, size: int) -> Matrix:
    return tuple(column >> low & (1 << size) - 1 for column in matrix)


def _slice(word: Signal, low: int, size: int) -> Signal:
    if word.op is Part.KEY:  # is one still where what chooses keys is counted
        return Signal(Part.KEY, (), size, word.attr + low)
    return word if size == word.width else Signal(Op.SLICE, (word,), size, low)


# -- wires ------------------------------------------------------------------------------------------------


def _rewired(
    signal: Signal, inputs: list[Signal], chosen: Mapping[Signal, int], copies: Mapping[Signal, _Copies]
) -> Signal:
    """The operation, reading the copies that were chosen for it."""
    instead = {word: copies[word].word(number) for word, number in chosen.items() if number}
    return again(signal, [_through(word, instead) for word in inputs] if instead else inputs)


def _through(word: Signal, instead: Mapping[Signal, Signal]) -> Signal:
    """An arrangement of wires from other words: those of its bits, not of all that they are taken from."""
    if not word.fixed:
        return instead.get(word, word)
    if instead.keys().isdisjoint(word.bases):
        return word
    parts, end = [], 0
    for first, source, low, size in word.runs:
        for at, base, begin, length in instead.get(source, source).bits_of(low, size):
            if first + at > end:
                parts.append(constant(0, first + at - end))
            parts.append(_slice(base, begin, length))
            end = first + at + length
    if end < word.width:
        parts.append(constant(0, word.width - end))
    return parts[0] if len(parts) == 1 else Signal(Op.JOIN, parts, word.width, None, word.name, word.line)
