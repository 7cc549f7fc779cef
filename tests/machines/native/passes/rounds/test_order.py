"""The order of statements: nothing but the order changes, and what it is for comes about."""

from __future__ import annotations

from hypothesis import given

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.native.passes.rounds.order import ordered, with_calls_in_turns
from tests.graphs import examples, graphs
from tests.passes.meaning import keeps_graph, operations

WORD = WordType(8)


@examples
@given(graphs())
def test_the_meaning_stays(graph: Graph) -> None:
    keeps_graph(ordered, graph)
    keeps_graph(with_calls_in_turns, graph)


def _most_waiting(graph: Graph) -> int:
    """The most values made that somebody still needs."""
    last = {child: place for place, node in enumerate(graph.body) for child in node.inputs}
    last |= dict.fromkeys(graph.results, len(graph.body))
    alive = [sum(last[node] > place for node in graph.body[: place + 1]) for place in range(len(graph.body))]
    return max(alive)


def test_what_needs_the_least_comes_first() -> None:
    """Sums of products that were made side by side are finished one after the other."""
    make = Builder()
    words = [make.param("block", WORD, f"x{n}") for n in range(6)]
    products = [
        [make.make(Op.MUL, (word, make.const(2 * n + 3, 8))) for word in words] for n in range(len(words))
    ]
    sums = [
        make.make(Op.XOR, (make.make(Op.XOR, (a, b)), make.make(Op.XOR, (c, d))))
        for a, b, c, d, *_ in products
    ]
    graph = Graph("sums", words, sums)
    after = keeps_graph(ordered, graph)
    assert _most_waiting(after) < _most_waiting(graph) / 2


def _function() -> Region:
    make = Builder()
    word = make.param("argument", WORD, "x")
    return Region([word], [make.make(Op.MUL, (word, word))])


def test_calls_that_do_not_need_each_other_are_neighbours() -> None:
    function, make = _function(), Builder()
    words = [make.param("block", WORD, f"x{n}") for n in range(3)]
    results = []
    for word in words:
        for _ in range(4):
            word = make.make(Op.NOT, (make.apply(function, [word]),))
        results.append(word)
    graph = Graph("calls", words, results)
    after = keeps_graph(with_calls_in_turns, graph)
    calls = operations(after, Op.APPLY)
    assert len(calls) == len(operations(graph, Op.APPLY)) == 12
    for turn in range(0, 12, 3):
        needed = {child for call in calls[turn : turn + 3] for child in _all_before(call)}
        assert not needed.intersection(calls[turn : turn + 3])


def _all_before(node: Node) -> set[Node]:
    found: set[Node] = set()
    waiting = list(node.inputs)
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += one.inputs
    return found


def test_without_calls_nothing_changes() -> None:
    make = Builder()
    word = make.param("block", WORD, "x")
    graph = Graph("plain", [word], [make.make(Op.NOT, (word,))])
    assert with_calls_in_turns(graph) is graph
