"""Sums and products: the same whatever the order, in limbs, and as differences; others are others."""

from __future__ import annotations

import random
from itertools import product

import pytest

from finalist.ir.ops import Op
from finalist.prove.bits import Bits, Word, bits_of, complement
from finalist.prove.evaluate import Valuation
from finalist.prove.store import FALSE
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


def test_a_constant_in_the_zeros_of_a_multiple() -> None:
    """Bits that do not overlap stand side by side; the multiple is the same term with them and without."""
    words = Words()
    a = words.symbol("a", 32)
    times = words.apply(Op.MUL, [a, 288], 32)
    beside = words.apply(Op.ADD, [times, 16], 32)
    assert words.apply(Op.ADD, [beside, 256], 32) == words.apply(Op.ADD, [times, 272], 32)
    assert words.apply(Op.SUB, [words.apply(Op.ADD, [beside, a], 32), 16], 32) == words.apply(
        Op.MUL, [a, 289], 32
    )


@pytest.mark.parametrize("width", [8, 32])
@pytest.mark.parametrize("times", [2, 3, 5, 7, 13, 182, 251])
def test_a_multiple_of_a_sum_has_all_of_its_terms(width: int, times: int) -> None:
    """Each so many times: of words at one place as well, of which none is the other's upper limb."""
    words, source = Words(), random.Random(times)
    a, b, c = (words.symbol(name, width) for name in "abc")

    def do(op: Op, *values: Word) -> Word:
        return words.apply(op, list(values), width)

    carry = bits_of(do(Op.LT, do(Op.ADD, b, c), c), width)
    sums = [do(Op.ADD, a, carry), do(Op.SUB, do(Op.ADD, a, b), c), do(Op.NOT, do(Op.ADD, a, carry))]
    made = [do(Op.MUL, one, times) for one in sums]
    for _ in range(10):
        given = {name: source.getrandbits(width) for name in "abc"}
        value, mask = Valuation(words, given), (1 << width) - 1
        for one, whole in zip(sums, made, strict=True):
            assert value.word(whole) == value.word(one) * times & mask


def test_the_lowest_bits_of_a_sum_are_the_sum_of_the_lowest() -> None:
    words = Words()
    a, b = words.symbol("a", 32), words.symbol("b", 32)
    whole = bits_of(words.apply(Op.ADD, [a, b], 32), 32)
    low = bits_of(words.apply(Op.ADD, [a[:8], b[:8]], 9 - 1), 8)
    assert whole[:8] == low
    carry = bits_of(words.apply(Op.ADD, [a[:8], b[:8]], 9), 9)[8:]
    above = words.apply(Op.ADD, [words.apply(Op.ADD, [a[8:], b[8:]], 24), carry], 24)
    assert above == whole[8:]


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


def test_limbs_with_the_carries_that_a_processor_has() -> None:
    """Two and three words of 16 bits in bytes, each carry as comparisons find it."""
    words = Words()
    a, b, c = (words.symbol(name, 16) for name in "abc")

    def add(x: object, y: object, width: int = 8) -> object:
        return words.apply(Op.ADD, [x, y], width)  # type: ignore[list-item]

    def carry(x: object, y: object) -> object:
        return words.apply(Op.LT, [add(x, y), y], 8)  # type: ignore[list-item]

    low, c1 = add(a[:8], b[:8]), carry(a[:8], b[:8])
    high = add(add(a[8:], b[8:]), c1)
    assert bits_of(low, 8) + bits_of(high, 8) == add(a, b, 16)  # type: ignore[arg-type]
    c2 = carry(low, c[:8])
    high = add(add(high, c[8:]), c2)
    assert bits_of(add(low, c[:8]), 8) + bits_of(high, 8) == add(add(a, b, 16), c, 16)  # type: ignore[arg-type]


