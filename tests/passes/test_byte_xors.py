"""XORs of bytes as XORs of words with their bytes permuted."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from finalist.ciphers.catalogue import cipher, cipher_names
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.tracing import traced
from finalist.passes import byte_xors
from finalist.passes.byte_xors import on_words
from tests.passes.meaning import keeps_graph, keeps_program, operations

TABLE = TableData(tuple(random.Random(2).sample(range(256), 256)), 8, "T")
#: Of two words the bytes that each byte of two others is the sum of.
ROTATIONS = [(k, (k + 1) % 4, 4 + (k + 2) % 4) for k in range(4)] + [
    ((k + 3) % 4, 4 + k, 4 + (k + 1) % 4) for k in range(4)
]
REVERSED = [(3 - k, k, 4 + (k + 1) % 4) for k in range(4)] + [(k ^ 2, 4 + k, 7 - k) for k in range(4)]


def layer(rows: Sequence[Sequence[int]], *, tables: bool = True, keys: bool = False) -> Graph:
    """Sums of bytes; ``tables``: that were looked up, ``keys``: each with a byte that is in no other."""
    make = Builder()
    given = [make.param("memory", WordType(8), f"x{k}") for k in range(len(rows))]
    more = [make.param("memory", WordType(8), f"k{k}") for k in range(len(rows))] if keys else []
    found = [make.make(Op.LOOKUP, (x,), TABLE) for x in given] if tables else given
    sums = []
    for place, row in enumerate(rows):
        total: Node = found[row[0]]
        for byte in row[1:]:
            total = make.make(Op.XOR, (total, found[byte]))
        sums.append(make.make(Op.XOR, (total, more[place])) if keys else total)
    return Graph("toy", [*given, *more], sums)


@pytest.mark.parametrize("keys", [False, True])
@pytest.mark.parametrize("rows", [ROTATIONS, REVERSED])
def test_four_bytes_are_added_at_once(rows: list[tuple[int, ...]], keys: bool) -> None:
    before = layer(rows, keys=keys)
    after = keeps_graph(on_words, before)
    added = [node.width for node in operations(after, Op.XOR)]
    assert added.count(32) == 4 and added.count(8) == 8 * keys < len(operations(before, Op.XOR))


@pytest.mark.parametrize(
    "other",
    [
        layer([(k, (k + 1) % 6) for k in range(6)]),  # no whole words
        layer([(0, 1), (1, 3), (2, 0), (3, 2)]),  # no such permutations
        layer(ROTATIONS, tables=False),
    ],
)
def test_what_is_no_such_layer_stays(other: Graph) -> None:
    assert on_words(other) is other


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize("bits", [128, 192, 256])
def test_arias_layers(operation: str, bits: int) -> None:
    before = traced(cipher("aria"), operation, bits)
    after = keeps_program(byte_xors.run, before)
    apart, words = (
        sum(node.width == width for node in operations(program.kernel, Op.XOR))
        for program, width in ((before, 8), (after, 32))
    )
    rounds = bits // 32 + 8
    assert apart > 96 * (rounds - 1) and words == 24 * (rounds - 1)


OTHERS = [name for name in cipher_names() if name != "aria" and not cipher(name).stateful]


@pytest.mark.parametrize("name", OTHERS)
def test_others_have_none(name: str) -> None:
    """Their layers are matrices over larger fields, or sums that are few."""
    definition = cipher(name)
    before = traced(definition, "encrypt", definition.usual_key_bits())
    assert on_words(before.kernel) is before.kernel


def test_each_square_is_the_shortest_sum() -> None:
    squares = byte_xors._squares()
    assert len(squares) < 256  # so some are sums in several ways
    for square, ways in squares.items():
        assert len({len(way) for way in ways}) == 1
        for way in ways:
            sources = [[byte_xors._source(move, to) for move in way] for to in range(4)]
            assert square == tuple(byte_xors._added(1 << byte for byte in row) for row in sources)
