"""Circuits by decision diagrams: what they compute, and in how many gates."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from finalist.passes.circuits.circuit import table_columns
from finalist.passes.circuits.diagrams import from_diagrams


def less(x: int) -> int:
    """Of two numbers of three bits."""
    return int((x & 7) < (x >> 3))


def neighbours(x: int) -> int:
    """Whether two bits that stand side by side are ones."""
    return int(x & x >> 1 != 0)


#: A function, its inputs and outputs, and the gates that it takes at most.
KNOWN: dict[str, tuple[Callable[[int], int], int, int, int]] = {
    "a complement": (lambda x: x ^ 7, 3, 3, 3),
    "a constant": (lambda x: 1, 3, 1, 2),
    "a choice": (lambda x: x >> 1 + (x & 1) & 1, 3, 1, 3),
    "a choice of four": (lambda x: x >> 2 + (x & 3) & 1, 6, 1, 9),
    "a majority": (lambda x: int(x.bit_count() > 1), 3, 1, 4),
    "a full adder": (lambda x: x.bit_count(), 3, 2, 6),
    "ones of five": (lambda x: x.bit_count(), 5, 3, 12),
    "a sum": (lambda x: (x & 3) + (x >> 2), 4, 3, 7),
    "a product": (lambda x: (x & 3) * (x >> 2), 4, 4, 7),
    "a greater one": (lambda x: max(x & 3, x >> 2), 4, 2, 8),
    "a comparison": (less, 6, 1, 9),
    "neighbours": (neighbours, 4, 1, 4),
    "the lowest one": (lambda x: (x & -x).bit_length(), 3, 2, 6),
}


@pytest.mark.parametrize("name", KNOWN)
def test_gates_of_known_functions(name: str) -> None:
    function, inputs, outputs, gates = KNOWN[name]
    table = tuple(map(function, range(1 << inputs)))
    circuit = from_diagrams(table, inputs, outputs)
    assert circuit.columns() == table_columns(table, outputs)
    assert circuit.cost <= gates
