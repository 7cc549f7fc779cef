"""What an exchange left in an array is not read again."""

from __future__ import annotations

import pytest

from finalist.api import compile as compile_cipher
from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.machines.native.passes.scalars.exchanges import with_exchanges
from finalist.machines.tracing import traced
from tests.graphs import random_graph
from tests.passes.meaning import keeps_graph, operations

LENGTH = 8


class Made:
    """A graph on an array and two places, which are equal in one case of eight."""

    def __init__(self) -> None:
        self.make = Builder()
        self.array = self.make.param("memory", ArrayType(LENGTH, 8), "a")
        self.i, self.j = (self.make.param("memory", WordType(8), name) for name in "ij")

    def read(self, array: Node, place: Node) -> Node:
        return self.make.make(Op.LOAD, (array, place))

    def write(self, array: Node, place: Node, value: Node) -> Node:
        return self.make.make(Op.STORE, (array, place, value))

    def graph(self, array: Node, *results: Node) -> Graph:
        return Graph("exchange", [self.array, self.i, self.j], [*results, array])


def exchanged(*, other: bool = False, late: bool = False, same: bool = False) -> Graph:
    """``other``: what is stored last is another word; ``late``: what is stored first was read after another
    store; ``same``: both stored words are those of their own places."""
    one = Made()
    before = one.write(one.array, one.j, one.i) if late else one.array
    x, y = one.read(one.array, one.i), one.read(before, one.j)
    if same:
        x, y = y, x
    array = one.write(before, one.i, y)
    array = one.write(array, one.j, one.i if other else x)
    return one.graph(array, one.read(array, one.i), one.read(array, one.j))


def test_both_words_of_an_exchange_are_there() -> None:
    graph = exchanged()
    after = keeps_graph(with_exchanges, graph)
    assert len(operations(graph, Op.LOAD)) == 4 and len(operations(after, Op.LOAD)) == 2


@pytest.mark.parametrize(("what", "known"), [("other", 1), ("late", 2), ("same", 1)])
def test_at_the_first_place_any_other_store_may_have_gone(what: str, known: int) -> None:
    """What was stored to the very place that is read is known; of what was stored before it only an exchange
    says that it is still there."""
    graph = exchanged(**{what: True})
    after = keeps_graph(with_exchanges, graph)
    first = graph.results[0]
    assert first.op is Op.LOAD and after.results[0].op is Op.LOAD
    assert len(operations(graph, Op.LOAD)) - len(operations(after, Op.LOAD)) == known


def test_a_store_between_the_two_is_no_exchange() -> None:
    one = Made()
    x, y = one.read(one.array, one.i), one.read(one.array, one.j)
    array = one.write(one.array, one.i, y)
    array = one.write(array, one.make.const(3, 8), x)
    array = one.write(array, one.j, x)
    after = keeps_graph(with_exchanges, one.graph(array, one.read(array, one.i)))
    assert len(operations(after, Op.LOAD)) == 3


@pytest.mark.parametrize("seed", range(20))
def test_random_graphs(seed: int) -> None:
    keeps_graph(with_exchanges, random_graph(f"exchanges {seed}"), seed)


def test_nothing_changes_without_stores() -> None:
    graph = traced(cipher("rc6"), "encrypt", 128).kernel
    assert with_exchanges(graph) is graph


def test_a_byte_of_a_stream_is_three_loads_of_its_permutation() -> None:
    """RC4 reads S[i], S[j] and S[S[i] + S[j]], of which the first two are exchanged in between."""
    text = compile_cipher(cipher("rc4"), "native", "encrypt", 128).text
    kernel = text[text.index("rc4_encrypt_1(") : text.index("rc4_encrypt_many(")]
    assert kernel.count("= (uint32_t)k->S") == 3
