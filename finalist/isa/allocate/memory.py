"""Words that live in memory get their bytes: by colouring, those first that are used most.

Two words that are live at once get different bytes; one that is copied to another gets the other's where it
can, so that nothing is copied. (G. J. Chaitin and others, "Register Allocation via Coloring", 1981.) Bytes
with short addresses go to the words that save most by them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from finalist.isa.allocate.conflicts import Conflicts, Copies, conflicts_of, merged
from finalist.isa.allocate.early import with_early_copies
from finalist.isa.allocate.in_place import changed_in_place
from finalist.isa.allocate.linear import NoRoomError
from finalist.isa.allocate.rows import in_a_row
from finalist.isa.allocate.tidy import in_order, live_at_ends, tidied, words_read, words_written, writes
from finalist.isa.code import Block, Cell, Code, Ins
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.processor import Processor, WorkingMemory

#: For each instruction the one that does the same at a long address.
Longer = dict[Instruction, Instruction | None]


@dataclass(frozen=True, slots=True)
class Taken:
    """The working memory that a piece of program takes: bytes ``beyond`` the short addresses, and the numbers
    of those with short ones."""

    beyond: int
    short: frozenset[int]


#: Ways in which words get bytes: whether copies are made early, and words are where the block's are.
WAYS = ((True, False), (False, False), (True, True), (False, True))
#: Those of code none of whose words have a byte for good.
_WITHOUT_HOMES = tuple(way for way in WAYS if not way[1])
#: Bytes of code that a byte of working memory is worth, of which a chip has far fewer.
WORTH = 16


def ways_of(code: Code, working: WorkingMemory) -> tuple[tuple[bool, bool], ...]:
    """The ways that differ for a piece of code."""
    if not working.block:
        return WAYS[:1]
    return WAYS if code.homes else _WITHOUT_HOMES


def allocate(
    code: Code, processor: Processor, beyond: int, early: bool = True, at_home: bool = False
) -> Taken:
    """Replaces words of code that is tidied by addresses, in one of the `WAYS`; those beyond the short ones
    are from ``beyond`` on.

    Raises NoRoomError.
    """
    working = processor.working
    assert working is not None
    _with_bytes(code, processor, early and working.block, at_home)
    if processor.counting is not None:
        in_order(code.blocks)
        now = in_a_row(code.blocks, set(code.homes.values()), working.direct)
        for ins in code.instructions():
            _renamed(ins, now)
        in_order(code.blocks)
    used = {int(x) for ins in code.instructions() for x in ins.operands if isinstance(x, Cell)}
    taken = max(used, default=-1) + 1 - working.direct
    longer = {one: _longer(one, processor) for one in processor.instructions}
    for ins in code.instructions():
        _placed(ins, longer, working, beyond)
    return Taken(max(0, taken), frozenset(home for home in used if home < working.direct))


def _with_bytes(code: Code, processor: Processor, early: bool, at_home: bool) -> None:
    """Replaces words by the numbers of bytes. Raises NoRoomError."""
    working = processor.working
    assert working is not None
    if early:
        with_early_copies(code.blocks, code.homes if at_home else (), code.homes)
    ends = tidied(code.blocks, processor) if early else live_at_ends(code.blocks)
    conflicts, copies = conflicts_of(code.blocks, ends)
    last = {word for ins in code.instructions() for word in writes(ins) if word in code.homes}
    now = merged(conflicts, copies, code.homes, last if at_home else None) if working.block else {}
    for ins in code.instructions():
        _renamed(ins, now)
    if now:
        conflicts, copies = conflicts_of(code.blocks, live_at_ends(code.blocks))
    longer = {one: _longer(one, processor) for one in processor.instructions}
    fixed = {now.get(word, word): home for word, home in code.homes.items()}
    homes = coloured(code.blocks, conflicts, copies, working, _short_only(code, longer), fixed)
    for ins in code.instructions():
        ins.operands = [Cell(homes[x]) if isinstance(x, Cell) else x for x in ins.operands]
        if ins.takes or ins.gives:
            ins.takes = [homes[x] for x in ins.takes if x in homes]
            ins.gives = [homes[x] for x in ins.gives if x in homes]
    changed_in_place(code.blocks, processor, tidied(code.blocks, processor))


def _renamed(ins: Ins, now: Mapping[int, int]) -> None:
    ins.operands = [Cell(now.get(x, x)) if isinstance(x, Cell) else x for x in ins.operands]
    if ins.takes or ins.gives:
        ins.takes = [now.get(x, x) for x in ins.takes]
        ins.gives = list(dict.fromkeys(now.get(x, x) for x in ins.gives))


def coloured(
    blocks: Sequence[Block],
    conflicts: Conflicts,
    copies: Copies,
    working: WorkingMemory,
    short_only: set[int],
    fixed: Mapping[int, int] | None = None,
) -> dict[int, int]:
    """For each word a number, 0 to ``direct`` - 1 for those with short addresses; that of some is ``fixed``.

    Raises NoRoomError.
    """
    weight = dict.fromkeys(conflicts.rows, 0.0)
    for block in blocks:
        once = 10.0**block.depth
        for ins in block.body:
            for word in {*words_read(ins), *words_written(ins)}:
                weight[word] += once
    first = _Bytes(conflicts, copies, working.direct, fixed or {})
    for word in sorted(first.open, key=lambda word: (word not in short_only, -weight[word], word)):
        first.take(word)
    homes = first.homes
    if working.block:
        other = _by_saturation(weight, _Bytes(conflicts, copies, working.direct, fixed or {}))
        homes = other if _count(other) < _count(homes) <= working.direct else homes
    _check(homes, working, short_only)
    return homes


def _count(homes: Mapping[int, int]) -> int:
    return len(set(homes.values()))


class _Bytes:
    """The bytes that words have, some from the first; ``near``: by byte, as bits, the words that are live
    with one there."""

    def __init__(self, conflicts: Conflicts, copies: Copies, direct: int, fixed: Mapping[int, int]) -> None:
        self.conflicts, self.copies, self.direct = conflicts, copies, direct
        self.homes = dict(fixed)
        self.near: dict[int, int] = {}
        for word, home in fixed.items():
            self.near[home] = self.near.get(home, 0) | conflicts.rows.get(word, 0)
        self.open = conflicts.rows.keys() - fixed.keys()

    def take(self, word: int) -> tuple[int, int]:
        """Gives a word that of one that it is copied to or from, or the first byte that is free; which, and
        for what words it was free before, and is not now."""
        near, bit = self.near, self.conflicts.bits[word]
        wanted = sorted(self.copies.get(word, {}).items(), key=lambda item: -item[1])
        hinted = [self.homes[other] for other, _ in wanted if other in self.homes]
        free = [home for home in hinted if not near[home] & bit]
        number = next(home for home in count() if not near.get(home, 0) & bit)
        short = [home for home in free if home < self.direct]
        home = (short or [number])[0] if number < self.direct else (free or [number])[0]
        before, row = near.get(home, 0), self.conflicts.rows[word]
        self.homes[word], near[home] = home, before | row
        return home, row & ~before


def _by_saturation(weight: Mapping[int, float], found: _Bytes) -> dict[int, int]:
    """The same, always of the word next for which most bytes are taken (D. Brélaz, "New Methods to Color the
    Vertices of a Graph", 1979): where all addresses are short, few bytes are what matters."""
    rows, bits = found.conflicts.rows, found.conflicts.bits
    order = sorted(found.open, key=lambda word: (-rows[word].bit_count(), -weight[word], word))
    rank = {word: number for number, word in enumerate(order)}
    waiting = [found.conflicts.of_all(order)]  # by how many bytes are taken for them
    for near in found.near.values():
        _raised(waiting, near)
    while len(waiting) > 1 or waiting[0]:
        if not waiting[-1]:
            waiting.pop()
            continue
        word = min(found.conflicts.words(waiting[-1]), key=rank.__getitem__)
        waiting[-1] ^= bits[word]
        _raised(waiting, found.take(word)[1])
    return found.homes


def _raised(levels: list[int], bits: int) -> None:
    """Moves these bits up by one level each."""
    levels.append(0)
    for level in range(len(levels) - 2, -1, -1):
        moved = levels[level] & bits
        levels[level] ^= moved
        levels[level + 1] |= moved


def _check(homes: dict[int, int], working: WorkingMemory, short_only: set[int]) -> None:
    lacking = max(homes.values(), default=-1) + 1 - working.direct - working.beyond
    if lacking > 0:
        raise NoRoomError(
            f"{lacking} bytes of working memory are lacking; there are {working.direct + working.beyond}"
        )
    wrong = [word for word in short_only if homes[word] >= working.direct]
    if wrong:
        raise NoRoomError(
            f"{len(wrong)} bytes of working memory with short addresses are lacking; there are "
            f"{working.direct}"
        )


# -- addresses ---------------------------------------------------------------------------------------


def _short_only(code: Code, longer: Longer) -> set[int]:
    """The words that instructions name which have no form with a long address."""
    return {
        int(x)
        for ins in code.instructions()
        for x in ins.operands
        if isinstance(x, Cell) and longer[ins.instruction] is None
    }


def _placed(ins: Ins, longer: Longer, working: WorkingMemory, beyond: int) -> None:
    for place, word in enumerate(ins.operands):
        if not isinstance(word, Cell):
            continue
        if word < working.direct:
            ins.operands[place] = working.first + int(word)
        else:
            instead = longer[ins.instruction]
            assert instead is not None
            ins.instruction = instead
            ins.operands[place] = beyond + int(word) - working.direct


def _longer(short: Instruction, processor: Processor) -> Instruction | None:
    """The instruction that does the same at a long address."""
    names = [o.name for o in short.operands]
    for one in processor.by_name[short.name]:
        same = [o.name for o in one.operands] == names and one.forms[0][1] == short.forms[0][1]
        if same and one.bits > short.bits:
            return one
    return None
