"""Search for small circuits of S-boxes of up to four inputs.

In the manner of Osvik, "Speeding up Serpent" (AES3, 2000), but on sets of functions rather than
on register programs, and by large neighbourhood search: forget a few functions of a circuit, and
let ``search.c`` find exhaustively every way to do with fewer new ones, or with other ones.

With complemented inputs and outputs free, a function may be taken as 0 where all inputs are 0,
and {and, or, xor, andn} then reach all two-input gates: the input mask never helps and the output
mask is ``table[0]``.  A circuit without free complements is such a circuit with some ``not``
gates added, at least one if ``table[0]`` is not 0.

    python -m tools.circuits.search --table "3 8 15 1 10 6 5 11 14 13 4 2 7 0 9 12"
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from finalist.passes.circuits import library
from finalist.passes.circuits.circuit import Circuit, table_columns
from tools.circuits.compiled import built
from tools.circuits.functions import (
    Functions,
    Realisation,
    functions_of,
    gates_of,
    inputs_of,
    normal,
    ordered,
    pruned,
)

Progress = Callable[[str], None]

MOST_WANTED = 32
PATIENCE = 40
PROOF_EFFORT_PER_SECOND = 40_000
WINDOW_EFFORT = 200_000
POOL = 20


# ---- the exhaustive search in C -------------------------------------------------------------


class Solver:
    """A running ``search.c``: asks for all small sets of functions that contain wanted ones."""

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self.process = subprocess.Popen(
            [built("search")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def sets(
        self, gates: int, wanted: Iterable[int], effort: int, seed: int, limit: int
    ) -> tuple[list[Functions], bool]:
        """Sets of at most ``gates`` functions, and whether these are all that exist."""
        job = (gates, effort, seed, limit, self.inputs, *wanted)
        assert self.process.stdin and self.process.stdout
        print(*job, file=self.process.stdin, flush=True)
        found: list[Functions] = []
        for line in self.process.stdout:
            word, *numbers = line.split()
            if word != "found":
                return found, word == "exhausted"
            found.append(tuple(map(int, numbers)))
        raise RuntimeError(f"the search program stopped with code {self.process.wait()}")

    def __enter__(self) -> Solver:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


# ---- the neighbourhood search -----------------------------------------------------------------


class Hunt:
    """An endless walk over sets of functions that contain the wanted ones."""

    def __init__(self, solver: Solver, wanted: Functions, seed: int) -> None:
        self.solver, self.wanted, self.inputs = solver, wanted, solver.inputs
        self.random = random.Random(seed)
        self.pool: list[Functions] = []

    def smallest(self, effort: int) -> Iterator[tuple[int, list[Functions]]]:
        """Raise the number of gates from below while ``effort`` decides it: (gates, all sets)."""
        for gates in range(len(self.wanted), MOST_WANTED):
            sets, complete = self.solver.sets(gates, self.wanted, effort, 0, 1000)
            if sets or complete:
                yield gates, [self._pruned(found) for found in sets]
            if sets or not complete:
                return

    def walk(self) -> Iterator[Functions]:
        """Descend again and again, from scratch or from a part of one of the best sets."""
        while True:
            last = start = self._start()
            yield start
            for last in self._descend(start):
                yield last
            self.remember(last)

    def remember(self, found: Functions) -> None:
        """Keep a set to start from, if it is among the smallest."""
        size = min(map(len, [found, *self.pool]))
        self.pool = [each for each in [*self.pool, found] if len(each) == size][-POOL:]

    def _pruned(self, found: Iterable[int]) -> Functions:
        return pruned(found, self.wanted, self.inputs)

    def _start(self) -> Functions:
        if self.pool and self.random.random() < 0.7:
            return self._rebuilt(self._beginning(self.random.choice(self.pool)))
        return min((self._rebuilt([]) for _ in range(3)), key=len)

    def _beginning(self, found: Functions) -> list[int]:
        """A random part of a set that is computable without the rest."""
        size = self.random.randint(0, len(found))
        shuffled = self.random.sample(found, len(found))
        part: list[int] = []
        while len(part) < size:
            part.append(next(f for f in shuffled if f not in part and self._follows(f, part)))
        return part

    def _follows(self, function: int, part: list[int]) -> bool:
        return ordered([*part, function], self.inputs) is not None

    def _rebuilt(self, part: list[int]) -> Functions:
        """Complete a part by Shannon expansions, one wanted function after the other."""
        have = inputs_of(self.inputs) + part
        rows = (1 << ((1 << self.inputs) - 1)) - 1
        for function in self.random.sample(self.wanted, len(self.wanted)):
            self._cover(have, function, rows, 0)
        return self._pruned(have)

    def _cover(self, have: list[int], function: int, rows: int, depth: int) -> int:
        """Add to ``have`` what agrees with ``function`` on ``rows``, and return it.

        After Kwan, "Reducing the gate count of bitslice DES" (2000).
        """
        if not function & rows:
            return 0
        pairs = (made for a, b in combinations(have, 2) for made in gates_of(a, b))
        for source in (have, pairs):
            hits = [each for each in source if not (each ^ function) & rows]
            if hits:
                return _include(have, self.random.choice(hits))
        trials: list[tuple[int, int, list[int]]] = []
        for split in self._splits(have, rows)[: 2 if depth < 2 else 1]:
            for first in (split, ~split):
                trial = list(have)
                low = self._cover(trial, function, rows & first, depth + 1)
                change = self._cover(trial, function ^ low, rows & ~first, depth + 1)
                masked = _include(trial, change & ~split if first == split else change & split)
                trials.append((len(trial), _include(trial, low ^ masked), trial))
        _, result, have[:] = min(trials)
        return _include(have, result)

    def _splits(self, have: list[int], rows: int) -> list[int]:
        """Functions that are not constant on the rows, roughly the most even ones first."""
        able = [each for each in have if each & rows and ~each & rows]
        uneven = {each: abs((each & rows).bit_count() - (~each & rows).bit_count()) for each in able}
        return sorted(able, key=lambda each: uneven[each] + 3 * self.random.random())

    def _descend(self, current: Functions) -> Iterator[Functions]:
        """Replace windows by smaller ones, or else by others, until that has failed often."""
        failures = 0
        while failures < PATIENCE * (4 if self._is_best(current) else 1):
            smaller = self._replace(current, len(current) - 1)
            failures = 0 if smaller else failures + 1
            following = smaller or self._replace(current, len(current))
            if following:
                current = following
                yield current

    def _is_best(self, current: Functions) -> bool:
        return bool(self.pool) and len(current) <= len(self.pool[0])

    def _replace(self, current: Functions, gates: int) -> Functions | None:
        """Another set of at most ``gates`` functions that shares most of this one."""
        free = 2 if len(current) > 17 else self.random.choices((2, 3, 4), (4, 15, 1))[0]
        window = self._window(current, free + len(current) - gates)
        keep = [*self.wanted, *(f for f in current if f not in window and f not in self.wanted)]
        if len(keep) > min(gates, MOST_WANTED):
            return None
        seed, limit = self.random.getrandbits(30), self.random.choice((2, 4, 8, 16))
        sets, _ = self.solver.sets(gates, keep, WINDOW_EFFORT, seed, limit)
        return self._pruned(sets[-1]) if sets else None

    def _window(self, current: Functions, size: int) -> list[int]:
        """Some functions that are not wanted; mostly ones that meet in a gate."""
        spare = [each for each in current if each not in self.wanted]
        if len(spare) <= size or self.random.random() < 0.3:
            return self.random.sample(spare, min(size, len(spare)))
        meets = _meetings([*inputs_of(self.inputs), *current])
        window = [self.random.choice(spare)]
        while len(window) < size:
            others = [each for each in spare if each not in window]
            near = [each for each in others if any(each in meets[w] for w in window)]
            window.append(self.random.choice(near or others))
        return window


def _include(have: list[int], function: int) -> int:
    if function and function not in have:
        have.append(function)
    return function


def _meetings(functions: list[int]) -> dict[int, set[int]]:
    """For each function, those that are its operand, or of which it is one."""
    meets: dict[int, set[int]] = {function: set() for function in functions}
    for a, b in combinations(functions, 2):
        for made in gates_of(a, b):
            if made in meets:
                for one, other in ((made, a), (made, b)):
                    meets[one].add(other)
                    meets[other].add(one)
    return meets


# ---- from an S-box to its circuits ------------------------------------------------------------


@dataclass
class Found:
    """A circuit for ``x -> table[x ^ input_mask] ^ output_mask``, and a bound on its cost.

    No circuit for this has fewer than ``floor`` gates: smaller sets were searched exhaustively.
    """

    table: tuple[int, ...]
    columns: tuple[int, ...]
    inputs: int
    output_mask: int
    input_mask: int = 0
    floor: int = 0
    circuit: Circuit | None = None

    def offer(self, functions: Functions) -> bool:
        """Take the circuit of a set of functions if it is smaller, or as small and less deep."""
        most_nots = self.circuit.cost - len(functions) if self.circuit else len(self.columns)
        if most_nots < 0:
            return False
        circuit = Realisation(functions, self.inputs, self.columns).circuit(most_nots)
        if circuit is None or (self.circuit and _rank(self.circuit) <= _rank(circuit)):
            return False
        self.circuit = circuit.prove(self.table)
        return True

    @property
    def settled(self) -> bool:
        """Is the circuit proved to be smallest?"""
        return self.circuit is not None and self.circuit.cost <= self.floor


def _rank(circuit: Circuit) -> tuple[int, int]:
    return circuit.cost, circuit.depth


def search(
    table: tuple[int, ...],
    outputs: int,
    *,
    seconds: float = 60,
    seed: int = 1,
    free_complements: bool = False,
    known: Circuit | None = None,
    progress: Progress | None = None,
) -> Found:
    """A small circuit for ``table``, or for ``table`` with complements at its ends."""
    goal = _goals(tuple(table), outputs)[free_complements]
    _pursue([goal], seconds, seed, known, progress or (lambda _: None))
    return goal


def _goals(table: tuple[int, ...], outputs: int) -> tuple[Found, Found]:
    """What to find without and with free complements."""
    inputs = (len(table) - 1).bit_length()
    if not 1 <= inputs <= 4 or len(table) != 1 << inputs:
        raise ValueError(f"the search takes tables of 2, 4, 8 or 16 entries, not {len(table)}")
    if not 1 <= outputs <= 8 or not all(0 <= entry < 1 << outputs for entry in table):
        raise ValueError(f"the table has entries that are not of {outputs} bits (at most 8)")
    masked = tuple(entry ^ table[0] for entry in table)
    plain = Found(table, table_columns(table, outputs), inputs, 0)
    return plain, Found(masked, table_columns(masked, outputs), inputs, table[0])


def _pursue(goals: list[Found], seconds: float, seed: int, known: Circuit | None, progress: Progress) -> None:
    """Improve the circuits of the goals, which are the same up to complements, until time is up."""
    deadline = time.monotonic() + seconds
    inputs = goals[0].inputs
    wanted = {normal(column, inputs) for column in goals[0].columns} - {0, *inputs_of(inputs)}
    seen: set[frozenset[int]] = set()
    with Solver(inputs) as solver:
        hunt = Hunt(solver, tuple(sorted(wanted)), seed)
        for batch in _batches(hunt, goals, known, int(seconds * PROOF_EFFORT_PER_SECOND)):
            for functions in batch:
                for goal in goals if frozenset(functions) not in seen else ():
                    if goal.offer(functions) and goal.circuit:
                        progress(f"{_describe(goal)}, at least {goal.floor} needed")
                seen.add(frozenset(functions))
            if time.monotonic() > deadline or all(goal.settled for goal in goals):
                return


def _batches(hunt: Hunt, goals: list[Found], known: Circuit | None, effort: int) -> Iterator[list[Functions]]:
    """Sets of functions to offer: of the known circuit, the proved smallest ones, then a walk."""
    if known is not None:
        hunt.remember(pruned(functions_of(known), hunt.wanted, hunt.inputs))
        for goal in goals:
            goal.circuit = known if known.table() == goal.table else None
        yield hunt.pool
    for gates, sets in hunt.smallest(effort):
        for goal in goals:
            goal.floor = gates + (not sets) + any(column & 1 for column in goal.columns)
        yield sets
    for functions in hunt.walk():
        yield [functions]


def _describe(goal: Found) -> str:
    assert goal.circuit is not None
    kind = f"output mask {goal.output_mask}" if goal.output_mask else "no masks"
    return f"{goal.circuit.cost} gates, depth {goal.circuit.depth}, {kind}"


def main(arguments: list[str] | None = None) -> int:
    """Search from the best circuit known, without and with free complements."""
    parser = ArgumentParser(prog="python -m tools.circuits.search")
    parser.add_argument("--table", required=True, help="the entries of the S-box, in order")
    parser.add_argument("--outputs", type=int, help="bits of an entry (as many as it takes)")
    parser.add_argument("--name", default="S", help="what to call the S-box in the record")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, help="library file to add or improve")
    given = parser.parse_args(arguments)
    table = tuple(map(int, given.table.replace(",", " ").split()))
    outputs = given.outputs or max(1, max(table).bit_length())
    goals = _goals(table, outputs)
    known = library.find(table, outputs)
    _pursue(list(goals), given.seconds, given.seed, known, lambda line: print(line, file=sys.stderr))
    for goal in goals if goals[0].table != goals[1].table else goals[:1]:
        assert goal.circuit is not None
        name = f"{given.name} ^ {goal.output_mask}" if goal.output_mask else given.name
        found_by = f"tools.circuits.search, seed {given.seed}; minimum >= {goal.floor}"
        record = library.record(name, goal.table, goal.circuit, found_by)
        print(f"{name}: {_describe(goal)}, at least {goal.floor} needed")
        if given.output:
            library.keep(given.output, record)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
