"""What is planned of a level: its programs, that for a block first, and which messages each is for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from finalist.export.levels import AVX2, FORMS, LEVELS, PORTABLE, Level
from finalist.export.parts import Built, Serving, same_keys, smallest_call
from finalist.language.cipher import Cipher
from finalist.machines.native.bound import least_setup
from finalist.machines.native.run import NativeProgram
from finalist.schedule import Schedule, parsed
from finalist.tuning import shipped
from finalist.tuning.search import Task
from finalist.tuning.trials import CHAIN

#: The role of single-block programs, and their level in the file of schedules.
ONE = "one"
#: What a level's programs of vectors are called.
FEW, MANY = "few", "many"


@dataclass(frozen=True, slots=True)
class Planned:
    """A program that serves from ``least`` blocks on; 0 where that is to be reckoned. ``level``: the one that
    it is compiled for, where another level has the same program."""

    role: str
    program: NativeProgram
    least: int = 0
    level: Level | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """The programs of a level, that for a block first."""

    level: Level
    steps: tuple[Planned, ...]

    def level_of(self, step: Planned) -> Level:
        """The level that a step is compiled for. Of programs of one block there are few: those that are to be
        quick on some CPUs, and those with a form for what these have, as DES's permutations have for GFNI."""
        if step.level is not None:
            return step.level
        if step.role != ONE or self.level.one is not None or self.level.tuned:
            return self.level
        usual = AVX2 if self.level.has(AVX2) else PORTABLE
        plain = (other for other in reversed(LEVELS) if not (other.vendor or other.tuned or other.base))
        homes = (usual, *(other for other in plain if self.level.has(other)))
        return next((home for home in homes if not gains([step], self.level, home)), self.level)

    @property
    def one(self) -> NativeProgram:
        return self.steps[0].program

    @property
    def many(self) -> NativeProgram:
        return self.steps[-1].program


def reckoned(choice: Choice) -> Iterator[tuple[Built, Serving]]:
    """The programs, each with the messages that it is for."""
    first, *others = choice.steps
    yield (choice.level_of(first), first.program), Serving()
    pays, before = 0, first.program
    for step in others:
        least = step.least or least_blocks(before, step.program)
        pays = max(pays, paying_blocks(before, step.program, least))
        rest = min(least, resting_blocks(before, step.program))
        yield (choice.level_of(step), step.program), Serving(least, pays, rest)
        before = step.program


def has_form(steps: Iterable[Planned], macros: Sequence[str] = FORMS) -> bool:
    """Whether programs have a form of their own for one of these sets of instructions."""
    return any(macro in step.program.text for step in steps for macro in macros)


def gains(steps: Iterable[Planned], level: Level, below: Level) -> bool:
    """Whether programs have a form for instructions that a level has and the one below lacks."""
    return any(level.gains(step.program.text, below) for step in steps)


#: Characters of a program from which on it is not there a second time because of what a level is tuned for,
#: which is scalar code. MAGENTA's bit slices have 1.4 million.
_VERY_LONG = 1_000_000


def shared(steps: Iterable[Planned], level: Level, below: Choice, *, tried: bool = True) -> Iterator[Planned]:
    """The steps of a level, in which a program of vectors that the level below has, too, is the one there: it
    is compiled once, unless the program has a form for what only this level has, or this level is tuned, the
    program not very long, and ``tried`` on CPUs of the level's vendor at all."""
    there = {(own.role, own.program): below.level_of(own) for own in below.steps if own.role != ONE}
    for step in steps:
        own = level.tuned and tried and len(step.program.text) < _VERY_LONG
        other = own or gains([step], level, below.level)
        yield replace(step, level=None if other else there.get((step.role, step.program)))


def as_below(steps: Sequence[Planned], level: Level, below: Choice) -> bool:
    """Whether nothing is gained by more instructions, and the level below has the same programs and makes the
    same code of them, or the level is there for these instructions alone. AVX-512 has more registers and
    operations for vectors of 256 bits, too; what is tuned is other code."""
    same = [str(step.program.schedule) for step in steps] == [str(s.program.schedule) for s in below.steps]
    coded = level.width == below.level.width and not level.tuned
    alone = bool(level.forms) and not level.vendor
    return ((same and coded) or alone) and not gains(steps, level, below.level)


