"""Which reads of one table are done at once: the nearest, if the later one's place is known by then."""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Node, TableData
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.native.text.pairs import mates
from finalist.machines.native.vectors.word_permutes import WordVector

DIALECT = WordVector(32, 16, by_permute=True)
TABLE, OTHER = (TableData(tuple(range(n, n + 256)), 32, name) for n, name in ((0, "T"), (1, "U")))


class Reads:
    """Nodes in the order in which they are made."""

    def __init__(self) -> None:
        self.make, self.nodes = Builder(), list[Node]()
        self.x = self.make.param("memory", WordType(32), "x")

    def at(self, word: Node, low: int, table: TableData = TABLE) -> Node:
        """A read at the place that is in eight bits of a word."""
        self.nodes.append(self.make.make(Op.LOOKUP, (self.make.slice(word, low, 8),), table))
        return self.nodes[-1]

    def added(self, a: Node, b: Node) -> Node:
        """A sum, which is written as well."""
        self.nodes.append(self.make.make(Op.ADD, (a, b)))
        return self.nodes[-1]

    def mates(self) -> dict[Node, Node]:
        """What goes with what."""
        return mates(self.nodes, lambda node: node.op is Op.LOOKUP, DIALECT)


def test_two_and_two_of_one_table() -> None:
    to = Reads()
    a, b, c, d, e = (to.at(to.x, low) for low in (0, 3, 8, 16, 24))
    assert to.mates() == {a: b, c: d} and e not in to.mates()


def test_each_table_by_itself() -> None:
    to = Reads()
    a, b = to.at(to.x, 0), to.at(to.x, 0, OTHER)
    assert to.mates() == {}
    c, d = to.at(to.x, 8, OTHER), to.at(to.x, 8)
    assert to.mates() == {b: c, a: d}


def test_a_place_that_comes_of_the_first_one() -> None:
    to = Reads()
    first = to.at(to.x, 0)
    second = to.at(to.added(first, to.x), 0)
    assert to.mates() == {}
    third = to.at(to.x, 8)
    assert to.mates() == {first: third} and second not in to.mates()


def test_a_place_that_is_known_later_than_the_first_one() -> None:
    """The first one's users come before it: it is read where it stands."""
    to = Reads()
    to.at(to.x, 0)
    to.at(to.added(to.x, to.x), 0)
    assert to.mates() == {}
