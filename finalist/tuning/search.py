"""The search: schedules of each kind are timed, then those near the quickest, until nothing is gained.

A schedule whose operations alone take longer than the quickest program so far is ruled out untimed; so
is nothing else. Every trial is of a program that has just reproduced its vectors.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from statistics import median
from typing import Any, Protocol, runtime_checkable

from finalist import api
from finalist.cache.notes import note
from finalist.ciphers.catalogue import identity
from finalist.errors import CompilerError, ScheduleError
from finalist.ir.printer import fingerprint
from finalist.language.cipher import Cipher
from finalist.machines.base import CompiledProgram
from finalist.machines.registry import machine as find_machine
from finalist.machines.tracing import traced
from finalist.measure import bench
from finalist.schedule import Schedule, parsed
from finalist.target import target
from finalist.toolchain import compiler
from finalist.tuning import shipped
from finalist.tuning.timing import Figures, Timing
from finalist.tuning.trials import CHAIN, LENGTHS, Trial, TuningError
from finalist.vectors.load import vectors_of

#: The length of message whose quickest program the search goes on from.
_LONG = LENGTHS[-1]
#: A schedule is better if it takes this much of the time or less; less is noise.
_BETTER = 0.99
#: How many kinds of layout are refined.
_REFINED = 3
#: Of the time there is, what is for trials of schedules that had none; then those whose figures are within
#: ``_CLOSE`` of the quickest at some length, ``_RIVALS`` of them at most, are timed again in turns.
_FIRST_TRIALS = 0.7
_CLOSE = 1.08
_RIVALS, _CHAINED_RIVALS = 10, 4
_TURNS = 4
#: The mode of operation that rivals are timed in, too: few call blocks by themselves.
_MODES = {"encrypt": "ctr", "decrypt": "cbc"}


@runtime_checkable
class Tunable(Protocol):
    """A machine that knows which of its schedules are worth a trial."""

    def ways(self) -> Iterable[Schedule]:
        """Layouts of which one mostly is the quickest, legal or not."""

    def kinds(self) -> Iterable[Schedule]:
        """One schedule of each kind of layout, legal or not."""

    def near(self, schedule: Schedule) -> Iterable[Schedule]:
        """Schedules that differ from one in a single choice."""

    def cpu_kinds(self) -> Iterable[str]:
        """What kinds of CPU this one is, the most able first: winners found on one serve here too."""


class Work(Protocol):
    """Operations a byte, and the core cycles a byte that they take at the very least."""

    @property
    def operations(self) -> float: ...

    @property
    def least_cycles(self) -> float: ...


@runtime_checkable
class Bounded(Protocol):
    """A program that knows how much it has to do."""

    work: Work


@dataclass(frozen=True, slots=True)
class Task:
    """What schedules are sought for."""

    cipher: type[Cipher]
    machine: str
    operation: str
    key_bits: int

    @property
    def name(self) -> str:
        """A hash of the definition's graphs, whatever the cipher is called."""
        return _name(self.cipher, self.operation, self.key_bits)  # type: ignore[arg-type]  # it can be hashed

    def __str__(self) -> str:
        return f"{self.cipher.name()} {self.operation} {self.key_bits}"


@lru_cache(maxsize=256)
def _name(cipher: type[Cipher], operation: str, key_bits: int) -> str:
    return fingerprint(traced(cipher, operation, key_bits))


def place_of(machine: str) -> str:
    """What trials depend on beside the program: processor and compiler."""
    told = find_machine(machine).describe()
    return "; ".join(told[what] for what in ("processor", "compiler") if what in told)


@dataclass(frozen=True, slots=True)
class Facts:
    """What the search wants to know of a program: its schedule with nothing left open, a hash, its work."""

    schedule: str
    text: str
    operations: float
    least_cycles: float


