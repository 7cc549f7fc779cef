"""Bytes that depend on the key alone, turned into words of a bit of each."""

from __future__ import annotations

from collections.abc import Sequence

from finalist.ir.builder import Builder
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.machines.native.passes.byteslice.parts import BYTE

#: How far apart bits change places, and which do, to turn 8 x 8 bits.
_SWAPS = ((7, 0x00AA00AA00AA00AA), (14, 0x0000CCCC0000CCCC), (28, 0x00000000F0F0F0F0))


def planes(make: Builder, slots: Sequence[Node]) -> list[Node]:
    """Eight words, of which the j-th has bit j of each byte. (H. S. Warren, "Hacker's Delight", 7-3.)"""
    turned = [_turned(make, make.make(Op.JOIN, slots[at : at + BYTE])) for at in range(0, len(slots), BYTE)]
    return [make.make(Op.JOIN, [make.slice(word, BYTE * j, BYTE) for word in turned]) for j in range(BYTE)]


def _turned(make: Builder, word: Node) -> Node:
    """Bit j of byte p for bit p of byte j."""
    for distance, chosen in _SWAPS:
        apart = make.const(distance, 8)
        down = make.make(Op.XOR, (word, make.make(Op.SHR, (word, apart))))
        change = make.make(Op.AND, (down, make.const(chosen, 64)))
        word = make.make(Op.XOR, (word, make.make(Op.XOR, (change, make.make(Op.SHL, (change, apart))))))
    return word
