"""Circuits of S-boxes of four bits with few gates of two inputs one after the other.

A block alone waits for each gate of its S-boxes: there the longest path through a circuit counts and not
its size. Three gates one after the other give nearly half of all functions of four bits, four give all. Of
the circuits with the shortest paths some thousands are looked at, and one with the fewest gates is kept.

    python -m tools.circuits.shallow serpent -o finalist/passes/circuits/data/shallow/serpent.json
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from finalist.passes.circuits import library
from finalist.passes.circuits.circuit import Circuit, Gate, input_columns, table_columns
from tools.circuits.page import used

#: The bits of an S-box, and the most gates one after the other.
INPUTS, DEEPEST = 4, 4
#: Sets of functions that are gone on from, and ways to make each function.
_SETS, _WAYS, _FIRST_WAYS = 12, 2, 3
_ALL = (1 << (1 << INPUTS)) - 1

Functions: TypeAlias = frozenset[int]
Numbers: TypeAlias = npt.NDArray[np.uint32]
OPERATIONS: dict[str, Callable[[Numbers, Numbers], Numbers]] = {
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "andn": lambda a, b: a & ~b,
}


class Levels:
    """The functions by the most gates on a path from an input to them, and the gates that make each.

    All are 0 where all inputs are 0: what is not is the complement of one.
    """

    def __init__(self) -> None:
        self.inputs = frozenset(input_columns(INPUTS))
        #: Those of 0 gates, of up to 1, and so on.
        self.upto: list[Numbers] = [_numbers(self.inputs)]
        while len(self.upto) < DEEPEST:
            self.upto.append(_numbers(_made(self.upto[-1])))
        self.of = {int(one): at for at in reversed(range(DEEPEST)) for one in self.upto[at]}
        self.known: dict[int, list[tuple[str, int, int]]] = {}

    def gates(self, function: int) -> list[tuple[str, int, int]]:
        """The gates that make it of functions of less depth; one input of the deepest is of two less."""
        if function not in self.known:
            depth = self.of.get(function, DEEPEST)
            less = self.upto[depth - 1] if depth else _numbers(())
            other = self.upto[DEEPEST - 2] if depth == DEEPEST else less
            self.known[function] = [*_pairs(function, less, other), *_pairs(function, other, less)]
        return self.known[function]

    def ways(self, function: int, had: Functions, most: int) -> list[Functions]:
        """The sets that have the function beside others, each with what it is made of; the smallest."""
        if function in had:
            return [had]
        found: dict[Functions, None] = {}
        for _, a, b in self.gates(function):
            first = _FIRST_WAYS if self.of.get(a, DEEPEST) < DEEPEST - 1 else _WAYS
            for one in self.ways(a, had, first):
                found |= dict.fromkeys(both | {function} for both in self.ways(b, one, _WAYS))
        return sorted(found, key=len)[:most]

    def shallowest(self, columns: Sequence[int]) -> Circuit:
        """A circuit of functions, of as few gates one after the other as any."""
        sets = [self.inputs]
        for column in sorted(columns, key=lambda own: self.of.get(own, DEEPEST)):
            grown = dict.fromkeys(way for had in sets for way in self.ways(column, had, _SETS))
            sets = sorted(grown, key=len)[:_SETS]
        return self.circuit(sets[0], columns)

    def circuit(self, functions: Functions, columns: Sequence[int]) -> Circuit:
        """The gates of a set of functions, those of less depth first."""
        places = {column: register for register, column in enumerate(input_columns(INPUTS))}
        gates = []
        for one in sorted(functions - self.inputs, key=lambda own: self.of.get(own, DEEPEST)):
            op, a, b = next(gate for gate in self.gates(one) if set(gate[1:]) <= places.keys())
            gates.append(Gate(op, places[a], places[b]))
            places[one] = len(places)
        return Circuit(INPUTS, tuple(gates), tuple(places[column] for column in columns))


def _numbers(functions: Iterable[int]) -> Numbers:
    return np.array(sorted(functions), dtype=np.uint32)


def _made(functions: Numbers) -> set[int]:
    """Those functions and all that a gate makes of two, but for constants."""
    found = set(functions.tolist())
    for operation in OPERATIONS.values():
        for row in functions:
            found.update(np.unique(operation(row, functions) & _ALL).tolist())
    return found - {0}


def _pairs(function: int, first: Numbers, second: Numbers) -> list[tuple[str, int, int]]:
    """The gates that make a function of one of the first and one of the second."""
    found = []
    for name, operation in OPERATIONS.items():
        for a in first:
            found += [(name, int(a), int(b)) for b in second[operation(a, second) & _ALL == function]]
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Find circuits of the S-boxes of ciphers, and keep them."""
    parser = ArgumentParser(prog="python -m tools.circuits.shallow")
    parser.add_argument("ciphers", nargs="+", help="whose S-boxes of four bits to find circuits of")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the library's file to keep them in")
    given = parser.parse_args(arguments)
    levels = Levels()
    for one in used():
        if one.inputs == INPUTS and set(one.ciphers) & set(given.ciphers):
            even = tuple(entry ^ one.values[0] for entry in one.values)
            circuit = levels.shallowest(table_columns(even, one.outputs)).prove(even)
            levels.known.clear()
            library.keep(given.output, library.record(one.title, even, circuit, "tools.circuits.shallow"))
            print(f"{one.title}: {circuit.cost} gates, depth {circuit.depth}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