class Search:
    """The trials of one task; ``known`` are those of earlier runs, which are not made again.

    ``cut_off``: whether time was up before all that is worth a trial had one.
    """

    def __init__(self, task: Task, known: Iterable[Trial], seconds: float) -> None:
        machine = find_machine(task.machine)
        if not isinstance(machine, Tunable):
            raise TuningError(f"machine {task.machine!r} has no schedules to choose from")
        self.machine = machine
        self.task, self.name, self.place = task, task.name, place_of(task.machine)
        self.deadline = time.monotonic() + _FIRST_TRIALS * seconds
        self.end = time.monotonic() + seconds
        self.vectors = tuple(vectors_of(task.cipher))
        self.earlier = {t.schedule: t for t in known if (t.task, t.place) == (self.name, self.place)}
        self.trials: dict[str, Trial] = {}
        self.cut_off = False

    def run(self) -> Iterator[Trial]:
        """Each new trial as soon as it is made; first those of the defaults, which have to be beaten."""
        yield from self._tried((Schedule(), Schedule(blocks=1), Schedule(blocks=2)))
        # First what serves now, so that it is never lost for want of time; then what mostly wins, since to
        # look at each kind of a cipher of long texts takes a minute.
        yield from self._tried(self._serving_now())
        yield from self._tried(self._promising(self.machine.ways()))
        yield from self._tried(self._won_elsewhere())
        yield from self._tried(self._promising(self.machine.kinds()))
        chained = [trial for trial in self.trials.values() if trial.chained]
        if chained:
            yield from self._refined(min(chained, key=lambda t: t.cycles(CHAIN)), CHAIN)
        for best in self._quickest_kinds():
            yield from self._refined(best, _LONG)
        rivals = [*self._rivals(LENGTHS, _RIVALS), *self._rivals((CHAIN,), _CHAINED_RIVALS)]
        yield from self._in_turns([trial for trial in _distinct(rivals) if not trial.mode])

    def _rivals(self, lengths: Sequence[int], most: int) -> list[Trial]:
        """Those close to the quickest at some length, the closest first; none if that has no rival."""
        timed = [t for t in self.trials.values() if (t.chained if lengths == (CHAIN,) else t.timed)]
        best = {length: min(trial.cycles(length) for trial in timed) for length in lengths if timed}

        def behind(trial: Trial) -> float:
            return min(trial.cycles(length) / cycles for length, cycles in best.items())

        close = sorted((trial for trial in timed if behind(trial) <= _CLOSE), key=behind)
        return close[:most] if len(close) > 1 else []

    def _in_turns(self, rivals: list[Trial]) -> Iterator[Trial]:
        """The rivals timed again, one after the other and then all once more; of each the medians.

        A single short figure may be of a moment in which the core was quicker than its clock was taken to be.
        """
        if time.monotonic() >= self.end:
            return
        ready = [(trial, one) for trial in rivals if (one := self._ready_again(trial)) is not None]
        found: list[list[Figures]] = [[one.again(trial.ticks_per_cycle)] for trial, one in ready]
        while ready and len(found[0]) < _TURNS and time.monotonic() < self.end:
            for (trial, one), taken in zip(ready, found, strict=True):
                taken.append(one.again(trial.ticks_per_cycle))
        for (trial, _), taken in zip(ready, found, strict=True):
            again = _of_turns(trial, taken)
            self.trials[trial.schedule] = again
            yield again

    def _ready_again(self, trial: Trial) -> Timing | None:
        program = self._program(parsed(trial.asked))
        if program is None:
            return None
        return self._ready(program, _MODES[program.operation])

    def _serving_now(self) -> list[Schedule]:
        """The winners that come along for CPUs like this one, those of long messages first."""
        machine = self.task.machine
        kinds = shipped.alike(machine, self.machine.cpu_kinds())
        own = shipped.winners(self.name, machine, kinds)
        return list(dict.fromkeys(parsed(own[length]) for length in sorted(own, reverse=True)))

    def _won_elsewhere(self) -> list[Schedule]:
        """What won on other CPUs that have what this one has, or some of it; then what won with wider vectors
        than there are here, with as wide ones as there are."""
        machine = self.task.machine
        kinds = list(shipped.alike(machine, self.machine.cpu_kinds()))
        others = [kind for kind in shipped.all_kinds(machine) if kind not in kinds]
        found = (shipped.winners(self.name, machine, [kind]).values() for kind in (*kinds, *others))
        won = (_narrowed(parsed(asked), compiler.vector_bits()) for own in found for asked in own)
        return list(dict.fromkeys(won))

    def _refined(self, best: Trial, length: int) -> Iterator[Trial]:
        """Trials near the best one of its kind on messages of a length, until nothing is gained."""
        while True:
            before, near = best.cycles(length), self.machine.near(_choices(best))
            yield from self._tried(one for one in near if length != CHAIN or one.blocks == 1)
            rivals = [t for t in self.trials.values() if t.timed and _kind(t) == _kind(best)]
            best = min((t for t in rivals if length != CHAIN or t.chained), key=lambda t: t.cycles(length))
            if best.cycles(length) > _BETTER * before or self._over():
                break

    def _promising(self, schedules: Iterable[Schedule]) -> list[Schedule]:
        """The legal ones, those with the least to do first: then most others need not be timed."""
        bounds: dict[Schedule, float] = {}
        for schedule in schedules:
            facts = None if self._over() else self._facts(schedule)
            if facts is not None:
                bounds[schedule] = facts.least_cycles
        return sorted(bounds, key=bounds.__getitem__)

    def _facts(self, schedule: Schedule) -> Facts | None:
        """Of the program under a schedule, None where it is refused; noted, so that a run of little time gets
        past what earlier runs have looked at."""
        task = self.task
        identity = target(task.cipher).identity(task.operation, task.key_bits)
        about = (*identity, task.machine, task.operation, str(task.key_bits), str(schedule))
        about += (compiler.environment(compiler.command()),)
        told = note("facts", about, lambda: _told(self._program(schedule)))
        return Facts(**told) if told else None

    def _program(self, schedule: Schedule) -> CompiledProgram | None:
        task = self.task
        try:
            return api.compile(task.cipher, task.machine, task.operation, task.key_bits, schedule)
        except ScheduleError:
            return None

    def _over(self) -> bool:
        self.cut_off = self.cut_off or time.monotonic() > self.deadline
        return self.cut_off

    def _quickest_kinds(self) -> list[Trial]:
        """Of each kind of layout the quickest, as many of them as are refined."""
        timed = sorted((t for t in self.trials.values() if t.timed), key=lambda t: t.cycles(_LONG))
        kinds: dict[object, Trial] = {}
        for trial in timed:
            kinds.setdefault(_kind(trial), trial)
        return list(kinds.values())[:_REFINED]

    def _tried(self, schedules: Iterable[Schedule]) -> Iterator[Trial]:
        for schedule in schedules:
            if self._over():
                return
            trial, new = self._trial(schedule)
            if trial is not None:
                self.trials[trial.schedule] = trial
                if new:
                    yield trial

    def _trial(self, schedule: Schedule) -> tuple[Trial | None, bool]:
        """A trial, and whether it was made just now; None where there is no such program here."""
        task, facts = self.task, self._facts(schedule)
        if facts is None:
            return None, False
        full, text = facts.schedule, facts.text
        known = self.trials.get(full) or self.earlier.get(full)
        if known is not None and known.text == text:
            return known, False
        program = self._program(schedule)
        assert program is not None
        make = partial(
            Trial,
            task=self.name,
            place=self.place,
            text=text,
            cipher=program.cipher,
            operation=program.operation,
            key_bits=program.key_bits,
            machine=task.machine,
            asked=str(schedule),
            schedule=full,
            timing=program.timing,
            operations=facts.operations,
            bound=facts.least_cycles,
            commit=bench.commit(),
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            definition=identity(task.cipher),
        )
        if self._hopeless(facts.least_cycles):
            return make(ticks={}, ticks_per_cycle=self._cycle()), True
        try:
            return self._timed(program, make), True
        except (ScheduleError, CompilerError):
            return None, False  # vectors that this CPU has not; code that the compiler gave up on

    def _hopeless(self, least_cycles: float) -> bool:
        """Whether for messages of each length there is a program quicker than the operations alone are."""
        timed = [t for t in self.trials.values() if t.timed]
        return bool(timed) and all(least_cycles > min(t.cycles(length) for t in timed) for length in LENGTHS)

    def _cycle(self) -> float:
        return next((t.ticks_per_cycle for t in self.trials.values() if t.timed), 1.0)

    def _timed(self, program: CompiledProgram, make: Callable[..., Trial]) -> Trial:
        ticks, cycle = self._ready(program).taken()
        return make(ticks=ticks, ticks_per_cycle=cycle)

    def _ready(self, program: CompiledProgram, *modes: str) -> Timing:
        matched = bench.match(program, self.vectors, modes, cipher=self.task.cipher)
        had = tuple(mode for mode in matched.modes if mode in modes)
        return Timing(matched.program, matched.program.expand(matched.key), matched.key, had)


