"""Small circuits for tables of any number of inputs: the program of ``resubstitute.c``.

Gates of three inputs for tables of few rows: that of ``ternary.c``, which is many times as quick.

Complements at the outputs are free here: the circuits found are for ``x -> table[x] ^ table[0]``, and none
of their gates is a ``not``.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from finalist.passes.circuits.circuit import Circuit, Gate, table_columns
from tools.circuits.compiled import built

#: A gate's truth table on its one, two or three operands, as the program has it.
TRUTHS = {"and": 0x8, "andn": 0x2, "xor": 0x6, "or": 0xE}
WORD = 64
MOST_OUTPUTS = 8
#: Circuits of gates of three inputs that the program for tables of few rows begins with: by 64 of these rows
#: at most so many gates.  Without one to begin with it takes tables of so many inputs.
MOST_GATES = {1: 50, 2: 110, 4: 110}
MOST_EXPANDED = 6


@dataclass(frozen=True)
class Effort:
    """How to search: CPU ``seconds``, and the words of a job that the program explains."""

    seconds: float = 1.0
    seed: int = 1
    breadth: int = 12
    burst: int = 300
    rise: int = 4
    heat: int = 0


def improved(
    table: Sequence[int],
    inputs: int,
    outputs: int,
    effort: Effort | None = None,
    known: Circuit | None = None,
    arity: int = 2,
) -> Circuit:
    """A circuit for ``x -> table[x] ^ table[0]`` of gates of at most ``arity`` inputs (2 or 3).

    ``known``: one to begin with, without ``not`` gates.  Raises NoCompiler without a C compiler ($CC, or cc).
    """
    even = tuple(y ^ table[0] for y in table)
    columns = table_columns(even, outputs)
    effort = effort or Effort()
    words = max(1, len(even) // WORD)
    job = [*_head(inputs, outputs, effort, known), *_hexadecimal(columns, words), *_rows(known)]
    if arity == 3 and outputs <= MOST_OUTPUTS and _is_small(words, inputs, known):
        program = built("ternary", f"-DWORDS={words}", "-march=native")
    else:
        program, job = built("resubstitute", f"-DWORDS={words}"), [arity, *job]
    done = subprocess.run(
        [program], input=" ".join(map(str, job)), stdout=subprocess.PIPE, text=True, check=True
    )
    last = [line for line in done.stdout.splitlines() if line != "end"][-1]
    return _read(list(map(int, last.split())), inputs).prove(even)


def _is_small(words: int, inputs: int, known: Circuit | None) -> bool:
    """Whether the program for tables of few rows takes the table, and what to begin with."""
    if known is None or not known.cost:
        return inputs <= MOST_EXPANDED
    return known.cost <= MOST_GATES.get(words, 0)


def _head(inputs: int, outputs: int, effort: Effort, known: Circuit | None) -> list[int]:
    gates = known.cost if known else 0
    walk = (effort.breadth, effort.burst, effort.rise, effort.heat)
    return [inputs, outputs, effort.seed, int(1000 * effort.seconds), *walk, gates]


def _hexadecimal(columns: Sequence[int], words: int) -> Iterator[str]:
    for column in columns:
        for k in range(words):
            yield format(column >> WORD * k & (1 << WORD) - 1, "x")


def _rows(known: Circuit | None) -> Iterator[int]:
    """The gates and outputs as the program numbers signals: from 1, where 0 is the constant."""
    if known and known.cost:
        for gate in known.gates:
            third = (0, TRUTHS[gate.op]) if gate.c is None or gate.truth is None else (gate.c + 1, gate.truth)
            yield from (gate.a + 1, gate.b + 1, *third)
        yield from (output + 1 for output in known.outputs)


def _read(numbers: list[int], inputs: int) -> Circuit:
    cost, rest = numbers[0], numbers[1:]
    gates = [_gate(rest[4 * k : 4 * k + 3], rest[4 * k + 3]) for k in range(cost)]
    outputs = [output - 1 for output in rest[4 * cost :]]
    if -1 in outputs:  # a constant
        gates.append(Gate("xor", 0, 0))
    return Circuit(inputs, tuple(gates), tuple(inputs + cost if o < 0 else o for o in outputs))


def _gate(signals: list[int], truth: int) -> Gate:
    """A gate of the program; one that reads the constant has two inputs."""
    if 0 in signals:
        place = signals.index(0)
        signals = [signal for k, signal in enumerate(signals) if k != place]
        truth = sum((truth >> _with_zero(m, place) & 1) << m for m in range(4))
    else:
        a, b, c = (signal - 1 for signal in signals)
        return Gate("lut3", a, b, c, truth)
    a, b = (signal - 1 for signal in signals)
    if truth == 0x4:
        return Gate("andn", b, a)
    return Gate(next(name for name, code in TRUTHS.items() if code == truth), a, b)


def _with_zero(index: int, place: int) -> int:
    """The index of a truth table of three operands, 0 at this place, for one of the two others."""
    low = index & (1 << place) - 1
    return low | (index ^ low) << 1
