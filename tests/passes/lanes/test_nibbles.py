"""Tables of 256 bytes as networks: every structure is found again, and what has none is left."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir import interpreter
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, TableData, every_node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.tracing import traced as trace
from finalist.passes import keying
from finalist.passes.inversions import found, inverses, of_table
from finalist.passes.lanes.nibbles import in_halves, in_logic, network, run, tables_in_logic
from finalist.passes.matrices import apply_matrix
from finalist.passes.simplify import simplify
from tests.passes.meaning import keeps_graph, keeps_program, operations

Values = tuple[int, ...]


def lookup(values: Values) -> Graph:
    make = Builder()
    x = make.param("memory", WordType(8), "x")
    return Graph("g", [x], [make.make(Op.LOOKUP, [x], TableData(values, 8, "T"))])


def assert_found(values: Values) -> Graph:
    """Every entry comes of tables that a permute reads."""
    after = keeps_graph(in_halves, lookup(values))
    (every,) = interpreter.run(after, [np.arange(256, dtype="u1")])
    assert tuple(every.tolist()) == values
    assert all(len(set(node.attr.values[16:128])) <= 16 for node in operations(after, Op.LOOKUP))
    assert network(values) is not None
    return after


def permutation(source: random.Random, count: int) -> list[int]:
    return source.sample(range(count), count)


def turned(x: int, by: int) -> int:
    return (x << by | x >> 8 - by) & 255


def invertible(source: random.Random) -> Values:
    while True:
        matrix = tuple(source.getrandbits(8) for _ in range(8))
        if len({apply_matrix(matrix, x) for x in range(256)}) == 256:
            return matrix


def sums(source: random.Random) -> Values:
    a, b = ([source.getrandbits(8) for _ in range(16)] for _ in "ab")
    return tuple((a[x & 15] + b[x >> 4]) % 256 for x in range(256))


def feistel(source: random.Random) -> Values:
    f, g, h = ([source.getrandbits(4) for _ in range(16)] for _ in "fgh")
    swap_in, swap_out = source.random() < 0.5, source.random() < 0.5

    def value(x: int) -> int:
        left, right = (x & 15, x >> 4) if swap_in else (x >> 4, x & 15)
        left ^= f[right]
        right ^= g[left]
        left ^= h[right]
        return left | right << 4 if swap_out else left << 4 | right

    return tuple(map(value, range(256)))


def layers(source: random.Random) -> Values:
    """Small S-boxes, a linear map, small S-boxes, the whole turned before and after."""
    first, second = ([permutation(source, 16) for _ in "ab"] for _ in "cd")
    matrix, before, after = invertible(source), source.randrange(8), source.randrange(8)

    def value(x: int) -> int:
        x = turned(x, before)
        z = apply_matrix(matrix, first[0][x & 15] | first[1][x >> 4] << 4)
        return turned(second[0][z & 15] | second[1][z >> 4] << 4, after)

    return tuple(map(value, range(256)))


def mixed_layers(source: random.Random) -> Values:
    """With an invertible map before, and between the layers one of half a byte onto each half."""
    first, second = ([permutation(source, 16) for _ in "ab"] for _ in "cd")
    before = invertible(source)

    def value(x: int) -> int:
        y = apply_matrix(before, x)
        low, high = first[0][y & 15], first[1][y >> 4]
        return second[0][low ^ high] | second[1][low ^ turned_half(high) ^ (low << 3 & 8)] << 4

    return tuple(map(value, range(256)))


def turned_half(x: int) -> int:
    return (x >> 1 | x << 3) & 15


@pytest.mark.parametrize("structure", [sums, feistel, layers, mixed_layers])
def test_structures_are_found(structure: Callable[[random.Random], Values]) -> None:
    for seed in range(6):
        assert_found(structure(random.Random(seed)))


def test_no_structure_is_found_where_there_is_none() -> None:
    """Random permutations, and such structures with two entries exchanged."""
    source = random.Random(8)
    tables = [permutation(source, 256), [source.getrandbits(8) for _ in range(256)]]
    for structure in (sums, feistel, layers, mixed_layers):
        spoiled = list(structure(source))
        first, second = next((x, y) for x in range(7, 256) for y in range(x) if spoiled[x] != spoiled[y])
        spoiled[first], spoiled[second] = spoiled[second], spoiled[first]
        tables.append(spoiled)
    for values in tables:
        assert network(tuple(values)) is None
        assert operations(in_halves(lookup(tuple(values))), Op.LOOKUP)[0].attr.values == tuple(values)


# -- inversion ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [3, 97, 255])
def test_multiples_of_inversions_are_sums_after_one(factor: int) -> None:
    """The inversion stays a table: the machine knows what is best for it."""
    source = random.Random(factor)
    matrix, constant = invertible(source), source.getrandbits(8)
    values = tuple((factor * apply_matrix(matrix, y) + constant) % 256 for y in inverses())
    after = keeps_graph(in_halves, lookup(values))
    large = [node.attr for node in operations(after, Op.LOOKUP) if len(node.attr.values) == 256]
    assert len(large) == 1 and found(large[0].values) is not None


def test_inversions_stay_tables() -> None:
    assert network(inverses()) is None


# -- ciphers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["crypton-v05", "crypton-v1", "e2", "rijndael"])
@pytest.mark.every(2)
def test_ciphers(name: str) -> None:
    """Not a large table is left in a kernel but inversions."""
    for operation in ("encrypt", "decrypt"):
        after = keeps_program(run, trace(cipher(name), operation, 128))
        tables = [node.attr for node in every_node(after.kernel) if node.op is Op.LOOKUP]
        assert tables and all(len(set(t.values[16:128])) <= 16 or of_table(t) for t in tables)


def test_the_permutations_of_twofish() -> None:
    """Which lie inside of keyed functions."""
    traced = keying.before_fusing(trace(cipher("twofish"), "encrypt", 128), "zero")
    assert [table.name for table in tables_in_logic(traced.kernel)] == ["q0", "q1"]
    after = keeps_program(in_logic, traced)
    tables = [node.attr for node in every_node(after.kernel) if node.op is Op.LOOKUP]
    assert all(table.index_width == 4 for table in tables)


def test_inversions_are_no_less_logic() -> None:
    traced = trace(cipher("rijndael"), "encrypt", 128)
    assert tables_in_logic(traced.kernel) == []
    assert in_logic(traced).kernel is traced.kernel


def test_tables_of_the_key_stay() -> None:
    """They are read when the key is set up, by loads."""
    make, values = Builder(simplify), sums(random.Random(1))
    key = make.param("key", WordType(8), "k")
    graph = Graph("g", [key], [make.make(Op.LOOKUP, [key], TableData(values, 8, "T"))])
    assert operations(in_halves(graph), Op.LOOKUP)[0].attr.values == values
