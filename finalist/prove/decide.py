"""Whether an emitted program is equal to its definition for all keys and all blocks.

Both sides are carried out over one store. Outputs that are the same bits there are equal: proved. Else pairs
of a key and a block are tried on the interpreter and the simulator, and one on which these differ, made as
short as can be, refutes the program. What neither settles is undecided.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from finalist.ir.execute import interpret
from finalist.ir.printer import digest
from finalist.ir.program import Program
from finalist.isa.simulate.run import SimulatedProgram, behind
from finalist.isa.simulate.simulator import SimulationError
from finalist.prove import definition, execute
from finalist.prove.definition import NotCoveredError
from finalist.prove.memory import as_bytes
from finalist.prove.sums import Word, known
from finalist.prove.words import TooWideError, Words
from finalist.version import VERSION

#: Keys that are tried, and blocks under each.
KEYS, BLOCKS = 32, 64


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A key and data on which a program does not do what its definition does; all in hex."""

    key: str
    data: str
    defined: str
    computed: str


@dataclass(frozen=True, slots=True)
class Certificate:
    """What was found of a program. ``verdict``: proved, refuted or undecided; ``reason``: of the last, where
    it stopped. ``timing``: of a proved program the label that its course and its addresses have.

    ``definition``: the digest of the traced graphs; ``text``: SHA-256 of the
    assembly. ``seconds``: of the CPU.
    """

    cipher: str
    operation: str
    key_bits: int
    machine: str
    schedule: str
    verdict: str
    reason: str
    timing: str
    blocks: int
    instructions: int
    engines: tuple[str, ...]
    definition: str
    text: str
    finalist: str
    seconds: float
    counterexample: Counterexample | None = None


@dataclass(slots=True)
class _Found:
    """What symbolic execution gave: the bytes that differ, or why it did not come to an end."""

    reason: str = ""
    timing: str = ""
    executed: int = 0


def prove(traced: Program, program: SimulatedProgram, machine: str = "") -> Certificate:
    """Compare a program with the definition that it was made of; ``machine``: its name, for the record."""
    start = time.process_time()
    found = _executed(traced, program)
    proved = not found.reason
    wrong = None if proved else refuted(traced, program)
    return Certificate(
        traced.cipher,
        traced.operation,
        traced.key_bits,
        machine or program.processor.name,
        str(program.schedule),
        "proved" if proved else "undecided" if wrong is None else "refuted",
        found.reason,
        found.timing if proved else "",
        program.blocks,
        found.executed,
        (f"finalist.prove {VERSION}", f"numpy {np.__version__}"),
        digest(traced),
        hashlib.sha256(program.text.encode()).hexdigest(),
        VERSION,
        round(time.process_time() - start, 3),
        wrong,
    )


def _executed(traced: Program, program: SimulatedProgram) -> _Found:
    """Carry out both sides."""
    if traced.stateful:
        return _Found("blocks hand on a state")
    words, size = Words(), traced.block.bytes
    key = as_bytes(words, "key", traced.key.bytes)
    data = as_bytes(words, "data", size * program.blocks)
    blocks = [data[k : k + size] for k in range(0, len(data), size)]
    try:
        wanted = definition.outputs(traced, words, key, blocks)
    except (NotCoveredError, TooWideError) as error:
        return _Found(f"the definition: {error}")
    image, processor = program.image, program.processor
    try:
        made, run = execute.outputs(image, processor, program.operation, words, key, data, behind(program))
    except (NotCoveredError, TooWideError) as error:
        return _Found(f"the program: {error}")
    return _Found(_difference(wanted, made), run.leaks.label, run.executed)


def _difference(wanted: Sequence[Word], made: Sequence[Word]) -> str:
    """Which bytes are not the same bits; empty if none."""
    places = [k for k, (a, b) in enumerate(zip(wanted, made, strict=True)) if known(a) != known(b)]
    if not places:
        return ""
    return f"{len(places)} of {len(wanted)} bytes are not the same bits, the first is byte {places[0]}"


# -- refuting ----------------------------------------------------------------------------------------


def refuted(traced: Program, program: SimulatedProgram, seed: int = 1) -> Counterexample | None:
    """A key and a block on which interpreter and simulator differ, found at random and made short."""
    draw, size = random.Random(seed), traced.block.bytes
    for number in range(KEYS):
        key = bytes(traced.key.bytes) if number == 0 else draw.randbytes(traced.key.bytes)
        data = bytes(size) + draw.randbytes(size * (BLOCKS - 1))
        defined, computed = both(traced, program, key, data)
        if defined == computed:
            continue
        place = next(k for k in range(0, len(data), size) if defined[k : k + size] != computed[k : k + size])
        if traced.stateful:
            data = data[: place + size]
        elif _differ(traced, program, key, data[place : place + size]):
            data = data[place : place + size]
        return _shrunk(traced, program, key, data)
    return None


def both(traced: Program, program: SimulatedProgram, key: bytes, data: bytes) -> tuple[bytes, bytes]:
    """What the definition makes of data, and what the program does; empty where it fails."""
    rows = np.frombuffer(data, np.uint8).reshape(-1, len(data) if traced.stateful else traced.block.bytes)
    defined = interpret(traced, np.frombuffer(key, np.uint8)[None], rows).tobytes()
    try:
        return defined, program.run(key, data).output
    except SimulationError:
        return defined, b""


def _differ(traced: Program, program: SimulatedProgram, key: bytes, data: bytes) -> bool:
    defined, computed = both(traced, program, key, data)
    return defined != computed


def _shrunk(traced: Program, program: SimulatedProgram, key: bytes, data: bytes) -> Counterexample:
    """With as many bytes of 0 as there can be."""
    for k in range(len(key)):
        less = key[:k] + b"\0" + key[k + 1 :]
        key = less if less != key and _differ(traced, program, less, data) else key
    for k in range(len(data)):
        less = data[:k] + b"\0" + data[k + 1 :]
        data = less if less != data and _differ(traced, program, key, less) else data
    defined, computed = both(traced, program, key, data)
    return Counterexample(key.hex(), data.hex(), defined.hex(), computed.hex())
