"""Loops and conditionals as blocks: what they compute, and what is not computed in them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.isa.lower.control import Affine, Induction, found_in, inside
from tests.isa.lower.executed import Execution, lowered, names

WORD = WordType(32)
ENTRIES = [7, 100, 3, 50, 2, 9, 31, 64, 5, 1]
MEMORY = [(256 + 4 * k, 4, entry) for k, entry in enumerate(ENTRIES)]
Body = Callable[[Builder, Node, Node, Node], Node]


def plain(make: Builder, array: Node, index: Node, word: Node) -> Node:
    """Three times the sum so far, and an entry."""
    three = make.make(Op.MUL, (word, make.const(3, 32)))
    return make.make(Op.ADD, (three, make.make(Op.LOAD, (array, index))))


def counting(make: Builder, array: Node, index: Node, word: Node) -> Node:
    return make.make(Op.XOR, (plain(make, array, index, word), index))


def without_index(make: Builder, array: Node, index: Node, word: Node) -> Node:
    return make.make(Op.ADD, (word, make.const(5, 32)))


def two_entries(make: Builder, array: Node, index: Node, word: Node) -> Node:
    """One of which lies behind the other."""
    next_ = make.make(Op.ADD, (index, make.const(1, 32)))
    return make.make(Op.XOR, (plain(make, array, index, word), make.make(Op.LOAD, (array, next_))))


def two_steps(make: Builder, array: Node, index: Node, word: Node) -> Node:
    """Through two pointers, one of which moves twice as fast."""
    twice = make.make(Op.SHL, (index, make.const(1, 32)))
    return make.make(Op.XOR, (plain(make, array, index, word), make.make(Op.LOAD, (array, twice))))


def backwards(make: Builder, array: Node, index: Node, word: Node) -> Node:
    down = make.make(Op.ADD, (make.make(Op.MUL, (index, make.const(-1, 32))), make.const(9, 32)))
    return plain(make, array, down, word)


def expected(body: Body, first: int, stop: int, word: int) -> int:
    for k in range(first, stop):
        three = 3 * word
        word = {
            plain: lambda k=k, t=three: t + ENTRIES[k],
            counting: lambda k=k, t=three: (t + ENTRIES[k] & 0xFFFFFFFF) ^ k,
            without_index: lambda w=word: w + 5,
            two_entries: lambda k=k, t=three: (t + ENTRIES[k] & 0xFFFFFFFF) ^ ENTRIES[k + 1],
            two_steps: lambda k=k, t=three: (t + ENTRIES[k] & 0xFFFFFFFF) ^ ENTRIES[2 * k],
            backwards: lambda k=k, t=three: t + ENTRIES[9 - k],
        }[body]() & 0xFFFFFFFF
    return word


def graph(body: Body, start: int | None, stop: int | None, width: int = 32) -> Graph:
    """A loop on a word; without a number the bounds are words 2 and 3."""
    make = Builder()
    x = make.param("memory", WORD, "x")
    low, high = (make.param("memory", WordType(width), name) for name in ("low", "high"))
    array = make.param("key", ArrayType(len(ENTRIES), 32), "array")
    index, word = make.param("index", WordType(width), "i"), make.param("carried", WORD, "w")
    inner = Region([index, word], [body(make, array, index, word)])
    bounds = [
        given if fixed is None else make.const(fixed, width) for fixed, given in ((start, low), (stop, high))
    ]
    return Graph("g", [x, low, high, array], make.loop(*bounds, [x], inner))


def value(of: Graph, *words: int) -> int:
    made = lowered(of)
    return Execution(made, words, MEMORY).value(made.term(of.results[0]))


BODIES = (plain, counting, without_index, two_entries, two_steps, backwards)


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize(("first", "stop"), [(0, 5), (1, 5), (3, 4), (4, 4), (5, 3)])
def test_bounds_that_are_known(body: Body, first: int, stop: int) -> None:
    assert value(graph(body, first, stop), 11, 0, 0) == expected(body, first, stop, 11)


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize(("low", "high"), [(0, 5), (2, 4), (3, 3), (4, 1)])
def test_bounds_that_are_words(body: Body, low: int, high: int) -> None:
    wanted = expected(body, low, high, 11)
    assert value(graph(body, None, None), 11, low, high) == wanted
    assert value(graph(body, low, None), 11, 77, high) == wanted
    assert value(graph(body, None, high), 11, low, 77) == wanted


@pytest.mark.parametrize(("low", "high"), [(0, 3), (2, 2), (255, 1), (250, 255)])
def test_bounds_of_few_bits(low: int, high: int) -> None:
    """Compared as they are, though the processor's words are wider."""
    assert value(graph(without_index, None, None, 8), 0, low, high) == 5 * max(high - low, 0)


