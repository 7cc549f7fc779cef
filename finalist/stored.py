"""Programs ready to run, from the disk where an earlier process has compiled them.

They are found by all that they were made of: Finalist's own files, the definition, the schedule asked for,
the compiler and the CPU. What `finalist.compile` gives has more to it, its graphs for one; these only run.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from finalist.cache.entries import find
from finalist.cache.notes import forget, note, noted
from finalist.errors import ScheduleError
from finalist.machines.base import MODES, CompiledProgram
from finalist.machines.native.binary import Binary
from finalist.machines.native.stored import StoredProgram, described
from finalist.schedule import Schedule
from finalist.target import Target, target
from finalist.toolchain import compiler

if TYPE_CHECKING:
    from finalist.language.cipher import Cipher
    from finalist.machines.native.run import NativeProgram

_KIND = "program"
#: The machine whose programs lie on the disk.
_HOST: Final = "native"


class _Asked(NamedTuple):
    """A program in some modes; of whether it is legal the modes are the machine alone."""

    cipher: Target
    operation: str
    key_bits: int
    schedule: Schedule
    modes: tuple[str, ...] = MODES[:1]

    def about(self, command: tuple[str, ...]) -> tuple[str, ...]:
        """All that it is made of, by this compiler."""
        identity = self.cipher.identity(self.operation, self.key_bits)
        asked = (self.operation, str(self.key_bits), str(self.schedule), ",".join(self.modes))
        return (*identity, *asked, compiler.environment(command))

    def compiled(self) -> NativeProgram:
        """As `finalist.compile` gives it, in no other mode than the first."""
        from finalist import api

        return api.compile(self.cipher.definition, _HOST, self.operation, self.key_bits, self.schedule)


def program(
    cipher: Target, operation: str, key_bits: int, schedule: Schedule, modes: tuple[str, ...] = MODES[:1]
) -> Binary:
    """The host CPU's program for one operation in some modes, built.

    Raises what `finalist.compile` and `in_modes` raise; a refusal is remembered, too.
    """
    return _program(_Asked(cipher, operation, key_bits, schedule, modes), compiler.command())


def compiled(
    cipher: type[Cipher], machine: str, operation: str, key_bits: int, schedule: Schedule
) -> CompiledProgram:
    """A machine's program as `finalist.compile` gives it; the host CPU's as `program` does.

    For what only runs programs: checks and figures.
    """
    if machine == _HOST:
        return program(target(cipher), operation, key_bits, schedule)
    from finalist import api

    return api.compile(cipher, machine, operation, key_bits, schedule)


def is_compiled(
    cipher: type[Cipher], machine: str, operation: str, key_bits: int, schedule: Schedule
) -> bool:
    """Whether `compiled` has nothing to compile: it lies on the disk, or the machine's programs never do."""
    if machine != _HOST:
        return True
    return noted(_KIND, _Asked(target(cipher), operation, key_bits, schedule).about(compiler.command()))


def is_legal(cipher: type[Cipher], machine: str, operation: str, key_bits: int, schedule: Schedule) -> bool:
    """Whether there is a program under the schedule; asked once of all passes, then of the disk."""
    about = _Asked(target(cipher), operation, key_bits, schedule, (machine,)).about(compiler.command())
    return bool(note("legal", about, lambda: _is_legal(cipher, machine, operation, key_bits, schedule)))


def _is_legal(cipher: type[Cipher], machine: str, operation: str, key_bits: int, schedule: Schedule) -> bool:
    from finalist import api

    try:
        api.compile(cipher, machine, operation, key_bits, schedule)
    except ScheduleError:
        return False
    return True


@lru_cache(maxsize=256)
def _program(asked: _Asked, command: tuple[str, ...]) -> Binary:
    about = asked.about(command)
    made: list[Binary] = []

    def make() -> dict[str, Any]:
        try:
            compiled = asked.compiled().in_modes(*asked.modes)
            library = compiled.build()
        except ScheduleError as error:
            return {"refused": str(error)}
        made.append(compiled)
        return described(compiled, library)

    told = note(_KIND, about, make)
    if "refused" in told:
        raise ScheduleError(told["refused"])
    if made:
        return made[0]
    entry = find(told["entry"])
    if entry is None:  # removed, or damaged
        forget(_KIND, about)
        return _program(asked, command)
    return StoredProgram(told, entry / told["library"], lambda modes: program(*asked[:-1], modes))
