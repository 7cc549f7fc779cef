"""Repeated operations as subroutines: which are found, what goes in, what comes out, and what each does."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData, origin
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.isa.lower.carries import groups
from finalist.isa.lower.subroutines import Finder, Found, Subroutine, _bytes
from finalist.passes.legalise import legalised
from tests.model import evaluate

BOX = TableData(tuple(k * 7 % 256 for k in range(256)), 8, "BOX")


class Code:
    """A graph that is being written."""

    def __init__(self, words: int = 2, arrays: int = 0) -> None:
        self.make = Builder()
        self.words = [self.make.param("memory", WordType(8), f"w{k}") for k in range(words)]
        empty = self.make.array([0] * 16, 8)
        self.arrays = [self.make.param("key", empty.type, f"k{k}") for k in range(arrays)]

    def chain(self, x: Node, length: int, amount: int = 1, mask: int = 0x5A) -> Node:
        """Operations of two bytes each, one on the other, no two alike next to each other."""
        for k in range(length):
            second = (Op.ROL, amount) if k % 2 == 0 else (Op.AND, mask + k)
            x = self.make.make(second[0], (x, self.make.const(second[1], 8)))
        return x

    def load(self, array: int, index: Node | int) -> Node:
        at = self.make.const(index, 8) if isinstance(index, int) else index
        return self.make.make(Op.LOAD, (self.arrays[array], at))

    def graph(self, *results: Node) -> Graph:
        return Graph("code", [*self.words, *self.arrays], results)


def place_of(array: Node) -> Hashable:
    return origin(array)


def found(*graphs: Graph, array_key: Callable[[Node], Hashable] = place_of) -> list[tuple[Subroutine, int]]:
    """The subroutines, each with the number of its calls; what each call does is what it stands for."""
    finder = Finder(array_key, 8)
    for graph in graphs:
        finder.add(graph, {})
    made = list(finder.found())
    calls = list({id(call): call for call in finder.calls.values()}.values())
    for call in calls:
        assert all(finder.calls[node] is call for node in call.nodes)
        graph = next(g for g in graphs if call.nodes[0] in set(g.body))
        _same(graph, call.subroutine, call.inputs, call.outputs)
    return [(one, sum(call.subroutine is one for call in calls)) for one in made]


def _same(graph: Graph, one: Subroutine, inputs: Sequence[Node], outputs: Sequence[Node]) -> None:
    """On random words."""
    source = random.Random(1)
    watched = Graph("watched", graph.params, [*inputs, *outputs])
    given = [
        [source.randrange(256) for _ in range(16)]
        if not isinstance(p.type, WordType)
        else source.randrange(256)
        for p in graph.params
    ]
    values = evaluate(watched, given)
    params = [p for p in one.region.params if isinstance(p.type, WordType)]
    arrays = dict(zip(graph.params, given, strict=True))
    free = [node for node in arrays if not isinstance(node.type, WordType)]
    region = Graph("one", [*params, *free], one.region.results)
    assert evaluate(region, [*values[: len(inputs)], *(arrays[a] for a in free)]) == values[len(inputs) :]


@pytest.mark.parametrize(
    ("length", "count", "pays"),
    [
        (7, 2, False),
        (8, 2, True),
        (6, 3, False),
        (7, 3, True),
        (6, 5, False),
        (6, 6, True),
        (5, 14, False),
    ],
)
def test_bytes_are_counted(length: int, count: int, pays: bool) -> None:
    """A call takes 3 bytes; each word that goes in or comes out 4, but for a region's first call."""
    code, results = Code(count), list[Node]()
    for k, word in enumerate(code.words):  # and one operation that is another one in each
        results.append(code.make.make(Op.XOR, (code.chain(word, length), code.make.const(k, 8))))
    made = found(code.graph(*results))
    assert [calls for _, calls in made] == [count] * pays
    if pays:
        assert len(made[0][0].region.params) == len(made[0][0].region.results) == 1


