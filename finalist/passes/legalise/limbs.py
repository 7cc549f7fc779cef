"""Words in limbs: cutting them, putting them together, and moving their bits by constants.

Pieces are words of any width side by side, the lowest first; limbs are pieces of ``width`` bits, but for
the last, which has what is left. To move bits is to cut other limbs from the pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Node
from finalist.ir.ops import Op

Limbs = tuple[Node, ...]


def sizes(bits: int, width: int) -> tuple[int, ...]:
    """The bits of each limb of a word."""
    return tuple(min(width, bits - low) for low in range(0, bits, width))


def names(name: str, count: int) -> list[str]:
    """A name for each limb."""
    if not name or count == 1:
        return [name] * count
    stem = name if name.endswith("_") else f"{name}_"
    return [f"{stem}lo", f"{stem}hi"] if count == 2 else [f"{stem}{k}" for k in range(count)]


def split(value: int, bits: int, width: int) -> list[int]:
    """A number's limbs."""
    return [value >> k * width & mask(size) for k, size in enumerate(sizes(bits, width))]


def joined(limbs: Iterable[Node]) -> int:
    """The number that constant limbs are."""
    value, at = 0, 0
    for limb in limbs:
        value, at = value | limb.attr << at, at + limb.width
    return value


def bits_of(limbs: Iterable[Node]) -> int:
    """Bits of the whole word."""
    return sum(limb.width for limb in limbs)


def is_zero(node: Node) -> bool:
    """Whether it is the constant 0."""
    return node.op is Op.CONST and node.attr == 0


class Cutter:
    """Makes limbs of ``width`` bits; ``make`` must simplify, so that what is known at once goes away."""

    def __init__(self, make: Builder, width: int) -> None:
        self.make = make
        self.width = width

    def const(self, value: int, bits: int) -> Limbs:
        """A constant."""
        limbs = zip(split(value, bits, self.width), sizes(bits, self.width), strict=True)
        return tuple(self.make.const(part, size) for part, size in limbs)

    def full(self, limbs: Limbs) -> Limbs:
        """The last limb widened to be like the others."""
        return (*limbs[:-1], self.extended(limbs[-1], self.width))

    def extended(self, node: Node, bits: int) -> Node:
        """One word with zeros above; constants at once, of which there are many."""
        return self.make.const(node.attr, bits) if node.op is Op.CONST else self.make.extend(node, bits)

    def cut(self, pieces: Sequence[Node], low: int, bits: int) -> Limbs:
        """Bits ``low`` .. ``low + bits - 1`` of the pieces; zeros past their end."""
        pieces = [*pieces, *self.zeros(low + bits - bits_of(pieces))]
        limbs = sizes(bits, self.width)
        return tuple(self.field(pieces, low + k * self.width, size) for k, size in enumerate(limbs))

    def zeros(self, bits: int) -> Limbs:
        """Pieces of zeros; none for a negative number."""
        return self.const(0, bits)

    def shifted(self, limbs: Limbs, left: int) -> Limbs:
        """The word moved ``left`` places up (down if negative); zeros come in."""
        bits = bits_of(limbs)
        if abs(left) >= bits:
            return self.const(0, bits)
        return self.cut((*self.zeros(left), *limbs), max(0, -left), bits)

    def rotated(self, limbs: Limbs, left: int) -> Limbs:
        """The word rotated ``left`` places up, less than its width."""
        bits = bits_of(limbs)
        return self.cut((*limbs, *limbs), bits - left, bits)

    # -- one limb -------------------------------------------------------------------------------

    def field(self, pieces: Sequence[Node], low: int, bits: int) -> Node:
        """One word from the bits of the pieces: moved ones that overlap nowhere, else slices joined."""
        parts = _parts(pieces, low, bits)
        worth = [part for part in parts if not is_zero(part[0])]
        if not worth:
            return self.make.const(0, bits)
        if len(parts) > 1 and all(piece.width == bits for piece, _, _ in worth):
            return self._overlaid(parts, bits)
        while is_zero(parts[-1][0]):
            parts.pop()
        joined = self.make.make(Op.JOIN, [self._slice(*part) for part in parts])
        return self.extended(joined, bits)

    def _overlaid(self, parts: list[tuple[Node, int, int]], bits: int) -> Node:
        """The parts of words as wide as the result, shifted to their place and ORed.

        A part lacks the bits below only where it is the first, and those above where it is the last: so
        what a shift drops is exactly what does not belong. (H. S. Warren, "Hacker's Delight", double-word
        shifts.)
        """
        make, at = self.make, 0
        total = make.const(0, bits)
        for piece, first, count in parts:
            if not is_zero(piece):
                move, distance = (Op.SHR, first) if first else (Op.SHL, at)
                term = make.make(move, (piece, make.const(distance, 8)))
                total = make.make(Op.OR, (total, term))
            at += count
        return total

    def _slice(self, piece: Node, first: int, count: int) -> Node:
        if piece.op is Op.CONST:
            return self.make.const(piece.attr >> first, count)
        return self.make.slice(piece, first, count)


def _parts(pieces: Sequence[Node], low: int, bits: int) -> list[tuple[Node, int, int]]:
    """What of each piece the bits are: the piece, its first bit and how many."""
    found, start = [], 0
    for piece in pieces:
        first, stop = max(low - start, 0), min(low + bits - start, piece.width)
        if first < stop:
            found.append((piece, first, stop - first))
        start += piece.width
    return found
