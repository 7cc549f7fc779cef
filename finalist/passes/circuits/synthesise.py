"""A circuit for any table, quickly: the fallback of the circuit library."""

from __future__ import annotations

from finalist.passes.circuits.circuit import Circuit
from finalist.passes.circuits.diagrams import MAX_INPUTS, from_diagrams
from finalist.passes.circuits.structures import structured


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