def test_bytes_of_operations() -> None:
    """About; a carry takes none, nor does what adds one: the instruction before has it."""
    code = Code(2, 1)
    make, (a, b) = code.make, code.words
    carry = make.make(Op.EXTEND, (make.make(Op.LT, (a, b)),), type_=WordType(8))
    taken = {
        make.make(Op.LOOKUP, (a,), BOX): 5,
        code.load(0, 3): 4,
        make.make(Op.XOR, (a, b)): 3,
        make.make(Op.AND, (a, b)): 2,
        make.make(Op.ADD, (a, b)): 5,
        make.make(Op.SUB, (a, b)): 3,
        make.make(Op.MUL, (a, b)): 5,
        make.make(Op.ROL, (a, make.const(1, 8))): 2,
        carry: 0,
        carry.inputs[0]: 0,
        make.make(Op.ADD, (a, carry)): 0,
        make.make(Op.SUB, (carry, b)): 0,
        make.make(Op.XOR, (a, carry)): 3,
        make.slice(a, 2, 4): 0,
        make.slice(a, 2, 1): 0,
    }
    assert {node: _bytes(node) for node in taken} == taken


def test_of_several_graphs() -> None:
    one, two = Code(1), Code(1)
    graphs = [c.graph(c.chain(c.words[0], 20)) for c in (one, two)]
    assert [calls for _, calls in found(*graphs)] == [2]


@pytest.mark.parametrize("other", [{"amount": 2}, {"mask": 0x5B}])
def test_constants_have_to_be_the_same(other: dict[str, int]) -> None:
    code = Code(2)
    first, second = code.chain(code.words[0], 12), code.chain(code.words[1], 12, **other)
    assert found(code.graph(first, second)) == []


@pytest.mark.parametrize(("same", "count"), [(True, 1), (False, 0)])
def test_tables_have_to_be_the_same(same: bool, count: int) -> None:
    code, other = Code(2), TableData(BOX.values[::-1], 8, "OTHER")
    results = []
    for x, table in zip(code.words, (BOX, BOX if same else other), strict=True):
        looked = code.make.make(Op.LOOKUP, (code.chain(x, 6),), table)
        results.append(code.chain(looked, 6, amount=3))
    assert len(found(code.graph(*results))) == count


def test_wires_have_to_be_the_same() -> None:
    """What is within is not what comes from outside."""
    code = Code(3)
    a, b, c = code.words
    x = code.chain(a, 12)
    twice = code.make.make(Op.XOR, (code.chain(x, 12, amount=3), x))
    y = code.chain(b, 12)
    once = code.make.make(Op.XOR, (code.chain(y, 12, amount=3), c))
    made = found(code.graph(twice, once))
    assert [(calls, len(one.region.body)) for one, calls in made] == [(2, 24)]


def test_what_is_the_same_word_in_all_calls_goes_in_as_well() -> None:
    """Words are in memory, and it may be another byte for each."""
    code = Code(3)
    a, b, key = code.words
    results = [code.chain(code.make.make(Op.XOR, (code.chain(x, 12), key)), 6, amount=3) for x in (a, b)]
    ((one, calls),) = found(code.graph(*results))
    assert (calls, len(one.region.params)) == (2, 2)


def test_all_that_is_used_outside_of_one_call_comes_out_of_each() -> None:
    code = Code(2)
    middle, ends = list[Node](), list[Node]()
    for word in code.words:
        middle.append(code.chain(word, 12))
        ends.append(code.chain(middle[-1], 12, amount=3))
    ((one, calls),) = found(code.graph(*ends, middle[1]))
    assert (calls, len(one.region.body), len(one.region.results)) == (2, 24, 2)


@pytest.mark.parametrize(("entries", "params"), [((5, 5), 1), ((5, 6), 2)])
def test_one_entry_of_the_key_is_read_by_the_subroutine_others_go_in(
    entries: tuple[int, int], params: int
) -> None:
    code = Code(2, arrays=1)
    results = []
    for x, entry in zip(code.words, entries, strict=True):
        mixed = code.make.make(Op.XOR, (code.chain(x, 12), code.load(0, entry)))
        results.append(code.chain(mixed, 6, amount=3))
    ((one, calls),) = found(code.graph(*results))
    assert (calls, len(one.region.params)) == (2, params)


def reading(second: int) -> Graph:
    """Two chains with a read at a word in each, of the same or of different arrays."""
    code = Code(2, arrays=2)
    results = []
    for array, x in zip((0, second), code.words, strict=True):
        results.append(code.chain(code.load(array, code.chain(x, 6)), 7, amount=3))
    return code.graph(*results)


@pytest.mark.parametrize(("second", "count"), [(0, 1), (1, 0)])
def test_reads_at_words_are_of_one_array(second: int, count: int) -> None:
    assert len(found(reading(second))) == count


def test_arrays_that_lie_nowhere_are_not_read() -> None:
    assert found(reading(0), array_key=lambda array: None) == []


