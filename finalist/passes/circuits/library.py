"""The circuits that ship with Finalist; each one is proved against its table when it is loaded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, NamedTuple

from finalist.passes.circuits.circuit import LUT3, Circuit, table_columns

Key = tuple[tuple[int, ...], int]
ColumnsKey = tuple[frozenset[int], int]
DATA = files("finalist.passes.circuits") / "data"
#: Circuits of few gates one after the other, rather than of few.
SHALLOW = DATA / "shallow"
FIELDS = ("table", "inputs", "outputs", "gates", "out", "cost", "found_by")


class LibraryError(ValueError):
    """A stored circuit is damaged: it is not what its record says it is."""


def find(
    table: tuple[int, ...], outputs: int, ternary: bool = False, shallow: bool = False
) -> Circuit | None:
    """The smallest stored circuit from every index of ``table`` to its ``outputs``-bit entry.

    ``ternary``: of gates of three inputs; ``shallow``: if there is one, that of few gates in a row.
    """
    stored = _shipped(shallow)[ternary].get((tuple(table), outputs))
    return stored.circuit if stored else None


def find_masked(
    table: tuple[int, ...], outputs: int, ternary: bool = False, shallow: bool = False
) -> tuple[Circuit, int, int] | None:
    """A stored circuit for ``x -> table[x ^ a] ^ b``, with the masks: (circuit, a, b).

    The outputs may be stored in any order.  Masks are free where they can be XORed to round keys; a is
    always 0, because complemented inputs never save a gate.
    """
    plain = find(table, outputs, ternary, shallow)
    found = [(plain, 0, 0)] if plain else []
    even = tuple(y ^ table[0] for y in table)
    columns = table_columns(even, outputs)
    stored = _by_columns(shallow)[ternary].get(_columns_key(columns, len(table)))
    if stored:
        at = dict(zip(stored.columns(), stored.outputs, strict=True))
        found.append((replace(stored, outputs=tuple(at[c] for c in columns)), 0, table[0]))
    return min(found, key=lambda each: (shallow and each[0].depth, each[0].cost, each[2]), default=None)


def found_by(table: tuple[int, ...], outputs: int, ternary: bool = False) -> str | None:
    """How the circuit of `find_masked` was found; None if none is stored with the outputs in this order."""
    entries = [
        _shipped(False)[ternary].get((tuple(y ^ mask for y in table), outputs)) for mask in (0, table[0])
    ]
    found = [stored for stored in entries if stored]
    return min(found, key=lambda stored: stored.circuit.cost).found_by if found else None


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
    rivals = [old for old in text["circuits"] if _compared(old) == _compared(new)]
    if any(_rank(old) <= _rank(new) for old in rivals):
        return
    if rivals:
        text["circuits"][text["circuits"].index(rivals[0])] = new
    else:
        text["circuits"].append(new)
    lines = ",\n".join("    " + json.dumps(each) for each in text["circuits"])
    about = json.dumps(text["about"])
    file.write_text(f'{{\n  "about": {about},\n  "circuits": [\n{lines}\n  ]\n}}\n')


def _compared(stored: Mapping[str, Any]) -> tuple[list[int], int, bool]:
    """What two circuits have in common of which one replaces the other: table, outputs, inputs of gates."""
    return stored["table"], stored["outputs"], any(gate[0] == LUT3 for gate in stored["gates"])


def _rank(stored: Mapping[str, Any]) -> tuple[int, int]:
    circuit = Circuit.from_json(stored)
    return circuit.cost, circuit.depth


class Stored(NamedTuple):
    """A circuit and how it was found."""

    circuit: Circuit
    found_by: str


@cache
def _shipped(shallow: bool) -> tuple[Mapping[Key, Stored], Mapping[Key, Stored]]:
    """The circuits of gates of two inputs, shallow ones where there are such; and those of gates of three."""
    two, three = _shipped(False) if shallow else load(DATA)
    return ({**two, **load(SHALLOW)[0]} if shallow else two), three


@cache
def _by_columns(shallow: bool) -> tuple[Mapping[ColumnsKey, Circuit], Mapping[ColumnsKey, Circuit]]:
    """The circuits of tables with 0 at 0, by what they compute in any order."""
    two, three = (
        {
            _columns_key(stored.circuit.columns(), len(table)): stored.circuit
            for (table, _), stored in entries.items()
            if not table[0]
        }
        for entries in _shipped(shallow)
    )
    return two, three


def _columns_key(columns: tuple[int, ...], rows: int) -> ColumnsKey:
    return frozenset(columns), rows


def load(folder: Traversable) -> tuple[Mapping[Key, Stored], Mapping[Key, Stored]]:
    """Every circuit of every JSON file in ``folder``; where two serve a table, the smaller.

    Those of gates of two inputs, and those with gates of three.
    """
    best: tuple[dict[Key, Stored], dict[Key, Stored]] = ({}, {})
    for key, stored in _records(folder):
        kind = best[stored.circuit.ternary]
        if key not in kind or stored.circuit.cost < kind[key].circuit.cost:
            kind[key] = stored
    return best


def _records(folder: Traversable) -> Iterator[tuple[Key, Stored]]:
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".json"):
            for number, record in enumerate(json.loads(file.read_text())["circuits"]):
                try:
                    yield _proved(record)
                except (ValueError, TypeError) as fault:
                    raise LibraryError(f"{file.name}, record {number}: {fault}") from fault


def _proved(record: Mapping[str, Any]) -> tuple[Key, Stored]:
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
    return (table, record["outputs"]), Stored(circuit, record["found_by"])
