"""Stream ciphers whose blocks hand on counters alone: the block of any number, from any counters.

Before `finalist.passes.counters` a kernel leaves its counters a step higher; after it the kernel knows its
block by a number. Both are carried out under the unknown key, with counters of which nothing is known, for a
block whose number is not known. Programs that make the same of it, leave the same counters, and else change
nothing of their state, make the same of all blocks of all calls, by induction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from finalist.ir.program import Program
from finalist.passes.counters import MOST_BLOCKS
from finalist.prove import definition
from finalist.prove.bits import Bits, Word, bits_of, known
from finalist.prove.streams import Course
from finalist.prove.words import NotCoveredError, Words

#: The number of a block of a call.
_NUMBER = (MOST_BLOCKS - 1).bit_length()


class Counted:
    """Programs of one plan; ``counting``: the first of them that knows blocks by number."""

    def __init__(self, counting: Program, words: Words, key: Sequence[Bits], data: Sequence[Bits]) -> None:
        self.counting, self.words, self.key, self.data = counting, words, key, data
        self.number = words.symbol("number", _NUMBER)
        self.values = [words.symbol(("counter", k), c.bits) for k, c in enumerate(counting.counters)]

    def course(self, program: Program) -> Course:
        """The counters after set-up, a block, and the counters after it. Raises NotCoveredError."""
        if program.block.bytes != len(self.data):
            raise NotCoveredError("a kernel of several blocks by number")
        evaluator = definition.Evaluator(self.words)
        arrays = evaluator.run(program.expand, definition.split(program.key, self.key))
        begun = [self._read(program, arrays, k) for k in range(len(self.values))]
        carry_out = self._by_number if program.counters else self._by_state
        output, left = carry_out(program, evaluator, arrays)
        return Course(begun, output, left)

    def _by_number(
        self, program: Program, evaluator: definition.Evaluator, arrays: list[Any]
    ) -> tuple[list[Word], list[Word]]:
        """Of a kernel that makes the key stream of a number."""
        layout = program.block
        arrays = self._with(program, arrays, self.values)
        number = [bits_of(self.number, layout.width), *[0] * (layout.count - 1)]
        stream = definition.merge(layout, evaluator.run(program.kernel, [*number, *arrays])[: layout.count])
        output = [tuple(map(self.words.store.xor, a, b)) for a, b in zip(self.data, stream, strict=True)]
        return [known(byte) for byte in output], [self._ahead(k, 1) for k in range(len(self.values))]

    def _by_state(
        self, program: Program, evaluator: definition.Evaluator, arrays: list[Any]
    ) -> tuple[list[Word], list[Word]]:
        """Of a kernel that leaves the counters a step higher."""
        layout = program.block
        arrays = self._with(program, arrays, [self._ahead(k, 0) for k in range(len(self.values))])
        block = definition.split(layout, self.data)
        results = evaluator.run(program.kernel, [*block, *arrays])
        handed_on = iter(results[layout.count :])
        after = [
            next(handed_on) if param.attr == "state" else array
            for param, array in zip(program.key_params, arrays, strict=True)
        ]
        left = [self._read(program, after, k) for k in range(len(self.values))]
        if self._with(program, after, self.values) != self._with(program, arrays, self.values):
            raise NotCoveredError("a block hands on more than counters")
        output = definition.merge(layout, results[: layout.count])
        return [known(byte) for byte in output], left

    def _ahead(self, k: int, blocks: int) -> Word:
        """A counter after a block's number of them, and so many more."""
        step = self.counting.counters[k].step
        value = self.values[k]
        return self.words.sums.add([(value, 1), (self.number, step)], blocks * step, len(value))

    # -- where counters are -----------------------------------------------------------------------

    def _limbs(self, program: Program, k: int) -> list[tuple[int, int, int]]:
        """Where a counter is, the lowest bits first: an array, an entry, and how many bits."""
        if program.counters:
            counter = program.counters[k]
            arrays = [program.key_names.index(name) for name in counter.arrays]
        else:
            counter = self.counting.counters[k]
            first = self.counting.key_names.index(counter.arrays[0])
            width = self.counting.block.width
            owners = [at for at, t in enumerate(program.key_types) for _ in range(-(-t.width // width))]
            arrays = [owners[first]]
        return [(at, counter.entry, program.key_types[at].width) for at in arrays]

    def _read(self, program: Program, arrays: Sequence[Sequence[Word]], k: int) -> Word:
        limbs = self._limbs(program, k)
        return known(tuple(bit for at, entry, size in limbs for bit in bits_of(arrays[at][entry], size)))

    def _with(self, program: Program, arrays: Sequence[Any], values: Sequence[Word]) -> list[list[Word]]:
        """The arrays with other counters."""
        found = [list(array) for array in arrays]
        for k, (value, old) in enumerate(zip(values, self.values, strict=True)):
            bits = bits_of(value, len(old))
            for at, entry, size in self._limbs(program, k):
                found[at][entry], bits = known(bits[:size]), bits[size:]
        return found