def test_wide_words_stay_outside() -> None:
    make = Builder()
    words = [make.param("memory", WordType(16), f"w{k}") for k in range(2)]
    results = []
    for x in words:
        for k in range(14):
            x = make.make(Op.ROL if k % 2 else Op.AND, (x, make.const(k + 1, 16)))
        results.append(x)
    assert found(Graph("wide", words, results)) == []


def test_sums_of_several_words_are_taken_whole_or_not_at_all() -> None:
    """No stretch begins or ends between a sum and the one that takes its carry."""
    make = Builder()
    pairs = [[make.param("memory", WordType(16), f"{name}{k}") for name in "ab"] for k in range(4)]
    results = []
    for a, b in pairs:
        for k in range(6):
            a = make.make(Op.XOR, (make.make(Op.ADD, (a, b)), make.const(0x3333 * k + 9, 16)))
        results.append(a)
    graph = legalised(Graph("sums", [x for pair in pairs for x in pair], results, ()), 8)
    grouped = groups(graph, 8, [])
    finder = Finder(place_of, 8)
    finder.add(graph, grouped)
    assert list(finder.found())
    for call in finder.calls.values():
        inside = set(call.nodes)
        assert all(set(grouped[node].members) <= inside for node in call.nodes if node in grouped)
        assert all(node.width == 8 for node in (*call.inputs, *call.outputs))


def test_the_best_comes_first_and_nothing_is_in_two() -> None:
    code = Code(5)
    ends = [code.chain(word, 24) for word in code.words[:3]]
    others = [code.chain(word, 14, amount=5, mask=0x33) for word in code.words[3:]]
    made = found(code.graph(*ends, *others))
    assert [(calls, len(one.region.body)) for one, calls in made] == [(3, 24), (2, 14)]


def test_a_long_chain_is_cut_where_it_repeats() -> None:
    """Four times the same on what it gave itself."""
    code = Code(1)
    x = code.words[0]
    for k in range(4):
        x = code.make.make(Op.XOR, (code.chain(x, 16), code.make.const(16 * k + 1, 8)))
    assert [(calls, len(one.region.body)) for one, calls in found(code.graph(x))] == [(4, 16)]


def two_kinds() -> Found:
    """Of a long stretch and a short one, each twice."""
    code = Code(4)
    longs = [code.chain(word, 40) for word in code.words[:2]]
    shorts = [code.make.make(Op.NOT, (code.chain(word, 12, 3, 0x11),)) for word in code.words[2:]]
    finder = Finder(place_of, 8)
    finder.add(code.graph(*longs, *shorts), {})
    return finder.all()


def test_without_the_last() -> None:
    made = two_kinds()
    assert [len(one.region.body) > 20 for one in made.subroutines] == [True, False]
    assert made.subroutines[0].gain > made.subroutines[1].gain > 0
    fewer = made.without_last()
    assert list(fewer.subroutines) == [made.subroutines[0]]
    assert all(call.subroutine is made.subroutines[0] for call in fewer.calls.values())
    assert len({id(call) for call in fewer.calls.values()}) == 2
    assert fewer.without_last().calls == {}


def test_a_choice_of_subroutines_is_told_from_another_by_its_calls() -> None:
    code = Code(2)
    graph = code.graph(*(code.chain(word, 40) for word in code.words))
    finders = [Finder(place_of, 8) for _ in range(2)]
    for finder in finders:
        finder.add(graph, {})
    one, again = (finder.all() for finder in finders)
    assert one.key == again.key != one.without_last().key


def test_names_and_words_are_given_anew() -> None:
    made, numbers = two_kinds(), iter(range(100))
    made.subroutines[0].changed.append(5)
    made.named(lambda: next(numbers))
    assert [one.label for one in made.subroutines] == ["shared0", "shared1"]
    words = [(one.arguments, one.results, one.changed) for one in made.subroutines]
    assert words == [([0], [1], []), ([2], [3], [])]


def test_no_more_words_wait_than_there_are_operations() -> None:
    """Each XOR of two other words: what is added up goes in, and waits until all is there."""
    code = Code(32)
    sums = [code.make.make(Op.XOR, pair) for pair in zip(code.words[::2], code.words[1::2], strict=True)]
    other = Code(32)
    others = [other.make.make(Op.XOR, pair) for pair in zip(other.words[::2], other.words[1::2], strict=True)]
    assert found(code.graph(*sums), other.graph(*others)) == []