def test_carry_in_and_carry_out() -> None:
    """As instructions with a carry compute it, in two steps; and borrows."""
    words = Words()
    a, b, c = words.symbol("a", 8), words.symbol("b", 8), words.symbol("c", 1)
    wide = bits_of(words.apply(Op.ADD, [words.apply(Op.ADD, [a, b], 9), c], 9), 9)
    part = words.apply(Op.ADD, [a, b], 8)
    whole = words.apply(Op.ADD, [part, c], 8)
    carries = [words.apply(Op.LT, pair, 8) for pair in ([part, b], [whole, c])]
    assert words.apply(Op.OR, carries, 1) == wide[8:]
    part = words.apply(Op.SUB, [a, b], 8)
    wide = bits_of(words.apply(Op.SUB, [words.apply(Op.SUB, [a, b], 9), c], 9), 9)
    borrows = [words.apply(Op.LT, pair, 8) for pair in ([a, b], [part, c])]
    assert words.apply(Op.OR, borrows, 1) == wide[8:]


@pytest.mark.parametrize(("shift", "constant"), [(1, 1), (3, 0), (2, 3), (5, 0x1B)])
def test_a_word_times_a_multiple_of_itself(shift: int, constant: int) -> None:
    """``x (x 2^k + c)`` by the square, of which there are products of halves: those across twice."""
    words = Words()
    x = words.symbol("x", 32)

    def do(op: Op, a: Word, b: Word) -> Word:
        return words.apply(op, [a, b], 32)

    low, across = do(Op.MUL, x[:16], x[:16]), do(Op.MUL, x[16:], x[:16])
    square = do(Op.ADD, low, do(Op.SHL, across, 17))
    assert square == do(Op.MUL, x, x)
    multiple = do(Op.ADD, do(Op.SHL, x, shift), constant)
    by_square = do(Op.ADD, do(Op.SHL, square, shift), do(Op.MUL, x, constant))
    assert do(Op.MUL, multiple, x) == do(Op.MUL, x, multiple) == by_square
    assert do(Op.MUL, x, do(Op.ADD, multiple, 1)) != by_square


def test_products_in_limbs() -> None:
    """A product of 32 bits by those of its halves, and its upper half with carries."""
    words = Words()
    a, b = words.symbol("a", 32), words.symbol("b", 32)

    def do(op: Op, x: object, y: object, width: int = 32) -> object:
        return words.apply(op, [x, y], width)  # type: ignore[list-item]

    halves = [(a[16 * i :][:16], b[16 * j :][:16]) for i, j in ((0, 0), (1, 0), (0, 1))]
    low, *crossed = (do(Op.MUL, x, y) for x, y in halves)
    shifted = do(Op.SHL, do(Op.ADD, *crossed), 16)
    assert do(Op.ADD, low, shifted) == do(Op.MUL, a, b)
    wide = bits_of(do(Op.MUL, bits_of(a, 64), bits_of(b, 64), 64), 64)  # type: ignore[arg-type]
    (l0, h0), (l1, h1), (l2, h2), (l3, _) = (
        (do(Op.MUL, x, y, 16), do(Op.MULHI, x, y, 16)) for x, y in (*halves, (a[16:], b[16:]))
    )
    one = do(Op.ADD, h0, l1, 16)
    two = do(Op.ADD, one, l2, 16)
    carries = do(Op.LT, one, l1, 16), do(Op.LT, two, l2, 16)
    assert bits_of(l0, 16) + bits_of(two, 16) == wide[:32]  # type: ignore[arg-type]
    third = do(Op.ADD, do(Op.ADD, h1, h2, 16), do(Op.ADD, l3, do(Op.ADD, *carries, 16), 16), 16)
    assert third == wide[32:48]


def test_rotations_made_of_shifts() -> None:
    """By a word to the left and by the width less that word to the right, put together by any operation."""
    words = Words()
    a, n = words.symbol("a", 32), words.symbol("n", 5)
    parts = [words.apply(Op.SHL, [a, n], 32), words.apply(Op.SHR, [a, words.apply(Op.SUB, [32, n], 32)], 32)]
    rotated = words.apply(Op.ROL, [a, n], 32)
    assert all(words.apply(op, parts, 32) == rotated for op in (Op.ADD, Op.OR, Op.XOR))
    assert words.apply(Op.ADD, parts[::-1], 32) == rotated


