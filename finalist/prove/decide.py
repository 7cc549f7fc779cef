"""Whether an emitted program is equal to its definition for all keys and all blocks.

Both sides are carried out over one store. Outputs that are the same bits there are equal: proved. Else pairs
of a key and a block are tried on the interpreter and the simulator, and one on which these differ, made as
short as can be, refutes the program. Else it is proved in two steps, if it can be: the definition is what the
passes made of it, word by word (`finalist.prove.cuts`), and that is what the words do; so it is done first
where the program has limbs for what the definition calculates. Else a SAT solver is asked, where one is
installed. What nothing settles is undecided.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from finalist.ir.printer import digest
from finalist.ir.program import Program
from finalist.isa.simulate.run import SimulatedProgram
from finalist.isa.simulate.simulator import SimulationError
from finalist.prove import solver
from finalist.prove.bits import Word, known
from finalist.prove.blocks import CLAIM, Blocks
from finalist.prove.collector import uncollected
from finalist.prove.cuts import compare, narrower
from finalist.prove.execute import leaks
from finalist.prove.memory import as_bytes
from finalist.prove.proof import Proof
from finalist.prove.refute import Counterexample, Pair
from finalist.prove.settle import Sides
from finalist.prove.shared import Shared
from finalist.prove.solver import Answer, NoSolverError
from finalist.prove.streams import Streams
from finalist.prove.words import NotCoveredError, Words
from finalist.version import VERSION

#: The method by way of what the passes made.
STEPS = "the definition is what the passes made of it, word by word; that is what the assembled words do"
#: Seconds of the CPU for the first step where nothing says that it helps.
SHORTLY = 10.0
#: Basic blocks, or cycles, of the simulator after which a program gives no result.
LIMIT = 1 << 24


@dataclass(frozen=True, slots=True)
class Certificate:
    """What was found of a program. ``verdict``: proved, refuted or undecided; ``reason``: of the last, where
    it stopped. ``timing``: of a proved program the label that its course and its addresses have.

    ``definition``: the digest of the traced graphs; ``text``: SHA-256 of the text. ``instructions``: that
    were carried out, of hardware clock cycles from taking a block to its result. ``seconds``: of the CPU.
    ``form``: what was carried out, as `finalist.netlist.emitted.GivesNetlists` names it, if not instructions.
    ``claim``: of what it is the verdict, for all keys and data. ``method``: how it was proved, if not over
    one store.
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
    method: str = ""

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
    """What symbolic execution gave: why it did not come to an end or what differs, else both sides.

    ``method``: of `Certificate`; ``engines``: that were called for it.
    """

    reason: str = ""
    timing: str = ""
    executed: int = 0
    sides: Sides | None = None
    claim: str = CLAIM
    method: str = ""
    engines: tuple[str, ...] = ()


@uncollected()
def prove(
    traced: Program,
    program: SimulatedProgram,
    machine: str = "",
    seconds: float | None = None,
    shared: Shared | None = None,
) -> Certificate:
    """Compare a program with the definition that it was made of; ``machine``: its name, for the record;
    ``seconds``: of the CPU for carrying out both sides, all of them if None; ``shared``: what is there of the
    program proved before, such as the other direction's, and what is left there for the next."""
    start = time.process_time()
    limbs = narrower(traced, program.program)
    half = None if seconds is None else seconds / 2  # what is left has to do for the other method
    made = _in_steps(traced, program, half, partial(_left, start, seconds), shared) if limbs else None
    proof, found = made or _carried_out(traced, program, _left(start, seconds), shared)
    subject = Subject(
        machine or program.processor.name, str(program.schedule), program.text, blocks=program.blocks
    )
    pair = Pair(traced, partial(simulated, program))
    otherwise = nothing if limbs else partial(_otherwise, traced, program, _left(start, seconds))
    certificate = certified(pair, found, subject, start, otherwise)
    if shared is None or found.reason:
        proof.words.close()
    else:
        shared.keep(proof)
    return certificate


def _left(start: float, seconds: float | None) -> float | None:
    """Seconds that are left; ``start``: of `certified`."""
    return None if seconds is None else max(0.0, seconds - (time.process_time() - start))


def by_words(before: Program, after: Program, seconds: float | None) -> Found:
    """Whether two programs make the same, word by word; with the engines that were called for it."""
    compared = compare(before, after, seconds)
    return Found(compared.reason, engines=(solver.engine(),) if compared.solved else ())


def nothing() -> Found | None:
    """There is no other method."""
    return None


