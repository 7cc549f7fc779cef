"""Which programs a library has of a cipher: for each level and key length one for a block, one for many."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from finalist import api
from finalist.ciphers.catalogue import is_built_in
from finalist.errors import ScheduleError
from finalist.export.levels import LEVELS, PORTABLE, Level
from finalist.ir.printer import fingerprint_of
from finalist.language.cipher import Cipher
from finalist.language.definition import OPERATIONS
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.text.emit import key_fields, key_struct_bytes
from finalist.schedule import Schedule, parse_schedule
from finalist.tuning import choose

#: Ways of a vector unit to do what a cipher does, of which the one with the least work is taken.
_WAYS = (Schedule(), Schedule(lookup="permute", word=8), Schedule(lookup="bitslice"))
#: Words of a schedule that tell the programs of a library apart, so that they can't be chosen for all.
OWN_WORDS = ("blocks", "width", "tuned")
_ALIGNED = 8  # bytes
#: The modes that a library has.
MODES = ("ecb", "ctr", "cbc")
#: Bytes of a message that many blocks are chosen for.
_LONG = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One C file: a kernel with its modes, and the key set-up of every key length that the kernel serves."""

    level: Level
    role: str
    modes: tuple[str, ...]
    programs: tuple[NativeProgram, ...]
    number: int

    @property
    def name(self) -> str:
        """Its C name and file name, without the cipher's."""
        stem = f"{self.programs[0].operation}_{self.level.name}_{self.role}"
        return f"{stem}_{self.number}" if self.number else stem

    @property
    def first(self) -> NativeProgram:
        """The program whose kernel it is."""
        return self.programs[0]

    @property
    def key_bytes(self) -> int:
        """Bytes of its expanded key."""
        return key_struct_bytes(self.first.program, self.first.shape, self.first.schedule)

    @property
    def smallest(self) -> int:
        """Blocks that its smallest call works on."""
        shape = self.first.shape
        return shape.blocks // shape.copies if shape.lanes > 1 or shape.registers else shape.blocks