def test_shifts_that_are_no_rotation() -> None:
    """By amounts that go past the width, and of other words."""
    words = Words()
    a, b, n = words.symbol("a", 32), words.symbol("b", 32), words.symbol("n", 8)
    right = words.apply(Op.SUB, [32, n], 8)
    for word in (a, b):
        parts = [words.apply(Op.SHL, [a, n], 32), words.apply(Op.SHR, [word, right], 32)]
        assert words.apply(Op.OR, parts, 32) != words.apply(Op.ROL, [a, n], 32)


def test_the_parts_of_a_rotation_are_no_sum() -> None:
    """Of a sum rotated by a number: its bits, whatever put them together."""
    words = Words()
    a, b, c = (words.symbol(name, 32) for name in "abc")
    total = words.apply(Op.ADD, [a, b], 32)
    rotated = words.apply(Op.ROL, [total, 3], 32)
    parts = [words.apply(Op.SHL, [total, 3], 32), words.apply(Op.SHR, [total, 29], 32)]
    assert words.apply(Op.ADD, parts, 32) == rotated
    assert words.apply(Op.ADD, [words.apply(Op.ADD, parts, 32), c], 32) == words.apply(
        Op.ADD, [c, rotated], 32
    )


def test_a_sum_that_wraps_is_not_one_of_more_bits() -> None:
    """Zeros above a sum modulo 2^8 do not make it a sum modulo 2^16."""
    words = Words()
    a, b = words.symbol("a", 8), words.symbol("b", 8)
    low = bits_of(words.apply(Op.ADD, [a, b], 8), 8)
    wide = words.apply(Op.ADD, [a, b], 16)
    assert words.apply(Op.ADD, [low, 1], 16) != words.apply(Op.ADD, [wide, 1], 16)


@pytest.mark.parametrize("width", [8, 32])
def test_a_carry_without_a_comparison(width: int) -> None:
    """The bits of a word that processors without a comparison take for one: the highest is the comparison, of
    a sum of limbs as well."""
    words = Words()

    def op(op: Op, *values: Word) -> Word:
        return words.apply(op, values, width)

    a, b, c, d = (words.symbol(name, width) for name in "abcd")
    low = op(Op.ADD, a, b)
    other = op(Op.NOT, low)
    borrows = op(Op.OR, op(Op.AND, other, b), op(Op.AND, op(Op.OR, other, b), op(Op.SUB, low, b)))
    carry = op(Op.SHR, borrows, width - 1)
    high = op(Op.ADD, op(Op.ADD, c, d), carry)
    whole = words.apply(Op.ADD, [a + c, b + d], 2 * width)
    assert bits_of(low, width) + bits_of(high, width) == whole
    assert bits_of(carry, 1) == words.apply(Op.LT, [low, b], width)


def test_borrows_are_what_they_were() -> None:
    """Of all words of four bits, and of gates that are nearly those."""
    words = Words()
    a, b = words.symbol("a", 4), words.symbol("b", 4)
    other = words.apply(Op.NOT, [a], 4)
    first, either = words.apply(Op.AND, [other, b], 4), words.apply(Op.OR, [other, b], 4)
    made = []
    for difference in ([a, b], [b, a], [a, 3]):
        masked = words.apply(Op.AND, [either, words.apply(Op.SUB, difference, 4)], 4)
        made.append(words.apply(Op.OR, [first, masked], 4))
    for x, y in product(range(16), repeat=2):
        known = Valuation(words, {"a": x, "b": y})
        wanted = [~x & y | (~x | y) & d for d in (x - y, y - x, x - 3)]
        assert [known.word(word) for word in made] == [one & 15 for one in wanted]


