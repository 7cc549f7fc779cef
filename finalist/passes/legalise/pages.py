"""Tables, arrays and loops of more entries than a limb counts: cut into pages.

A page is what the lowest limb of an index reaches; the limbs above it say which. All pages of a table are
read and one entry is taken, bit by bit of the upper limbs, so that no address and no branch depends on these;
a store writes to each page, what was there before to all but one. With limbs of 8 bits::

    T[x], x of 9 bits       ->  select(x[8], T_hi[x[0:8]], T_lo[x[0:8]])
    a[x] = y                ->  a_lo[x[0:8]] = select(x[8] == 0, y, a_lo[x[0:8]]), and a_hi likewise
    for i in 0 .. 256: f(i) ->  for i in 0 .. 128: f(i);  for i in 0 .. 128: f(i + 128)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from finalist.ir.graph import Node, TableData
from finalist.ir.ops import Op
from finalist.passes.legalise.arithmetic import Arithmetic
from finalist.passes.legalise.limbs import Limbs, bits_of, names

#: Pages that a table or an array may have, and loops that one may become: with more, code would be endless.
MOST = 32


def pieces(start: int, stop: int, width: int) -> Iterator[tuple[int, int, int]]:
    """The numbers ``start .. stop - 1`` as ranges, each by a counter of ``width`` bits.

    A range is its first number, how many there are, and where the counter begins. All its numbers have the
    same bits above ``width``. As the counter's end is less than ``2^width``, a range up to the end of a page
    is counted from 0, and a whole page is two ranges.
    """
    page = 1 << width
    while start < stop:
        inside = start % page
        count = min(stop - start, page - inside)
        count = page // 2 if count == page else count
        yield start, count, inside if inside + count < page else 0
        start += count


class Pages:
    """Makes what is left of tables and arrays; each page of a table is made once.

    ``most``: pages that one may have; 1 where there are none.
    """

    def __init__(self, math: Arithmetic, most: int = MOST) -> None:
        self.math = math
        self.most = most
        self.make = math.make
        self.size = 1 << math.width
        self._tables: dict[TableData, list[TableData]] = {}

    # -- tables ---------------------------------------------------------------------------------

    def entry(self, table: TableData, index: Limbs) -> Node:
        """An entry of a table of words of a limb."""
        return self._chosen([self._read(page, index[0]) for page in self._pages(table)], index[1:])

    def _read(self, page: TableData, index: Node) -> Node:
        if len(set(page.values)) == 1:
            return self.make.const(page.values[0], page.width)
        return self.make.make(Op.LOOKUP, (index,), page)

    def _pages(self, table: TableData) -> list[TableData]:
        if table not in self._tables:
            values = [table.values[k : k + self.size] for k in range(0, len(table.values), self.size)]
            named = zip(values, names(table.name, len(values)), strict=True)
            made = [TableData(page, table.width, name, table.note) for page, name in named]
            self._tables[table] = made if len(made) > 1 else [table]
        return self._tables[table]

    # -- arrays ---------------------------------------------------------------------------------

    def lengths(self, length: int) -> list[int]:
        """The entries of each page of an array: of the last a power of two, so that no index is divided.

        An array of more than ``most`` pages stays whole, and is reached by one limb only.
        """
        if not self.size < length <= self.most * self.size:
            return [length]
        full, rest = divmod(length, self.size)
        return [self.size] * full + [1 << (rest - 1).bit_length()] * (rest > 0)

    def array(self, values: Sequence[int], width: int) -> Iterator[Node]:
        """A fresh array's pages; zeros where the last is longer than what is left."""
        rest = list(values)
        for length in self.lengths(len(values)):
            page, rest = rest[:length], rest[length:]
            yield self.make.array(page + [0] * (length - len(page)), width)

    def within(self, index: Limbs, most: int, length: int) -> Limbs:
        """An index, ``most`` at the most, modulo the length of an array of several pages, in as many bits."""
        bits = (length - 1).bit_length()
        if most >= length and length & (length - 1):
            known = max(most.bit_length(), bits)
            whole = self.math.cut(index, 0, known)
            index = self.math.rem(whole, self.math.const(length, known))
        return self.math.cut(index, 0, bits)

    def load(self, pages: Limbs, place: Limbs) -> Node:
        """The entry at a place within the array."""
        found = [self.make.make(Op.LOAD, (page, place[0])) for page in pages]
        return self._chosen(found, place[1:])

    def store(self, pages: Limbs, place: Limbs, value: Node) -> Limbs:
        """The pages with the entry at a place within the array replaced."""
        if len(pages) == 1:
            return (self.make.make(Op.STORE, (pages[0], place[0], value)),)
        return tuple(self._stored(page, number, place, value) for number, page in enumerate(pages))

    def _stored(self, page: Node, number: int, place: Limbs, value: Node) -> Node:
        """One of several pages; as it was where the place is in another."""
        here = self.math.eq(place[1:], self.math.const(number, bits_of(place[1:])))
        if here.op is Op.CONST and not here.attr:
            return page
        old = self.make.make(Op.LOAD, (page, place[0]))
        return self.make.make(Op.STORE, (page, place[0], self.make.make(Op.SELECT, (here, value, old))))

    # -- both -----------------------------------------------------------------------------------

    def _chosen(self, entries: Sequence[Node], upper: Limbs) -> Node:
        """The one that the upper limbs say; past the last of them is nothing."""
        for bit in (self.math.field(upper, k, 1) for k in range(bits_of(upper))):
            pairs = [entries[k : k + 2] for k in range(0, len(entries), 2)]
            entries = [
                self.make.make(Op.SELECT, (bit, pair[1], pair[0])) if len(pair) > 1 else pair[0]
                for pair in pairs
            ]
        return entries[0]
