"""Schedules drawn at random, each program against the interpreter at the sizes where programs go wrong.

Programs are drawn in batches of one operation and key length. A batch is known by its number and a seed,
and what came of it is kept as long as Finalist's own code stays as it is: long runs go on where they stopped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from random import Random
from typing import Protocol, runtime_checkable

from finalist import api
from finalist.cache.folder import temporary_cache
from finalist.cache.origin import code_digest
from finalist.ciphers.catalogue import Reference, identity, is_built_in, reference
from finalist.errors import FinalistError, GraphError, ScheduleError, UnknownNameError, VectorError
from finalist.ir.memoized import memoized
from finalist.ir.printer import digest
from finalist.language.cipher import Cipher
from finalist.language.definition import OPERATIONS
from finalist.machines.base import CompiledProgram
from finalist.machines.registry import is_own
from finalist.machines.registry import machine as find_machine
from finalist.machines.tracing import traced
from finalist.measure.records import Store
from finalist.resumable import Resumable
from finalist.schedule import Schedule
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import KnownAnswer, key_lengths

#: The machine whose answers count.
REFERENCE = "interpreter"
#: Programs of a batch.
BATCH = 20
#: Draws for a batch, of which most are not legal, before it has fewer programs.
DRAWS = 4000
#: Statements of the longest text that is compiled: rounds written out for many vectors take minutes.
LONGEST = 6000
#: Keys, and blocks under the first of them.
KEYS, BLOCKS = 4, 37
#: Blocks of a stream cipher's message.
MESSAGE = 9
#: One in so many programs is optimised as it is for use; of the others the text alone is put to the test.
OPTIMISED = 20


@runtime_checkable
class Optimised(Protocol):
    """A program that a compiler optimises, which takes most of the time."""

    @property
    def statements(self) -> int:
        """Statements of the text: what the compiler's time depends on, as it does not on tables."""

    def unoptimised(self) -> CompiledProgram:
        """The same text, to be compiled in a fraction of the time."""


class DrawnError(FinalistError):
    """The file of batches can't be read or written."""


@runtime_checkable
class Drawing(Protocol):
    """A machine whose schedules can be drawn at random."""

    def drawn(self, numbers: Random) -> Schedule:
        """Any schedule, legal or not."""


@dataclass(frozen=True)
class Batch:
    """What came of a batch: programs that agree, failures; schedules refused, and those too long to compile.

    ``code``: a digest of Finalist's own files, and of a user's definition one of what it is traced to.
    ``failures``: a line each. ``definition``: as `finalist.ciphers.catalogue.identity` says it.
    """

    cipher: str
    machine: str
    code: str
    seed: int
    number: int
    agreed: int
    failed: int
    refused: int
    long: int
    failures: str
    definition: str = ""


BATCHES = Store(Batch, "the file of drawn schedules", "FINALIST_DRAWN", "drawn.jsonl", DrawnError)


@dataclass(frozen=True, slots=True)
class Job:
    """A batch to be made, of a cipher that has a name or a file."""

    cipher: Reference
    machine: str
    seed: int
    number: int

    def __str__(self) -> str:
        return f"{self.cipher.shown or self.cipher.text} {self.number}"


