"""Tables that a chain of steps makes: each bit of the argument applies its own affine map, or leaves it.

Powers of an element of GF(2^n) are made so: the x-th is the product of ``a^(2^i)`` for the bits i of x, and
multiplication by a constant is linear.  A few entries may be other ones (a power that stands for zero, say).
The circuit begins with a small table of some bits, and takes the steps of the others one after the other.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from finalist.passes.circuits.assembly import Assembly
from finalist.passes.circuits.circuit import Circuit

Table = tuple[int, ...]
#: Makes a small circuit for a table with 0 at 0.
Small = Callable[[Table, int, int], Circuit]

#: Entries outside of the small table that need not follow the steps; each costs about two gates a bit.
MOST_EXCEPTIONS = 2
#: Bits of the small table that the chain begins with.
SMALLEST, LARGEST = 2, 5
#: How often a map is guessed from a few entries, of which none may be an exception.
GUESSES = 24


class Affine(NamedTuple):
    """``y -> constant ^`` the sum of ``columns[i]`` for the bits i of y."""

    columns: tuple[int, ...]
    constant: int

    def of(self, y: int) -> int:
        """The image of y."""
        value = self.constant
        for i, column in enumerate(self.columns):
            value ^= column if y >> i & 1 else 0
        return value


def step_circuit(table: Table, inputs: int, outputs: int, small: Small) -> Circuit | None:
    """A circuit for ``x -> table[x] ^ table[0]`` of a small table and steps; None if it is no such chain."""
    if inputs <= SMALLEST + 2:
        return None
    even = tuple(y ^ table[0] for y in table)
    steps = {bit: step for bit in range(inputs) if (step := _step(even, bit, outputs))}
    made = []
    for count in range(SMALLEST, min(LARGEST, inputs - 2) + 1):
        for start in range(inputs):
            first = [(start + k) % inputs for k in range(count)]
            rest = [bit for bit in reversed(range(inputs)) if bit not in first]
            if all(bit in steps for bit in rest):
                made.append(_chain(even, inputs, outputs, first, [(bit, steps[bit]) for bit in rest], small))
    return min((circuit for circuit in made if circuit), key=lambda circuit: circuit.cost, default=None)


# ---- the steps -----------------------------------------------------------------------------------


def _step(table: Table, bit: int, outputs: int) -> Affine | None:
    """The map from entries without a bit of the index to those with it, but for a few exceptions."""
    pairs = [(y, table[x | 1 << bit]) for x, y in enumerate(table) if not x >> bit & 1]
    numbers = random.Random(bit)
    for _ in range(GUESSES):
        numbers.shuffle(pairs)
        guess = _affine(pairs, outputs)
        if guess and sum(guess.of(y) != z for y, z in pairs) <= MOST_EXCEPTIONS:
            return guess
    return None


def _affine(pairs: Sequence[tuple[int, int]], outputs: int) -> Affine | None:
    """The map that takes y to z for the first pairs (y, z) that determine one; None if none does."""
    (origin, value), *others = pairs
    reduced: dict[int, tuple[int, int]] = {}  # by the top bit of a difference: it, and its image
    for y, z in others:
        difference, image = y ^ origin, z ^ value
        for top in sorted(reduced, reverse=True):
            if difference >> top & 1:
                difference, image = difference ^ reduced[top][0], image ^ reduced[top][1]
        if difference:
            reduced[difference.bit_length() - 1] = difference, image
        if len(reduced) == outputs:
            break
    else:
        return None
    columns = tuple(_image(1 << i, reduced) for i in range(outputs))
    return Affine(columns, value ^ Affine(columns, 0).of(origin))


def _image(y: int, reduced: dict[int, tuple[int, int]]) -> int:
    image = 0
    for top in sorted(reduced, reverse=True):
        if y >> top & 1:
            y, image = y ^ reduced[top][0], image ^ reduced[top][1]
    return image


# ---- the circuit ---------------------------------------------------------------------------------


def _chain(
    table: Table,
    inputs: int,
    outputs: int,
    first: Sequence[int],
    steps: Sequence[tuple[int, Affine]],
    small: Small,
) -> Circuit | None:
    """A table of the bits ``first``, the steps of all others, and the exceptions put right."""
    begun = tuple(table[_placed(k, first)] for k in range(1 << len(first)))
    exceptions = _exceptions(table, begun, first, steps)
    if len(exceptions) > MOST_EXCEPTIONS:
        return None
    make = Assembly(inputs)
    signals = make.place(small(begun, len(first), outputs), first)
    for bit, step in steps:
        signals = _stepped(make, bit, step, signals)
    for x, difference in exceptions:
        here = _minterm(make, x, inputs)
        signals = [
            make.gate("xor", signal, here) if difference >> i & 1 else signal
            for i, signal in enumerate(signals)
        ]
    return make.circuit(signals)


def _placed(number: int, places: Sequence[int]) -> int:
    """The bits of a number at these places."""
    return sum((number >> k & 1) << place for k, place in enumerate(places))


def _exceptions(
    table: Table, begun: Table, first: Sequence[int], steps: Sequence[tuple[int, Affine]]
) -> list[tuple[int, int]]:
    """Where the chain and the table differ, and by what."""
    found = []
    for x, wanted in enumerate(table):
        value = begun[sum((x >> place & 1) << k for k, place in enumerate(first))]
        for bit, step in steps:
            value = step.of(value) if x >> bit & 1 else value
        if value != wanted:
            found.append((x, value ^ wanted))
    return found


def _stepped(make: Assembly, bit: int, step: Affine, signals: Sequence[int | None]) -> list[int | None]:
    """What a step changes is added where its bit is set."""
    masks = [
        sum((column >> row & 1) << i for i, column in enumerate(step.columns)) ^ 1 << row
        for row in range(len(signals))
    ]
    changes = make.sums(masks, signals)
    return [
        make.gate(
            "xor",
            signal,
            make.gate("andn", bit, change) if step.constant >> row & 1 else make.gate("and", bit, change),
        )
        for row, (signal, change) in enumerate(zip(signals, changes, strict=True))
    ]


def _minterm(make: Assembly, x: int, inputs: int) -> int | None:
    """1 for this argument alone, which is not 0."""
    terms: list[int | None] = [bit for bit in range(inputs) if x >> bit & 1]
    while len(terms) > 1:
        terms = [*terms[2:], make.gate("and", terms[0], terms[1])]
    for bit in range(inputs):
        if not x >> bit & 1:
            terms = [make.gate("andn", terms[0], bit)]
    return terms[0]
