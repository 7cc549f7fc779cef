"""Compositional equivalence: two programs are equal if their key schedules are, and their kernels under any
expanded key.

It is a sufficient condition: a kernel may be right for those expanded keys alone that a key leads to. Where
it holds, no kernel is carried out on the bits of a long key schedule, and a key schedule that no pass has
changed is not carried out at all. An expanded key in limbs, each in an array of its own, is one of whole
words.

Where a pass has broadcast the round keys, any expanded key has other ones for each block, and the work of as
many. There the kernels are compared under any expanded key with those bits equal that the key schedule makes
equal for all keys.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.printer import kernel_digest, key_schedule_digest
from finalist.ir.program import Program
from finalist.ir.types import ArrayType
from finalist.prove.bits import Bits, Word, bits_of, known
from finalist.prove.definition import Keyed, merge, split
from finalist.prove.store import TRUE
from finalist.prove.uninterpreted import Uninterpreted
from finalist.prove.words import NotCoveredError, Words

#: By array of an expanded key the bits of the arrays that hold it, the lowest limb first.
Limbs: TypeAlias = tuple[tuple[int, ...], ...]
#: By array of an expanded key its words.
Entries: TypeAlias = tuple[tuple[Word, ...], ...]
#: The method of a pass that is proved so.
COMPOSITIONAL = "key schedule and kernel separately"


class Compositional:
    """Programs over one store; ``key``: bytes that nothing is known of; ``size``: bytes of the
    definition's expanded key."""

    def __init__(self, words: Words, key: Sequence[Bits], size: int) -> None:
        self.words, self.key, self.size = words, key, size
        self._uninterpreted = Uninterpreted(words)
        #: By digest of a key schedule, and whether its loops are uninterpreted, the expanded key.
        self._expanded: dict[tuple[str, bool], list[Any] | None] = {}
        #: What a kernel made last, of which expanded key and data.
        self._last: tuple[tuple[Any, ...], list[Any] | None] | None = None

    def equal(self, before: Program, after: Program, data: Sequence[Bits], alike: bool = False) -> bool:
        """Whether two programs, whose kernels give the words of a block, are proved equal. ``data``: bytes
        that are not known, as many as a number of calls of either takes; ``alike``: the same block again and
        again."""
        limbs = _limbs(before, after)
        if limbs is None or before.counters != after.counters:
            return False
        if before.stateful and (before.block != after.block or limbs != _whole(before)):
            return False
        return self._same_kernel(before, after, limbs, data, alike) and self._same_key(before, after, limbs)

    def _same_kernel(
        self, before: Program, after: Program, limbs: Limbs, data: Sequence[Bits], alike: bool
    ) -> bool:
        if kernel_digest(before) == kernel_digest(after):
            return True
        stores = limbs == _whole(before) and all(_has_stores(program.kernel) for program in (before, after))
        if stores and before.block == after.block:
            made = self._kernel_terms(before, data)
            if made is not None and made == self._kernel_terms(after, data):
                return True
        key = self._any_key(before, alike)
        made = self._kernel(before, _in_limbs(key, _whole(before)), data)
        return made is not None and made == self._kernel(after, _in_limbs(key, limbs), data)

    def _any_key(self, program: Program, alike: bool) -> list[list[Bits]]:
        """The entries of any expanded key; ``alike``: of blocks that are all the same."""
        types = program.key_types
        made = None
        if alike and program.expanded_bytes > self.size:
            made = self._expand(program, uninterpreted=False)
        if made is None:
            return [
                [self.words.symbol(("expanded", which, k), type_.width) for k in range(type_.length)]
                for which, type_ in enumerate(types)
            ]
        return [
            [tuple(map(self._any_bit, bits_of(entry, type_.width))) for entry in array]
            for array, type_ in zip(made, types, strict=True)
        ]

    def _any_bit(self, bit: int) -> int:
        """Any bit in place of one of an expanded key, the same wherever that one is; its complement of that
        one's."""
        return bit if bit <= TRUE else self.words.symbol(("expanded", bit >> 1), 1)[0] ^ bit & 1

    def _kernel(self, program: Program, key: Entries, data: Sequence[Bits]) -> list[Any] | None:
        """Block by block what a kernel makes of data under an expanded key; None where it is not covered."""
        about = kernel_digest(program), key, data
        if self._last is None or self._last[0] != about:
            self._last = about, _found(lambda: self._carried_out(program, list(key), data))
        return self._last[1]

    def _kernel_terms(self, program: Program, data: Sequence[Bits]) -> list[Any] | None:
        """What a kernel makes of a block with its arrays uninterpreted; None where it is not covered."""
        block = split(program.block, data[: program.block.bytes])
        expanded = (
            self._uninterpreted.symbol(type_, "expanded", which)
            for which, type_ in enumerate(program.key_types)
        )
        return _found(lambda: self._uninterpreted.run(program.kernel, [*block, *expanded]))

    def _carried_out(self, program: Program, arrays: list[Any], data: Sequence[Bits]) -> list[Any]:
        self.words.reads.tables = False  # as `finalist.prove.definition.outputs` has it
        size, found = program.block.bytes, list[Any]()
        blocks = [data[at : at + size] for at in range(0, len(data), size)]
        for results in Keyed(program, self.words, arrays=arrays).results(program, blocks):
            found += merge(program.block, results[: program.block.count])
            found += results[program.block.count :]  # the state that is handed on
        return found

    def _same_key(self, before: Program, after: Program, limbs: Limbs) -> bool:
        """Whether the expanded keys are equal: with loops uninterpreted, or else carried out."""
        if key_schedule_digest(before) == key_schedule_digest(after):
            return True
        whole = limbs == _whole(before)
        loops = whole and all(_has_loops(program.expand) for program in (before, after))
        for uninterpreted in (True, False) if loops else (False,):
            made = self._expand(before, uninterpreted)
            other = None if made is None else self._expand(after, uninterpreted)
            if other is not None and made == (other if whole else _joined(other, limbs)):
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


