"""The graphs that definitions become are what they were, with all names and lines of them."""

from __future__ import annotations

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.graph import every_node
from finalist.ir.printer import digest
from finalist.ir.program import ByteOrder, Program
from finalist.language.definition import OPERATIONS, trace
from finalist.machines.tracing import traced
from tests.unchanged import unchanged
from tests.wide import wide_cipher

pytestmark = pytest.mark.digest

#: With tables, rounds, arrays, loops and conditions between them.
NAMES = ("rijndael", "twofish", "rc6", "mars", "rc4", "hpc", "cast-256")


def told(program: Program) -> object:
    graphs = program.expand, program.kernel
    named = [[node.name for node in every_node(graph)] for graph in graphs]
    phases = [[node.phase for node in every_node(graph)] for graph in graphs]
    return digest(program), program.key, program.block, named, phases, [graph.rounds for graph in graphs]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_ciphers(operation: str) -> None:
    made = {}
    for name in NAMES:
        definition = cipher(name)
        made[name] = told(traced(definition, operation, definition.usual_key_bits()))
    unchanged(f"language-{operation}", made)


def test_every_operation_of_the_language() -> None:
    made = {
        f"{order.value} {bits}": told(trace(wide_cipher(order), "encrypt", bits))
        for order in ByteOrder
        for bits in (128, 192)
    }
    unchanged("language-wide", made)
