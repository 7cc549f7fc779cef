"""Counting on programs of a few lines: loops, conditions, places in arrays, amounts, rounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from finalist.ir.graph import Graph
from finalist.ir.types import storage_bits
from finalist.language import Array, Table, gf_matrix, join, loop, rol, rounds, select, tabulate, u8, when
from finalist.language.cipher import words
from finalist.passes.simplify import simplified
from finalist.report.counts import by_round, counted
from finalist.report.kinds import Kind, Kinds
from finalist.report.path import critical_path
from tests.language.toy import toy, traced

S = Table([7, 4, 1, 6, 3, 0, 5, 2], 3, name="S")


def kernel(encrypt: Callable[..., Any], **options: Any) -> Graph:
    return simplified(traced(toy(encrypt, **options)).kernel)


def loop_and_when(block: Any, keys: Any) -> Any:
    a = Array.holding(list(block))
    for i in loop(0, 8):
        a[0] = a[0] + rol(a[i], a[1])
        with when(a[0] < a[2]):
            a[3] = a[3] ^ keys[0]
    return list(a)


def test_loops_and_conditions() -> None:
    """Eight turns; what the condition guards as if it always held."""
    counts = counted(kernel(loop_and_when))
    assert counts.operations == {
        (Kind.ADD, 32): 8,
        (Kind.DATA_ROTATE, 32): 8,
        (Kind.COMPARE, 32): 8,
        (Kind.WHEN, 0): 8,
        (Kind.XOR, 32): 8,
        (Kind.FIXED_READ, 32): 8 * 5 + 4,  # not what a turn itself has just written
        (Kind.FIXED_WRITE, 32): 8 * 2 + 4,
        (Kind.KEY_WORD, 32): 1,
    }
    assert counts.total == 40
    assert (counts.at_most, counts.uncertain) == (True, 0)


def test_the_path_through_loops_and_conditions() -> None:
    """A turn: rotate, add, compare, decide, XOR; the next turn reads the array that the last one left."""
    assert critical_path(kernel(loop_and_when)) == 8 * 5


def test_nested_loops() -> None:
    def encrypt(block: Any, keys: Any) -> Any:
        a = Array.holding(list(block))
        for _ in loop(0, 5):
            for _ in loop(2, 5):
                a[0] = a[0] * a[1]
        return list(a)

    counts = counted(kernel(encrypt))
    assert (counts.of(Kind.MUL), counts.at_most) == (15, False)


def test_triangular_loops_are_bounded() -> None:
    def encrypt(block: Any, keys: Any) -> Any:
        a = Array.holding(list(block))
        for i in loop(0, 6):
            for _ in loop(i, 10 - i):
                a[0] = a[0] * a[1]
        return list(a)

    counts = counted(kernel(encrypt))
    assert (counts.of(Kind.MUL), counts.at_most, counts.uncertain) == (60, True, 0)


def test_loops_without_bound_count_once() -> None:
    def encrypt(block: Any, keys: Any) -> Any:
        a = Array.holding(list(block))
        for _ in loop(0, block[0]):
            a[0] = a[0] * a[1]
        return list(a)

    counts = counted(kernel(encrypt))
    assert (counts.of(Kind.MUL), counts.uncertain) == (1, 1)
    assert critical_path(kernel(encrypt)) == 1


def test_places_in_arrays() -> None:
    """A loop that begins at a computed place moves through computed places."""

    def encrypt(block: Any, keys: Any) -> Any:
        a = Array.holding(list(block))
        a[block[0]] = a[block[1] + 3]
        for i in loop(0, 4):
            a[i + 1] = a[i]
        for i in loop(block[2] & 3, 4):
            a[i] = block[3]
        return [a[0], a[1], a[2], a[block[0] + block[1]]]

    counts = counted(kernel(encrypt))
    assert counts.of(Kind.READ) == 2
    assert counts.of(Kind.WRITE) == 1 + 4
    assert counts.of(Kind.ADD) == 1  # of two computed words; adding a constant is the address's
    assert counts.of(Kind.ADDRESS) == 1 + 4


def test_amounts() -> None:
    def encrypt(block: Any, keys: Any) -> Any:
        a, b, c, d = block
        return [rol(a, 3), rol(b, keys[0]), rol(c, d), d << c >> keys[1] >> 2]

    counts = counted(kernel(encrypt))
    kinds = (Kind.ROTATE, Kind.KEY_ROTATE, Kind.DATA_ROTATE, Kind.SHIFT, Kind.KEY_SHIFT, Kind.DATA_SHIFT)
    assert [counts.of(kind) for kind in kinds] == [1, 1, 1, 1, 1, 1]


def test_tables() -> None:
    """Equal tables are one; a keyed function is one for each set of key words."""
    other = Table([7, 4, 1, 6, 3, 0, 5, 2], 3, name="other")

    def expand(key: Any) -> Any:
        return {"w": key, "f": [tabulate(lambda x, k=k: S[(x + k[0:3])], 3) for k in key[:2]]}

    def encrypt(block: Any, keys: Any) -> Any:
        a, b, c, d = (word[0:3] for word in block)
        found = (S[a], other[b], keys["f"][0][c], keys["f"][1][d])
        return [word.extend(32) for word in found]

    counts = counted(kernel(encrypt, expand=expand))
    tables = [(t.name, t.kind, t.entries, t.index_bits, t.lookups, t.bytes) for t in counts.tables]
    assert tables == [
        ("S", Kind.LOOKUP, 8, 3, 2, 8),
        ("keyed function 1", Kind.KEYED_FUNCTION, 8, 3, 1, 8),
        ("keyed function 2", Kind.KEYED_FUNCTION, 8, 3, 1, 8),
    ]
    assert counts.lookups == 4


def test_work_on_the_key_alone() -> None:
    def encrypt(block: Any, keys: Any) -> Any:
        k = keys[0] * keys[1] ^ keys[2]
        return [word + k for word in block]

    counts = counted(kernel(encrypt))
    assert (counts.total, counts.of_key) == (6, 2)


def test_words_of_bytes() -> None:
    """Parts taken out and put together are no operations."""

    def encrypt(block: Any, keys: Any) -> Any:
        return [*(select(x < 9, x, y) for x, y in zip(block[:2], block[2:], strict=True)), *block[2:]]

    counts = counted(kernel(encrypt, block=words(4, u8)))
    assert counts.of(Kind.COMPARE, Kind.SELECT) == counts.total == 4
    assert counts.operations[Kind.COMPARE, 8] == 2
    assert counts.of(Kind.TAKE) == 4 + 1  # the upper half of the result stays in one piece
    assert counts.of(Kind.PUT) == 1


def test_rounds() -> None:
    def encrypt(block: Any, keys: Any) -> Any:
        a, b, c, d = block
        for r in rounds(5):
            a, b = b, a + (b ^ keys[r % 4])
            if r % 2:
                a = a * b
        return [a, b, c - keys[0], d]

    (group,), outside = by_round(kernel(encrypt))
    even = {(Kind.ADD, 32): 1, (Kind.XOR, 32): 1}
    assert group.sorts == (((0, 2, 4), even), ((1, 3), {**even, (Kind.MUL, 32): 1}))
    assert group.count == 5
    assert outside[Kind.SUB, 32] == 1
    assert Kind.MUL not in {kind for kind, _ in outside}


@pytest.mark.parametrize(("width", "size"), [(1, 1), (8, 1), (9, 2), (32, 4), (48, 8), (64, 8)])
def test_bytes_in_memory(width: int, size: int) -> None:
    assert storage_bits(width) == 8 * size


# -- critical paths ------------------------------------------------------------------------------------


def test_a_chain_and_a_tree() -> None:
    def encrypt(block: Any, keys: Any) -> Any:
        a, b, c, d = block
        return [((a ^ b) ^ c) ^ d, a, b, c]

    assert critical_path(kernel(encrypt)) == 3
    assert critical_path(kernel(encrypt), trees=True) == 2
    assert critical_path(kernel(encrypt), {Kind.XOR: 5}) == 15


def test_a_sum_that_others_need_is_computed_as_it_stands() -> None:
    def encrypt(block: Any, keys: Any) -> Any:
        a, b, c, d = block
        x = (a ^ b) ^ c
        return [x ^ d, x, b, c]

    assert critical_path(kernel(encrypt), trees=True) == 3


def test_trees_add_what_is_there_first() -> None:
    def encrypt(block: Any, keys: Any) -> Any:
        a, b, c, d = block
        return [a * b * c ^ b ^ c ^ d, a, b, c]

    assert critical_path(kernel(encrypt)) == 2 + 3
    assert critical_path(kernel(encrypt), trees=True) == 2 + 1


def test_moves_take_no_time() -> None:
    mix = gf_matrix([[2, 3, 1, 1], [1, 2, 3, 1], [1, 1, 2, 3], [3, 1, 1, 2]], 0x11B)

    def encrypt(block: Any, keys: Any) -> Any:
        mixed = join(*mix(*block[0].bytes()))
        return [mixed + keys[0], *block[1:]]

    graph = kernel(encrypt)
    assert critical_path(graph) == 2
    assert critical_path(graph, {Kind.TAKE: 1}) > 2


def test_independent_words_carried_by_a_loop_stay_independent() -> None:
    def encrypt(block: Any, keys: Any) -> Any:
        a, b = Array.holding([block[0]]), Array.holding([block[1]])
        for _ in loop(0, 10):
            a[0] = a[0] + 1
            b[0] = b[0] * b[0] ^ 1
        return [a[0], block[1], block[2], block[3]]

    assert critical_path(kernel(encrypt)) == 10


def test_an_unnamed_kind_has_no_node() -> None:
    graph = kernel(loop_and_when)
    assert {Kinds(graph)(node) for node in graph.body if node.op.label in ("loop", "result")} == {None}