def test_a_number_that_only_says_where_is_not_computed() -> None:
    """The pointer is compared instead of a counter; without a pointer a counter is."""
    assert names(lowered(graph(plain, 0, 5)))[1].count("addi") == 1
    assert names(lowered(graph(counting, 0, 5)))[1].count("addi") == 2
    assert names(lowered(graph(without_index, 0, 5)))[1].count("addi") == 2  # one is the body's


def test_entries_at_one_step_share_a_pointer() -> None:
    one, two = (lowered(graph(body, 0, 4)) for body in (two_entries, two_steps))
    assert [made.code.blocks[1].body[-2].instruction.name for made in (one, two)] == ["addi", "addi"]
    assert names(one)[1].count("addi") == 1
    assert names(two)[1].count("addi") == 2


def test_no_iteration_is_no_code() -> None:
    assert len(names(lowered(graph(plain, 4, 4)))) == 1


def test_depth_and_labels() -> None:
    made = lowered(graph(plain, 0, 5))
    assert [(block.label, block.depth) for block in made.code.blocks] == [
        ("start0", 0), ("loop1", 1), ("after2", 0),
    ]  # fmt: skip
    assert made.depth == 0


# -- carried words --------------------------------------------------------------------------------------


def swapping(count: int) -> Graph:
    """Two words that change places, a third that takes their sum, a fourth that stays."""
    make = Builder()
    given = [make.param("memory", WORD, name) for name in "abcd"]
    index = make.param("index", WORD, "i")
    a, b, c, d = (make.param("carried", WORD, name) for name in "abcd")
    inner = Region([index, a, b, c, d], [b, a, make.make(Op.ADD, (a, c)), d])
    return Graph("g", given, make.loop(make.const(0, 32), make.const(count, 32), given, inner))


@pytest.mark.parametrize(("count", "found"), [(1, [2, 1, 4, 9]), (2, [1, 2, 6, 9]), (3, [2, 1, 7, 9])])
def test_carried_words_get_their_values_at_once(count: int, found: list[int]) -> None:
    of = swapping(count)
    made = lowered(of)
    after = Execution(made, [1, 2, 3, 9])
    assert [after.value(made.term(result)) for result in of.results] == found
    assert [after.words[k] for k in (1, 2, 3, 4)] == [1, 2, 3, 9]  # what came in is as it was


# -- conditionals -----------------------------------------------------------------------------------------


def conditional(condition: Node, make: Builder, x: Node, array: Node) -> list[Node]:
    word = make.param("carried", WORD, "w")
    inner = Region([word], [make.make(Op.ADD, (word, make.make(Op.LOAD, (array, make.const(3, 32)))))])
    return make.results(make.make(Op.WHEN, (condition, x), inner))


@pytest.mark.parametrize(("flag", "found"), [(0, 11), (1, 61)])
def test_a_conditional(flag: int, found: int) -> None:
    make = Builder()
    x, c = make.param("memory", WORD, "x"), make.param("memory", WordType(1), "c")
    array = make.param("key", ArrayType(len(ENTRIES), 32), "array")
    of = Graph("g", [x, c, array], conditional(c, make, x, array))
    made = lowered(of)
    assert Execution(made, [11, flag], MEMORY).value(made.term(of.results[0])) == found
    assert [block.label for block in made.code.blocks] == ["start0", "when1", "after2"]


def test_a_conditional_within_a_loop() -> None:
    """There the loop's pointers do not move: what it reads by the number of the iteration needs that."""
    make = Builder()
    x = make.param("memory", WORD, "x")
    array = make.param("key", ArrayType(len(ENTRIES), 32), "array")
    index, word = make.param("index", WORD, "i"), make.param("carried", WORD, "w")
    odd = make.slice(index, 0, 1)
    inner = make.param("carried", WORD, "v")
    taken = Region([inner], [make.make(Op.ADD, (inner, make.make(Op.LOAD, (array, index))))])
    (after,) = make.results(make.make(Op.WHEN, (odd, word), taken))
    last = make.make(Op.ADD, (after, make.make(Op.LOAD, (array, index))))
    of = Graph(
        "g", [x, array], make.loop(make.const(0, 32), make.const(6, 32), [x], Region([index, word], [last]))
    )
    assert value(of, 1) == 1 + sum(ENTRIES[:6]) + sum(ENTRIES[1:6:2])


