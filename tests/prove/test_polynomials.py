"""Polynomials in bits and floors: the integers that they stand for, one for limbs added up in any order."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from finalist.prove.polynomials import TERMS, Polynomial, Polynomials, constant, total
from finalist.prove.words import NotCoveredError

WIDTH = 6


class Drawn:
    """Forms, each with its value where the bits are some that have been drawn."""

    def __init__(self, seed: int) -> None:
        self.source, self.polynomials = random.Random(seed), Polynomials()
        self.bits: dict[object, int] = {}
        self.made = [self.word(k) for k in range(4)]

    def word(self, number: int) -> tuple[Polynomial, int]:
        parts, value = [], 0
        for k in range(WIDTH):
            self.bits[number, k] = bit = self.source.randrange(2)
            parts.append((self.polynomials.unknown((number, k), 0, 1), 1 << k))
            value += bit << k
        return total(parts), value

    def step(self) -> None:
        """One more polynomial, made of those that are there."""
        (a, x), (b, y) = self.source.choice(self.made), self.source.choice(self.made)
        shift = self.source.randrange(1, 2 * WIDTH)
        times = self.source.choice([1, 1, -1, -1, 3, -1 << shift, 1 << shift])
        kinds: list[Callable[[], tuple[Polynomial, int]]] = [
            lambda: (total([(a, 1), (b, times)]), x + times * y),
            lambda: (total([(a, 1), (constant(times), 1)]), x + times),
            lambda: (self.polynomials.times(a, b), x * y),
            lambda: (self.polynomials.floor(a, shift), x >> shift),
            lambda: (self.polynomials.floor(a, shift, (x - times % 9, x + 5)), x >> shift),
            lambda: (self.polynomials.modulo(a, shift), x % (1 << shift)),
        ]
        self.made.append(self.source.choice(kinds)())


@pytest.mark.parametrize("seed", range(60))
def test_polynomials_are_the_integers_that_they_stand_for(seed: int) -> None:
    drawn = Drawn(seed)
    for _ in range(30):
        try:
            drawn.step()
        except NotCoveredError:
            continue
    for made, value in drawn.made:
        least, greatest = drawn.polynomials.range(made)
        assert drawn.polynomials.value(made, drawn.bits.__getitem__) == value
        assert least <= value <= greatest


class Limbs:
    """A product of two words of two limbs, row by row with carries, and whole."""

    def __init__(self, width: int) -> None:
        self.width, self.polynomials = width, Polynomials()
        self.x, self.y = ([self._word(name, k) for k in range(2)] for name in "xy")
        self.most = (1 << width) - 1

    def _word(self, name: str, number: int) -> Polynomial:
        bits = (self.polynomials.unknown((name, number, k), 0, 1) for k in range(self.width))
        return total((bit, 1 << k) for k, bit in enumerate(bits))

    def whole(self) -> Polynomial:
        x, y = (total([(low, 1), (high, 1 << self.width)]) for low, high in (self.x, self.y))
        return self.polynomials.times(x, y)

    def row(self, words: list[Polynomial], factor: Polynomial, added: list[Polynomial]) -> list[Polynomial]:
        """``words * factor + added``, in one limb more than words."""
        made, carry = [], constant(0)
        for word, other in zip(words, added, strict=True):
            exact = total([(self.polynomials.times(word, factor), 1), (other, 1), (carry, 1)])
            made.append(self.polynomials.modulo(exact, self.width))
            carry = self.polynomials.floor(exact, self.width)
        return [*made, carry]

    def by_rows(self, words: list[Polynomial], factors: list[Polynomial]) -> list[Polynomial]:
        first = self.row(words, factors[0], [constant(0)] * 2)
        return [first[0], *self.row(words, factors[1], first[1:])]


@pytest.mark.parametrize("width", [2, 3, 8])
def test_a_product_in_limbs_is_the_whole_one(width: int) -> None:
    """In either order of its rows; one whose carry is dropped is another."""
    limbs = Limbs(width)
    whole = limbs.polynomials.floor(limbs.whole(), 2 * width)
    for made in (limbs.by_rows(limbs.x, limbs.y), limbs.by_rows(limbs.y, limbs.x)):
        high = total([(made[2], 1), (made[3], 1 << width)])
        assert _same(whole, high, 2 * width)
        assert not _same(whole, total([(high, 1), (made[1], 1)]), 2 * width)
        assert not _same(whole, total([(made[2], 1)]), 2 * width)


def test_carries_of_a_sum() -> None:
    """Whether a sum is less than a word of it; of two words the upper limbs and a borrow."""
    limbs, width = Limbs(4), 4
    polynomials, (a, b) = limbs.polynomials, limbs.x
    part = polynomials.modulo(total([(a, 1), (b, 1)]), width)
    carries = [polynomials.floor(total([(part, 1), (word, -1)]), width) for word in (a, b)]
    assert carries[0] == carries[1] == total([(polynomials.floor(total([(a, 1), (b, 1)]), width), -1)])
    (low, high), (other_low, other_high) = limbs.x, limbs.y
    borrow = polynomials.floor(total([(low, 1), (other_low, -1)]), width)
    upper = polynomials.floor(total([(high, 1), (other_high, -1), (borrow, 1)]), width)
    wide = total([(low, 1), (other_low, -1), (high, 1 << width), (other_high, -1 << width)])
    assert polynomials.floor(wide, 2 * width) == upper


def test_a_polynomial_of_too_many_terms() -> None:
    polynomials = Polynomials()
    many = total((polynomials.unknown(k, 0, 1), 1 << k) for k in range(200))
    with pytest.raises(NotCoveredError):
        polynomials.times(many, many)
    assert len(polynomials.times(many, polynomials.unknown(0, 0, 1))) == 200 <= TERMS


def _same(one: Polynomial, other: Polynomial, width: int) -> bool:
    return not any(times % (1 << width) for times in total([(one, 1), (other, -1)]).values())
