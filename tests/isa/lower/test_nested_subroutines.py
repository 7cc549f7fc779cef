"""Stretches of operations that several places have: found, held against what calls cost, nested."""

from __future__ import annotations

from collections.abc import Hashable

from finalist.ir.builder import Builder
from finalist.ir.graph import Node, Region, TableData
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.isa.lower.subroutines import Finder, Subroutine, executions

BYTE = WordType(8)
TABLE = TableData(tuple((5 * k + 1) % 256 for k in range(256)), 8, "box")


def of_arrays(array: Node) -> Hashable:
    return array


OTHER = TableData(tuple((11 * k + 7) % 256 for k in range(256)), 8, "other")


def chain(make: Builder, word: Node, crossed: bool = False, table: TableData = TABLE) -> Node:
    """Eight lookups and sums, one on the other; ``crossed``: the constants of its XORs stand first."""
    for number in range(8):
        found = make.make(Op.LOOKUP, (word,), table, type_=BYTE)
        fixed = make.const(17 * number + 3, 8)
        word = make.raw(Op.XOR, (fixed, found) if crossed else (found, fixed), None, BYTE)
    return word


def region(count: int, crossed: bool = False) -> Region:
    """The same on several words, the last of which may have its operands the other way round."""
    make = Builder()
    words = [make.param("memory", BYTE, f"w{k}") for k in range(count)]
    results = [chain(make, word, crossed and k == count - 1) for k, word in enumerate(words)]
    return Region(words, results)


def found(region: Region, **more: int) -> tuple[list[Subroutine], Finder]:
    finder = Finder(of_arrays, 8, **more)
    finder.add(region, {}, 1)
    return list(finder.found()), finder


def test_what_is_done_three_times_is_one_subroutine() -> None:
    (one,), finder = found(region(3))
    assert len(one.region.params) == len(one.region.results) == 1
    assert len({id(call) for call in finder.calls.values()}) == 3


def test_the_order_of_operands_does_not_matter() -> None:
    (one,), finder = found(region(2, crossed=True))
    assert len(one.region.body) >= 16 and len({id(call) for call in finder.calls.values()}) == 2


def test_nothing_is_a_subroutine_that_costs_more_than_its_bytes_are_worth() -> None:
    assert found(region(3), worth=0)[0] == []
    finder = Finder(of_arrays, 8, worth=1)
    finder.add(region(3), {}, 1000)
    assert list(finder.found()) == []


def test_what_a_subroutine_does_twice_is_one_that_it_calls() -> None:
    """Two regions of two chains, of whose sum a third one is made."""
    finder = Finder(of_arrays, 8)
    for _ in range(2):
        make = Builder()
        words = [make.param("memory", BYTE, f"w{k}") for k in range(2)]
        total = make.make(Op.XOR, [chain(make, word) for word in words])
        finder.add(Region(words, [chain(make, total, table=OTHER)]), {}, 1)
    outer, inner = finder.found()
    assert len(outer.region.params) == 2 and len(inner.region.params) == 1
    assert any(node in finder.calls for node in outer.region.body)


def test_how_often_regions_are_executed() -> None:
    make = Builder()
    index, carried = make.param("index", WordType(32), "i"), make.param("carried", BYTE, "c")
    body = Region([index, carried], [make.make(Op.XOR, (carried, make.const(3, 8)))])
    word = make.param("memory", BYTE, "w")
    results = make.loop(make.const(0, 32), make.const(7, 32), [word], body)
    whole = Region([word], results)
    assert dict(executions(whole)) == {whole: 1, body: 7}
