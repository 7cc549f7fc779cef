"""Wide operations in levels: the same words, and each level small."""

from __future__ import annotations

import random

import pytest

from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.machines.fpga.datapath.levels import choices_in_levels, in_levels, tables_in_levels
from finalist.machines.fpga.signals import Part, Signal
from finalist.machines.fpga.walks import in_order
from tests.machines.fpga.values import value, word


@pytest.mark.parametrize("width", [7, 8, 9])
def test_a_table_is_a_choice_among_small_ones(width: int) -> None:
    draw = random.Random(width)
    address = word(width)
    table = TableData(tuple(draw.getrandbits(8) for _ in range(1 << width)), 8, "T")
    (found,) = tables_in_levels([Signal(Op.LOOKUP, (address,), 8, table)])
    assert all(s.attr.index_width <= 6 for s in in_order([found]) if s.op is Op.LOOKUP)
    assert [value(found, {address: x}) for x in range(1 << width)] == list(table.values)


def test_small_tables_and_choices_stay() -> None:
    address = word(6)
    small = Signal(Op.LOOKUP, (address,), 4, TableData(tuple(range(16)) * 4, 4, "T"))
    chosen = Signal(Part.MUX, (word(3), *(word(4) for _ in range(8))), 4, tuple(range(8)))
    assert tables_in_levels([small]) == [small]
    assert choices_in_levels([chosen]) == [chosen]


@pytest.mark.parametrize("count", [9, 10, 16, 20, 32])
def test_a_choice_among_many_is_one_among_choices(count: int) -> None:
    bits = (count - 1).bit_length()
    select, words = word(bits), [word(8) for _ in range(count)]
    order = random.Random(count).sample(range(count), count)
    places = (*order, *[None] * ((1 << bits) - count))
    (found,) = choices_in_levels([Signal(Part.MUX, (select, *words), 8, places)])
    assert all(len(s.attr) <= 8 for s in in_order([found]) if s.op is Part.MUX)
    given = {own: 3 * k + 1 for k, own in enumerate(words)}
    assert [value(found, {**given, select: k}) for k in range(count)] == [3 * k + 1 for k in order]


def test_a_wide_map_is_a_sum_of_narrow_ones() -> None:
    draw = random.Random(1)
    source = word(16)
    matrix = tuple(draw.getrandbits(8) for _ in range(16))
    plain = Signal(Op.LINEAR, (source,), 8, (matrix,))
    (found,) = in_levels([plain])
    assert found.op is Op.XOR
    for x in [draw.getrandbits(16) for _ in range(50)]:
        assert value(found, {source: x}) == value(plain, {source: x})