def test_differences_of_limbs() -> None:
    """Two differences one after the other, and a sum before: borrows go as carries do."""
    words = Words()
    a, b, c = (words.symbol(name, 16) for name in "abc")

    def halves(op: Op, x: Bits, y: Bits) -> Bits:
        low = words.apply(op, [x[:8], y[:8]], 8)
        over = words.apply(Op.LT, [x[:8], y[:8]] if op is Op.SUB else [low, y[:8]], 8)
        high = words.apply(op, [words.apply(op, [x[8:], y[8:]], 8), over], 8)
        return bits_of(low, 8) + bits_of(high, 8)

    def whole(op: Op, x: Word, y: Word) -> Bits:
        return bits_of(words.apply(op, [x, y], 16), 16)

    first = halves(Op.SUB, a, b)
    assert first == whole(Op.SUB, a, b)
    assert halves(Op.SUB, first, c) == whole(Op.SUB, whole(Op.SUB, a, b), c)
    assert halves(Op.SUB, halves(Op.ADD, a, b), c) == whole(Op.SUB, whole(Op.ADD, a, b), c)
    assert halves(Op.ADD, first, c) == whole(Op.ADD, whole(Op.SUB, a, b), c)


def test_a_complement_is_subtracted_by_limbs() -> None:
    """Which is added, and one more: what borrows there is what does not carry."""
    words = Words()
    a, b = words.symbol("a", 32), words.symbol("b", 32)
    less = words.apply(Op.NOT, [b], 32)
    wanted = bits_of(words.apply(Op.SUB, [a, less], 32), 32)
    made: list[int] = []
    borrow: Word = 0
    for x, y in zip(limbs(words, a, 8), limbs(words, less, 8), strict=True):
        first = words.apply(Op.SUB, [x, y], 8)
        made += bits_of(words.apply(Op.SUB, [first, borrow], 8), 8)
        both = [words.apply(Op.LT, pair, 8) for pair in ([x, y], [first, borrow])]
        borrow = words.apply(Op.OR, both, 1)
    assert tuple(made) == wanted


def test_a_difference_of_limbs_is_what_it_was() -> None:
    """Of a borrow that is of other words, too."""
    words = Words()
    a, b, c = (words.symbol(name, 6) for name in "abc")
    low = words.apply(Op.SUB, [a[:3], b[:3]], 3)
    made = []
    for x, y in ((a, b), (b, a), (a, c)):
        borrow = words.apply(Op.LT, [x[:3], y[:3]], 3)
        made.append(words.apply(Op.SUB, [words.apply(Op.SUB, [a[3:], b[3:]], 3), borrow], 3))
    for x, y in product(range(64), repeat=2):
        known = Valuation(words, {"a": x, "b": y, "c": 5})
        assert known.word(low) == (x - y) & 7
        borrows = [int(p & 7 < q & 7) for p, q in ((x, y), (y, x), (x, 5))]
        assert [known.word(word) for word in made] == [((x >> 3) - (y >> 3) - one) & 7 for one in borrows]


def limbs_added(words: Words, a: list[Word], b: list[Word], width: int) -> list[Word]:
    """The limbs of a sum, with carries found by comparisons, as of a processor without flags."""
    carry: Word = 0
    total: list[Word] = []
    for x, y in zip(a, b, strict=True):
        part = words.apply(Op.ADD, [x, y], width)
        over = words.apply(Op.LT, [part, y], width)
        total.append(words.apply(Op.ADD, [part, carry], width))
        again = words.apply(Op.LT, [total[-1], carry], width)
        carry = bits_of(words.apply(Op.OR, [over, again], 1), width)
    return total


def limbs(words: Words, word: Word, width: int) -> list[Word]:
    bits = bits_of(word, 32)
    return [
        words.sums.limbs.part(bits, start, width) if start else bits[:width] for start in range(0, 32, width)
    ]


@pytest.mark.parametrize("width", [8, 16])
def test_sums_of_sums_by_limbs(width: int) -> None:
    """Of any number of limbs: of three words, of one word twice, of a word that is a sum of its own."""
    words = Words()
    a, b, c, d = (words.symbol(name, 32) for name in "abcd")
    parts = {name: limbs(words, word, width) for name, word in zip("abc", (a, b, c), strict=True)}
    key = words.apply(Op.ADD, [c, words.apply(Op.ROL, [d, 8], 32)], 32)
    for last, last_limbs in ((c, parts["c"]), (b, parts["b"]), (key, limbs(words, key, width))):
        whole = words.apply(Op.ADD, [words.apply(Op.ADD, [a, b], 32), last], 32)
        first = limbs_added(words, parts["a"], parts["b"], width)
        made = limbs_added(words, first, last_limbs, width)
        assert [bit for limb in made for bit in bits_of(limb, width)] == list(bits_of(whole, 32))


