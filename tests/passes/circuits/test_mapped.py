"""Circuits of gates of two inputs on gates of three: the same functions, two thirds of the gates or less."""

from __future__ import annotations

import pytest

from finalist.ciphers import magenta, rijndael
from finalist.ciphers.serpent import S
from finalist.passes.circuits.circuit import table_columns
from finalist.passes.circuits.lower import circuit_for
from finalist.passes.circuits.mapped import mapped


@pytest.mark.parametrize(("box", "most"), [(rijndael.S, 76), (magenta.f, 80)], ids=["rijndael", "magenta"])
def test_boxes_of_which_none_is_kept(box, most: int) -> None:
    truths = table_columns(box.data.values, box.data.width)
    two, before, after = circuit_for(truths, 8)
    three = circuit_for(truths, 8, ternary=True)
    assert three[1:] == (before, after)
    assert mapped(two).table() == two.table() == three[0].table()
    assert three[0].ternary and three[0].cost <= most < two.cost


@pytest.mark.parametrize("box", S, ids=lambda box: box.data.name)
def test_kept_ones_are_taken(box) -> None:
    truths = table_columns(box.data.values, 4)
    circuit, before, after = circuit_for(truths, 4, ternary=True)
    values = tuple(y ^ after for y in box.data.values)
    assert not before and circuit.cost <= 8
    circuit.prove(values)