def _in_steps(
    traced: Program,
    program: SimulatedProgram,
    seconds: float | None,
    left: Callable[[], float | None],
    shared: Shared | None,
) -> tuple[Proof, Found] | None:
    """The proof that what the passes made is what the words do, after one that it is the definition; None if
    either fails. ``seconds``: for the first, ``left``: what is left for the second."""
    words = by_words(traced, program.program, seconds)
    if words.reason:
        return None
    # Without choices, where both sides may have the same ANDs: a choice of one side alone hides those.
    for choices in (True, False):
        proof, found = _carried_out(program.program, program, left(), shared, choices)
        if not found.reason:
            found.method, found.engines = STEPS, words.engines
            return proof, found
        proof.words.close()
    return None


def _otherwise(traced: Program, program: SimulatedProgram, seconds: float | None) -> Found | None:
    """What is found in two steps where nothing says that they help; None if it is no proof."""
    first = SHORTLY if seconds is None else min(seconds, SHORTLY)
    made = _in_steps(traced, program, first, partial(_left, time.process_time(), seconds), None)
    if made is None:
        return None
    made[0].words.close()
    return made[1]


def _carried_out(
    traced: Program,
    program: SimulatedProgram,
    seconds: float | None,
    shared: Shared | None,
    choices: bool = True,
) -> tuple[Proof, Found]:
    """What is found from the key schedules of the program before on, if it is proved so; else from the
    beginning; ``choices``: of `Words`."""
    proof = None if shared is None else shared.take(traced, program, seconds)
    if proof is not None:
        found = _executed(proof, program)
        if not found.reason:
            return proof, found
        proof.words.close()
    proof = _begun(traced, program, seconds, choices)
    return proof, _executed(proof, program)


def certified(
    pair: Pair,
    found: Found,
    subject: Subject,
    start: float,
    otherwise: Callable[[], Found | None] = nothing,
) -> Certificate:
    """The certificate of what was found; ``start``: the process's seconds of the CPU before it began;
    ``otherwise``: of `decided`."""
    verdict, wrong, engines, found = decided(pair, found, otherwise)
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
        found.method if proved else "",
    )


def simulated(program: SimulatedProgram, key: bytes, data: bytes) -> bytes:
    """What a program makes of data; empty where it fails."""
    try:
        return program.run(key, data, LIMIT).output
    except SimulationError:
        return b""


def decided(
    pair: Pair, found: Found, otherwise: Callable[[], Found | None] = nothing
) -> tuple[str, Counterexample | None, tuple[str, ...], Found]:
    """The verdict, a counterexample, the engines that were called for it, and by what it was found.

    ``otherwise``: another method, which is tried where no pair at random refutes it.
    """
    if not found.reason:
        return "proved", None, found.engines, found
    wrong = pair.at_random()
    if wrong is not None:
        return "refuted", wrong, (), found
    other = otherwise()
    if other is not None:
        return "proved", None, other.engines, other
    if found.sides is None:
        return "undecided", None, (), found
    try:
        answer, at = found.sides.settle(lambda given: pair.differ(*given))
    except NoSolverError as error:
        found.reason += f"; {error}"
        return "undecided", None, (), found
    engines = (solver.engine(),)
    if at is not None:
        return "refuted", pair.shrunk(*at), engines, found
    return "proved" if answer is Answer.NEVER else "undecided", None, engines, found


def _begun(traced: Program, program: SimulatedProgram, seconds: float | None, choices: bool) -> Proof:
    """A proof over a store of its own."""
    words = Words(seconds, choices)
    key = as_bytes(words, "key", traced.key.bytes)
    data = as_bytes(words, "data", program.program.block.bytes)
    return (Streams if traced.stateful else Blocks)(traced, words, key, data)


def _executed(proof: Proof, program: SimulatedProgram) -> Found:
    """Carry out both sides."""
    try:
        wanted = proof.defined()
    except NotCoveredError as error:
        return Found(f"the definition: {error}", claim=proof.claim)
    own = len(proof.words.store.atoms)
    try:
        made, runs = proof.carried_out(program)
    except NotCoveredError as error:
        return Found(f"the program: {error}", claim=proof.claim)
    parts = ((name, difference(a, b)) for (name, a), (_, b) in zip(wanted.parts(), made.parts(), strict=True))
    wrong = "; ".join(f"{name}: {text}" if name else text for name, text in parts if text)
    sides = Sides(proof.words, wanted.bytes, made.bytes, own, (len(proof.key), len(proof.data)))
    executed = sum(run.executed for run in runs)
    return Found(wrong, leaks(*runs).label, executed, sides, proof.claim)


def difference(wanted: Sequence[Word], made: Sequence[Word]) -> str:
    """Which bytes are not the same bits; empty if none."""
    places = [k for k, (a, b) in enumerate(zip(wanted, made, strict=True)) if known(a) != known(b)]
    if not places:
        return ""
    return f"{len(places)} of {len(wanted)} bytes are not the same bits, the first is byte {places[0]}"
