"""Places that are alike: for how long, and which of many are looked at."""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.isa.lower.stretches import Stretch, Stretches, body_of

BYTE = WordType(8)
BOX = TableData(tuple(k * 7 % 256 for k in range(256)), 8, "BOX")


def searched(graph: Graph) -> Stretches:
    made = Stretches()
    made.bodies.append(body_of(graph, lambda node: (node.op, node.attr), {}, 1, 8))
    return made


def chains(*starts: Node, make: Builder, length: int = 8) -> list[Node]:
    found = []
    for x in starts:
        for k in range(length):
            x = make.make(Op.ROL if k % 2 else Op.AND, (x, make.const(k + 1, 8)))
        found.append(x)
    return found


def test_an_entry_of_a_table_may_be_at_a_constant_or_at_a_word() -> None:
    """A constant goes in as a word does; of other operations it is a part."""
    make = Builder()
    word = make.param("memory", BYTE, "w")
    results = []
    for x in (word, make.const(9, 8)):
        results += chains(make.make(Op.LOOKUP, (x,), BOX), make=make)
    graph = Graph("reads", (word,), results)
    assert searched(graph).length(Stretch(0, 0), Stretch(0, 9)) == 9


def test_what_is_in_a_stretch_is_not_compared_again() -> None:
    make = Builder()
    words = [make.param("memory", BYTE, f"w{k}") for k in range(2)]
    made = searched(Graph("two", words, chains(*words, make=make)))
    a, b = Stretch(0, 0), Stretch(0, 8)
    assert made.length(a, b) == 8
    made.bodies[0].take(13, 15)
    assert made.length(a, b) == 5


def test_of_many_places_those_are_looked_at_that_begin_something() -> None:
    """Before others there is the same everywhere, so that more than these operations are alike."""
    make = Builder()
    words = [make.param("memory", BYTE, f"w{k}") for k in range(30)]
    first = [make.make(Op.XOR, (word, make.const(k, 8))) for k, word in enumerate(words)]
    made = searched(Graph("many", words, chains(*first, make=make, length=10)))
    starts = {place.start % 11 for place, _ in made.alike()}
    assert 1 in starts