@dataclass(frozen=True, slots=True)
class Way:
    """How one operation is done under keys of ``key_bits`` on a level.

    From ``least`` blocks on by ``many``; ``shared``: whether both have the same expanded key.
    """

    level: Level
    key_bits: int
    one: Part
    many: Part
    least: int
    shared: bool

    @property
    def places(self) -> tuple[int, int]:
        """Where the two expanded keys begin, in bytes."""
        return (0, 0) if self.shared else (0, -(-self.one.key_bytes // _ALIGNED) * _ALIGNED)

    @property
    def key_bytes(self) -> int:
        """Bytes of both expanded keys."""
        return self.places[1] + -(-self.many.key_bytes // _ALIGNED) * _ALIGNED


@dataclass(frozen=True, slots=True)
class Plan:
    """All programs of one operation of a cipher."""

    cipher: type[Cipher]
    operation: str
    parts: tuple[Part, ...]
    ways: tuple[Way, ...]

    @property
    def key_bytes(self) -> int:
        """Bytes of expanded keys that serve any of the ways."""
        return max(way.key_bytes for way in self.ways)


def check_choices(choices: Schedule) -> None:
    """Refuse words that would be the same for all programs. Raises ScheduleError."""
    for word in OWN_WORDS:
        value = getattr(choices, word)
        if value is not None:
            raise ScheduleError(
                f"{word}={value}: a library has programs for one block and for many, for each vector unit;"
                " accepted are words that say the same of all, such as lookup or constant-time"
            )


def plans(cipher: type[Cipher], key_lengths: Sequence[int], choices: Schedule) -> tuple[Plan, ...]:
    """The programs of each operation, under ``choices`` that hold for all of them. Raises ScheduleError."""
    return tuple(_Planner(cipher, operation, choices).plan(key_lengths) for operation in OPERATIONS)


class _Planner:
    def __init__(self, cipher: type[Cipher], operation: str, choices: Schedule) -> None:
        self.cipher, self.operation, self.choices = cipher, operation, choices
        #: By the bits of a vector what is quickest; None where that was never sought.
        self.known = _schedules().get(cipher.name()) if is_built_in(cipher) and not choices.chosen() else None

    def plan(self, key_lengths: Sequence[int]) -> Plan:
        chosen = [pair for bits in key_lengths for pair in self._of_length(bits)]
        parts = _Parts()
        for level, one, many in chosen:
            parts.add(PORTABLE if level.one is None else level, "one", one)
            if many is not one:
                parts.add(level, "many", many)
        made = parts.made()
        ways = [self._way(level, one, many, made) for level, one, many in chosen]
        return Plan(self.cipher, self.operation, tuple(dict.fromkeys(made.values())), tuple(ways))

    def _way(
        self, level: Level, one: NativeProgram, many: NativeProgram, made: dict[NativeProgram, Part]
    ) -> Way:
        least = int(self._known(level).get("least", 0)) if level.one is None else 0
        shared = _same_keys(one, many)
        return Way(level, one.key_bits, made[one], made[many], least or _least(one, made[many]), shared)

    def _of_length(self, bits: int) -> Iterator[tuple[Level, NativeProgram, NativeProgram]]:
        """For each level, the best first, the programs for one block and for many."""
        one = self._compiled(bits, Schedule(blocks=1, width=1))
        many = one if one.stateful else self._compiled(bits, self._portable())
        portable = (PORTABLE, one, one if many.schedule == one.schedule else many)
        for level in LEVELS:
            if level is PORTABLE:
                yield portable
            elif not one.stateful:
                yield from self._on(level, bits, portable)

    def _portable(self) -> Schedule:
        """The schedule for many blocks on any CPU."""
        known = self._known(PORTABLE).get("schedule")
        return replace(parse_schedule([known]) if known else Schedule(), width=1)

    def _known(self, level: Level) -> dict[str, Any]:
        found: dict[str, Any] = (self.known or {}).get(str(level.width), {})
        return found

    def _on(
        self, level: Level, bits: int, portable: tuple[Level, NativeProgram, NativeProgram]
    ) -> Iterator[tuple[Level, NativeProgram, NativeProgram]]:
        """The programs of a level that has any that are worth it."""
        bulk = self._bulk(level, bits)
        if bulk is None:
            return
        if level.one is not None:
            yield level, self._compiled(bits, level.one), bulk
        elif self.known is not None or bulk.work.least_cycles < portable[2].work.least_cycles:
            yield level, portable[1], bulk

    def _bulk(self, level: Level, bits: int) -> NativeProgram | None:
        """The program of many blocks for a level; None where there is none."""
        asked = self.choices.lookup or self.choices.constant_time
        if level.base is not None:
            ways: tuple[Schedule, ...] = (level.base,) if self.choices.lookup in (None, "match") else ()
        elif asked:
            ways = (Schedule(),)
        elif self.known is not None:
            known = self._known(level)
            ways = (parse_schedule([known["schedule"]]),) if known else ()
        elif tuned := self._tuned(level, bits):
            ways = (tuned,)
        else:
            # Permutes of 128 bits are no part of what every CPU has.
            ways = tuple(way for way in _WAYS if level.flags or way.lookup != "permute")
        found = []
        for way in ways:
            with suppress(ScheduleError):  # not legal for this cipher
                program = self._compiled(bits, replace(way, width=level.width))
                if set(program.needs) <= set(level.macros):
                    found.append(program)
        return min(found, key=lambda program: program.work.least_cycles, default=None)

    def _tuned(self, level: Level, bits: int) -> Schedule | None:
        """What `finalist tune` has found for this computer, if that is of this level."""
        tuned = choose.best(self.cipher, self.operation, bits, _LONG)
        return tuned if tuned is not None and tuned.width == level.width else None

    def _compiled(self, bits: int, schedule: Schedule) -> NativeProgram:
        program = api.compile(self.cipher, "native", self.operation, bits, self.choices.over(schedule))
        assert isinstance(program, NativeProgram)
        return program


class _Parts:
    """Programs gathered by what they have in common: level, role, kernel, and the form of their keys."""

    def __init__(self) -> None:
        self.groups: dict[tuple[Level, str], dict[object, list[NativeProgram]]] = {}

    def add(self, level: Level, role: str, program: NativeProgram) -> None:
        traced = program.program
        kernel = fingerprint_of(traced.kernel)
        # Of key set-ups there is one for each length.
        written = str(replace(program.schedule, key_schedule=None))
        same = (kernel, traced.key_types, traced.key_names, program.shape, written)
        programs = self.groups.setdefault((level, role), {}).setdefault(same, [])
        if program not in programs:
            programs.append(program)

    def made(self) -> dict[NativeProgram, Part]:
        """The part that each program is in; where a level has several in a role they are numbered."""
        found: dict[NativeProgram, Part] = {}
        for (level, role), kernels in self.groups.items():
            for number, programs in enumerate(kernels.values(), start=1):
                modes = tuple(mode for mode in programs[0].possible_modes if mode in MODES)
                part = Part(level, role, modes, tuple(programs), number if len(kernels) > 1 else 0)
                found |= dict.fromkeys(programs, part)
        return found


def _same_keys(one: NativeProgram, many: NativeProgram) -> bool:
    """Whether the two expanded keys are the same, bit for bit."""
    if one is many:
        return True
    fields = [key_fields(made.program, made.shape, made.schedule) for made in (one, many)]
    alike = fingerprint_of(one.program.expand) == fingerprint_of(many.program.expand)
    return alike and fields[0] == fields[1]


def _least(one: NativeProgram, many: Part) -> int:
    """The blocks that are done sooner by the smallest kernel of many, by the operations of both.

    Scalar code comes half as close to that bound as vectors do.
    """
    if many.first is one:
        return 1
    per_block = one.work.least_cycles * (2 if one.shape.bits <= 64 else 1)
    whole = many.first.work.least_cycles * many.smallest
    return max(2, min(many.smallest, math.ceil(whole / per_block)))


@cache
def _schedules() -> dict[str, dict[str, Any]]:
    """What was found quickest for encryption with built-in ciphers, by name and the bits of a vector.

    ``least``: the blocks from which on it is quicker than one by one.
    """
    found: dict[str, dict[str, Any]] = json.loads(
        (files("finalist.export") / "data" / "schedules.json").read_text("utf-8")
    )
    return found
