"""Structures by what they are, and inversions under a multiple."""

from __future__ import annotations

import random

import pytest

from finalist.ciphers.crypton_v05 import S0
from finalist.ciphers.loki97 import S2
from finalist.ciphers.rijndael import S
from finalist.language import Table
from finalist.passes.circuits.structures import arithmetic, structured
from tests.passes.circuits.random_tables import permutation


@pytest.mark.parametrize(
    ("box", "name"),
    [(S, "a tower of fields"), (S0, "a network on halves"), (S2, "products of linear forms")],
)
@pytest.mark.every(3)
def test_what_a_box_is_made_of(box: Table, name: str) -> None:
    table = box.data.values
    ((found, circuit),) = structured(table, box.index_width, box.data.width)
    assert found == name
    assert circuit.table() == tuple(y ^ table[0] for y in table)


def test_random_tables_are_made_of_nothing() -> None:
    assert list(structured(permutation(random.Random(1), 256), 8, 8)) == []


@pytest.mark.check
def test_a_multiple_of_an_inversion() -> None:
    table = tuple((3 * y + 2) % 256 for y in S.data.values)
    circuit = arithmetic(table)
    assert circuit is not None
    assert circuit.table() == tuple(y ^ table[0] for y in table)
    assert arithmetic((0, 1, 3, 2)) is None
