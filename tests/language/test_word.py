"""Words: every operator against Python's integers, on words of several widths."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finalist.errors import DefinitionError
from finalist.language import Table, Word, constant, inverse, join, mulhi, multiply_add, rol, ror, select
from tests.ciphers.values import shown, tracing
from tests.language.toy import compute

M = 2**32
Pair = Callable[[Any, Any], Any]
numbers = st.integers(0, M - 1)
few = settings(deadline=None, max_examples=20)


def turned(a: int, n: int, width: int = 32) -> int:
    n %= width
    return (a << n | a >> (width - n)) % 2**width


@given(numbers, numbers)
@few
def test_operators(a: int, b: int) -> None:
    made = compute(lambda x, y: [x + y, x - y, x * y, x & y, x | y, x ^ y, ~x, -x, mulhi(x, y)], a, b)
    assert made == [(a + b) % M, (a - b) % M, a * b % M, a & b, a | b, a ^ b, M - 1 - a, -a % M, a * b >> 32]


@given(numbers, st.one_of(numbers, st.integers(0, 20)))
@few
def test_remainders(a: int, b: int) -> None:
    """A word modulo zero is the word itself."""
    made = compute(lambda x, y: [x % y, x % (y ^ y), x % 251, x % 256, x % 1, x[0:8] % y[0:8]], a, b)
    low, divisor = a & 0xFF, b & 0xFF
    assert made == [a % b if b else a, a, a % 251, a % 256, 0, low % divisor if divisor else low]


@given(numbers, numbers)
@few
def test_comparisons(a: int, b: int) -> None:
    compared = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
    made = compute(lambda x, y: [f(x, y) for f in compared] + [f(x, x) for f in compared], a, b)
    assert made == [int(f(a, b)) for f in compared] + [int(f(a, a)) for f in compared]


@given(numbers, st.integers(0, M - 1))
@few
def test_integers_on_either_side(a: int, c: int) -> None:
    made = compute(
        lambda x: [c + x, x + c, c - x, x - c, c * x, c & x, c | x, c ^ x, x < c, c < x, x == c, c >= x], a
    )
    both = [(a + c) % M] * 2 + [(c - a) % M, (a - c) % M, a * c % M, a & c, a | c, a ^ c]
    assert made == [*both, int(a < c), int(c < a), int(a == c), int(c >= a)]


@pytest.mark.parametrize("amount", [0, 1, 13, 31])
def test_shifts_and_rotations_by_constants(amount: int) -> None:
    a = 0x89ABCDEF
    made = compute(lambda x: [x << amount, x >> amount, rol(x, amount), ror(x, amount)], a)
    assert made == [(a << amount) % M, a >> amount, turned(a, amount), turned(a, -amount)]


@given(numbers, st.integers(0, 100))
@few
def test_shifts_and_rotations_by_words(a: int, n: int) -> None:
    """Shifts past the width give zero, rotations count modulo the width."""
    made = compute(lambda x, y: [x << y, x >> y, rol(x, y), ror(x, y), rol(x, y[0:7])], a, n)
    up, down = ((a << n) % M, a >> n) if n < 32 else (0, 0)
    assert made == [up, down, turned(a, n), turned(a, -n), turned(a, n)]


@given(numbers, st.integers(0, 24), st.integers(1, 8))
@few
def test_parts(a: int, low: int, width: int) -> None:
    made = compute(lambda x: [x[low : low + width], x[low], x[: low + 1], x[low:]], a)
    assert made == [a >> low & 2**width - 1, a >> low & 1, a & 2 ** (low + 1) - 1, a >> low]


def test_bytes_join_and_extend() -> None:
    a = 0x04030201
    assert compute(lambda x: x.bytes(), a) == [1, 2, 3, 4]
    assert compute(lambda x: join(*reversed(x.bytes())), a) == [0x01020304]
    assert compute(lambda x: join(x[0:4], x[8:20]), a) == [0x3021]
    assert compute(lambda x: join(x), a) == [a]
    assert compute(lambda x: (x[0:8] - 2).extend(16), a) == [0xFF]
    assert compute(lambda x: join(x, ~x), a) == [a, M - 1 - a]


def test_narrow_words_wrap_at_their_own_width() -> None:
    made = compute(
        lambda x: [x[0:7] + 127, x[0:7] * 3, -x[0:1], ~x[0:3], rol(x[0:7], 1), mulhi(x[0:7], 64)], 0x7F
    )
    assert made == [126, 125, 1, 0, 127, 63]


def test_wide_words() -> None:
    made = compute(lambda x, y: [join(x, y) * join(y, x), mulhi(join(x, y), 3)], 0xFFFFFFFF, 0xFFFFFFFE)
    a, b = 0xFFFFFFFE_FFFFFFFF, 0xFFFFFFFF_FFFFFFFE
    product, high = a * b % 2**64, a * 3 >> 64
    assert made == [product % M, product >> 32, high % M, high >> 32]


@given(numbers, numbers)
@few
def test_select(a: int, b: int) -> None:
    assert compute(lambda x, y: select(x < y, x, y), a, b) == [min(a, b)]
    assert compute(lambda x, y: select(x < y, x, 7), a, b) == [a if a < b else 7]


def test_constants() -> None:
    assert compute(lambda x: [constant(200, 8), constant(-1, 12), x + -1, x ^ 0xFFFFFFFF], 5) == [
        200,
        4095,
        4,
        M - 6,
    ]
    assert compute(lambda x: constant(x, 32), 5) == [5]


def test_text_of_a_word() -> None:
    seen: list[Word] = []
    compute(lambda x: seen.append(x[0:5]) or x, 0)
    assert repr(seen[0]) == "<word of 5 bits>"
    assert seen[0].width == 5


def test_what_python_asks_a_word_for_is_not_there() -> None:
    """Names that begin with an underscore are other libraries' questions, not a mistake in the definition."""
    seen: list[Word] = []
    compute(lambda x: seen.append(x) or x, 0)
    assert not hasattr(seen[0], "_repr_html_")


