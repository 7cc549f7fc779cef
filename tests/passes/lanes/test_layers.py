"""Two layers of tables with little between them: the same table, and nothing that could be less."""

from __future__ import annotations

import random

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.graph import Matrix
from finalist.ir.ops import Op
from finalist.machines.fpga.datapath.lower import lower
from finalist.machines.tracing import traced
from finalist.passes.lanes import layers
from finalist.passes.lanes.layers import Layers, thin
from finalist.passes.matrices import apply_matrix, inverted


def permutation(draw: random.Random) -> tuple[int, ...]:
    return tuple(draw.sample(range(16), 16))


def invertible(draw: random.Random) -> Matrix:
    while True:
        found = tuple(draw.randrange(1, 16) for _ in range(4))
        if inverted(found) is not None:
            return found


def powers(matrix: Matrix, value: int) -> Matrix:
    """v, Mv, MMv, MMMv."""
    found = [value]
    while len(found) < 4:
        found.append(apply_matrix(matrix, found[-1]))
    return tuple(found)


def byte_table(seed: int) -> tuple[int, ...]:
    """S-boxes, a linear map of their halves, S-boxes: with constants wherever they can be."""
    draw = random.Random(seed)
    one, other, low, high = (permutation(draw) for _ in range(4))
    maps = [invertible(draw) for _ in range(4)]
    first, second = draw.randrange(16), draw.randrange(16)

    def entry(x: int) -> int:
        a, b = one[x % 16], other[x // 16]
        left = apply_matrix(maps[0], a) ^ apply_matrix(maps[1], b) ^ first
        right = apply_matrix(maps[2], a) ^ apply_matrix(maps[3], b) ^ second
        return low[left] | high[right] << 4

    return tuple(map(entry, range(256)))


@pytest.mark.parametrize("seed", range(12))
def test_the_table_stays_what_it_was(seed: int) -> None:
    values = byte_table(seed)
    found = layers.found(values)
    assert found is not None
    least = thin(found)
    assert least is not None
    assert max(*least.a, *least.b) < 16
    for x, value in enumerate(values):
        mixed = apply_matrix(found.first, x)
        a, b = least.a[mixed % 16], least.b[mixed // 16]
        assert least.c[a ^ b] ^ least.d[a ^ apply_matrix(least.factor, b)] == value


@pytest.mark.parametrize("seed", range(12))
def test_two_ones_in_a_row_at_most(seed: int) -> None:
    found = layers.found(byte_table(seed))
    assert found is not None
    least = thin(found)
    assert least is not None
    if any(inverted(powers(least.factor, value)) for value in range(1, 16)):
        assert all(sum(column >> bit & 1 for column in least.factor) <= 2 for bit in range(4))


def test_tables_with_more_in_them_have_none() -> None:
    """Eight bits of content in A: no four bits say what the others are."""
    draw = random.Random(1)
    eight = tuple(draw.randrange(256) for _ in range(16))
    four = tuple(value | value << 4 for value in range(16))
    found = Layers((1, 2, 4, 8, 16, 32, 64, 128), None, eight, four, tuple(range(16)), tuple(range(16)))
    assert thin(found) is None


def test_logic_has_the_tables_of_four_bits_that_the_specification_has() -> None:
    """Twofish, section 4.3.5: each q is four permutations of four bits, and XORs."""
    kernel = lower(traced(cipher("twofish"), "encrypt", 128)).kernel
    tables = {node.attr for node in kernel.body if node.op is Op.LOOKUP}
    assert {(table.index_width, table.width) for table in tables} == {(4, 4)}
    assert all(sorted(table.values) == list(range(16)) for table in tables)
    assert len(tables) == 8
