"""Linear maps after lookups become wider tables; what is of the key alone is kept apart."""

from __future__ import annotations

import random

import numpy as np
import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ciphers.des import FP, IP, P
from finalist.ciphers.des import S as BOXES
from finalist.ciphers.rijndael import MIX_INV, S
from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.execute import split
from finalist.ir.graph import Graph, Region, TableData
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, WordType
from finalist.language import LinearMap
from finalist.language.tables import gf_multiply
from finalist.machines.tracing import traced
from finalist.passes.fuse import Fuser, fused
from finalist.passes.matrices import apply_matrix
from finalist.passes.pipeline import lower
from tests.passes.meaning import keeps_graph, operations

MATRIX = tuple((0x11D * k) & 0xFF for k in range(1, 9))


def tables(graph: Graph) -> dict[TableData, int]:
    """How often each table is read."""
    counted: dict[TableData, int] = {}
    for node in operations(graph, Op.LOOKUP):
        counted[node.attr] = counted.get(node.attr, 0) + 1
    return counted


def test_a_matrix_times_a_vector() -> None:
    assert apply_matrix((1, 2, 4, 8), 0b1010) == 0b1010
    assert apply_matrix((0b11, 0b01, 0b11), 0b101) == 0
    assert apply_matrix((), 0) == 0


def test_a_lookup_and_a_map_are_one_lookup() -> None:
    make = Builder()
    x = make.param("memory", WordType(8), "x")
    box = TableData(tuple(range(255, -1, -1)), 8, "S")
    graph = Graph("g", [x], [make.linear([MATRIX], [make.make(Op.LOOKUP, [x], box)], 8)])
    fused = keeps_graph(Fuser(32).run, graph)
    (node,) = fused.body
    assert node.op is Op.LOOKUP
    assert node.attr.values == tuple(apply_matrix(MATRIX, v) for v in box.values)
    assert node.attr.name.startswith("S_T")


def test_maps_that_are_too_wide_stay() -> None:
    make = Builder()
    x = make.param("memory", WordType(8), "x")
    graph = Graph("g", [x], [make.linear([tuple(1 << 8 * (k % 4) for k in range(8))], [x], 32)])
    assert operations(Fuser(8).run(graph), Op.LINEAR)
    assert not operations(Fuser(32).run(graph), Op.LINEAR)


def test_the_key_s_part_is_left_for_the_key_schedule() -> None:
    make = Builder()
    x, keys = make.param("memory", WordType(8), "x"), make.param("key", ArrayType(1, 8), "k")
    key = make.make(Op.LOAD, [keys, make.const(0, 32)])
    mixed = make.make(Op.XOR, [make.make(Op.LOOKUP, [x], S.data), key])
    fused = keeps_graph(Fuser(32).run, Graph("g", [x, keys], [make.linear([MATRIX], [mixed], 8)]))
    (left,) = operations(fused, Op.LINEAR)
    assert [child.op for child in left.inputs] == [Op.LOAD]


def test_equal_tables_have_one_name() -> None:
    kernel = lower(traced(cipher("rijndael"), "encrypt", 128)).kernel
    named = {node.attr.name: node.attr for node in operations(kernel, Op.LOOKUP)}
    assert len(named) == len(set(named.values()))


# -- where tables do not pay ------------------------------------------------------------------------


def of_a_word(matrix: tuple[int, ...], width: int) -> Graph:
    """A map of a word of the block, of which no lookup is part."""
    make = Builder()
    x = make.param("memory", WordType(len(matrix)), "x")
    return Graph("g", [x], [make.linear([matrix], [x], width)])


@pytest.mark.parametrize("permutation", [IP, FP])
def test_permutations_of_few_swaps_get_no_tables(permutation: LinearMap) -> None:
    """Five swaps, where eight lookups in 16 KiB would do the same."""
    graph = of_a_word(permutation.matrices[0], 64)
    assert [node.op for node in keeps_graph(Fuser(64).run, graph).body] == [Op.LINEAR]


@pytest.mark.parametrize(("inputs", "width"), [(64, 32), (32, 32), (32, 8)])
def test_dense_maps_get_tables(inputs: int, width: int) -> None:
    """As Twofish's RS is: a lookup for each byte."""
    source = random.Random(inputs)
    graph = of_a_word(tuple(source.getrandbits(width) for _ in range(inputs)), width)
    after = keeps_graph(Fuser(64).run, graph)
    assert not operations(after, Op.LINEAR)
    assert len(operations(after, Op.LOOKUP)) == inputs // 8


def test_a_permutation_after_lookups_is_in_their_tables() -> None:
    """DES's P is free after the S-boxes; bytes in another order get no tables, if they are no lookups."""
    assert operations(Fuser(64).run(of_a_word(of_bytes_turned(), 32)), Op.LINEAR)
    make = Builder()
    params = [make.param("memory", WordType(6), f"p{k}") for k in range(8)]
    parts = [make.make(Op.LOOKUP, [p], box.data) for p, box in zip(params, BOXES, strict=True)]
    graph = Graph("g", params, [make.linear(P.matrices, [make.make(Op.JOIN, parts)], 32)])
    after = keeps_graph(Fuser(64).run, graph)
    assert {node.op for node in after.body} == {Op.LOOKUP, Op.XOR}
    assert len(operations(after, Op.LOOKUP)) == 8


