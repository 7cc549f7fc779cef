"""Which programs a library has of a cipher: by level and key length one for a block, others for more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing import parent_process
from typing import Any

from finalist.ciphers.catalogue import Reference, is_built_in, reference
from finalist.errors import ScheduleError
from finalist.export import choices
from finalist.export.choices import (
    FEW,
    MANY,
    ONE,
    Choice,
    Planned,
    as_below,
    gains,
    has_form,
    reckoned,
    shared,
)
from finalist.export.data import schedules
from finalist.export.levels import DECIDING, LEVELS, PORTABLE, Level
from finalist.export.parts import Built, Part, Parts, Plan, Way, same_keys, steps_of
from finalist.export.programs import Programs, asked
from finalist.export.selection import Selection
from finalist.ir import transfer  # noqa: F401  (so that programs can come from other processes)
from finalist.ir.memoized import uncollected
from finalist.language.cipher import Cipher
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.space import WAYS
from finalist.machines.tracing import traced
from finalist.passes import counters
from finalist.schedule import Schedule, parse_schedule, parsed
from finalist.tuning import choose
from finalist.workers import processes

#: Bytes of a message that many blocks are chosen for.
_LONG = 1 << 16
#: What a level's programs may take, at most, of what those of the levels below take; less where words are not
#: rotated or shuffled by one instruction.
_WORTH, _WORTH_PLAIN = 0.8, 0.4
#: Bits of vectors that every CPU of a kind has.
_PLAIN = 128
#: Operations of all kernels from which on to plan them takes longer than to start processes for it.
_MUCH_WORK = 6_000


def plans(
    cipher: type[Cipher], key_lengths: Sequence[int], choices: Schedule, selection: Selection | None = None
) -> tuple[Plan, ...]:
    """The programs of each operation that is selected, under ``choices`` that hold for all of them.

    Raises ScheduleError.
    """
    selection = selection or Selection()
    selection.check()
    selection.check_for(cipher)
    parts = Parts(cipher, small=selection.small)
    chosen = _chosen(_Order(reference(cipher), tuple(key_lengths), choices, selection))
    for operation, own in chosen.items():
        for choice in own:
            _add(parts, choice, selection.modes_of(operation))
    made, setups = parts.made()
    return tuple(
        _plan(cipher, operation, selection.modes_of(operation), own, made, setups)
        for operation, own in chosen.items()
    )


@dataclass(frozen=True, slots=True)
class _Order:
    """What programs are wanted, as another process can have it."""

    cipher: Reference
    key_lengths: tuple[int, ...]
    choices: Schedule
    selection: Selection

    def of(self, operation: str) -> list[Choice]:
        """The programs of an operation, of all key lengths."""
        planner = _Planner(self.cipher.load(), operation, self.choices, self.selection)
        with uncollected():
            # The longest first, which have most rounds: what is quickest with them is taken for all.
            found = {bits: planner.of_length(bits) for bits in sorted(self.key_lengths, reverse=True)}
        return [choice for bits in self.key_lengths for choice in found[bits]]


def _chosen(order: _Order) -> dict[str, list[Choice]]:
    """The programs of each operation; in a process each where that takes time and this is not one of
    several."""
    operations = order.selection.working()
    cipher = order.cipher.load()
    work = sum(len(traced(cipher, one, bits).kernel.body) for one in operations for bits in order.key_lengths)
    if len(operations) == 1 or work < _MUCH_WORK or parent_process() is not None:
        return {one: order.of(one) for one in operations}
    with processes(len(operations)) as pool:
        return dict(zip(operations, pool.map(order.of, operations), strict=True))


def _add(parts: Parts, choice: Choice, modes: Sequence[str]) -> None:
    known: list[NativeProgram] = []
    for step in choice.steps:
        with_setup = not any(same_keys(step.program, other) for other in known)
        built = choice.level_of(step), step.program
        parts.add(built, choice.level, step.role, modes, with_setup=with_setup)
        known.append(step.program)


def _plan(
    cipher: type[Cipher],
    operation: str,
    modes: tuple[str, ...],
    chosen: Iterable[Choice],
    made: Mapping[Built, Part],
    setups: Mapping[Built, str],
) -> Plan:
    ways = [Way(own.level, own.one.key_bits, steps_of(reckoned(own), made, setups)) for own in chosen]
    parts = dict.fromkeys(part for way in ways for part in way.parts)
    return Plan(cipher, operation, modes, tuple(parts), tuple(ways))


class _Planner:
    def __init__(self, cipher: type[Cipher], operation: str, choices: Schedule, selection: Selection) -> None:
        self.cipher, self.operation, self.choices, self.selection = cipher, operation, choices, selection
        self.programs = Programs(cipher, operation, choices)
        #: Whether what was sought and came along is asked for: where nothing says how programs are to be.
        self.sought = is_built_in(cipher) and not choices.chosen() and not selection.small
        #: By level what is quickest; None where that was never sought.
        self.known = schedules().get(cipher.name()) if self.sought else None
        #: By level what is reckoned to be quickest for many blocks, with keys of the length asked for first.
        self.quickest: dict[str, Schedule] = {}

    def of_length(self, bits: int) -> Sequence[Choice]:
        """For each level, the best first, the programs for one block and for many."""
        one = self._one(bits)
        found = [self._choice(PORTABLE, one, self._many(bits, one))]
        on = self._stream_on if one.stateful else self._on
        for level in reversed(LEVELS):
            if level is not PORTABLE and self.selection.takes(level):
                found += on(level, bits, [own for own in found if own.level.vendor in ("", level.vendor)])
        return self._without_those_beside_matched(found)[::-1]

    def _without_those_beside_matched(self, found: list[Choice]) -> list[Choice]:
        """Processors with vectors have the instructions that do a cipher's rounds, where any have."""
        matched = any(choice.level.base is not None for choice in found)
        if not matched or self.selection.levels is not None:
            return found
        return [own for own in found if own.level is PORTABLE or own.level.base is not None]

    # -- single blocks, and many without vectors ------------------------------------------------------

    def _one(self, bits: int) -> NativeProgram:
        single = Schedule(blocks=1, width=1)
        if self.selection.small:
            return self.programs.smallest(bits, single)
        if self._waiting(bits):
            return self._unknown(bits, replace(single, blocks=None))
        if won := self._chained(bits):
            return won
        if known := self._known(ONE):
            return self.programs.compiled(bits, replace(self._schedule(known), blocks=1, width=1))
        return self._unknown(bits, single)

    def _waiting(self, bits: int) -> bool:
        """Whether it is a stream cipher whose blocks wait for one another: its kernels do several in turn."""
        cipher = self.cipher
        return cipher.stateful and bool(counters.obstacle(traced(cipher, self.operation, bits)))

    def _chained(self, bits: int) -> NativeProgram | None:
        """The program that has won with chains of blocks, if any CPU can run it."""
        found = choices.alone(self.cipher, self.operation, bits) if self.sought else None
        if found is None:
            return None
        # So that its expanded key is that of other programs.
        keyed = self._schedule(
            self._known(ONE) or self._known(PORTABLE.name) or {"schedule": ""}
        ).key_schedule
        return self._alone(bits, replace(found, key_schedule=keyed or found.key_schedule))

    def _alone(self, bits: int, schedule: Schedule) -> NativeProgram | None:
        """A program of single blocks, if any CPU can run it."""
        program = self.programs.compiled(bits, schedule)
        return program if program.shape.lanes == 1 and not program.needs else None

    def _single(self, level: Level, bits: int, below: NativeProgram) -> NativeProgram:
        """What has won with chains of blocks on the CPUs that a level is tuned for, or that are one vendor's;
        that of the levels below for others, or where it is the same."""
        own_cpus = level.tuned or level.vendor
        found = choices.alone(self.cipher, self.operation, bits, level.kinds) if own_cpus else None
        own = self._alone(bits, found) if found else None
        return below if own is None or own.schedule == below.schedule else own

    def _many(self, bits: int, one: NativeProgram) -> NativeProgram:
        """The program for many blocks on any CPU; ``one`` where that is the same, or all."""
        if one.stateful or self.selection.small or self._functions(many=True) == ():
            return one
        known = self._known(PORTABLE.name)
        schedule = self._schedule(known) if known else Schedule()
        many = (self.programs.compiled if known else self._unknown)(bits, replace(schedule, width=1))
        return one if many.schedule == one.schedule else many

    def _functions(self, *, many: bool) -> tuple[str, ...]:
        """The modes that a program has functions of; encryption chains block after block."""
        modes = self.selection.modes_of(self.operation)
        chained = many and self.operation == "encrypt"
        return tuple(mode for mode in modes if not (chained and mode == "cbc"))

    def _unknown(self, bits: int, schedule: Schedule) -> NativeProgram:
        """A program that was not sought to be the shortest of the quickest, or that needed no search."""
        return (self.programs.lean if self.known is None else self.programs.compiled)(bits, schedule)

    # -- levels ---------------------------------------------------------------------------------------

    def _on(self, level: Level, bits: int, below: Sequence[Choice]) -> Iterator[Choice]:
        """The programs of a level that has any that are worth it."""
        won = self._won(level, bits, below) if level.kinds else None
        if won is not None:
            yield won
        elif not level.forms:
            yield from self._best(level, bits, below)
        elif self.known is None and not (level.vendor or self.selection.small):
            yield from self._with_forms(level, below[-1])

    def _with_forms(self, level: Level, below: Choice) -> Iterator[Choice]:
        """The programs of the level below, where the text of one has a form of its own for this level's
        instructions; for ciphers without tuned schedules."""
        if below.level.width == level.width and below.many is not below.one:
            steps = (Planned(ONE, below.one), *below.steps[1:])
            if gains(steps, level, below.level):
                yield Choice(level, tuple(shared(steps, level, below)))

    def _stream_on(self, level: Level, bits: int, below: Sequence[Choice]) -> Iterator[Choice]:
        """The programs of a level for a stream cipher that counts: its state is in the key, which all of them
        have alike, or there is one."""
        if level.base is not None or level.forms or self.selection.small:
            return
        with suppress(ScheduleError):  # its blocks wait for one another
            program = self._counting(level, bits)
            if set(program.needs) <= set(level.macros) and self._worth(program, below):
                one = below[0].one
                single = (Planned(ONE, one),) if same_keys(one, program) else ()
                yield Choice(level, (*single, Planned(MANY, program)))

    def _counting(self, level: Level, bits: int) -> NativeProgram:
        """A stream cipher's program for vectors: what has won on CPUs of the level, or else the default."""
        found = choices.entry(self.cipher, self.operation, bits, level) if self.sought else {}
        won = self._winner(level, bits, parsed(found["schedule"])) if found else None
        default = Schedule(width=level.width)
        return won if won and self._has(level, won) else self.programs.compiled(bits, default)

    def _best(self, level: Level, bits: int, below: Sequence[Choice]) -> Iterator[Choice]:
        """Those that are known, or reckoned, to be the quickest of many blocks."""
        bulk = self._bulk(level, bits) if self._functions(many=True) or level.one is not None else None
        if bulk is None:
            return
        if level.one is not None:
            one = self.programs.compiled(bits, self._small_loops(level.one))
            alone = self.selection.small or not self._functions(many=True)
            yield self._choice(level, one, one if alone else bulk)
        elif self._known(level.name) or self._worth(bulk, below):
            yield self._choice(level, below[0].one, bulk)

    def _choice(self, level: Level, one: NativeProgram, many: NativeProgram) -> Choice:
        least = int(self._known(level.name).get("least", 0))
        return Choice(level, (Planned(ONE, one), *([] if many is one else [Planned(MANY, many, least)])))

    def _won(self, level: Level, bits: int, below: Sequence[Choice]) -> Choice | None:
        """The programs that have won on CPUs of a level; None where there are none, or where those of the
        level below are as good."""
        if not self.sought or not self._functions(many=True):
            return None
        found = choices.entry(self.cipher, self.operation, bits, level)
        steps = [Planned(ONE, self._single(level, bits, below[0].one))]
        for role, known in ((FEW, found.get(FEW)), (MANY, found)):
            with suppress(ScheduleError):  # not legal for keys of this length
                program = self._winner(level, bits, parsed(known["schedule"])) if known else None
                if program and self._has(level, program):
                    steps.append(Planned(role, program))
        if not level.forms:
            steps = self._without_forms(level, bits, steps)
        if steps[-1].role != MANY or as_below(steps, level, below[-1]):
            return None
        tried = choices.was_tried(self.cipher, self.operation, bits, level)
        return Choice(level, tuple(shared(steps, level, below[-1], tried=tried)))

    def _winner(self, level: Level, bits: int, schedule: Schedule) -> NativeProgram:
        """The program of a schedule that has won on CPUs of a level. Where it has vectors and leaves their
        width open, the width is the level's: the default is that of the computer that emits."""
        program = self.programs.compiled(bits, schedule)
        if schedule.width is None and program.shape.lanes > 1:
            return self.programs.compiled(bits, replace(schedule, width=level.width))
        return program

    def _without_forms(self, level: Level, bits: int, steps: Sequence[Planned]) -> list[Planned]:
        """The steps whose text has no form of its own for instructions by which they have won; one of
        few blocks that has is replaced by the level's program in `finalist.export.data`, if there is one."""
        found: list[Planned] = []
        for step in steps:
            if step.role == ONE or not has_form([step], DECIDING):
                found.append(step)
            elif step.role == FEW and self._known(level.name) and (bulk := self._bulk(level, bits)):
                found.append(Planned(FEW, bulk, int(self._known(level.name).get("least", 0))))
        return found

    @staticmethod
    def _has(level: Level, program: NativeProgram) -> bool:
        """Whether CPUs of a level have what a program of vectors needs."""
        return program.shape.lanes > 1 and set(program.needs) <= set(level.macros)

    def _worth(self, bulk: NativeProgram, below: Sequence[Choice]) -> bool:
        least = min(own.many.work.least_cycles for own in below)
        worth = _WORTH if bulk.schedule.width != _PLAIN else _WORTH_PLAIN
        return bulk.work.least_cycles < least * (1 if self.selection.levels is not None else worth)

    def _bulk(self, level: Level, bits: int) -> NativeProgram | None:
        """The program of many blocks for a level; None where there is none."""
        if quickest := self.quickest.get(level.name):
            with suppress(ScheduleError):  # not legal for keys of this length
                return self.programs.compiled(bits, quickest)
        found, ways = [], self._ways(level, bits)
        for way in ways:
            with suppress(ScheduleError):  # not legal for this cipher
                program = self.programs.compiled(bits, replace(way, width=level.width))
                if set(program.needs) <= set(level.macros):
                    found.append(program)
        best = min(found, key=lambda program: program.work.least_cycles, default=None)
        if best is None or self._known(level.name):
            return best
        best = self._short(bits, best)
        if len(ways) > 1:  # one alone may have been tuned for keys of this length
            self.quickest[level.name] = best.schedule
        return best

    def _short(self, bits: int, best: NativeProgram) -> NativeProgram:
        """The quickest program with loops where its text is long, or as small as may be."""
        if not self.selection.small:
            return self.programs.lean(bits, best.schedule, best)
        vector = best.shape.blocks // best.shape.copies
        return self.programs.smallest(bits, replace(asked(best), blocks=vector))

    def _ways(self, level: Level, bits: int) -> Sequence[Schedule]:
        """The schedules to try on a level; what is small is portable if nothing else is asked for."""
        if self.selection.small and self.selection.levels is None:
            return ()
        if level.base is not None:
            if self.choices.lookup not in (None, "match"):
                return ()
            known = self._known(level.name)
            return (self._schedule(known).over(level.base),) if known else (level.base,)
        if self.choices.lookup or self.choices.constant_time:
            return (Schedule(),)
        if self.known is not None:
            known = self._known(level.name)
            if known or self.selection.levels is None:
                return (self._schedule(known),) if known else ()
        elif not (is_built_in(self.cipher) or self.selection.small) and (tuned := self._tuned(level, bits)):
            return (tuned,)
        # Permutes of 128 bits are no part of what every CPU has.
        return tuple(way for way in WAYS if level.flags or way.lookup != "permute")

    def _known(self, level: str) -> dict[str, Any]:
        found: dict[str, Any] = (self.known or {}).get(level, {})
        return found

    def _schedule(self, known: Mapping[str, Any]) -> Schedule:
        return parse_schedule([known.get(self.operation, known["schedule"])])

    def _tuned(self, level: Level, bits: int) -> Schedule | None:
        """What `finalist tune` has found for this computer, if that is of this level."""
        tuned = choose.best(self.cipher, self.operation, bits, _LONG)
        return tuned if tuned is not None and tuned.width == level.width else None

    def _small_loops(self, schedule: Schedule) -> Schedule:
        return replace(schedule, rounds="loop") if self.selection.small else schedule
