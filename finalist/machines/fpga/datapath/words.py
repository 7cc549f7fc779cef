"""A block or a key in a port or register, first byte in the highest bits, as words and back."""

from __future__ import annotations

from collections.abc import Sequence

from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Layout
from finalist.machines.fpga.signals import Signal


def words_of(block: Signal, layout: Layout) -> list[Signal]:
    """The words of a block that lies in a port, first byte in the highest bits."""
    size = layout.width // 8
    words = []
    for k in range(layout.count):
        top = block.width - k * layout.width
        if layout.order is ByteOrder.BIG or size == 1:
            words.append(Signal(Op.SLICE, (block,), layout.width, top - layout.width))
        else:
            parts = [Signal(Op.SLICE, (block,), 8, top - 8 * (j + 1)) for j in range(size)]
            words.append(Signal(Op.JOIN, parts, layout.width))
    return words


def block_of(words: Sequence[Signal], layout: Layout) -> Signal:
    """The inverse of `words_of`."""
    parts: list[Signal] = []
    for word in reversed(words):
        if layout.order is ByteOrder.BIG or layout.width == 8:
            parts.append(word)
        else:
            parts += [Signal(Op.SLICE, (word,), 8, low) for low in reversed(range(0, layout.width, 8))]
    return Signal(Op.JOIN, parts, layout.bytes * 8)
