"""Tables on bytes as networks of tables on subspaces."""

from __future__ import annotations

import random

import numpy as np
import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.ir.program import interpret
from finalist.language.definition import trace
from finalist.passes import keying, subspaces


def linear(draw: random.Random) -> list[int]:
    """A random invertible map of bytes, by its columns."""
    while True:
        columns = [draw.randrange(256) for _ in range(8)]
        if len({times(columns, x) for x in range(256)}) == 256:
            return columns


def times(columns: list[int], x: int) -> int:
    total = 0
    for bit, column in enumerate(columns):
        total ^= column * (x >> bit & 1)
    return total


def network(seed: int) -> list[int]:
    draw = random.Random(seed)
    first = linear(draw)
    small = [draw.sample(range(16), 16) for _ in range(4)]
    second = [1 | 16, 2 | 32, 4 | 64, 8 | 128, 1 | 32, 2 | 64, 4 | 128, 8 | 16 | 128]  # p + r, p + M r
    values = []
    for x in range(256):
        y = times(first, x)
        y = times(second, small[0][y & 15] | small[1][y >> 4] << 4)
        values.append(small[2][y & 15] | small[3][y >> 4] << 4)
    return values


@pytest.mark.parametrize("seed", range(4))
def test_networks_are_found_whatever_mixes_before_them(seed: int) -> None:
    table = TableData(tuple(network(seed)), 8)
    found = subspaces.halves(table)
    assert found is not None
    assert [found[0](x) | found[1](x) << 4 for x in range(256)] == list(table.values)


def test_one_entry_changed_is_no_network() -> None:
    values = network(1)
    values[3], values[200] = values[200], values[3]
    assert subspaces.halves(TableData(tuple(values), 8)) is None


def test_other_tables_have_no_such_form() -> None:
    draw = random.Random(3)
    assert subspaces.halves(TableData(tuple(draw.sample(range(256), 256)), 8)) is None
    assert subspaces.halves(TableData(tuple(range(16)), 4)) is None
    assert subspaces.halves(TableData(tuple(range(256)), 16)) is None


def test_the_permutations_of_twofish() -> None:
    traced = keying.before_fusing(trace(cipher("twofish"), "encrypt", 128), "zero")
    found = subspaces.run(traced)
    assert [table.name for table in subspaces.tables(traced.kernel)] == ["q0", "q1"]
    assert {node.attr.width for node in found.kernel.body if node.op is Op.LOOKUP} == {4}
    draw = np.random.default_rng(2)
    keys, data = (draw.integers(0, 256, (5, 16), np.uint8) for _ in range(2))
    assert (interpret(found, keys, data) == interpret(traced, keys, data)).all()
