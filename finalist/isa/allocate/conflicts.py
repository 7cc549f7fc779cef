"""Which words in memory are live at once, which are copied to which, and those that can so be one.

The graph is a matrix of bits, an integer a row, as in G. J. Chaitin's allocator ("Register Allocation via
Coloring", 1981): what words that are one conflict with is the union of two rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from finalist.isa.allocate.tidy import Location, accesses, words_read, words_written
from finalist.isa.code import Block, Cell, Ins

#: For each word those that it is copied to or from, with how often.
Copies = dict[int, dict[int, float]]


@dataclass(slots=True)
class Conflicts:
    """For each word its ``bits``, one, and the row of those that are live with it, holding something else."""

    bits: dict[int, int] = field(default_factory=dict)
    rows: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, others: Mapping[int, Set[int]]) -> Conflicts:
        """Of these words, with those that each is in conflict with."""
        made = cls()
        made.add(others)
        made.rows = {word: made.of_all(near) for word, near in others.items()}
        return made

    def add(self, words: Iterable[int]) -> None:
        """Takes in words, which are in no conflict unless they are known."""
        for word in words:
            if word not in self.bits:
                self.bits[word] = 1 << len(self.bits)
                self.rows[word] = 0

    def of_all(self, words: Iterable[int]) -> int:
        """The bits of words."""
        return sum(self.bits[word] for word in set(words))

    def words(self, bits: int) -> list[int]:
        """The words with these bits."""
        known, found = list(self.bits), []
        while bits:
            lowest = bits & -bits
            found.append(known[lowest.bit_length() - 1])
            bits ^= lowest
        return found


def conflicts_of(blocks: Sequence[Block], ends: Mapping[str, Set[Location]]) -> tuple[Conflicts, Copies]:
    """For each word those that are live with it, holding something else; and what it is copied to or from,
    with how often. ``ends``: what is live at the end of each block, by its label."""
    found, copies = Conflicts(), Copies()
    for block in blocks:
        live = {place for place in ends[block.label] if isinstance(place, int)}
        found.add(live)
        bits = found.of_all(live)
        for place in reversed(range(len(block.body))):
            ins = block.body[place]
            written, read = words_written(ins), words_read(ins)
            if written:
                found.add(written)
                live.difference_update(written)
                bits &= ~found.of_all(written)
                source = _source(block.body, place)
                _written(found, written, live, bits, source)
                _alike(copies, block, place, written, live, source)
            if read:
                found.add(read)
                live.update(read)
                for word in read:
                    bits |= found.bits[word]
    return found, copies


def _written(found: Conflicts, words: Iterable[int], live: Set[int], bits: int, source: int | None) -> None:
    """Words are written where others are live, one of which holds the same."""
    rows = found.rows
    if source is not None and source in live:
        live = live - {source}
        bits &= ~found.bits[source]
    for word in words:
        if bits & ~rows[word]:
            rows[word] |= bits
            bit = found.bits[word]
            for other in live:
                rows[other] |= bit


#: What one place for a word and for what it is made of is worth, where one for it and its copy is worth 1.
_NEAR = 0.01


def _alike(
    copies: Copies, block: Block, place: int, written: Iterable[int], live: Set[int], source: int | None
) -> None:
    """One place would be as good for words that are written and for what they are copied from, or made of."""
    weight = 10.0**block.depth
    for word in written:
        if source is not None:
            if source != word:
                _like(copies, word, source, weight)
            continue
        for near in _updated(block.body, place):
            if near != word and near not in live:
                _like(copies, word, near, _NEAR * weight)


def _like(copies: Copies, one: int, other: int, weight: float) -> None:
    """One place would be as good for both words."""
    for a, b in ((one, other), (other, one)):
        copies.setdefault(a, {})[b] = copies.get(a, {}).get(b, 0.0) + weight


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


# -- words that are one ------------------------------------------------------------------------------


def merged(
    conflicts: Conflicts,
    copies: Mapping[int, Mapping[int, float]],
    fixed: Mapping[int, int],
    last: Set[int] | None = None,
) -> dict[int, int]:
    """For words that are one with another from now on, that one: copied to it, or made in its place, and
    never live with it.

    What is copied most comes first. With ``last``, those of the ``fixed`` words that are written, what is
    made of the other ones comes before copies to these: all stays where the block's words are.
    """
    made = _Merging(conflicts, fixed)
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
    """Words that are one with another by ``now``, whose bytes are known of some.

    By the word that others are one with: the bits of all of them, and the row of what is in conflict with
    any; by byte the bits of the words there.
    """

    def __init__(self, conflicts: Conflicts, homes: Mapping[int, int]) -> None:
        self.now: dict[int, int] = {}
        self.homes = dict(homes)
        self.bits, self.rows = dict(conflicts.bits), dict(conflicts.rows)
        self.there = dict.fromkeys(homes.values(), 0)
        for word, home in homes.items():
            self.there[home] |= self.bits.get(word, 0)

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
        if one == other or self.rows[one] & self.bits[other] or (one in homes and other in homes):
            return False
        home = homes.get(one, homes.get(other))
        if home is not None and (self.rows[one] | self.rows[other]) & self.there[home]:
            return False  # a word that is live with one of these is in the byte already
        self.now[other] = one
        self.bits[one] |= self.bits[other]
        self.rows[one] |= self.rows[other]
        if home is not None:
            homes[one] = home
            self.there[home] |= self.bits[one]
        return True
