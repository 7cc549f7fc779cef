"""Words moved by an amount that is not known: at each of its values the word moved so."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from finalist.prove.bits import Bits
from finalist.prove.reads import LARGE, Reads
from finalist.prove.store import FALSE, TRUE

#: Of a bit of the result and an amount the place in the source that it comes from.
Place = Callable[[int, int], int]


class Amounts:
    """Words that were moved, over the spaces of a store."""

    def __init__(self, reads: Reads) -> None:
        self.reads, self.spaces, self.store = reads, reads.spaces, reads.store
        #: By word with bits that are opaque the space of its amount.
        self.moved: dict[Bits, int] = {}
        #: By space and bit what it is at each point.
        self._columns: dict[tuple[int, int], Bits] = {}
        #: By bit that a SELECT made the condition, a function of an index, and the two operands.
        self._selected: dict[int, tuple[int, int, int]] = {}

    def move(self, source: Bits, space: int, amounts: Sequence[int | None], place: Place, width: int) -> Bits:
        """A word moved by the amount that there is at each point of a space; None: nothing is left of it."""
        inside = [self._inside(bit, space) for bit in source] if len(amounts) >= LARGE else []
        chosen: dict[int, int] = {}
        for point, amount in enumerate(amounts):
            if amount is not None:
                chosen[amount] = chosen.get(amount, 0) | 1 << point
        parts = [(amount, self.spaces.function(space, vector)) for amount, vector in chosen.items()]
        bits: list[int] = []
        for k in range(width):
            if inside:
                bits.append(self._at_points(inside, space, amounts, place, k))
            else:
                places = ((at, way) for at, way in ((place(k, amount), way) for amount, way in parts))
                terms = (self.store.both(way, source[at]) for at, way in places if 0 <= at < len(source))
                bits.append(self.store.total(terms))
        if inside:
            self.moved[tuple(bits)] = space
        return tuple(bits)

    def select(self, condition: int, x: int, y: int) -> int:
        """``x`` if the condition, else ``y``."""
        made = self.store.choose(condition, x, y)
        # Only of earlier bits: an existing one may be an operand of its own alternatives.
        if made >> 1 > max(x, y) >> 1 and condition >> 1 in self.store.members:
            self._selected.setdefault(made, (condition, x, y))
        return made

    def _at_points(
        self, inside: Sequence[Bits], space: int, amounts: Sequence[int | None], place: Place, k: int
    ) -> int:
        """Bit ``k`` of what is moved."""
        column = []
        for point, amount in enumerate(amounts):
            at = -1 if amount is None else place(k, amount)
            column.append(inside[at][point] if 0 <= at < len(inside) else FALSE)
        return self._bit_of(space, tuple(column))

    def _bit_of(self, space: int, column: Bits) -> int:
        """The bit that is a given one at each point of a space: a read where it is opaque, else the sum of
        these bits, each where it is meant."""
        found = self.reads.whole(space, column)
        if found is not None:
            return found
        where: dict[int, int] = {}
        for point, bit in enumerate(column):
            if bit != FALSE:
                where[bit] = where.get(bit, 0) | 1 << point
        function = self.spaces.function
        made = self.store.total(self.store.both(function(space, way), bit) for bit, way in where.items())
        if made > TRUE:
            self._columns.setdefault((space, made), column)
        return made

    # -- at a point -----------------------------------------------------------------------------

    def _inside(self, bit: int, space: int) -> Bits:
        """A bit at each point of a space: of a gate or function of the index what is left of it there."""
        column = self._columns.get((space, bit))
        if column is not None:
            return column
        points = 1 << len(self.spaces.indices[space])
        vector = self._vector(bit, space)
        if vector is not None:
            return tuple((vector >> point & 1) ^ bit & 1 for point in range(points))
        condition, *ways = self._selected.get(bit, (FALSE,))
        vector = self._vector(condition, space)
        if vector is not None:
            odd = condition & 1
            pairs = zip(*(self._inside(way, space) for way in ways), strict=True)
            return tuple(x if (vector >> point ^ odd) & 1 else y for point, (x, y) in enumerate(pairs))
        atoms = self.store.sets[bit >> 1]
        tables = [self._table(atom, space) for atom in atoms]
        if not any(tables):
            return (bit,) * points
        found = []
        for point in range(points):
            parts = [
                self.store.alone(atom) if table is None else table(point)
                for atom, table in zip(atoms, tables, strict=True)
            ]
            found.append(self.store.total(parts) ^ bit & 1)
        return tuple(found)

    def _table(self, atom: int, space: int) -> Callable[[int], int] | None:
        """What an atom is at a point, if it is a function of a space, or a gate with one."""
        vector = self._vector(self.store.alone(atom), space)
        if vector is not None:
            return lambda point: vector >> point & 1
        kind, *rest = self.store.atoms[atom]
        for one, other in (rest, rest[::-1]) if kind == "and" else ():
            gate = self._vector(one, space)
            if gate is not None:
                return lambda point: other if gate >> point & 1 else FALSE
        return None

    def _vector(self, bit: int, space: int) -> int | None:
        return self.store.members.get(bit >> 1, {}).get(space)

    # -- together -------------------------------------------------------------------------------

    def together(self, function: Callable[[int, int], int], a: Bits, b: Bits) -> Bits | None:
        """A gate on two words that were moved by one amount: what it gives at each of its values. None where
        they were not."""
        space = self.moved.get(a)
        if space is None or self.moved.get(b) != space:
            return None
        made = tuple(self._bit(function, space, x, y) for x, y in zip(a, b, strict=True))
        self.moved[made] = space
        return made

    def _bit(self, function: Callable[[int, int], int], space: int, x: int, y: int) -> int:
        first, second = (self.reads.entries(space, bit) or self._inside(bit, space) for bit in (x, y))
        return self._bit_of(space, tuple(map(function, first, second)))