def test_a_loop_within_a_loop() -> None:
    make = Builder()
    x = make.param("memory", WORD, "x")
    array = make.param("key", ArrayType(len(ENTRIES), 32), "array")
    i, j = (make.param("index", WORD, name) for name in "ij")
    outer, inner = (make.param("carried", WORD, name) for name in "vw")
    place = make.make(Op.ADD, (i, j))
    body = Region([j, inner], [make.make(Op.ADD, (inner, make.make(Op.LOAD, (array, place))))])
    made = make.loop(make.const(0, 32), make.const(3, 32), [outer], body)
    of = Graph(
        "g", [x, array], make.loop(make.const(1, 32), make.const(5, 32), [x], Region([i, outer], made))
    )
    assert value(of, 2) == 2 + sum(ENTRIES[i + j] for i in range(1, 5) for j in range(3))
    depths = [block.depth for block in lowered(of).code.blocks]
    assert depths == [0, 1, 2, 1, 0]


MAKE = Builder()
INDEX = MAKE.param("index", WordType(32), "i")
WORD_INDUCTION = MAKE.param("carried", WordType(32), "w")
ARRAY = MAKE.param("carried", ArrayType(10, 32), "a")


def number(value: int, width: int = 32) -> Node:
    return MAKE.const(value, width)


def found(*results: Node, first: int = 0, last: int = 4) -> Induction:
    return found_in(Region([INDEX, WORD_INDUCTION, ARRAY], results), first, last)


FORMS: list[tuple[Callable[[], Node], Affine | None]] = [
    (lambda: MAKE.make(Op.ADD, (INDEX, number(3))), (1, 3)),
    (lambda: MAKE.make(Op.ADD, (INDEX, number(-1))), (1, -1)),
    (lambda: MAKE.make(Op.SUB, (INDEX, number(3))), (1, -3)),
    (lambda: MAKE.make(Op.MUL, (MAKE.make(Op.ADD, (INDEX, number(2))), number(3))), (3, 6)),
    (lambda: MAKE.make(Op.SHL, (MAKE.make(Op.ADD, (INDEX, number(1))), number(2, 8))), (4, 4)),
    (lambda: MAKE.make(Op.SHL, (INDEX, number(32, 8))), None),
    (lambda: MAKE.make(Op.XOR, (INDEX, number(3))), None),
    (lambda: MAKE.make(Op.ADD, (INDEX, WORD_INDUCTION)), None),
    (lambda: MAKE.make(Op.ADD, (WORD_INDUCTION, number(3))), None),
    (lambda: MAKE.make(Op.NOT, (INDEX,)), None),
    (lambda: MAKE.slice(INDEX, 0, 8), (1, 0)),
    (lambda: MAKE.slice(INDEX, 0, 2), None),  # 4 does not fit
    (lambda: MAKE.slice(INDEX, 1, 8), None),
    (lambda: MAKE.extend(INDEX, 64), (1, 0)),
    (lambda: MAKE.extend(MAKE.make(Op.ADD, (INDEX, number(-1))), 64), None),  # wraps where it is extended
    (lambda: MAKE.make(Op.ADD, (MAKE.slice(INDEX, 0, 8), number(200, 8))), (1, 200)),  # bytes have no sign
    (lambda: MAKE.make(Op.ADD, (MAKE.slice(INDEX, 0, 9), number(511, 9))), (1, -1)),
    (lambda: MAKE.make(Op.ADD, (MAKE.slice(INDEX, 0, 9), number(255, 9))), (1, 255)),
]


@pytest.mark.parametrize("case", range(len(FORMS)))
def test_forms(case: int) -> None:
    make, form = FORMS[case]
    node = make()
    assert found(node).affine.get(node) == form


