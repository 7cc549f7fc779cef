"""Words that live in memory get their bytes: by colouring, those first that are used most.

Two words that are live at once get different bytes; one that is copied to another gets the other's where it
can, so that nothing is copied. (G. J. Chaitin and others, "Register Allocation via Coloring", 1981.) Bytes
with short addresses go to the words that save most by them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from finalist.isa.allocate.early import with_early_copies
from finalist.isa.allocate.in_place import changed_in_place
from finalist.isa.allocate.linear import NoRoomError
from finalist.isa.allocate.rows import in_a_row
from finalist.isa.allocate.tidy import accesses, in_order, live_at_ends, reads, tidied, writes
from finalist.isa.code import Block, Cell, Code, Ins
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.processor import Processor, WorkingMemory

Graph = dict[int, set[int]]
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
#: Bytes of code that a byte of working memory is worth, of which a chip has far fewer.
WORTH = 16


def allocate(
    code: Code, processor: Processor, beyond: int, early: bool = True, at_home: bool = False
) -> Taken:
    """Replaces words by addresses, in one of the `WAYS`; those beyond the short ones are from ``beyond`` on.

    Raises NoRoomError.
    """
    working = processor.working
    assert working is not None
    tidied(code.blocks, processor)
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
        tidied(code.blocks, processor)
    conflicts, copies = conflicts_of(code.blocks)
    last = {word for ins in code.instructions() for word in writes(ins) if word in code.homes}
    now = merged(conflicts, copies, code.homes, last if at_home else None) if working.block else {}
    for ins in code.instructions():
        _renamed(ins, now)
    if now:
        conflicts, copies = conflicts_of(code.blocks)
    longer = {one: _longer(one, processor) for one in processor.instructions}
    fixed = {now.get(word, word): home for word, home in code.homes.items()}
    homes = coloured(code.blocks, conflicts, copies, working, _short_only(code, longer), fixed)
    for ins in code.instructions():
        ins.operands = [Cell(homes[x]) if isinstance(x, Cell) else x for x in ins.operands]
        ins.takes = [homes[x] for x in ins.takes if x in homes]
        ins.gives = [homes[x] for x in ins.gives if x in homes]
    tidied(code.blocks, processor)
    changed_in_place(code.blocks, processor)


def conflicts_of(blocks: Sequence[Block]) -> tuple[Graph, dict[int, dict[int, float]]]:
    """For each word those that are live with it, holding something else; and what it is copied to or from,
    with how often."""
    conflicts: Graph = {}
    copies: dict[int, dict[int, float]] = {}
    ends = live_at_ends(blocks)
    for block in blocks:
        live = {place for place in ends[block.label] if isinstance(place, int)}
        for place in reversed(range(len(block.body))):
            ins = block.body[place]
            source = _source(block.body, place)
            written = [word for word in writes(ins) if isinstance(word, int)]
            live.difference_update(written)
            for word in written:
                known = conflicts.setdefault(word, set())
                for other in live - known - {source}:
                    known.add(other)
                    conflicts.setdefault(other, set()).add(word)
                for near in _updated(block.body, place) if source is None else ():
                    if near != word and near not in live:
                        _like(copies, word, near, _NEAR * 10.0**block.depth)
                if source is not None and source != word:
                    _like(copies, word, source, 10.0**block.depth)
            for place_ in reads(ins):
                if isinstance(place_, int):
                    live.add(place_)
                    conflicts.setdefault(place_, set())
    return conflicts, copies


#: What one place for a word and for what it is made of is worth, where one for it and its copy is worth 1.
_NEAR = 0.01


def _like(copies: dict[int, dict[int, float]], one: int, other: int, weight: float) -> None:
    """One place would be as good for both words."""
    for a, b in ((one, other), (other, one)):
        copies.setdefault(a, {})[b] = copies.get(a, {}).get(b, 0.0) + weight


def _renamed(ins: Ins, now: Mapping[int, int]) -> None:
    ins.operands = [Cell(now.get(x, x)) if isinstance(x, Cell) else x for x in ins.operands]
    ins.takes = [now.get(x, x) for x in ins.takes]
    ins.gives = list(dict.fromkeys(now.get(x, x) for x in ins.gives))


def merged(
    conflicts: Graph,
    copies: Mapping[int, Mapping[int, float]],
    fixed: Mapping[int, int],
    last: Set[int] | None = None,
) -> dict[int, int]:
    """For words that are one with another from now on, that one: copied to it, or made in its place, and
    never live with it.

    What is copied most comes first. With ``last``, those of the ``fixed`` words that are written, what is
    made of the other ones comes before copies to these: all stays where the block's words are.
    """
    made = _Merging(conflicts, dict(fixed))
    edges = [(weight, a, b) for a, others in copies.items() for b, weight in others.items() if a < b]
    edges.sort(key=lambda edge: (-edge[0], edge[1:]))
    if last is not None:
        inner = [(weight, a, b) for weight, a, b in edges if not {a, b} & last]
        for weight, a, b in inner:
            if weight >= 1:
                made.merge(a, b)
        near = [(a, b) for weight, a, b in inner if weight < 1]
        while sum(made.merge(a, b) for a, b in near if made.is_at_home(a) or made.is_at_home(b)):
            pass
    for _, a, b in edges:
        made.merge(a, b)
    return {word: made.leader(word) for word in made.now}


class _Merging:
    """Words that are one with another by ``now``, whose bytes are known of some."""

    def __init__(self, conflicts: Graph, homes: dict[int, int]) -> None:
        self.now: dict[int, int] = {}
        self.homes = homes
        self.hostile = {word: set(others) for word, others in conflicts.items()}

    def leader(self, word: int) -> int:
        """What a word is one with."""
        while word in self.now:
            word = self.now[word]
        return word

    def is_at_home(self, word: int) -> bool:
        """Whether its byte is known."""
        return self.leader(word) in self.homes

    def merge(self, a: int, b: int) -> bool:
        """Makes two words one, if they can be; whether they were two, and could."""
        one, other, homes = self.leader(a), self.leader(b), self.homes
        if one == other or other in self.hostile.get(one, ()) or (one in homes and other in homes):
            return False
        home = homes.get(one, homes.get(other))
        if home is not None and _held(home, {one, other}, self.hostile, homes):
            return False
        self.now[other] = one
        if home is not None:
            homes[one] = home
        for word in self.hostile.pop(other, set()):
            self.hostile[word].discard(other)
            self.hostile[word].add(one)
            self.hostile.setdefault(one, set()).add(word)
        return True


def _held(home: int, words: set[int], hostile: Graph, homes: Mapping[int, int]) -> bool:
    """Whether a word that is live with one of these is in the byte already."""
    return any(homes.get(other) == home for word in words for other in hostile.get(word, ()))


def _updated(body: Sequence[Ins], place: int) -> Iterator[int]:
    """The words that were loaded for what a store puts elsewhere: the place of one is as good."""
    if not accesses(body[place].instruction).stores:
        return
    for ins in reversed(body[max(0, place - 6) : place]):
        known = accesses(ins.instruction)
        if known.stores or ins.instruction.flow is not None:
            return
        yield from (int(x) for x in (ins.operands[k] for k in known.loads) if isinstance(x, Cell))


def _source(body: Sequence[Ins], place: int) -> int | None:
    """The word that a store puts elsewhere: loaded, or stored as well, by the instruction before."""
    if place == 0 or accesses(body[place].instruction).loads:
        return None
    before, known = accesses(body[place - 1].instruction), accesses(body[place].instruction)
    loads = len(before.loads) == 1 and not (before.read or before.stores) and known.read <= before.written
    again = known.read == before.read and not known.read & before.written  # but for condition codes
    stores = len(before.stores) == 1 and not before.loads and again
    if not known.stores or not (loads or stores):
        return None
    operand = body[place - 1].operands[(before.loads or before.stores)[0]]
    return int(operand) if isinstance(operand, Cell) else None


def coloured(
    blocks: Sequence[Block],
    conflicts: Graph,
    copies: dict[int, dict[int, float]],
    working: WorkingMemory,
    short_only: set[int],
    fixed: Mapping[int, int] | None = None,
) -> dict[int, int]:
    """For each word a number, 0 to ``direct`` - 1 for those with short addresses; that of some is ``fixed``.

    Raises NoRoomError.
    """
    weight = dict.fromkeys(conflicts, 0.0)
    for block in blocks:
        for ins in block.body:
            for word in {*reads(ins), *writes(ins)}:
                if isinstance(word, int):
                    weight[word] += 10.0**block.depth
    homes: dict[int, int] = dict(fixed or {})
    open_ = weight.keys() - homes.keys()
    for word in sorted(open_, key=lambda word: (word not in short_only, -weight[word], word)):
        homes[word] = _home(word, homes, conflicts, copies, working)
    if working.block:
        other = _by_saturation(weight, conflicts, copies, working, fixed)
        homes = other if _bytes(other) < _bytes(homes) <= working.direct else homes
    _check(homes, working, short_only)
    return homes


def _bytes(homes: Mapping[int, int]) -> int:
    return len(set(homes.values()))


def _home(
    word: int,
    homes: Mapping[int, int],
    conflicts: Graph,
    copies: dict[int, dict[int, float]],
    working: WorkingMemory,
) -> int:
    """The byte for a word: that of one that it is copied to or from, or the first that is free."""
    taken = {homes[other] for other in conflicts[word] if other in homes}
    wanted = sorted(copies.get(word, {}).items(), key=lambda item: -item[1])
    liked = [homes[other] for other, _ in wanted if other in homes and homes[other] not in taken]
    number = next(k for k in range(len(taken) + 1) if k not in taken)
    short = [home for home in liked if home < working.direct]
    return (short or [number])[0] if number < working.direct else (liked or [number])[0]


def _by_saturation(
    weight: Mapping[int, float],
    conflicts: Graph,
    copies: dict[int, dict[int, float]],
    working: WorkingMemory,
    fixed: Mapping[int, int] | None,
) -> dict[int, int]:
    """The same, always of the word next for which most bytes are taken (D. Brélaz, "New Methods to Color the
    Vertices of a Graph", 1979): where all addresses are short, few bytes are what matters."""
    homes = dict(fixed or {})
    near = {word: {homes[other] for other in conflicts[word] if other in homes} for word in weight}

    def entry(word: int) -> tuple[int, int, float, int]:
        return -len(near[word]), -len(conflicts[word]), -weight[word], word

    waiting = [entry(word) for word in weight.keys() - homes.keys()]
    heapify(waiting)
    while waiting:
        first = heappop(waiting)
        word = first[-1]
        if word in homes or first != entry(word):
            continue  # another entry came since
        homes[word] = _home(word, homes, conflicts, copies, working)
        for other in conflicts[word]:
            if homes[word] not in near[other]:
                near[other].add(homes[word])
                if other not in homes:
                    heappush(waiting, entry(other))
    return homes


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