#: How many times as long as its operations alone a key set-up takes, whose words wait for one another.
_SETUP = 3


def least_blocks(one: NativeProgram, many: NativeProgram) -> int:
    """The blocks that are done sooner by the smallest kernel of many, by the operations of both."""
    if many is one:
        return 1
    return max(2, min(smallest_call(many), math.ceil(_call(many) / _block(one))))


def paying_blocks(one: NativeProgram, other: NativeProgram, least: int) -> int:
    """The blocks that are done sooner by another program, with its key set-up, by the operations of both."""
    saved = _block(one) - _call(other) / smallest_call(other)
    if same_keys(one, other) or saved <= 0:
        return least
    return max(least, math.ceil(_setup(other) / saved))


def resting_blocks(one: NativeProgram, other: NativeProgram) -> int:
    """The blocks that a call of another program does sooner than ``one`` does them with its key set-up."""
    if same_keys(one, other):
        return 0
    return max(0, math.ceil((_call(other) - _setup(one)) / _block(one)))


def _setup(program: NativeProgram) -> float:
    """The core cycles of a key set-up."""
    return _SETUP * least_setup(program.program)


def _block(program: NativeProgram) -> float:
    """The core cycles of a block; scalar code comes half as close to its bound as vectors do."""
    return program.work.least_cycles * program.block_bytes * (2 if program.shape.bits <= 64 else 1)


def _call(program: NativeProgram) -> float:
    """The core cycles of the smallest call, if its operations bound it."""
    return program.work.least_cycles * program.block_bytes * smallest_call(program)


#: Bytes of a message of few blocks, at most, and of many, at least.
_FEW_BYTES, _MANY_BYTES = 512, 65536
#: The CPUs whose winners serve single blocks everywhere: those of the first that has any.
_USUAL = ("avx512-vaes", "avx512-vaes intel", "avx512-vaes amd")


def entry(cipher: type[Cipher], operation: str, key_bits: int, level: Level) -> dict[str, Any]:
    """The schedules for a level, as `finalist.export.data` has them; empty where there are none."""
    found = _winners(cipher, operation, key_bits, level.kinds)
    return _entry(found) if found else {}


def was_tried(cipher: type[Cipher], operation: str, key_bits: int, level: Level) -> bool:
    """Whether any of these schedules has won on a CPU of the level's vendor."""
    return bool(_winners(cipher, operation, key_bits, level.own_kinds))


def _winners(
    cipher: type[Cipher], operation: str, key_bits: int, kinds: tuple[str, ...]
) -> Mapping[int, str]:
    known = (_won(cipher, operation, bits, kinds) for bits in (key_bits, cipher.usual_key_bits()))
    return next(filter(None, known), {})


def alone(
    cipher: type[Cipher], operation: str, key_bits: int, kinds: tuple[str, ...] = _USUAL
) -> Schedule | None:
    """What has won with chains of single blocks; None where nothing was tried, or it needs vectors."""
    known = (_won(cipher, operation, bits, kinds) for bits in (key_bits, cipher.usual_key_bits()))
    found = next((parsed(own[CHAIN]) for own in known if CHAIN in own), None)
    if found is None or found.width not in (None, 1):
        return None
    return replace(found, blocks=1, width=1)


def _won(cipher: type[Cipher], operation: str, key_bits: int, kinds: tuple[str, ...]) -> Mapping[int, str]:
    return shipped.winners(Task(cipher, "native", operation, key_bits).name, "native", kinds)


def _entry(winners: Mapping[int, str]) -> dict[str, Any]:
    many = _serving(winners, _MANY_BYTES)
    longer = (winners[length] for length in winners if _FEW_BYTES < length < _MANY_BYTES)
    few = next((own for own in (_serving(winners, _FEW_BYTES), *longer) if _is_wide(own)), many)
    return {"schedule": many} | ({"few": {"schedule": few}} if few != many else {})


def _is_wide(schedule: str) -> bool:
    """Whether a schedule is of vectors."""
    return (parsed(schedule).width or 1) > 1


def _serving(winners: Mapping[int, str], length: int) -> str:
    """The winner for messages of so many bytes."""
    fitting = [own for own in winners if own <= length and own != CHAIN]
    return winners[max(fitting) if fitting else min(own for own in winners if own != CHAIN)]
