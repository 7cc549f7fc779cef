"""Functions of up to four bits as two gates of three inputs one after the other.

``f(a, b, c, d) -> lut3(d, g(a, b, c), h(a, b, c))`` (Shannon's expansion): g and h are what f is where d is
0 and where it is 1, or one of these and their XOR. Of all choices for several
functions those are taken that share most gates. A kernel on few vectors waits for results, so that more gates
at once are quicker than fewer one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

from finalist.passes.circuits.circuit import LUT3, Circuit, Gate, input_columns

#: Bits of the functions, at most, and what a gate reads.
MOST_INPUTS, _READS = 4, 3
#: Width of the beam search: sets of gates to which those of the next function are added.
_BEAM = 500
#: What a function's gate reads: input bits, and functions of them that have gates of their own.
_Choice: TypeAlias = tuple[tuple[int, ...], frozenset[int]]


def of_depth_two(truths: Sequence[int], inputs: int) -> Circuit:
    """A circuit of functions of at most ``MOST_INPUTS`` bits, by their truth tables."""
    columns = input_columns(inputs)
    sets: dict[frozenset[int], tuple[_Choice, ...]] = {frozenset(): ()}
    for truth in truths:
        grown: dict[frozenset[int], tuple[_Choice, ...]] = {}
        for had, chosen in sets.items():
            for choice in _choices(truth, columns):
                grown.setdefault(had | choice[1], (*chosen, choice))
        sets = {had: grown[had] for had in sorted(grown, key=len)[:_BEAM]}
    parts, chosen = next(iter(sets.items()))
    registers, gates = list(columns), list[Gate]()
    for part in sorted(parts):
        gates.append(_gate(part, registers, _support(part, columns), 1 << inputs))
        registers.append(part)
    for truth, (bits, own) in zip(truths, chosen, strict=True):
        reads = [*bits, *map(registers.index, sorted(own))]
        gates.append(_gate(truth, registers, reads, 1 << inputs))
    outputs = range(len(registers), len(registers) + len(truths))
    return Circuit(inputs, tuple(gates), tuple(outputs))


def _choices(truth: int, columns: Sequence[int]) -> Iterator[_Choice]:
    """The ways to have a function by one gate."""
    support, everywhere = _support(truth, columns), (1 << (1 << len(columns))) - 1
    if len(support) <= _READS:
        yield tuple(support) or (0,), frozenset()
        return
    for bit in support:
        low, high = (_cofactor(truth, columns, bit, value) for value in (0, 1))
        for pair in combinations((low, high, low ^ high), 2):
            read = {part: _support(part, columns) for part in pair}
            single = sorted({places[0] for places in read.values() if len(places) == 1})
            # A gate has a function if it has the complement.
            parts = {min(part, everywhere ^ part) for part, places in read.items() if len(places) > 1}
            yield (bit, *single), frozenset(parts)


def _support(truth: int, columns: Sequence[int]) -> list[int]:
    """The bits that a function depends on."""
    return [bit for bit in range(len(columns)) if _cofactor(truth, columns, bit, 0) != truth]


def _cofactor(truth: int, columns: Sequence[int], bit: int, value: int) -> int:
    """What the function is where that bit is ``value``, as a function of all bits."""
    kept, shift = truth & (columns[bit] if value else ~columns[bit]), 1 << bit
    return kept | (kept >> shift if value else kept << shift)


def _gate(truth: int, registers: Sequence[int], reads: Sequence[int], cases: int) -> Gate:
    """The gate of a function, of registers that it depends on alone; by their contents in all cases."""
    a, b, c = (*reads, *[reads[-1]] * (_READS - len(reads)))
    table = 0
    for case in range(cases):
        place = sum((registers[read] >> case & 1) << n for n, read in enumerate((a, b, c)))
        table |= (truth >> case & 1) << place
    return Gate(LUT3, a, b, c, table)