def of_bytes_turned() -> tuple[int, ...]:
    """The bytes of a word in the other order: two diagonals of masks."""
    return tuple(1 << (24 - k // 8 * 8 + k % 8) for k in range(32))


def test_kernel_of_des() -> None:
    """IP and its inverse as swaps, 128 lookups in eight tables of 64 words."""
    kernel = lower(traced(cipher("des"), "encrypt", 64)).kernel
    assert sorted(tables(kernel).values()) == [16] * 8
    assert {(table.index_width, table.width) for table in tables(kernel)} == {(6, 32)}


# -- the ciphers --------------------------------------------------------------------------------------


def columns(matrix: list[list[int]], box: tuple[int, ...]) -> set[tuple[int, ...]]:
    """The T-tables of the Rijndael book, section 4.2: S-box times one column of the matrix."""
    made = set()
    for column in zip(*matrix, strict=True):
        made.add(tuple(sum(gf_multiply(m, y, 0x11B) << 8 * r for r, m in enumerate(column)) for y in box))
    return made


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_rijndael_has_its_t_tables(bits: int) -> None:
    """Four of 256 words of 32 bits in all rounds but the last, which has the S-box; 16 lookups a round."""
    kernel = lower(traced(cipher("rijndael"), "encrypt", bits)).kernel
    rounds = bits // 32 + 6
    found = tables(kernel)
    wide = {table: count for table, count in found.items() if table.width == 32}
    narrow = {table: count for table, count in found.items() if table.width == 8}
    mix = [[2, 3, 1, 1], [1, 2, 3, 1], [1, 1, 2, 3], [3, 1, 1, 2]]
    assert {table.values for table in wide} == columns(mix, S.data.values)
    assert list(wide.values()) == [4 * (rounds - 1)] * 4
    assert narrow == {S.data: 16}
    assert sum(found.values()) == 16 * rounds
    assert not operations(kernel, Op.LINEAR)


def test_rijndael_backwards_is_the_equivalent_inverse_cipher() -> None:
    """The round keys of the inner rounds have gone through InvMixColumns, in the key schedule."""
    forwards = traced(cipher("rijndael"), "encrypt", 128)
    backwards = lower(traced(cipher("rijndael"), "decrypt", 128))
    found = tables(backwards.kernel)
    assert sum(found.values()) == 160
    assert sorted(table.width for table in found) == [8, 32, 32, 32, 32]
    key = np.frombuffer(bytes(range(16)), np.uint8)[None, :]
    plain = interpreter.run(forwards.expand, split(forwards.key, key))[0].reshape(-1)
    derived = [v.reshape(-1) for v in interpreter.run(backwards.expand, split(backwards.key, key))]
    words = set(np.concatenate([v for v in derived if v.dtype == np.uint32]).tolist())
    for r in range(1, 10):
        for c in range(4):
            column = [int(b) for b in plain[16 * r + 4 * c : 16 * r + 4 * c + 4]]
            total = 0
            for matrix, byte in zip(MIX_INV.matrices, column, strict=True):
                total ^= apply_matrix(matrix, byte)
            assert total in words


def test_a_map_of_a_keyed_function_is_a_keyed_function() -> None:
    """The same one however often it is there; with another map another one."""
    make = Builder()
    argument = make.param("argument", WordType(8), "a")
    table = TableData(tuple(7 * k + 1 & 255 for k in range(256)), 8, "S")
    function = Region([argument], [make.make(Op.LOOKUP, (argument,), table)])
    x, y = (make.param("memory", WordType(8), name) for name in "xy")
    other = (*MATRIX[1:], MATRIX[0])
    results = [
        make.linear([matrix], [make.apply(function, (word,))], 8)
        for matrix, word in ((MATRIX, x), (MATRIX, y), (other, x))
    ]
    graph = Graph("keyed", [x, y], results)
    made = Fuser(32).run(graph)
    first, second, third = (node.region for node in operations(made, Op.APPLY))
    assert first is second is not third
    assert all(node.op is not Op.LINEAR for node in made.body)
    values = [np.arange(256, dtype=np.uint8), np.arange(256, dtype=np.uint8)[::-1]]
    for one, two in zip(interpreter.run(graph, values), interpreter.run(made, values), strict=True):
        assert (one == two).all()


def test_what_is_waited_for_is_looked_up_after_a_lookup() -> None:
    """A permutation of few swaps, of words from tables too large to be fused, where blocks come alone."""
    make = Builder()
    box = TableData(tuple(random.Random(3).randrange(256) for _ in range(1 << 13)), 8, "S")
    indices = [make.param("memory", WordType(13), f"x{n}") for n in range(8)]
    joined = make.make(Op.JOIN, [make.make(Op.LOOKUP, [x], box) for x in indices])
    graph = Graph("g", indices, [make.linear([IP.matrices[0]], [joined], 64)])
    assert operations(Fuser(64).run(graph), Op.LINEAR)
    assert operations(Fuser(32, alone=True).run(graph), Op.LINEAR)  # too wide
    fused = keeps_graph(Fuser(64, alone=True).run, graph)
    assert not operations(fused, Op.LINEAR)
    assert sum(len(table.values) == 256 for table in tables(fused)) == 8
    # What no lookup comes before would only take longer.
    plain = make.param("memory", WordType(64), "y")
    bare = Graph("g", [plain], [make.linear([IP.matrices[0]], [plain], 64)])
    assert operations(Fuser(64, alone=True).run(bare), Op.LINEAR)


def test_a_key_schedule_may_have_wider_tables() -> None:
    make = Builder()
    x = make.param("memory", WordType(56), "x")
    source = random.Random(5)
    matrix = tuple(source.getrandbits(48) for _ in range(56))
    graph = Graph("g", [x], [make.linear([matrix], [x], 48)])
    fuser = Fuser(32)
    assert operations(fused(graph, fuser), Op.LINEAR)
    assert not operations(fused(graph, fuser, 64), Op.LINEAR)
    assert fuser.width == 32