def _has_stores(graph: Graph) -> bool:
    return any(node.op is Op.STORE for node in graph.body)


def _whole(program: Program) -> Limbs:
    """The expanded key as the program itself has it."""
    return tuple((type_.width,) for type_ in program.key_types)


def _limbs(before: Program, after: Program) -> Limbs | None:
    """The limbs in which a program has the expanded key of another one; None if it has another form."""
    rest = list(zip(after.key_types, after.key_params, strict=True))
    found = []
    for type_, param in zip(before.key_types, before.key_params, strict=True):
        widths = list[int]()
        while rest and sum(widths) < type_.width and _pairs_with(rest[0], (type_, param)):
            widths.append(rest.pop(0)[0].width)
        if sum(widths) != type_.width:
            return None
        found.append(tuple(widths))
    return None if rest else tuple(found)


def _pairs_with(one: tuple[ArrayType, Node], other: tuple[ArrayType, Node]) -> bool:
    """Whether arrays of expanded keys have as many entries, and are handed on alike."""
    return (one[0].length, one[1].attr) == (other[0].length, other[1].attr)


def _in_limbs(key: list[list[Bits]], limbs: Limbs) -> Entries:
    """The arrays that hold limbs of an expanded key's words."""
    return tuple(
        tuple(known(entry[start:end]) for entry in array)
        for array, widths in zip(key, limbs, strict=True)
        for start, end in pairwise(accumulate(widths, initial=0))
    )


def _joined(arrays: Sequence[Any], limbs: Limbs) -> list[Any]:
    """The arrays of whole words that are there in limbs."""
    rest, found = iter(arrays), []
    for widths in limbs:
        own = [[bits_of(entry, width) for entry in next(rest)] for width in widths]
        found.append(tuple(known(sum(entry, ())) for entry in zip(*own, strict=True)))
    return found


def _found(make: Callable[[], list[Any]]) -> list[Any] | None:
    """What is made; None where it is not covered."""
    try:
        return make()
    except NotCoveredError:
        return None
