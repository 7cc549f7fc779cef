"""Compositional equivalence: two programs are equal if their key schedules are, and their kernels under any
expanded key.

It is a sufficient condition: a kernel may be right for those expanded keys alone that a key leads to. Where
it holds, no kernel is carried out on the bits of a long key schedule, and a key schedule that no pass has
changed is not carried out at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from finalist.ir.graph import Graph
from finalist.ir.ops import Op
from finalist.ir.printer import kernel_digest, key_schedule_digest
from finalist.ir.program import Program
from finalist.prove.bits import Bits
from finalist.prove.definition import Keyed, merge, split
from finalist.prove.uninterpreted import Uninterpreted
from finalist.prove.words import NotCoveredError, Words

#: The method of a pass that is proved so.
COMPOSITIONAL = "key schedule and kernel separately"


class Compositional:
    """Programs over one store; ``key``: bytes that nothing is known of."""

    def __init__(self, words: Words, key: Sequence[Bits]) -> None:
        self.words, self.key = words, key
        self._uninterpreted = Uninterpreted(words)
        #: By digest of a key schedule, and whether its loops are uninterpreted, the expanded key.
        self._expanded: dict[tuple[str, bool], list[Any] | None] = {}
        #: What a kernel made last, of which data.
        self._last: tuple[tuple[str, Sequence[Bits]], list[Any] | None] | None = None

    def equal(self, before: Program, after: Program, data: Sequence[Bits]) -> bool:
        """Whether two programs, whose kernels give the words of a block, are proved equal. ``data``: bytes
        that are not known, as many as a number of calls of either takes."""
        if _expanded(before) != _expanded(after) or (before.stateful and before.block != after.block):
            return False
        return self._same_kernel(before, after, data) and self._same_key(before, after)

    def _same_kernel(self, before: Program, after: Program, data: Sequence[Bits]) -> bool:
        if kernel_digest(before) == kernel_digest(after):
            return True
        made = self._kernel(before, data)
        return made is not None and made == self._kernel(after, data)

    def _kernel(self, program: Program, data: Sequence[Bits]) -> list[Any] | None:
        """Block by block what a kernel makes of data under any expanded key; None where it is not covered."""
        about = kernel_digest(program), data
        if self._last is None or self._last[0] != about:
            self._last = about, _found(lambda: self._any_key(program, data))
        return self._last[1]

    def _any_key(self, program: Program, data: Sequence[Bits]) -> list[Any]:
        self.words.reads.tables = False  # as `finalist.prove.definition.outputs` has it
        size, found = program.block.bytes, list[Any]()
        arrays = [
            tuple(self.words.symbol(("expanded", which, k), type_.width) for k in range(type_.length))
            for which, type_ in enumerate(program.key_types)
        ]
        blocks = [data[at : at + size] for at in range(0, len(data), size)]
        for results in Keyed(program, self.words, arrays=arrays).results(program, blocks):
            found += merge(program.block, results[: program.block.count])
            found += results[program.block.count :]  # the state that is handed on
        return found

    def _same_key(self, before: Program, after: Program) -> bool:
        """Whether the expanded keys are equal: with loops uninterpreted, or else carried out."""
        if key_schedule_digest(before) == key_schedule_digest(after):
            return True
        loops = all(_has_loops(program.expand) for program in (before, after))
        for uninterpreted in (True, False) if loops else (False,):
            made = self._expand(before, uninterpreted)
            if made is not None and made == self._expand(after, uninterpreted):
                return True
        return False

    def _expand(self, program: Program, uninterpreted: bool) -> list[Any] | None:
        """The expanded key; None where it is not covered."""
        about = key_schedule_digest(program), uninterpreted
        if about not in self._expanded:
            self._expanded[about] = _found(lambda: self._arrays(program, uninterpreted))
        return self._expanded[about]

    def _arrays(self, program: Program, uninterpreted: bool) -> list[Any]:
        if uninterpreted:
            return self._uninterpreted.run(program.expand, split(program.key, self.key))
        self.words.reads.tables = False
        return Keyed(program, self.words, self.key).arrays


def _has_loops(graph: Graph) -> bool:
    return any(node.op is Op.LOOP for node in graph.body)


def _expanded(program: Program) -> tuple[object, ...]:
    """The form of an expanded key, the same of all kernels that can be given one."""
    return program.key_types, [param.attr for param in program.key_params], program.counters


def _found(make: Callable[[], list[Any]]) -> list[Any] | None:
    """What is made; None where it is not covered."""
    try:
        return make()
    except NotCoveredError:
        return None
