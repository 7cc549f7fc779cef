"""A circuit for any table, quickly: the fallback of the circuit library.

Made of what the designer of a table built it from, where that is found from the table alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from finalist.passes.circuits import diagrams, library
from finalist.passes.circuits.assembly import Assembly
from finalist.passes.circuits.circuit import Circuit
from finalist.passes.circuits.diagrams import MAX_INPUTS, from_diagrams
from finalist.passes.circuits.fields import inversion, inversion_circuit, multiples
from finalist.passes.circuits.nibbles import nibble_circuit
from finalist.passes.circuits.quadratic import quadratic_circuit
from finalist.passes.circuits.steps import step_circuit


def synthesise_masked(table: tuple[int, ...], inputs: int, outputs: int) -> tuple[Circuit, int]:
    """A proved circuit for ``x -> table[x] ^ mask``, with the mask: any that saves gates.

    Uses what the table is made of, where that is recognised and saves gates.
    """
    _check(table, inputs, outputs)
    even = tuple(y ^ table[0] for y in table)
    circuits = [circuit for _, circuit in structured(even, inputs, outputs)]
    circuits.append(from_diagrams(even, inputs, outputs))
    return min(circuits, key=lambda circuit: circuit.cost).prove(even), table[0]


def _check(table: tuple[int, ...], inputs: int, outputs: int) -> None:
    if not 1 <= inputs <= MAX_INPUTS or len(table) != 1 << inputs:
        raise ValueError(
            f"a table of 1 to {MAX_INPUTS} inputs is needed: {inputs} inputs, {len(table)} entries"
        )
    if outputs < 1 or not all(0 <= entry < 1 << outputs for entry in table):
        raise ValueError(f"every entry of the table must have {outputs} bits")


Table = tuple[int, ...]


def structured(table: Table, inputs: int, outputs: int) -> Iterator[tuple[str, Circuit]]:
    """Circuits for ``x -> table[x] ^ table[0]`` with the structure that each follows.

    None of them has a ``not`` gate.  Recognised quickly: degree two, inversion in GF(2^8) between affine
    maps, Feistel and substitution networks on halves of eight bits, chains of affine steps.
    """
    found: dict[str, Callable[[], Circuit | None]] = {
        "products of linear forms": lambda: quadratic_circuit(table, inputs, outputs) if inputs > 4 else None,
        "a tower of fields": lambda: inversion_circuit(table, small) if outputs == 8 else None,
        "a network on halves": lambda: nibble_circuit(table, small) if outputs == 8 else None,
        "a chain of affine steps": lambda: step_circuit(table, inputs, outputs, small),
    }
    for name, make in found.items():
        circuit = make()
        if circuit is not None:
            yield name, circuit


def arithmetic(table: Table) -> Circuit | None:
    """A circuit for ``x -> table[x] ^ table[0]`` if the table is an odd multiple of an inversion between
    affine maps, plus a constant, modulo 2^8.  Takes a minute where it is none."""
    if len(table) != 256:
        return None
    for m, c, inner in multiples(table):
        if inversion(inner) is not None:
            core = inversion_circuit(inner, small)
            assert core is not None
            outer = tuple(((y ^ inner[0]) * m + c) % 256 ^ table[0] for y in range(256))
            make = Assembly(8)
            return make.circuit(make.place(small(outer, 8, 8), make.place(core, range(8))))
    return None


@cache
def small(table: Table, inputs: int, outputs: int) -> Circuit:
    """A circuit for a part of a structure; the table has 0 at 0."""
    stored = library.find_masked(table, outputs)
    return stored[0] if stored else diagrams.from_diagrams(table, inputs, outputs)