def jobs(ciphers: Sequence[type[Cipher]], machine: str, count: int, seed: int) -> Iterator[Job]:
    """The batches with ``count`` programs a cipher. Raises UnknownNameError where a machine draws none."""
    drawing_machine(machine)
    for cipher in ciphers:
        for number in range(-(-count // BATCH)):
            yield Job(reference(cipher), machine, seed, number)


def drawing_machine(name: str) -> Drawing:
    """The machine of a name. Raises UnknownNameError where it draws no schedules."""
    found = find_machine(name)
    if not isinstance(found, Drawing):
        raise UnknownNameError(f"machine {name!r} has no schedules that can be drawn")
    return found


def tasks(cipher: type[Cipher]) -> list[tuple[str, int]]:
    """Operations and key lengths, in bits, that batches are of: the shortest, the usual and the longest."""
    lengths = key_lengths(cipher)
    few = dict.fromkeys((lengths[0], cipher.usual_key_bits(), lengths[-1]))
    return [(operation, bits) for bits in few for operation in OPERATIONS]


def drawing(wanted: Sequence[Job]) -> Resumable[Job, Batch]:
    """The batches of jobs; those of earlier runs are known.

    Those of a cipher have processes of their own, and those of a task follow each other in one, as far as
    there are enough: what passes make for one serves the others. Raises DrawnError; its runs also
    CompilerError.
    """
    made = {(b.definition, b.code, b.machine, b.seed, b.number): b for b in BATCHES.read().rows}
    found = {job: made.get(_name(job)) for job in wanted}
    return Resumable(
        run,
        list(_alike_together(wanted)),
        known={job: batch for job, batch in found.items() if batch},
        keep=lambda job, batch: BATCHES.append([batch]) if is_own(job.machine) else None,
        portion=lambda job: job.cipher,
    )


def _alike_together(jobs: Iterable[Job]) -> Iterator[Job]:
    """Those of each cipher by operation and key length."""
    for cipher, own in groupby(jobs, lambda job: job.cipher):
        count = len(tasks(_loaded(cipher)))
        yield from sorted(own, key=lambda job: job.number % count)


def _name(job: Job) -> tuple[str, str, str, int, int]:
    """What a batch is known by."""
    cipher = _loaded(job.cipher)
    code = _code(cipher, _task(cipher, job.number))
    return identity(cipher), code, job.machine, job.seed, job.number


@cache
def _loaded(cipher: Reference) -> type[Cipher]:
    return cipher.load()


def _task(cipher: type[Cipher], number: int) -> tuple[str, int]:
    """Operation and key length of a batch."""
    every = tasks(cipher)
    return every[number % len(every)]


def _code(cipher: type[Cipher], task: tuple[str, int]) -> str:
    """What a batch holds for; a user's definition may be another tomorrow."""
    own = "" if is_built_in(cipher) else f" {digest(traced(cipher, *task))}"
    return code_digest() + own


# -- one batch ---------------------------------------------------------------------------------------


def run(job: Job) -> Batch:
    """Make a batch; what is compiled for it does not outlive it. Raises CompilerError."""
    with temporary_cache():
        return _made(job)


def _made(job: Job) -> Batch:
    cipher, machine = _loaded(job.cipher), find_machine(job.machine)
    assert isinstance(machine, Drawing)
    task = _task(cipher, job.number)
    told = (cipher.name(), job.machine, _code(cipher, task), job.seed, job.number)
    batch = Batch(*told, 0, 0, 0, 0, "", definition=identity(cipher))
    numbers = Random(f"{job.seed} {cipher.own_name()} {job.number}")
    rows = random_answers(cipher, *task, job.seed)
    for _ in range(DRAWS):
        batch = _one_more(batch, cipher, task, machine.drawn(numbers), rows)
        if batch.agreed + batch.failed == BATCH:
            break
    return batch


def _one_more(
    batch: Batch,
    cipher: type[Cipher],
    task: tuple[str, int],
    schedule: Schedule,
    rows: Sequence[KnownAnswer],
) -> Batch:
    try:
        program = api.compile(cipher, batch.machine, *task, schedule)
        if isinstance(program, Optimised) and program.statements > LONGEST:
            return replace(batch, long=batch.long + 1)
        optimised = (batch.agreed + batch.failed) % OPTIMISED == 0
        check_known_answers(program if optimised else _plain(program), rows)
    except ScheduleError:
        return replace(batch, refused=batch.refused + 1)
    except (VectorError, GraphError) as error:
        told = f"{task[0]} {task[1]} -s '{schedule}': {error}\n"
        return replace(batch, failed=batch.failed + 1, failures=batch.failures + told)
    return replace(batch, agreed=batch.agreed + 1)


def _plain(program: CompiledProgram) -> CompiledProgram:
    return program.unoptimised() if isinstance(program, Optimised) else program


@memoized
def random_answers(cipher: type[Cipher], operation: str, bits: int, seed: int) -> list[KnownAnswer]:
    """What the interpreter gives: blocks under a random key and one under each of others, or messages.

    The same for all batches of a task: some key schedules take the interpreter seconds.
    """
    numbers = Random(f"{seed} {cipher.own_name()} {operation} {bits}")
    program = api.compile(cipher, REFERENCE, operation, bits, Schedule())
    keys = [numbers.randbytes(bits // 8) for _ in range(KEYS)]
    under = keys if program.stateful else [keys[0]] * BLOCKS + keys[1:]
    size = program.block_bytes * (MESSAGE if program.stateful else 1)
    given = [numbers.randbytes(size) for _ in under]
    found = program.run_many(under, given)
    return [
        KnownAnswer(key, *(pair if operation == "encrypt" else pair[::-1]), origin="the interpreter")
        for key, pair in zip(under, zip(given, found, strict=True), strict=True)
    ]
