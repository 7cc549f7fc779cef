"""What goes into equal stretches: entries of the key by an index where they are in line."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.isa.lower.borders import INDEX
from finalist.isa.lower.subroutines import Finder
from tests.isa.lower.test_subroutines import BOX, Code, place_of
from tests.model import evaluate


def finder(entries: Sequence[Sequence[int]], anywhere: bool = False) -> Finder:
    """Of the same on several words, with other entries of the key for each."""
    code, results = Code(len(entries), arrays=1), list[Node]()
    for word, taken in zip(code.words, entries, strict=True):
        x = code.chain(word, 12)
        for k, entry in enumerate(taken):
            x = code.chain(code.make.make(Op.XOR, (x, code.load(0, entry))), 3, amount=k + 2)
        results.append(x)
    made = Finder(place_of, 8, anywhere=anywhere)
    made.add(code.graph(*results), {})
    return made


IN_LINE = [(2, 5, 9), (3, 6, 10), (1, 4, 8)]


@pytest.mark.parametrize(
    ("entries", "kinds"),
    [
        (IN_LINE, ["argument", INDEX]),
        ([(2, 5), (3, 6), (1, 4)], ["argument"] * 3),
        ([(2, 5, 9), (3, 6, 11), (1, 4, 8)], ["argument"] * 4),
    ],
)
def test_entries_in_line_are_read_by_an_index(entries: list[tuple[int, ...]], kinds: list[str]) -> None:
    (one,) = finder(entries).found()
    assert [param.attr for param in one.region.params] == kinds


def test_the_index_is_never_less_than_0() -> None:
    made = finder(IN_LINE)
    (one,) = made.found()
    calls = list({id(call): call for call in made.calls.values()}.values())
    assert [call.inputs[-1].attr for call in calls] == [1, 2, 0]
    reads = [node.inputs[1].inputs[1].attr for node in one.region.body if node.op is Op.LOAD]
    assert reads == [1, 4, 8]


def test_entries_that_may_lie_anywhere_are_wished_in_line() -> None:
    made = finder([(7, 5, 9), (3, 6, 11), (1, 4, 8)], anywhere=True)
    list(made.found())
    (wish,) = made.wishes
    assert [[place for _, place in row] for row in wish] == [[7, 5, 9], [3, 6, 11], [1, 4, 8]]


def test_an_entry_of_two_columns_can_not_be_in_line() -> None:
    made = finder([(7, 5, 9), (5, 7, 11), (1, 4, 8)], anywhere=True)
    list(made.found())
    assert made.wishes == []


@pytest.mark.parametrize(
    ("seconds", "count"),
    [([4, 9, 0], 1), ([4, 9, 1], 2)],
)
def test_a_word_that_is_another_plus_a_number_does_not_go_in(seconds: list[int], count: int) -> None:
    """Places of a table: 1 and 4, 6 and 9, 253 and 0 are three apart."""
    code = Code(1)
    make, results = code.make, list[Node]()
    for first, second in zip((1, 6, 253), seconds, strict=True):
        parts = [make.make(Op.LOOKUP, (make.const(place, 8),), BOX) for place in (first, second)]
        x = code.chain(make.make(Op.XOR, (parts[0], make.make(Op.ROL, (parts[1], make.const(3, 8))))), 12)
        results.append(x)
    made = Finder(place_of, 8)
    made.add(code.graph(*results), {})
    (one,) = made.found()
    assert [param.attr for param in one.region.params] == ["argument"] * count
    calls = list({id(call): call for call in made.calls.values()}.values())
    for call, result in zip(calls, results, strict=True):
        words = [value[0] for value in [evaluate(Graph("word", [], [node]), []) for node in call.inputs]]
        assert evaluate(one.region, words) == evaluate(Graph("result", [], [result]), [])
