"""Cells: what goes into one together, and that each reads what is there."""

from __future__ import annotations

from finalist.ir.ops import Op
from finalist.machines.fpga.model.cover import Cover
from finalist.machines.fpga.signals import Part, Signal
from tests.machines.fpga.values import word

TURN = ((3, 6, 12, 8),)


def with_key(inner: Signal) -> Signal:
    return Signal(Op.XOR, (inner, Signal(Part.KEY, (), 4, 0)), 4)


def test_a_key_before_a_map_is_but_one_more_input() -> None:
    x = word(4)
    mapped = Signal(Op.LINEAR, (with_key(x),), 4, TURN)
    assert list(Cover([mapped]).cells) == [mapped]
    assert Cover([mapped]).cells[mapped].leaves == (x,)


def test_every_cell_reads_cells_and_sources() -> None:
    """The sum with a key has taken the sum before it in: the map can't reach behind both."""
    x, y = word(4), word(4)
    added = with_key(Signal(Op.XOR, (x, y), 4))
    mapped = Signal(Op.LINEAR, (added,), 4, TURN)
    cells = Cover([mapped]).cells
    assert cells[mapped].leaves == (added,)
    assert all(
        leaf in cells or leaf.op in (Part.INPUT, Part.KEY) for c in cells.values() for leaf in c.leaves
    )
