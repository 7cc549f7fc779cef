"""Registers of words whose cycles are known: a word is in its register from the cycle in which it can be read
to the last in which it is.

Until then the register keeps what it had, which others may still read. In a basic block these are intervals,
of which as many registers as overlap at most are enough (U. I. Gupta, D. T. Lee, J. Leung 1979), but for
pairs of registers and registers that conditions test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from finalist.isa.code import ZERO
from finalist.isa.schedule.backward import Timed
from finalist.isa.schedule.dependences import latency


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


def overfull(
    found: Mapping[int, Interval], registers: Mapping[str, int], files: Mapping[int, str]
) -> list[tuple[str, int]]:
    """Files and cycles at which more words are in registers than there are."""
    changes: dict[str, Counter[int]] = {file: Counter() for file in registers}
    for one in found.values():
        changes[files[one.word]][one.start] += 1
        changes[files[one.word]][one.end + 1] -= 1
    crowded = []
    for file, steps in changes.items():
        count = 0
        for cycle in range(max(steps, default=0)):
            count += steps[cycle]
            if count > registers[file]:
                crowded.append((file, cycle))
    return crowded


def coloured(
    found: Mapping[int, Interval],
    registers: Mapping[str, Sequence[int]],
    files: Mapping[int, str],
    pairs: Mapping[int, int],
    tested: Mapping[int, Sequence[int]],
) -> dict[int, int]:
    """A register for each word.

    ``registers``: those of a file that are free all the time; ``pairs``: for a word of an even register the
    one of the odd register above; ``tested``: for a word that a condition tests the registers that it can be
    in. Those that have least choice get theirs first. Raises NoRegisterError.
    """
    return _Colours(found, registers, files, pairs, tested).run()


class _Colours:
    def __init__(
        self,
        found: Mapping[int, Interval],
        registers: Mapping[str, Sequence[int]],
        files: Mapping[int, str],
        pairs: Mapping[int, int],
        tested: Mapping[int, Sequence[int]],
    ) -> None:
        self.found, self.registers, self.files, self.pairs, self.tested = (
            found,
            registers,
            files,
            pairs,
            tested,
        )
        self.highs = {high: low for low, high in pairs.items()}
        self.made: dict[int, int] = {}
        #: By register the intervals of its words.
        self.busy: dict[int, list[Interval]] = {r: [] for rs in registers.values() for r in rs}

    def run(self) -> dict[int, int]:
        for one in sorted(self.found.values(), key=lambda one: (self._choice(one.word), one.start, -one.end)):
            if one.word in self.made:
                continue
            if one.word in self.pairs or one.word in self.highs:
                self._pair(one)
            else:
                self._single(one)
        return self.made

    def _choice(self, word: int) -> int:
        return 0 if word in self.tested else 1 if word in self.pairs or word in self.highs else 2

    def _free(self, one: Interval, register: int) -> bool:
        return all(other.end < one.start or one.end < other.start for other in self.busy[register])

    def _take(self, one: Interval, register: int) -> None:
        self.made[one.word] = register
        self.busy[register].append(one)

    def _single(self, one: Interval) -> None:
        usable = self.registers[self.files[one.word]]
        free = [r for r in self.tested.get(one.word, usable) if r in usable and self._free(one, r)]
        if not free:
            raise NoRegisterError(one.word, one.start)
        self._take(one, free[-1])

    def _pair(self, one: Interval) -> None:
        low = self.highs.get(one.word, one.word)
        first, second = (
            self.found.get(word, Interval(word, one.start, one.start)) for word in (low, self.pairs[low])
        )
        usable = self.registers[self.files[low]]
        for even in usable:
            if (
                even % 2 == 0
                and even + 1 in usable
                and self._free(first, even)
                and self._free(second, even + 1)
            ):
                self._take(first, even)
                self._take(second, even + 1)
                return
        raise NoRegisterError(low, one.start)
