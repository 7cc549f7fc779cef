"""Tables, keyed functions and linear maps."""

from __future__ import annotations

import pytest

from finalist.ir.graph import every_node
from finalist.ir.ops import Op
from finalist.language import (
    LinearMap,
    Table,
    bit_permutation,
    gf_matrix,
    gf_multiply,
    join,
    tabulate,
)
from tests.language.toy import compute, run, toy, traced

SQUARE = Table([x * x % 256 for x in range(256)], name="square")
CYCLE = Table([3, 0, 1, 2], name="cycle")


def test_a_table_at_a_word_and_at_a_constant() -> None:
    assert compute(lambda x: [SQUARE[x[0:8]], SQUARE[3], SQUARE[255], CYCLE[x[0:2]]], 7) == [49, 9, 1, 2]
    assert len(SQUARE) == 256


def test_width_of_a_table() -> None:
    """As wide as its greatest entry, but at least as its index; or as it is told."""
    assert Table([0, 1]).data.width == 1
    assert Table([0, 1, 2, 300]).data.width == 9
    assert Table([0, 1, 0, 1]).data.width == 2
    assert Table([0, 1], width=12).data.width == 12


def test_inverse() -> None:
    assert CYCLE.inverse().data.values == (1, 2, 3, 0)
    assert CYCLE.inverse().data.name == "cycle_inv"
    assert compute(lambda x: CYCLE.inverse()[CYCLE[x[0:2]]], 2) == [2]


def test_bitslice_is_the_table_on_every_bit() -> None:
    low, high = 0x0F0F5533, 0x33335555
    planes = compute(lambda x, y: CYCLE.bitslice(x, y), low, high)
    for bit in range(32):
        entry = CYCLE.data.values[(low >> bit & 1) + 2 * (high >> bit & 1)]
        assert [plane >> bit & 1 for plane in planes] == [entry & 1, entry >> 1]


@pytest.mark.parametrize(
    ("a", "b", "polynomial", "product"),
    [
        (0x57, 0x83, 0x11B, 0xC1),
        (0x57, 0x13, 0x11B, 0xFE),
        (0, 5, 0x11B, 0),
        (1, 5, 0x169, 5),
        (3, 3, 0b111, 2),
    ],
)
def test_products_in_a_field(a: int, b: int, polynomial: int, product: int) -> None:
    """The first two: FIPS 197, section 4.2."""
    assert gf_multiply(a, b, polynomial) == gf_multiply(b, a, polynomial) == product


def test_matrix_over_a_field() -> None:
    """A column of FIPS 197, section 5.1.3's MixColumns: db 13 53 45 becomes 8e 4d a1 bc."""
    mix = gf_matrix([[2, 3, 1, 1], [1, 2, 3, 1], [1, 1, 2, 3], [3, 1, 1, 2]], 0x11B)
    assert compute(lambda x: mix(*x.bytes()), 0x455313DB) == [0x8E, 0x4D, 0xA1, 0xBC]


def test_matrix_that_is_not_square() -> None:
    fold = gf_matrix([[1, 1, 1, 1], [1, 2, 4, 8]], 0x11B)
    made = compute(lambda x: fold(*x.bytes()), 0x04030201)
    assert made == [1 ^ 2 ^ 3 ^ 4, 1 ^ 4 ^ 12 ^ 32]


def test_bit_permutations() -> None:
    swap = bit_permutation([*range(16, 32), *range(16)])
    assert compute(swap, 0x12345678) == [0x56781234]
    choose = bit_permutation([31, 0, 0], width=32)
    assert compute(choose, 0x80000000) == [0b001]
    assert compute(choose, 0x00000001) == [0b110]


def test_linear_map_of_several_words() -> None:
    both = LinearMap([(1, 2, 4, 8), (3, 3, 3, 3)], [2, 2])
    assert compute(lambda x: both(x[0:4], x[4:8]), 0x1F) == [(0xF ^ 3) & 3, 0xF >> 2]


def test_keyed_functions_depend_on_the_key() -> None:
    def expand(key):
        return [tabulate(lambda x, k=k: SQUARE[x ^ k] + k, 8) for k in key[0].bytes()]

    def encrypt(block, keys):
        return [join(*(f[x] for f, x in zip(keys, word.bytes(), strict=True))) for word in block]

    key, data = bytes(range(16)), bytes(range(100, 116))
    values = SQUARE.data.values
    expected = bytes((values[x ^ key[k % 4]] + key[k % 4]) % 256 for k, x in enumerate(data))
    assert run(toy(encrypt, expand), key, data) == expected


def test_keyed_functions_are_kept_as_such() -> None:
    """The graph says what may be tabulated; the schedule decides."""
    program = traced(
        toy(
            lambda block, f: [f[0][block[0][0:8]].extend(32), *block[1:]],
            lambda k: [tabulate(lambda x: x ^ k[0][0:8], 8)],
        )
    )
    (node,) = [node for node in every_node(program.kernel) if node.op is Op.APPLY]
    assert node.region.closed
    assert [child.type.width for child in node.inputs] == [8, 8]