def test_integers_before_shifts_and_remainders() -> None:
    assert compute(lambda a, b: [1 << a, 0xF0 >> b, 100 % a], 5, 4) == [32, 15, 0]


def test_numbers_of_numpy_are_integers() -> None:
    assert compute(lambda a: [a ^ np.uint32(3), np.uint8(1) + a, a == np.int64(8)], 8) == [11, 9, 1]


BOX = Table(range(16), name="BOX")


def test_what_is_printed_of_a_word() -> None:
    """While a definition is traced a word has no value, so what it is made of has to do."""
    said: list[str] = []

    def printing(a: Any, b: Any) -> Any:
        x = BOX[(rol(a + b, 3) ^ 0x99)[0:4]]
        said.extend([str(x), f"{x:08x}", repr([x])])
        return x.extend(32)

    compute(printing, 1, 2)
    assert said[0] == "BOX((... ^ 0x99)[0:4]) (a word of 4 bits; `finalist trace` shows values)"
    assert said[1:] == [said[0], "[<word of 4 bits>]"]


P = 2**64 + 13
TOP = 2**64 - 1


def residues() -> list[tuple[int, int, int]]:
    """a, x and b: residues past 2^64 and around them, greatest products, random ones."""
    source = random.Random(64)
    past = [(1, TOP, b) for b in range(20)]
    zeros = [(0, source.getrandbits(64), b) for b in (0, 1, TOP, 0x0123456789ABCDEF)]
    edges = [(a, x, b) for a in (TOP, 1 << 63, 13) for x in (TOP, 0, TOP - 12) for b in (TOP, 0)]
    # Products just below and above multiples of the modulus.
    near = []
    for _ in range(20):
        x = source.getrandbits(64) | 1
        a = source.getrandbits(64)
        near += [(a, x, (b - a * x) % P) for b in (TOP - 1, TOP, TOP + 1, P - 1, 0, 1)]
    some = [(source.getrandbits(64), source.getrandbits(64), source.getrandbits(64)) for _ in range(20)]
    return [case for case in past + zeros + edges + near + some if case[2] <= TOP]


def test_multiply_add() -> None:
    cases = residues()
    expected = [(a * x + b) % P % 2**64 for a, x, b in cases]
    assert expected[1:14] == list(range(13))  # those that lie past 2^64
    assert expected[20:24] == [0, 1, TOP, 0x0123456789ABCDEF]
    with tracing():
        made = [multiply_add(*(constant(value, 64) for value in case), P) for case in cases]
        assert shown(made).split() == [f"{value:016x}" for value in expected]


@pytest.mark.parametrize("c", [1, 2, 3, 6])
def test_multiply_add_of_bytes(c: int) -> None:
    """Residues around 0, 2^8 and the modulus, for each product of a few words."""
    values = (0, 1, 2, 127, 128, 255 - c, 254, 255)
    cases = [(a, x, b) for a in values for x in values for b in values]
    with tracing():
        made = [multiply_add(*(constant(value, 8) for value in case), 256 + c) for case in cases]
        expected = "".join(f"{(a * x + b) % (256 + c) % 256:02x}" for a, x, b in cases)
        assert shown(made) == expected


@pytest.mark.parametrize("modulus", [2**64, 2**64 - 59, 2**64 + 2**31, 2**32 + 15])
def test_a_modulus_that_is_not_taken(modulus: int) -> None:
    with tracing(), pytest.raises(DefinitionError, match=r"modulus \d+; accepted: 2\^64 \+ c with 0 < c"):
        multiply_add(constant(1, 64), constant(1, 64), constant(1, 64), modulus)


@pytest.mark.parametrize("width", [1, 3, 8, 16, 32, 64])
@pytest.mark.parametrize("value", [1, 3, 5, 7, TOP, 0x8000000080000001, 0x0123456712345679])
def test_inverse(value: int, width: int) -> None:
    with tracing():
        word = constant(value % 2**width, width)
        assert int(shown([inverse(word) * word]) or "1", 16) == 1
