"""The circuits of some tables are what they were, gate by gate."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from finalist.ciphers import rijndael, twofish
from finalist.passes.circuits import library
from finalist.passes.circuits.assembly import moved
from finalist.passes.circuits.circuit import Circuit, table_columns
from finalist.passes.circuits.diagrams import from_diagrams
from finalist.passes.circuits.fields import inversion, inversion_circuit, multiples
from finalist.passes.circuits.lower import circuit_for, mapped
from finalist.passes.circuits.nibbles import nibble_circuit
from finalist.passes.circuits.quadratic import algebraic_normal_form, quadratic_circuit
from finalist.passes.circuits.steps import step_circuit
from finalist.passes.circuits.synthesise import small, synthesise_masked
from finalist.passes.xors import shared_sums
from tests.passes.circuits.random_tables import permutation
from tests.passes.circuits.test_fields import disguised
from tests.passes.circuits.test_nibbles import feistel, turned, two_layers
from tests.passes.circuits.test_quadratic import from_terms
from tests.passes.circuits.test_steps import powers
from tests.unchanged import unchanged

pytestmark = pytest.mark.digest


def table(seed: int, inputs: int, outputs: int) -> tuple[int, ...]:
    source = random.Random(seed)
    return tuple(source.getrandbits(outputs) for _ in range(1 << inputs))


def told(circuit: Circuit | None) -> object:
    return circuit and (circuit.to_json(), circuit.depth)


SIZES = [(k, 1 + k % 6, 1 + k % 5) for k in range(14)]


def test_circuits_of_diagrams() -> None:
    made = {f"{k} {i} {o}": told(from_diagrams(table(k, i, o), i, o)) for k, i, o in SIZES}
    made |= {f"at least {k} ones": told(from_diagrams(at_least(k), 6, 1)) for k in (1, 3)}
    unchanged("circuits-diagrams", made)


def at_least(least: int) -> tuple[int, ...]:
    return tuple(int(x.bit_count() >= least) for x in range(64))


def test_masked_circuits() -> None:
    """Of small tables at random and of permutations."""
    made = {f"{k} {i} {o}": synthesise_masked(table(k, i, o), i, o) for k, i, o in SIZES[:12]}
    made |= {f"box {k}": synthesise_masked(permutation(random.Random(k), 16), 4, 4) for k in range(3)}
    unchanged("circuits-masked", made)


def test_moved_and_mapped_circuits() -> None:
    made = {}
    for k, inputs, outputs in SIZES[:10]:
        circuit = from_diagrams(table(k, inputs, outputs), inputs, outputs)
        made[str(k)] = told(moved(circuit, (1 << inputs) - 1)), told(mapped(circuit))
    unchanged("circuits-moved", made)


def test_structured_circuits() -> None:
    source = random.Random(1)
    boxes: dict[str, Sequence[int]] = {
        "feistel": tuple(turned(y, 3) for y in feistel(source)),
        "two layers": two_layers(source, linear_layer_first=False),
        "linear first": twofish.Q[1].data.values,
    }
    unchanged(
        "circuits-nibbles",
        {name: told(nibble_circuit(tuple(box), small, 1)) for name, box in boxes.items()},
    )


def test_inversions() -> None:
    made: dict[str, object] = {f"{bits}": inversion(disguised(bits, bits)) for bits in (3, 5, 8)}
    made["tower"] = told(inversion_circuit(rijndael.S.data.values, small, tries=1))
    made["multiples"] = list(multiples(permutation(random.Random(4), 16)))
    unchanged("circuits-inversions", made)


def test_quadratic_circuits_and_normal_forms() -> None:
    made: dict[str, object] = {}
    for seed in range(12):
        source = random.Random(seed)
        inputs = source.randint(2, 7)
        light = [m for m in range(1 << inputs) if m.bit_count() <= 2]
        terms = [source.sample(light, source.randint(1, len(light))) for _ in range(source.randint(1, 6))]
        made[f"sums {seed}"] = told(quadratic_circuit(from_terms(terms, inputs), inputs, len(terms), seed))
        made[f"form {seed}"] = algebraic_normal_form(source.getrandbits(1 << inputs), inputs)
    unchanged("circuits-quadratic", made)


def test_chains_of_steps() -> None:
    tables = {"powers": powers(5), "one wrong": [*powers(5)[:7], 9, *powers(5)[8:]]}
    unchanged(
        "circuits-steps", {n: told(step_circuit(tuple(t), 5, 5, from_diagrams)) for n, t in tables.items()}
    )


def test_shared_sums() -> None:
    made = {}
    for seed in range(20):
        source = random.Random(seed)
        inputs = source.randint(1, 12)
        masks = [source.randrange(1 << inputs) for _ in range(source.randint(0, 12))]
        made[str(seed)] = shared_sums(masks, inputs, 2, seed)
    unchanged("circuits-sums", made)


def test_stored_circuits_and_what_is_found_for_a_table() -> None:
    box = tuple(rijndael.S.data.values)
    columns = table_columns(box, 8)
    made: dict[str, object] = {
        "known": circuit_for(columns, 8),
        "ternary": circuit_for(columns, 8, ternary=True),
    }
    for k, inputs, outputs in SIZES[:8]:
        truths = table_columns(table(k, inputs, outputs), outputs)
        made[f"{k} {inputs} {outputs}"] = (
            circuit_for(truths, inputs),
            circuit_for(truths, inputs, ternary=True),
        )
    made["found by"] = [library.found_by(box, 8, ternary) for ternary in (False, True)]
    unchanged("circuits-found", made)
