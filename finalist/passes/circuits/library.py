"""The circuits that ship with Finalist; each one is proved against its table when it is loaded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from finalist.passes.circuits.circuit import Circuit

Key = tuple[tuple[int, ...], int]
DATA = files("finalist.passes.circuits") / "data"
FIELDS = ("table", "inputs", "outputs", "gates", "out", "cost", "found_by")


class LibraryError(ValueError):
    """A stored circuit is damaged: it is not what its record says it is."""


def find(table: tuple[int, ...], outputs: int) -> Circuit | None:
    """The smallest stored circuit from every index of ``table`` to its ``outputs``-bit entry."""
    return load(DATA).get((tuple(table), outputs))


@cache
def load(folder: Traversable) -> Mapping[Key, Circuit]:
    """Every circuit of every JSON file in ``folder``; where two serve a table, the smaller."""
    best: dict[Key, Circuit] = {}
    for key, circuit in _records(folder):
        if key not in best or circuit.cost < best[key].cost:
            best[key] = circuit
    return best


def _records(folder: Traversable) -> Iterator[tuple[Key, Circuit]]:
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".json"):
            for number, record in enumerate(json.loads(file.read_text())["circuits"]):
                try:
                    yield _proved(record)
                except (ValueError, TypeError) as fault:
                    raise LibraryError(f"{file.name}, record {number}: {fault}") from fault


def _proved(record: Mapping[str, Any]) -> tuple[Key, Circuit]:
    """The circuit of one record, after an exhaustive comparison with the record's own table."""
    missing = [field for field in FIELDS if field not in record]
    if missing:
        raise ValueError(f"missing {', '.join(missing)}")
    table = tuple(record["table"])
    circuit = Circuit.from_json(record).prove(table)
    if len(circuit.outputs) != record["outputs"]:
        raise ValueError(f"{record['outputs']} outputs promised, {len(circuit.outputs)} listed")
    if circuit.cost != record["cost"]:
        raise ValueError(f"cost {record['cost']} promised, but there are {circuit.cost} gates")
    return (table, record["outputs"]), circuit
