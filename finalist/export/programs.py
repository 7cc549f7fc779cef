"""The programs of one operation of a library under the choices that hold for all: as they are asked for, with
loops where the text is long, as small as may be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from finalist import api
from finalist.errors import ScheduleError
from finalist.language.cipher import Cipher
from finalist.machines.native.run import NativeProgram
from finalist.schedule import Schedule

#: Characters of a text that is written with loops if it may be, and how much more work that may be.
_LONG_TEXT, _AS_QUICK = 64_000, 1.02
_LOOPS = (
    Schedule(rounds="loop", key_schedule="loop"),
    Schedule(rounds="loop"),
    Schedule(key_schedule="loop"),
)


@dataclass(frozen=True, slots=True)
class Programs:
    """Of an operation of a cipher; ``choices`` of a schedule hold for all of them."""

    cipher: type[Cipher]
    operation: str
    choices: Schedule

    def compiled(self, bits: int, schedule: Schedule) -> NativeProgram:
        """That for keys of so many bits under a schedule. Raises ScheduleError."""
        program = api.compile(self.cipher, "native", self.operation, bits, self.choices.over(schedule))
        assert isinstance(program, NativeProgram)
        return program

    def lean(self, bits: int, schedule: Schedule, made: NativeProgram | None = None) -> NativeProgram:
        """The program, but where its text is long one with loops that has no more to do. One with a loop
        stays: with fewer rounds in an iteration SM4 takes 1.3 times as long, though the work is the same."""
        program = made or self.compiled(bits, schedule)
        if len(program.text) < _LONG_TEXT or program.schedule.rounds != "unroll":
            return program
        most = program.work.least_cycles * _AS_QUICK
        loops = (one for one in self._looped(bits, asked(program)) if one.work.least_cycles <= most)
        return min([program, *loops], key=lambda program: len(program.text))

    def smallest(self, bits: int, schedule: Schedule) -> NativeProgram:
        """The program with as many loops as are legal: what repeats otherwise is found in the text."""
        return next(self._looped(bits, schedule), None) or self.compiled(bits, schedule)

    def _looped(self, bits: int, schedule: Schedule) -> Iterator[NativeProgram]:
        """The program with loops, as many of them as are legal."""
        for loops in _LOOPS:
            with suppress(ScheduleError):
                yield self.compiled(bits, loops.over(schedule))


def asked(program: NativeProgram) -> Schedule:
    """A program's schedule with loops open again, and how blocks lag, which depends on them."""
    return replace(program.schedule, rounds=None, key_schedule=None, skew=None)
