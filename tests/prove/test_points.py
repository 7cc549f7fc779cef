"""Bits at points drawn at random are what they are where their inputs are known."""

from __future__ import annotations

import random

from finalist.ir.ops import Op
from finalist.prove.bits import bits_of
from finalist.prove.evaluate import Valuation
from finalist.prove.points import POINTS, Points
from finalist.prove.words import Words


def every_kind(words: Words) -> list[int]:
    """Bits of atoms of all kinds, some of them complemented."""
    draw = random.Random(1)
    x, y, z = (words.symbol(name, 8) for name in "xyz")
    total = words.apply(Op.ADD, (x, y), 8)
    product = words.apply(Op.MUL, (total, z), 8)
    rest = words.apply(Op.REM, (x, y), 8)
    known = words.lookup(draw.sample(range(256), 256), total, 8)
    some = [bits_of(words.apply(Op.ADD, (x, k), 8), 8) for k in range(4)]
    unknown = words.lookup(some, z[:2], 8)
    kept = words.lookup([bits_of(words.apply(Op.MUL, (x, z), 8), 8)] * 31 + [y], y[:5], 8)
    multiple = words.apply(Op.MUL, (x, 21), 8)
    parts = total, product, rest, known, unknown, kept, multiple
    store = words.store
    name = store.named(store.total(bit for word in parts for bit in bits_of(word, 8)), 2)
    return [bit ^ k & 1 for word in parts for k, bit in enumerate(bits_of(word, 8))] + [name]


def test_all_kinds_of_atoms() -> None:
    words = Words()
    bits = every_kind(words)
    points = Points(words)
    found = [points.bit(bit) for bit in bits]
    inputs = [words.symbol(name, 8) for name in "xyz"]
    for point in range(0, POINTS, 8):
        given = {
            name: sum((points.bit(bit) >> point & 1) << k for k, bit in enumerate(word))
            for name, word in zip("xyz", inputs, strict=True)
        }
        valuation = Valuation(words, given)
        assert [values >> point & 1 for values in found] == [valuation.bit(bit) for bit in bits]
    kinds = {atom[0] for atom in words.store.atoms}
    assert kinds >= {"input", "named", "and", "majority", "function"}
    assert kinds >= {"read", "product", "multiple", "remainder"}
