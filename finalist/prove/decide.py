"""Whether an emitted program is equal to its definition for all keys and all blocks.

Both sides are carried out over one store. Outputs that are the same bits there are equal: proved. Else pairs
of a key and a block are tried on the interpreter and the simulator, and one on which these differ, made as
short as can be, refutes the program. Else a SAT solver is asked, where one is installed. What nothing settles
is undecided.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from finalist.ir.printer import digest
from finalist.ir.program import Program
from finalist.isa.simulate.run import SimulatedProgram, behind
from finalist.isa.simulate.simulator import SimulationError
from finalist.prove import definition, execute, solver, streams
from finalist.prove.bits import Word, known
from finalist.prove.collector import uncollected
from finalist.prove.memory import as_bytes
from finalist.prove.refute import Counterexample, Pair
from finalist.prove.settle import Sides
from finalist.prove.solver import Answer, NoSolverError
from finalist.prove.streams import Streams
from finalist.prove.words import NotCoveredError, Words
from finalist.version import VERSION

#: Basic blocks, or cycles, of the simulator after which a program gives no result.
LIMIT = 1 << 24
#: What is proved of a program whose blocks stand alone.
CLAIM = "the output of one call, after the key schedule"


@dataclass(frozen=True, slots=True)
class Certificate:
    """What was found of a program. ``verdict``: proved, refuted or undecided; ``reason``: of the last, where
    it stopped. ``timing``: of a proved program the label that its course and its addresses have.

    ``definition``: the digest of the traced graphs; ``text``: SHA-256 of the text. ``instructions``: that
    were carried out, of hardware clock cycles from taking a block to its result. ``seconds``: of the CPU.
    ``form``: what was carried out, as `finalist.netlist.emitted.GivesNetlists` names it, if not instructions.
    ``claim``: of what it is the verdict, for all keys and data.
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
    form: str = ""
    claim: str = CLAIM

    @property
    def settled(self) -> bool:
        """Whether it is not undecided."""
        return self.verdict != "undecided"


@dataclass(frozen=True, slots=True)
class Subject:
    """What a certificate is of: ``text``, with its machine and schedule; ``blocks``: that one call works on.

    ``form``: how the text was read, where that is to be said; ``engines``: by what.
    """

    machine: str
    schedule: str
    text: str
    form: str = ""
    engines: tuple[str, ...] = ()
    blocks: int = 1


@dataclass(slots=True)
class Found:
    """What symbolic execution gave: why it did not come to an end or what differs, else both sides."""

    reason: str = ""
    timing: str = ""
    executed: int = 0
    sides: Sides | None = None
    claim: str = CLAIM


@uncollected()
def prove(
    traced: Program, program: SimulatedProgram, machine: str = "", seconds: float | None = None
) -> Certificate:
    """Compare a program with the definition that it was made of; ``machine``: its name, for the record;
    ``seconds``: of the CPU for carrying out both sides, all of them if None."""
    start = time.process_time()
    found = _executed(traced, program, seconds)
    subject = Subject(
        machine or program.processor.name, str(program.schedule), program.text, blocks=program.blocks
    )
    return certified(Pair(traced, partial(simulated, program)), found, subject, start)


def certified(pair: Pair, found: Found, subject: Subject, start: float) -> Certificate:
    """The certificate of what was found; ``start``: the process's seconds of the CPU before it began."""
    verdict, wrong, engines = decided(pair, found)
    proved = verdict == "proved"
    return Certificate(
        pair.traced.cipher,
        pair.traced.operation,
        pair.traced.key_bits,
        subject.machine,
        subject.schedule,
        verdict,
        "" if proved else found.reason,
        found.timing if proved else "",
        subject.blocks,
        found.executed,
        (f"finalist.prove {VERSION}", f"numpy {np.__version__}", *subject.engines, *engines),
        digest(pair.traced),
        hashlib.sha256(subject.text.encode()).hexdigest(),
        VERSION,
        round(time.process_time() - start, 3),
        wrong,
        subject.form,
        found.claim,
    )


def simulated(program: SimulatedProgram, key: bytes, data: bytes) -> bytes:
    """What a program makes of data; empty where it fails."""
    try:
        return program.run(key, data, LIMIT).output
    except SimulationError:
        return b""


def decided(pair: Pair, found: Found) -> tuple[str, Counterexample | None, tuple[str, ...]]:
    """The verdict, a counterexample, and the engines that were called for it."""
    if not found.reason:
        return "proved", None, ()
    wrong = pair.at_random()
    if wrong is not None or found.sides is None:
        return "undecided" if wrong is None else "refuted", wrong, ()
    try:
        answer, at = found.sides.settle(lambda given: pair.differ(*given))
    except NoSolverError as error:
        found.reason += f"; {error}"
        return "undecided", None, ()
    engines = (solver.engine(),)
    if at is not None:
        return "refuted", pair.shrunk(*at), engines
    return "proved" if answer is Answer.NEVER else "undecided", None, engines


def _executed(traced: Program, program: SimulatedProgram, seconds: float | None) -> Found:
    """Carry out both sides."""
    words, size = Words(seconds), traced.block.bytes
    key = as_bytes(words, "key", traced.key.bytes)
    data = as_bytes(words, "data", size * program.blocks)
    if traced.stateful:
        return _streamed(Streams(traced, words, key, data), program)
    blocks = [data[k : k + size] for k in range(0, len(data), size)]
    try:
        wanted = definition.outputs(traced, words, key, blocks)
    except NotCoveredError as error:
        return Found(f"the definition: {error}")
    own = len(words.store.atoms)
    image, processor = program.image, program.processor
    try:
        made, run = execute.outputs(image, processor, program.operation, words, key, data, behind(program))
    except NotCoveredError as error:
        return Found(f"the program: {error}")
    sides = Sides(words, wanted, made, own, (len(key), len(data)))
    return Found(difference(wanted, made), run.leaks.label, run.executed, sides)


def _streamed(both: Streams, program: SimulatedProgram) -> Found:
    """The same of a stream cipher."""
    words = both.words
    try:
        wanted = both.defined()
    except NotCoveredError as error:
        return Found(f"the definition: {error}", claim=streams.CLAIM)
    own = len(words.store.atoms)
    runs = [
        execute.prepared(program.image, program.processor, words, len(both.data) + behind(program))
        for _ in range(3)
    ]
    try:
        made = both.carried_out(program.operation, *runs)
    except NotCoveredError as error:
        return Found(f"the program: {error}", claim=streams.CLAIM)
    parts = ((name, difference(a, b)) for (name, a), (_, b) in zip(wanted.parts(), made.parts(), strict=True))
    wrong = "; ".join(f"{name}: {text}" for name, text in parts if text)
    sides = Sides(words, wanted.bytes, made.bytes, own, (len(both.key), len(both.data)))
    executed = sum(run.executed for run in runs)
    return Found(wrong, streams.leaks(*runs).label, executed, sides, streams.CLAIM)


def difference(wanted: Sequence[Word], made: Sequence[Word]) -> str:
    """Which bytes are not the same bits; empty if none."""
    places = [k for k, (a, b) in enumerate(zip(wanted, made, strict=True)) if known(a) != known(b)]
    if not places:
        return ""
    return f"{len(places)} of {len(wanted)} bytes are not the same bits, the first is byte {places[0]}"