def test_the_last_iteration_decides_what_fits() -> None:
    bits = MAKE.slice(INDEX, 0, 2)
    assert found(bits, last=3).affine[bits] == (1, 0)
    assert bits not in found(bits, last=4).affine
    down = MAKE.extend(MAKE.make(Op.SUB, (INDEX, number(2))), 64)
    assert found(down, first=2).affine[down] == (1, -2)
    assert down not in found(down, first=1).affine


def test_inside() -> None:
    assert inside((2, 1), 0, 4, 10) and not inside((2, 2), 0, 4, 10)
    assert inside((-1, 4), 0, 4, 5) and not inside((-1, 3), 0, 4, 5)
    assert inside((-1, 4), 0, 4, 5) and not inside((-1, 4), 0, 4, 4)
    assert inside((1, 0), 0, 0, 1) and not inside((1, -1), 0, 3, 9)


# -- what need not be computed ----------------------------------------------------------------------------


def test_places_of_loads_and_stores() -> None:
    place = MAKE.make(Op.ADD, (INDEX, number(5)))
    entry = MAKE.make(Op.LOAD, (ARRAY, place))
    stored = MAKE.make(Op.STORE, (ARRAY, INDEX, entry))
    made = found(WORD_INDUCTION, stored)
    assert made.places == {place}
    assert not made.counted


def test_a_place_that_is_wanted_as_a_word_is_computed_and_what_it_is_made_of() -> None:
    place = MAKE.make(Op.ADD, (INDEX, number(5)))
    further = MAKE.make(Op.ADD, (place, number(1)))
    entry = MAKE.make(Op.LOAD, (ARRAY, place))
    made = found(MAKE.make(Op.XOR, (entry, further)))
    assert further in made.affine and made.places == set() and made.counted


@pytest.mark.parametrize("result", [True, False])
def test_a_result_is_wanted(result: bool) -> None:
    place = MAKE.make(Op.ADD, (INDEX, number(5)))
    entry = MAKE.make(Op.LOAD, (ARRAY, place))
    made = found(*([place] if result else []), entry)
    assert (place not in made.places) == made.counted == result


def test_a_value_that_is_stored_is_wanted() -> None:
    value = MAKE.make(Op.ADD, (INDEX, number(5)))
    assert found(MAKE.make(Op.STORE, (ARRAY, INDEX, value))).counted


def test_a_place_that_may_be_outside_is_computed() -> None:
    """It is taken modulo the entries there."""
    place = MAKE.make(Op.ADD, (INDEX, number(6)))
    entry = MAKE.make(Op.LOAD, (ARRAY, place))
    assert found(entry, last=3).places == {place}
    assert found(entry, last=4).places == set()


def test_what_an_inner_loop_reads_is_computed() -> None:
    place = MAKE.make(Op.ADD, (INDEX, number(5)))
    inner, word = MAKE.param("index", WordType(32), "j"), MAKE.param("carried", WordType(32), "v")
    body = Region([inner, word], [MAKE.make(Op.XOR, (word, place))])
    (after,) = MAKE.loop(number(0), number(3), [WORD_INDUCTION], body)
    assert found(after).places == set()
    bounds = MAKE.loop(
        INDEX, number(9), [WORD_INDUCTION], Region([inner, word], [MAKE.make(Op.NOT, (word,))])
    )
    assert found(*bounds).counted


def test_what_has_several_values_is_no_number() -> None:
    """Its operands may look like those of a sum."""
    for node in (
        MAKE.make(Op.TUPLE, (INDEX, number(7))),
        MAKE.make(
            Op.WHEN,
            (MAKE.slice(INDEX, 0, 1), number(7)),
            Region([WORD_INDUCTION], [MAKE.make(Op.NOT, (WORD_INDUCTION,))]),
        ),
    ):
        assert found(*MAKE.results(node)).counted


def test_a_place_that_is_not_in_memory_is_computed() -> None:
    """No pointer reaches it: where it is, an index says which entry."""
    at = MAKE.make(Op.ADD, (INDEX, number(2)))
    read = MAKE.make(Op.LOAD, (ARRAY, at))
    region = Region([INDEX, WORD_INDUCTION, ARRAY], [MAKE.make(Op.XOR, (read, WORD_INDUCTION)), ARRAY])
    assert found_in(region, 0, 4).places == {at}
    apart = found_in(region, 0, 4, lambda array: array is ARRAY)
    assert not apart.places and apart.counted