def test_a_carry_that_is_left_out_shows() -> None:
    words = Words()
    a, b, c = (words.symbol(name, 32) for name in "abc")
    whole = words.apply(Op.ADD, [words.apply(Op.ADD, [a, b], 32), c], 32)
    first = limbs_added(words, limbs(words, a, 8), limbs(words, b, 8), 8)
    last = [*limbs(words, c, 8)[:1], *limbs(words, 0, 8)[1:]]
    made = limbs_added(words, first, last, 8)
    assert [bit for limb in made for bit in bits_of(limb, 8)] != list(bits_of(whole, 32))


def test_multiples_by_places_are_one_term() -> None:
    words = Words()
    a, b = words.symbol("a", 16), words.symbol("b", 16)
    twice = words.apply(Op.ADD, [a, words.apply(Op.SHL, [b, 1], 16)], 16)
    assert words.apply(Op.SUB, [twice, b], 16) == words.apply(Op.ADD, [a, b], 16)
    assert words.apply(Op.ADD, [twice, b], 16) == words.apply(
        Op.ADD, [a, words.apply(Op.MUL, [b, 3], 16)], 16
    )


def test_a_bit_for_each_byte_is_spread_over_it() -> None:
    words = Words()
    a = words.symbol("a", 4)
    sparse = tuple(bit for one in a for bit in (one, *(FALSE,) * 7))
    assert words.apply(Op.MUL, [sparse, 0xFF], 32) == tuple(one for one in a for _ in range(8))
    assert words.apply(Op.MUL, [sparse, 0x1FF], 32) != tuple(one for one in a for _ in range(8))


def test_a_choice_of_two_that_differ_by_a_constant() -> None:
    words = Words()
    a, c = words.symbol("a", 16), words.symbol("c", 1)
    more = words.apply(Op.ADD, [a, 5], 16)
    chosen = words.apply(Op.SELECT, [c, more, a], 16)
    assert chosen == words.apply(Op.ADD, [a, words.apply(Op.SELECT, [c, 5, 0], 16)], 16)
    assert chosen == words.apply(Op.SELECT, [(c[0] ^ 1,), a, more], 16)
    assert chosen != words.apply(Op.SELECT, [c, a, more], 16)


def _many(words: Words, count: int, width: int = 16) -> Bits:
    """The sum of so many words."""
    parts: list[tuple[Word, int]] = [(words.symbol(k, width), 1) for k in range(count)]
    return bits_of(words.sums.add(parts, 0, width), width)


@pytest.mark.parametrize("width", [16, 8])
def test_a_closed_sum_is_one_term(width: int) -> None:
    """As a whole, its lowest bits, and its complement; what is made of it is what it was."""
    words, source = Words(), random.Random(width)
    total = _many(words, 20)
    words.sums.close(total)
    x = words.symbol("x", width)
    for term in (total, complement(total)):
        found = bits_of(words.apply(Op.ADD, [term, x], width), width)
        parts = words.sums.parts(found)
        assert parts is not None and len(parts[1]) == 2
        for _ in range(10):
            given: dict[object, int] = {k: source.getrandbits(16) for k in range(20)}
            valuation = Valuation(words, given | {"x": source.getrandbits(width)})
            assert valuation.word(found) == valuation.word(term) + valuation.word(x) & (1 << width) - 1
    assert words.apply(Op.SUB, [words.apply(Op.ADD, [x, total], width), total], width) == x


def test_a_short_sum_is_not_closed() -> None:
    words = Words()
    a, b, c = (words.symbol(name, 16) for name in "abc")
    first = bits_of(words.apply(Op.ADD, [a, b], 16), 16)
    words.sums.close(first)
    assert words.apply(Op.ADD, [first, c], 16) == words.apply(
        Op.ADD, [a, words.apply(Op.ADD, [b, c], 16)], 16
    )
