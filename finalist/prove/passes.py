"""Whether each pass leaves a program what it was: its graphs before and after, for all keys and all blocks.

The programs on the way from a definition to a text are carried out over one store, one after the other, and
each is compared with the one before it; word by word (`finalist.prove.cuts`) where that leaves it open, and
sooner where a pass makes limbs, or gates of three inputs. So the pass is named that is wrong.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from finalist.ir.printer import fingerprint
from finalist.ir.program import Program
from finalist.ir.steps import Step
from finalist.prove import decide, definition
from finalist.prove.bits import Bits, Word
from finalist.prove.collector import uncollected
from finalist.prove.compositional import COMPOSITIONAL, Compositional
from finalist.prove.counted import Counted
from finalist.prove.cuts import gives_block_words, narrower, remapped
from finalist.prove.decide import Found, decided, difference, nothing
from finalist.prove.independence import blocks_are_independent
from finalist.prove.memory import as_bytes
from finalist.prove.refute import Counterexample, Pair, interpreted
from finalist.prove.settle import Sides
from finalist.prove.streams import Streams
from finalist.prove.words import NotCoveredError, Words

#: The method of a pass that is not proved over one store.
WORDS = "word by word"
#: Of a pass that gave the graphs that it was given.
UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class Passed:
    """What was found of one pass. ``verdict``: unchanged, proved, refuted or undecided; ``reason``: of the
    last, where it stopped. ``seconds``: of the CPU. ``counterexample``: "defined" is what the program before
    the pass makes. ``method``: how it was proved, if not over one store."""

    name: str
    file: str
    verdict: str
    reason: str
    engines: tuple[str, ...]
    seconds: float
    counterexample: Counterexample | None = None
    method: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """The passes that made a program, with the verdict on each."""

    cipher: str
    operation: str
    key_bits: int
    machine: str
    schedule: str
    passes: tuple[Passed, ...]

    @property
    def changed(self) -> list[Passed]:
        """Those that did anything."""
        return [one for one in self.passes if one.verdict != UNCHANGED]

    @property
    def proved(self) -> bool:
        """Whether all of these are proved."""
        return all(one.verdict == "proved" for one in self.changed)

    @property
    def settled(self) -> bool:
        """Whether none of these is undecided."""
        return all(one.verdict != "undecided" for one in self.changed)


def prove_passes(steps: Sequence[Step], seconds: float | None = None) -> Iterator[Passed]:
    """The verdict on each of the steps from the traced program to another, in order. Where a program on the
    way has a kernel that does not give the words of a block, the passes before and after it are held together
    to the program that the first of them was given.

    ``seconds``: of the CPU for carrying out all programs.
    """
    if not steps:
        return
    runs = _Runs([steps[0].before, *(step.after for step in steps)], seconds)
    waiting: list[Step] = []
    try:
        for step in steps:
            waiting.append(step)
            if gives_block_words(step.after) or step is steps[-1]:
                yield from _compared(runs, waiting)
                waiting = []
    finally:
        runs.words.close()


@uncollected()
def _compared(runs: _Runs, steps: Sequence[Step]) -> list[Passed]:
    """The verdicts on steps that are held together to the program before them."""
    changed = [step for step in steps if runs.fingerprint(step.before) != runs.fingerprint(step.after)]
    unchanged = {step.name: Passed(step.name, step.file, UNCHANGED, "", (), 0.0) for step in steps}
    if not changed:
        return list(unchanged.values())
    start = time.process_time()
    before, last = steps[0].before, changed[-1]
    size = math.lcm(before.block.bytes, last.after.block.bytes)
    by_words = partial(_by_words, runs, before, last.after)
    gates, limbs = remapped(before, last.after), narrower(before, last.after)
    found = (by_words() if gates else None) or runs.compositional(before, last.after, size)
    found = found or (by_words() if limbs and not gates else None)
    found = found or runs.compared(before, last.after, size)
    pair = Pair(before, partial(interpreted, last.after), size // before.block.bytes)
    verdict, wrong, engines, found = decided(pair, found, nothing if gates or limbs else by_words)
    taken = round(time.process_time() - start, 3)
    proved = verdict == "proved"
    reason, method = ("", found.method) if proved else (found.reason, "")
    verdicts = {
        step.name: Passed(
            step.name, step.file, verdict, reason, engines, taken if step is last else 0.0, wrong, method
        )
        for step in changed
    }
    return list((unchanged | verdicts).values())


def _by_words(runs: _Runs, before: Program, after: Program) -> Found | None:
    """That two programs are equal word by word, in the seconds that are left; None if it is not proved."""
    found = decide.by_words(before, after, runs.words.left)
    found.method = WORDS
    return None if found.reason else found


class _Runs:
    """Programs carried out on one key and the same blocks, as many as two that are compared can be given."""

    def __init__(self, programs: Sequence[Program], seconds: float | None) -> None:
        first = programs[0]
        self.words = Words(seconds)
        counting = next((program for program in programs if program.counters), None)
        self.key = as_bytes(self.words, "key", first.key.bytes)
        self.data = as_bytes(self.words, "data", math.lcm(*(program.block.bytes for program in programs)))
        self.counted = None if counting is None else Counted(counting, self.words, self.key, self.data)
        self._separate = Compositional(self.words, self.key, first.expanded_bytes)
        #: Bytes of a block of the definition.
        self.unit = first.block.bytes
        #: By fingerprint whether a program's blocks are independent.
        self._independent: dict[str, bool] = {}
        #: By the identity of a program, all of which the steps keep.
        self._prints: dict[int, str] = {}
        #: What the program of a fingerprint made last, of so many bytes, of blocks that are all the same.
        self._last: tuple[tuple[str, int, int, bool], list[Word] | str] | None = None

    def fingerprint(self, program: Program) -> str:
        """The program's fingerprint, made once."""
        if id(program) not in self._prints:
            self._prints[id(program)] = fingerprint(program)
        return self._prints[id(program)]

    def independent(self, program: Program) -> bool:
        """Whether a program's blocks, of the definition's size, are independent."""
        about = self.fingerprint(program)
        if about not in self._independent:
            self._independent[about] = blocks_are_independent(program, self.unit, self.words.check)
        return self._independent[about]

    def outputs(self, program: Program, size: int, alike: bool) -> list[Word] | str:
        """The bytes that a program makes of so many, or why it could not be carried out; where blocks hand on
        a state, that after the key schedule, and what one call makes of any state, or block by number.
        ``alike``: whether all blocks are the same."""
        about = self.fingerprint(program), program.block.bytes, size, alike
        if self._last is None or self._last[0] != about:
            self._last = about, self._outputs(program, size, alike)
        return self._last[1]

    def _outputs(self, program: Program, size: int, alike: bool) -> list[Word] | str:
        own = program.block.bytes
        data = self._data(size, alike)
        if not gives_block_words(program):
            return "its kernel does not give the words of a block"
        try:
            if self.counted is not None:
                return self.counted.course(program).bytes
            if program.stateful:
                return Streams(program, self.words, self.key, data).defined().bytes
            calls = 1 if alike else size // own
            blocks = [data[k * own : k * own + own] for k in range(calls)]
            return list[Word](definition.outputs(program, self.words, self.key, blocks)) * (
                size // own // calls
            )
        except NotCoveredError as error:
            return str(error)

    def _data(self, size: int, alike: bool) -> Sequence[Bits]:
        """So many bytes; ``alike``: the same block again and again."""
        return self.data[: self.unit] * (size // self.unit) if alike else self.data[:size]

    def compositional(self, before: Program, after: Program, size: int) -> Found | None:
        """That the key schedules of two programs are equal, and their kernels under any expanded key; None if
        it is not proved. ``size``: bytes of data."""
        if self.counted is not None or not gives_block_words(after):
            return None
        alike = self._alike(before, after, size)
        proved = self._separate.equal(before, after, self._data(size, alike), alike)
        return Found(method=COMPOSITIONAL) if proved else None

    def _alike(self, before: Program, after: Program, size: int) -> bool:
        """Whether blocks that are all the same may do: there are several, and both programs' are
        independent."""
        return size > self.unit and self.independent(before) and self.independent(after)

    def compared(self, before: Program, after: Program, size: int) -> Found:
        """Two programs over the store; ``size``: bytes of data. Where the blocks of both are
        independent, it is enough that they agree on blocks that are all the same; else no two are."""
        if self._alike(before, after, size):
            found = self._compared(before, after, size, alike=True)
            if not found.reason:
                return found
        return self._compared(before, after, size, alike=False)

    def _compared(self, before: Program, after: Program, size: int, alike: bool) -> Found:
        made = self.outputs(before, size, alike)
        own = len(self.words.store.atoms)
        return self.found(made, self.outputs(after, size, alike), own, size)

    def found(self, before: list[Word] | str, after: list[Word] | str, own: int, size: int) -> Found:
        """Both sides of a pass; ``own``: the first atom that the program before it has not; ``size``: bytes
        of data."""
        if isinstance(before, str):
            return Found(f"before it: {before}")
        if isinstance(after, str):
            return Found(after)
        if len(before) != len(after):
            return Found("the state has another form")
        sides = Sides(self.words, before, after, own, (len(self.key), size))
        return Found(difference(before, after), sides=sides)
