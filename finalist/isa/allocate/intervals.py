"""Registers of words whose cycles are known: a word is in its register from the cycle in which it can be read to
the last in which it is.

Until then the register keeps what it had, which others may still read. In a basic block these are intervals,
of which as many registers as overlap at most are enough (U. I. Gupta, D. T. Lee, J. Leung 1979), but for pairs
of registers and registers that conditions test.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from finalist.isa.code import ZERO
from finalist.isa.schedule.late import Timed, latency


@dataclass(frozen=True, slots=True)
class Interval:
    """A word, in a register from cycle ``start`` to ``end``."""

    word: int
    start: int
    end: int


class NoRegisterError(Exception):
    """No register is free; ``word``: one of those that are there at that time, that should not be."""

    def __init__(self, word: int, cycle: int) -> None:
        super().__init__(f"word {word}, cycle {cycle}")
        self.word, self.cycle = word, cycle


def intervals(timed: Timed, local: Iterable[int]) -> dict[int, Interval]:
    """The intervals of words that only the block has."""
    local = set(local)
    start: dict[int, int] = {}
    end: dict[int, int] = {}
    for ins, cycle in zip(timed.body, timed.cycles, strict=True):
        for word in ins.written:
            if word in local:
                start[word] = cycle + latency(ins, word)
                end[word] = max(end.get(word, 0), start[word])
        for word in ins.read:
            if word in local:
                end[word] = max(end.get(word, 0), cycle)
    return {word: Interval(word, start.get(word, 0), end[word]) for word in end if word != ZERO}


def coloured(
    found: Mapping[int, Interval],
    registers: Mapping[str, Sequence[int]],
    files: Mapping[int, str],
    pairs: Mapping[int, int],
    tested: Mapping[int, Sequence[int]],
) -> dict[int, int]:
    """A register for each word.

    ``registers``: those of a file that are free all the time; ``pairs``: for a word of an even register the one
    of the odd register above; ``tested``: for a word that a condition tests the registers that it can be in.
    Raises NoRegisterError.
    """
    highs = {high: low for low, high in pairs.items()}
    made: dict[int, int] = {}
    until: dict[tuple[str, int], int] = {}
    wanted = {file: {r for rs in tested.values() for r in rs} for file in registers}
    for one in sorted(found.values(), key=lambda one: (one.start, one.word not in pairs, one.end)):
        if one.word in made:
            continue
        file = files[one.word]
        free = [r for r in registers[file] if until.get((file, r), -1) < one.start]
        if one.word in pairs or one.word in highs:
            low = one.word if one.word in pairs else highs[one.word]
            _pair(found, file, low, pairs[low], free, made, until, one.start)
            continue
        if one.word in tested:
            free = [r for r in free if r in tested[one.word]]
        else:
            free.sort(key=lambda r: (r in wanted[file], r ^ 1 in free, r))
        if not free:
            raise NoRegisterError(one.word, one.start)
        made[one.word] = free[0]
        until[file, free[0]] = one.end
    return made


def _pair(
    found: Mapping[int, Interval],
    file: str,
    low: int,
    high: int,
    free: Sequence[int],
    made: dict[int, int],
    until: dict[tuple[str, int], int],
    start: int,
) -> None:
    even = next((r for r in free if r % 2 == 0 and r + 1 in free), None)
    if even is None:
        raise NoRegisterError(low, start)
    for word, register in ((low, even), (high, even + 1)):
        made[word] = register
        until[file, register] = found[word].end if word in found else start