def _of_turns(trial: Trial, turns: Sequence[Figures]) -> Trial:
    """The trial with the medians of its own figures and those of further turns."""
    return replace(
        trial,
        ticks={at: median([trial.ticks[at], *(one.ticks[at] for one in turns)]) for at in trial.ticks},
        mode={at: median(one.mode[at] for one in turns) for at in turns[0].mode},
        set_up=median(one.set_up for one in turns),
        turns=1 + len(turns),
    )


def _distinct(given: Iterable[Trial]) -> list[Trial]:
    """Each once, by its schedule."""
    return list({trial.schedule: trial for trial in given}.values())


def _narrowed(schedule: Schedule, width: int) -> Schedule:
    """The schedule in vectors of at most so many bits, with as many vectors as it had."""
    if schedule.width is None or schedule.width <= width or width == 1:
        return schedule
    blocks = schedule.blocks and max(schedule.blocks * width // schedule.width, 1)
    return replace(schedule, width=width, blocks=blocks)


def _told(program: CompiledProgram | None) -> dict[str, Any]:
    """`Facts` as a note has them, empty where there is no program."""
    if program is None:
        return {}
    assert isinstance(program, Bounded)
    work = program.work
    return asdict(Facts(str(program.schedule), compiled(program), work.operations, work.least_cycles))


def compiled(program: CompiledProgram) -> str:
    """A hash of what is compiled, and how: text, compiler, flags."""
    flags: tuple[str, ...] = getattr(program, "flags", ())
    parts = (program.text, *compiler.command(), *compiler.STANDARD, *flags)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _choices(trial: Trial) -> Schedule:
    return parsed(trial.schedule)


def _kind(trial: Trial) -> tuple[object, ...]:
    """What makes a layout another kind rather than a neighbour."""
    chosen = _choices(trial)
    return chosen.width == 1, chosen.lookup, chosen.planes, chosen.word
