"""The circuits that ship with Finalist; each one is proved against its table when it is loaded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from finalist.passes.circuits.circuit import Circuit

Key = tuple[tuple[int, ...], int]
DATA = files("finalist.passes.circuits") / "data"
FIELDS = ("table", "inputs", "outputs", "gates", "out", "cost", "found_by")


class LibraryError(ValueError):
    """A stored circuit is damaged: it is not what its record says it is."""


def find(table: tuple[int, ...], outputs: int) -> Circuit | None:
    """The smallest stored circuit from every index of ``table`` to its ``outputs``-bit entry."""
    return _shipped().get((tuple(table), outputs))


def find_masked(table: tuple[int, ...], outputs: int) -> tuple[Circuit, int, int] | None:
    """A stored circuit for ``x -> table[x ^ a] ^ b``, with the masks: (circuit, a, b).

    The smallest one for any masks; they are free where they can be XORed to round keys.
    """
    found = []
    for a in range(len(table)):
        for b in dict.fromkeys((0, table[a])):
            circuit = find(tuple(table[x ^ a] ^ b for x in range(len(table))), outputs)
            if circuit is not None:
                found.append((circuit.cost, a, b, circuit))
    if not found:
        return None
    _, a, b, circuit = min(found, key=lambda each: each[:3])
    return circuit, a, b


def record(name: str, table: tuple[int, ...], circuit: Circuit, found_by: str) -> dict[str, Any]:
    """What a library file says of a circuit."""
    return {
        "name": name,
        "table": list(table),
        "outputs": len(circuit.outputs),
        **circuit.to_json(),
        "cost": circuit.cost,
        "found_by": found_by,
    }


def keep(file: Path, new: Mapping[str, Any]) -> None:
    """Write a record into a library file; of two for the same table, the better one stays."""
    text: dict[str, Any] = {"about": "every gate costs one", "circuits": []}
    if file.exists():
        text = json.loads(file.read_text())
    _proved(new)
    rivals = [old for old in text["circuits"] if _same_table(old, new)]
    if any(_rank(old) <= _rank(new) for old in rivals):
        return
    if rivals:
        text["circuits"][text["circuits"].index(rivals[0])] = new
    else:
        text["circuits"].append(new)
    lines = ",\n".join("    " + json.dumps(each) for each in text["circuits"])
    about = json.dumps(text["about"])
    file.write_text(f'{{\n  "about": {about},\n  "circuits": [\n{lines}\n  ]\n}}\n')


def _same_table(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return bool(one["table"] == other["table"] and one["outputs"] == other["outputs"])


def _rank(stored: Mapping[str, Any]) -> tuple[int, int]:
    circuit = Circuit.from_json(stored)
    return circuit.cost, circuit.depth


@cache
def _shipped() -> Mapping[Key, Circuit]:
    return load(DATA)


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
