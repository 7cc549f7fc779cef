"""Products modulo numbers a little above 2^n at their edges; inverses of odd words."""

from __future__ import annotations

import random

import pytest

from finalist.errors import DefinitionError
from finalist.language import constant, inverse, multiply_add
from tests.ciphers.values import shown, tracing

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
