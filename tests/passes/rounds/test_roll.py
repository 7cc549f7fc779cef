"""Equal rounds become loops, and mean what they meant; rounds that are not equal do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.language.definition import OPERATIONS
from finalist.machines.native.passes.lanes.narrow import with_windows
from finalist.machines.tracing import traced
from finalist.passes.repetition.operands import FARTHEST
from finalist.passes.rounds.roll import natural_period, rolled
from tests.passes.meaning import keeps_graph, operations


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("period", [None, 1, 3])
@pytest.mark.every(2)
def test_an_array_is_carried_in_place(operation: str, period: int | None) -> None:
    """Rounds of FROG read versions of the array before the last; what is left of the last round does, too."""
    kernel = with_windows(traced(cipher("frog"), operation, 128).kernel)
    after = keeps_graph(lambda graph: rolled(graph, period), kernel)
    (loop,) = operations(after, Op.LOOP)
    assert [type(param.type) for param in loop.region.params].count(ArrayType) == 1


# -- rounds made by hand -----------------------------------------------------------------------------

U32 = WordType(32)
Round = Callable[[Builder, int, tuple[Node, Node], Callable[[int], Node]], tuple[Node, Node]]


def kernel(body: Round, count: int, first: int = 1) -> Graph:
    """Two words through ``count`` rounds; the third argument of a round reads a word of the key."""
    make = Builder()
    words = make.param("memory", U32, "a"), make.param("memory", U32, "b")
    key = make.param("key", ArrayType(64, 32), "k")

    def at(place: int) -> Node:
        return make.make(Op.LOAD, (key, make.const(place, 32)))

    state = words
    for r in range(first, first + count):
        make.phase = r
        state = body(make, r, state, at)
    make.phase = first + count
    return Graph("g", [*words, key], list(state), ((first, count),))


def loops(graph: Graph, period: int | None = None) -> list[Node]:
    """The loops that a graph gets, which must leave it what it means."""
    return operations(keeps_graph(lambda one: rolled(one, period), graph), Op.LOOP)


def trips(loop: Node) -> int:
    return int(loop.inputs[1].attr - loop.inputs[0].attr)


def feistel(make: Builder, r: int, state: tuple[Node, Node], key: Callable[[int], Node]) -> tuple[Node, Node]:
    a, b = state
    return b, make.make(Op.XOR, (a, make.make(Op.ADD, (b, key(r)))))


@pytest.mark.parametrize("count", [3, 8, 16])
def test_equal_rounds_are_one_loop(count: int) -> None:
    (loop,) = loops(kernel(feistel, count), 1)
    assert trips(loop) == count
    # The words are carried; the second is the first of the round before, so that they are moved.
    assert set(loop.region.results) & set(loop.region.params)


def test_one_round_is_no_loop() -> None:
    graph = kernel(feistel, 1)
    assert rolled(graph) is graph


def test_two_rounds_an_iteration_move_nothing() -> None:
    graph = kernel(feistel, 8)
    (loop,) = loops(graph, 2)
    assert trips(loop) == 4
    assert not set(loop.region.results) & set(loop.region.params)
    assert natural_period(graph) == 2


def test_rounds_that_are_left_over_stay() -> None:
    """Of seven rounds two by two one is left, which reads the key where the loop did not."""
    after = keeps_graph(lambda one: rolled(one, 2), kernel(feistel, 7))
    (loop,) = operations(after, Op.LOOP)
    assert trips(loop) == 3
    assert sum(node.op is Op.LOAD for node in after.body) == 1


def constants(values: Sequence[int], width: int = 32) -> Round:
    def body(
        make: Builder, r: int, state: tuple[Node, Node], key: Callable[[int], Node]
    ) -> tuple[Node, Node]:
        a, b = state
        added = make.extend(make.const(values[r], width), 32) if width < 32 else make.const(values[r], width)
        return b, make.make(Op.XOR, (make.make(Op.ROL, (a, make.const(3, 5))), make.make(Op.ADD, (b, added))))

    return body


@pytest.mark.parametrize(
    ("values", "made"),
    [
        ([7] * 8, set()),  # the same in all: no computation from the number of the iteration
        ([5 * r for r in range(8)], {Op.MUL}),
        (list(range(8)), set()),
        ([3 + r for r in range(8)], {Op.ADD}),
        ([9 - 2 * r & 0xFFFFFFFF for r in range(8)], {Op.MUL, Op.ADD}),
        ([1, 4, 2, 8, 5, 7, 9, 6], {Op.LOOKUP, Op.SLICE}),
        ([1, 4] * 4, {Op.LOOKUP, Op.SLICE}),
    ],
)
def test_constants_of_iterations(values: list[int], made: set[Op]) -> None:
    """From the number of the iteration: as they are, by a product and a sum, or from a table."""
    (loop,) = loops(kernel(constants(values), 8, first=0), 1)
    index = loop.region.params[0]
    computed = {Op.MUL, Op.ADD, Op.LOOKUP, Op.SLICE}
    found = {node.op for node in loop.region.body if node.op in computed and reaches(node, index)}
    assert found - {Op.ADD} == made - {Op.ADD}
    if Op.LOOKUP in made:
        (table,) = {node.attr for node in loop.region.body if node.op is Op.LOOKUP}
        assert len(table.values) == len(set(values)) if values[:2] * 4 == values else 8


def reaches(node: Node, index: Node) -> bool:
    return node is index or any(reaches(child, index) for child in node.inputs)


def test_a_round_that_differs_ends_the_loop() -> None:
    def body(
        make: Builder, r: int, state: tuple[Node, Node], key: Callable[[int], Node]
    ) -> tuple[Node, Node]:
        if r != 5:
            return feistel(make, r, state, key)
        return state[1], make.make(Op.AND, state)

    first, second = loops(kernel(body, 8), 1)
    assert (trips(first), trips(second)) == (4, 3)


def test_a_last_round_that_leaves_something_out_is_an_iteration() -> None:
    def body(
        make: Builder, r: int, state: tuple[Node, Node], key: Callable[[int], Node]
    ) -> tuple[Node, Node]:
        mixed = make.make(Op.XOR, (state[0], key(r)))
        return state[1], mixed if r == 6 else make.make(Op.MUL, (mixed, make.const(5, 32)))

    (loop,) = loops(kernel(body, 6), 1)
    assert trips(loop) == 6


@pytest.mark.parametrize(("age", "made"), [(2, 1), (FARTHEST, 1), (FARTHEST + 1, 0)])
def test_values_of_earlier_rounds_are_carried_through_so_many_iterations(age: int, made: int) -> None:
    """A round takes what stood at one place ``age`` rounds before; the first ones take words of the block."""
    history: list[Node] = []

    def body(
        make: Builder, r: int, state: tuple[Node, Node], key: Callable[[int], Node]
    ) -> tuple[Node, Node]:
        before = history[-age] if len(history) >= age else state[len(history) % 2]
        history.append(make.make(Op.ADD, (make.make(Op.XOR, (state[0], before)), key(r))))
        return history[-1], state[1]

    found = [loop for loop in loops(kernel(body, 30), 1) if trips(loop) > 12]
    assert len(found) == made


def test_what_later_nodes_take_of_several_iterations_comes_out() -> None:
    """The result is of the last round and of the one before."""
    history: list[Node] = []

    def body(
        make: Builder, r: int, state: tuple[Node, Node], key: Callable[[int], Node]
    ) -> tuple[Node, Node]:
        history.append(make.make(Op.ADD, (make.make(Op.MUL, (state[0], state[0])), key(r))))
        return history[-1], history[-2] if r == 8 else state[1]

    (loop,) = loops(kernel(body, 8), 1)
    assert trips(loop) == 8


def test_operands_in_another_order_are_another_round() -> None:
    def body(
        make: Builder, r: int, state: tuple[Node, Node], key: Callable[[int], Node]
    ) -> tuple[Node, Node]:
        pair = state if r != 4 else state[::-1]
        return state[1], make.make(Op.SUB, pair)

    first, *others = loops(kernel(body, 8), 1)
    assert trips(first) == 3
    assert max(map(trips, others)) < 5


def test_what_is_carried_is_of_one_type() -> None:
    """The first round slices a word of 32 bits, the others what the one before has made of eight."""

    def body(
        make: Builder, r: int, state: tuple[Node, Node], key: Callable[[int], Node]
    ) -> tuple[Node, Node]:
        parts = make.slice(state[0], 4, 4), make.slice(key(r), 0, 4)
        return make.make(Op.JOIN, parts), state[1]

    (loop,) = loops(kernel(body, 8), 1)
    assert trips(loop) == 7


def test_a_read_that_a_later_round_takes_too_stays_before_the_loop() -> None:
    """One word of the key serves all rounds: it is read once."""

    def body(
        make: Builder, r: int, state: tuple[Node, Node], key: Callable[[int], Node]
    ) -> tuple[Node, Node]:
        return feistel(make, r, state, lambda _: key(3))

    after = keeps_graph(lambda one: rolled(one, 1), kernel(body, 6))
    (loop,) = operations(after, Op.LOOP)
    assert trips(loop) == 6
    assert not any(node.op is Op.LOAD for node in loop.region.body)


def test_the_period_that_saves_most_is_taken() -> None:
    """Rounds that are alike two by two only."""

    def body(
        make: Builder, r: int, state: tuple[Node, Node], key: Callable[[int], Node]
    ) -> tuple[Node, Node]:
        a, b = state
        return b, make.make(Op.ADD if r % 2 else Op.SUB, (a, make.make(Op.XOR, (b, key(r)))))

    graph = kernel(body, 12)
    assert loops(graph, 1) == []
    (loop,) = loops(graph)
    assert trips(loop) == 6


def test_rounds_of_several_groups() -> None:
    graph = kernel(feistel, 8)
    cut = Graph("g", graph.params, graph.results, ((1, 4), (5, 4)))
    assert [trips(loop) for loop in loops(cut, 1)] == [4, 4]


@pytest.mark.parametrize("period", [1, 2])
def test_operands_of_a_sum_in_another_order_are_the_same_round(period: int) -> None:
    """Both are made in the iterations, one of them in the one before."""

    def either(
        make: Builder, r: int, state: tuple[Node, Node], key: Callable[[int], Node]
    ) -> tuple[Node, Node]:
        a, b = state
        terms = a, make.make(Op.ADD, (make.make(Op.NOT, (b,)), key(r)))
        return b, make.raw(Op.XOR, terms[::-1] if r in (3, 4, 5, 7) else terms, None, U32)

    (loop,) = loops(kernel(either, 8), period)
    assert trips(loop) == 8 // period
