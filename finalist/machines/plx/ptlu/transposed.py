"""Rows and columns exchanged: of words in several registers, and of the bytes of one.

(H. S. Warren, "Hacker's Delight", section 7-3.)
"""

from __future__ import annotations

from collections.abc import Sequence

from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.machines.plx.ptlu.builder import WideBuilder

#: Bytes of a word.
BYTES = 4
_ONES = (1 << 8 * BYTES) - 1


def crossed(wide: WideBuilder, rows: Sequence[Node]) -> list[Node]:
    """As many registers as lanes: word k of register m becomes word m of register k."""
    step, found = 1, list(rows)
    while step < len(found):
        for k in range(len(found)):
            if not k & step:
                found[k], found[k + step] = _traded(wide, found[k], found[k + step], step)
        step *= 2
    return found


def _traded(wide: WideBuilder, a: Node, b: Node, step: int) -> tuple[Node, Node]:
    """In each two groups of ``step`` lanes the upper words of a traded for the lower ones of b."""
    differ = wide.alike(Op.XOR, wide.moved(a, -step), b)
    differ = wide.alike(Op.AND, differ, [0 if k & step else _ONES for k in range(wide.lanes)])
    return wide.alike(Op.XOR, a, wide.moved(differ, step)), wide.alike(Op.XOR, b, differ)


def with_columns(wide: WideBuilder, register: Node) -> Node:
    """The register with bytes of the same number together: those of its words' lowest bytes first."""
    for one, other in exchanges(wide.lanes):
        words = wide.words(register)
        places = [exchanged(place, one, other) for place in range(wide.lanes * BYTES)]
        rows = [places[k : k + BYTES] for k in range(0, len(places), BYTES)]
        register = wide.register([_joined(wide, words, row) for row in rows])
    return register


def _joined(wide: WideBuilder, words: Sequence[Node], places: Sequence[int]) -> Node:
    return wide.make.make(Op.JOIN, [byte(wide, words, place) for place in places])


def byte(wide: WideBuilder, words: Sequence[Node], place: int) -> Node:
    """A byte of a register's words, counted from the lowest one on."""
    return wide.make.slice(words[place // BYTES], 8 * (place % BYTES), 8)


def exchanges(lanes: int) -> list[tuple[int, int]]:
    """Bits of a byte's place to exchange, pair by pair, until its number stands above that of its lane."""
    bits = [*(("lane", k) for k in reversed(range(lanes.bit_length() - 1))), ("byte", 1), ("byte", 0)]
    wanted = bits[-2:] + bits[:-2]
    top, found = len(bits) - 1, []
    for place, bit in enumerate(wanted):
        where = bits.index(bit)
        if where != place:
            bits[place], bits[where] = bits[where], bits[place]
            found.append((top - place, top - where))
    return found


def exchanged(place: int, one: int, other: int) -> int:
    """A place with two of its bits exchanged."""
    differ = (place >> one ^ place >> other) & 1
    return place ^ (differ << one | differ << other)
