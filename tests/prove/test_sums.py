"""Sums and products: the same whatever the order, in limbs, and as differences; others are others."""

from __future__ import annotations

from finalist.ir.ops import Op
from finalist.prove.store import FALSE
from finalist.prove.sums import bits_of
from finalist.prove.words import Words


def test_order_does_not_matter() -> None:
    words = Words()
    a, b, c = (words.symbol(name, 32) for name in "abc")

    def add(x: object, y: object) -> object:
        return words.apply(Op.ADD, [x, y], 32)  # type: ignore[list-item]

    assert add(add(a, b), c) == add(a, add(c, b)) == add(add(c, a), b)
    assert words.apply(Op.SUB, [add(a, b), a], 32) == b
    assert words.apply(Op.SUB, [0, words.apply(Op.SUB, [a, b], 32)], 32) == words.apply(Op.SUB, [b, a], 32)
    assert add(a, a) == (FALSE, *a[:31])
    assert words.apply(Op.XOR, [a, 0xFFFFFFFF], 32) == words.apply(Op.SUB, [0xFFFFFFFF, a], 32)


def test_constants_add_up() -> None:
    words = Words()
    a = words.symbol("a", 16)
    first = words.apply(Op.ADD, [a, 5], 16)
    assert words.apply(Op.ADD, [first, 65530], 16) == words.apply(Op.SUB, [a, 1], 16)
    assert words.apply(Op.SUB, [first, 5], 16) == a


def test_the_lowest_bits_of_a_sum_are_the_sum_of_the_lowest() -> None:
    words = Words()
    a, b = words.symbol("a", 32), words.symbol("b", 32)
    whole = bits_of(words.apply(Op.ADD, [a, b], 32), 32)
    low = bits_of(words.apply(Op.ADD, [a[:8], b[:8]], 9 - 1), 8)
    assert whole[:8] == low
    carry = words.sums.ripple(a[:8], b[:8], FALSE)[-1]
    assert words.sums.ripple(a[8:], b[8:], carry)[:24] == whole[8:]


def test_rotations_back_and_forth() -> None:
    words = Words()
    a, n = words.symbol("a", 32), words.symbol("n", 32)
    left = words.apply(Op.ROL, [a, n], 32)
    assert words.apply(Op.ROR, [a, words.apply(Op.SUB, [0, n], 32)], 32) == left
    assert words.apply(Op.ROR, [a, words.apply(Op.SUB, [32, n], 32)], 32) == left
    assert words.apply(Op.ROR, [a, n], 32) != left


def test_products_by_their_factors() -> None:
    words = Words()
    a, b = words.symbol("a", 32), words.symbol("b", 32)
    product = words.apply(Op.MUL, [a, b], 32)
    assert words.apply(Op.MUL, [b, a], 32) == product
    wide = bits_of(words.apply(Op.MUL, [bits_of(a, 64), bits_of(b, 64)], 64), 64)
    assert (wide[:32], wide[32:]) == (product, words.apply(Op.MULHI, [a, b], 32))
    assert words.apply(Op.MUL, [a, 4], 32) == (FALSE, FALSE, *a[:30])


def test_what_is_not_equal_is_not_the_same() -> None:
    words = Words()
    a, b = words.symbol("a", 8), words.symbol("b", 8)
    total = bits_of(words.apply(Op.ADD, [a, b], 8), 8)
    others = [words.apply(op, [a, b], 8) for op in (Op.XOR, Op.OR, Op.SUB, Op.MUL)]
    assert all(bits_of(other, 8) != total for other in others)
    assert words.apply(Op.ADD, [total, 1], 8) != total
