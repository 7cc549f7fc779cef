"""Tables of few bits in pairs: the same entries, half the bytes."""

from __future__ import annotations

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.isa.prepare.packed_tables import packed
from tests.passes.meaning import keeps_graph


def table(number: int, bits: int = 6, width: int = 4) -> TableData:
    values = tuple((k * (2 * number + 3) + number) % (1 << width) for k in range(1 << bits))
    return TableData(values, width, f"S{number}")


def graph(tables: list[TableData]) -> Graph:
    """Each table read at a word of its own, two entries side by side in a byte."""
    make = Builder()
    words = [make.param("memory", WordType(t.index_width), f"w{k}") for k, t in enumerate(tables)]
    read = [make.make(Op.LOOKUP, (word,), t) for word, t in zip(words, tables, strict=True)]
    pairs = [make.make(Op.JOIN, pair) for pair in zip(read[::2], read[1::2], strict=False)]
    return Graph("tables", words, [*pairs, *read[len(pairs) * 2 :]])


def left(after: Graph) -> list[tuple[int, int]]:
    found = dict.fromkeys(node.attr for node in every_node(after) if node.op is Op.LOOKUP)
    return [(len(one.values), one.width) for one in found]


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        ([table(0), table(1), table(2), table(3)], [(64, 8)] * 2),
        ([table(0), table(1), table(2)], [(64, 8), (64, 4)]),
        ([table(0), table(1, bits=4)], [(64, 4), (16, 4)]),
        ([table(0, width=6), table(1, width=6)], [(64, 6)] * 2),
    ],
)
def test_two_of_one_length_are_one(tables: list[TableData], expected: list[tuple[int, int]]) -> None:
    assert sorted(left(keeps_graph(packed, graph(tables)))) == sorted(expected)


def test_what_goes_to_the_high_bits_is_there() -> None:
    """So that entries side by side are two masks and a sum, without a shift."""
    after = packed(graph([table(k) for k in range(4)]))
    assert {node.op for node in after.body} == {Op.LOOKUP, Op.AND, Op.OR}
