"""S-boxes by inversion are found whatever their field and maps, and nothing else is."""

from __future__ import annotations

import random

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.graph import every_node
from finalist.ir.ops import Op
from finalist.machines.tracing import traced
from finalist.passes.inversions import found, inverses, of_table, times
from finalist.passes.matrices import apply_matrix, identity

Values = tuple[int, ...]
#: Some irreducible polynomials of degree 8: those of Rijndael, Camellia and SM4 are among them.
POLYNOMIALS = (0x11B, 0x11D, 0x163, 0x169, 0x1F5)


def invertible(source: random.Random) -> Values:
    while True:
        matrix = tuple(source.getrandbits(8) for _ in range(8))
        if len({apply_matrix(matrix, x) for x in range(256)}) == 256:
            return matrix


def box(polynomial: int, inner: Values, before: int, outer: Values, shift: int) -> Values:
    inverse = inverses(polynomial)
    return tuple(apply_matrix(outer, inverse[apply_matrix(inner, x) ^ before]) ^ shift for x in range(256))


@pytest.mark.parametrize("polynomial", POLYNOMIALS)
def test_inverses(polynomial: int) -> None:
    inverse = inverses(polynomial)
    assert inverse[0] == 0
    assert all(times(x, inverse[x], polynomial) == 1 for x in range(1, 256))


@pytest.mark.parametrize("polynomial", POLYNOMIALS)
def test_any_maps_around_it(polynomial: int) -> None:
    source = random.Random(polynomial)
    for before in (0, source.randrange(1, 256)):
        values = box(polynomial, invertible(source), before, invertible(source), source.getrandbits(8))
        how = found(values)
        assert how is not None and not how.direct
        assert tuple(map(how, range(256))) == values


def test_a_map_that_is_not_there_is_the_identity() -> None:
    source, one = random.Random(3), identity(8)
    after = found(box(0x11B, one, 0, invertible(source), 9))
    assert after is not None and after.direct and after.outer != one
    before = found(box(0x11B, invertible(source), 7, one, 0))
    assert before is not None and before.outer == one and not before.direct
    shifted = found(box(0x11B, one, 5, one, 0))
    assert shifted is not None and shifted.inner == shifted.outer == one and not shifted.direct


def test_two_entries_exchanged_are_no_inversion() -> None:
    source = random.Random(4)
    values = list(box(0x169, invertible(source), 1, invertible(source), 2))
    values[200], values[201] = values[201], values[200]
    assert found(tuple(values)) is None


def test_other_tables_are_none() -> None:
    source = random.Random(5)
    linear = invertible(source)
    for values in (
        tuple(source.sample(range(256), 256)),
        tuple(apply_matrix(linear, x) for x in range(256)),
        (0,) * 256,
        tuple(range(16)),
    ):
        assert found(values) is None


@pytest.mark.parametrize(
    ("name", "which"),
    [
        ("camellia", {"S1", "S2", "S3", "S4"}),
        ("aria", {"S1", "S2", "S3", "S4"}),
        ("sm4", {"S"}),
        ("seed", {"S1", "S2"}),
        ("clefia", {"S1"}),
        ("rijndael", {"S"}),
        ("kuznyechik", set()),
        ("skinny", set()),
    ],
)
@pytest.mark.every(4)
def test_ciphers(name: str, which: set[str]) -> None:
    kernel = traced(cipher(name), "encrypt", cipher(name).usual_key_bits()).kernel
    tables = {node.attr for node in every_node(kernel) if node.op is Op.LOOKUP}
    assert {table.name for table in tables if of_table(table)} == which
