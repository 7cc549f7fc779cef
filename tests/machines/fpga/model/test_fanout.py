"""Where bits come from through arrangements of wires, how many cells they drive, and maps in two levels."""

from __future__ import annotations

import random

import pytest

from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.machines.fpga.datapath.levels import in_levels
from finalist.machines.fpga.model.fanout import fanouts, ranges
from finalist.machines.fpga.signals import Part, Signal, constant
from finalist.machines.fpga.text.shared import _source
from finalist.machines.fpga.walks import in_order
from finalist.machines.fpga.wiring import row_weight
from tests.machines.fpga.values import value, word


def wiring(draw: random.Random, depth: int) -> Signal:
    """A random arrangement of the bits of a few words."""
    if depth == 0:
        return word(draw.randrange(4, 12))
    inner = wiring(draw, depth - 1)
    width, amount = inner.width, draw.randrange(max(1, inner.width - 1)) + 1
    kind = draw.choice(["slice", "join", "extend", "rol", "shl", "shr", "linear"])
    if kind == "slice":
        low = draw.randrange(width)
        return Signal(Op.SLICE, (inner,), draw.randrange(width - low) + 1, low)
    if kind == "join":
        other = wiring(draw, depth - 1)
        return Signal(Op.JOIN, (inner, other), width + other.width)
    if kind == "extend":
        return Signal(Op.EXTEND, (inner,), width + 3)
    if kind == "linear":
        places = draw.sample(range(width), width)
        return Signal(Op.LINEAR, (inner,), width, (tuple(1 << place for place in places),))
    op = {"rol": Op.ROL, "shl": Op.SHL, "shr": Op.SHR}[kind]
    return Signal(op, (inner, constant(amount, 8)), width)


def origin(signal: Signal, bit: int) -> tuple[Signal, int] | None:
    """As the writers of text follow a bit."""
    while signal.fixed:
        source = _source(signal, bit)
        if source is None:
            return None
        signal, bit = source
    return signal, bit


@pytest.mark.parametrize("seed", range(40))
def test_ranges_are_where_the_bits_come_from(seed: int) -> None:
    draw = random.Random(seed)
    signal = wiring(draw, 4)
    low = draw.randrange(signal.width)
    size = draw.randrange(1, signal.width - low + 1)
    found = [(source, at + k) for source, at, count in ranges(signal, low, size) for k in range(count)]
    wanted = [origin(signal, bit) for bit in range(low, low + size)]
    assert sorted(map(repr, found)) == sorted(repr(one) for one in wanted if one is not None)


def test_what_chooses_drives_a_whole_word_and_an_address_all_tables() -> None:
    x, y, z = word(8), word(8), word(8)
    choice = Signal(Op.SELECT, (Signal(Op.SLICE, (x,), 1, 2), y, z), 8)
    table = Signal(Op.LOOKUP, (x,), 8, TableData(tuple(range(256)), 8))
    order = in_order([choice, table])
    assert fanouts(order, ()) == {x: 8 + 8 * 16, y: 1, z: 1}


def test_absorbed_words_pass_their_loads_on() -> None:
    """In a map of a sum with the key, a bit of the sum is where the bit of the map's input was."""
    x, key = word(4), Signal(Part.KEY, (), 4, 0)
    added = Signal(Op.XOR, (x, key), 4)
    mapped = Signal(Op.LINEAR, (added,), 4, ((15, 2, 4, 8),))
    order = in_order([mapped])
    assert fanouts(order, ())[x] == 1
    assert fanouts(order, {added})[x] == 4


@pytest.mark.parametrize("seed", range(8))
def test_maps_in_two_levels_are_the_same(seed: int) -> None:
    draw = random.Random(seed)
    words = [word(8) for _ in range(draw.randrange(1, 5))]
    ones = draw.choice([2, 3, 5])
    matrices = tuple(
        tuple(sum(1 << b for b in range(16) if draw.random() < ones / 8) for _ in range(8)) for _ in words
    )
    whole = Signal(Op.LINEAR, words, 16, matrices)
    (found,) = in_levels([whole])
    known = {one: draw.getrandbits(8) for one in words}
    assert value(found, known) == value(whole, known)
    if found is not whole:
        parts = [s for s in in_order([found]) if s.op is Op.LINEAR]
        assert 1 < len(parts) <= 4
        assert all(row_weight(part.attr, bit) <= 4 for part in parts for bit in range(16))
