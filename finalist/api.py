"""The Python interface: compile a cipher for a machine, or take one ready to use."""

from __future__ import annotations

from functools import lru_cache
from numbers import Integral
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Literal, Unpack, overload

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.errors import KeyLengthError, ScheduleError, UnknownNameError, UsageError, unknown
from finalist.ir.memoized import uncollected
from finalist.ir.program import Program
from finalist.language.cipher import Cipher
from finalist.language.definition import OPERATIONS
from finalist.machines.base import CompiledProgram
from finalist.machines.registry import machine as find_machine
from finalist.schedule import Choices, Schedule, schedule_of

if TYPE_CHECKING:
    from finalist.machines.native.run import NativeProgram


@overload
def compile(
    cipher: str | Path | type[Cipher],
    machine: Literal["native"] = "native",
    operation: str = "encrypt",
    key_bits: int | None = None,
    schedule: Schedule | None = None,
    **choices: Unpack[Choices],
) -> NativeProgram: ...
@overload
def compile(
    cipher: Program,
    machine: str = "native",
    *,
    schedule: Schedule | None = None,
    **choices: Unpack[Choices],
) -> CompiledProgram: ...
@overload
def compile(
    cipher: str | Path | type[Cipher],
    machine: str,
    operation: str = "encrypt",
    key_bits: int | None = None,
    schedule: Schedule | None = None,
    **choices: Unpack[Choices],
) -> CompiledProgram: ...
def compile(
    cipher: str | Path | type[Cipher] | Program,
    machine: str = "native",
    operation: str | None = None,
    key_bits: int | None = None,
    schedule: Schedule | None = None,
    **choices: Unpack[Choices],
) -> CompiledProgram:
    """One operation of a cipher as a program for a machine.

    ``cipher``: a name, the path of a definition file, a Cipher class; or a `Program` (`finalist.ir.program`),
    which says operation and key length. ``operation``: default encrypt; ``key_bits``: default 128 bits, else
    the cipher's first. The schedule's words may be given as keywords (``blocks=8``) or as a `Schedule`.
    Raises UnknownNameError, KeyLengthError, ScheduleError, DefinitionError, CompilerError or UsageError.

    >>> finalist.compile("serpent", blocks=8).run(key, plaintext).output
    """
    _check_type("machine", machine, str, "a name, such as native")
    _check_type("key_bits", key_bits, (Integral, NoneType), "a number of bits, such as 128")
    _check_type(
        "schedule", schedule, (Schedule, NoneType), "a Schedule, or its words as keywords, such as blocks=8"
    )
    wanted = schedule_of(**choices).over(schedule or Schedule())
    if isinstance(cipher, Program):
        return _of_program(cipher, machine, operation, key_bits, wanted)
    operation = OPERATIONS[0] if operation is None else operation
    definition = find_cipher(cipher)
    if operation not in OPERATIONS:
        raise UnknownNameError(unknown("operation", operation, OPERATIONS))
    bits = definition.usual_key_bits() if key_bits is None else key_bits
    if bits not in definition.key_bits:
        accepted = definition.key_sizes()
        raise KeyLengthError(f"{definition.name()} has no {bits}-bit keys; accepted: {accepted}")
    if wanted.tuned is not None:
        return _tuned(wanted, definition, machine, operation, bits)
    return _compiled(definition, machine, operation, bits, wanted)  # type: ignore[arg-type]


def _check_type(argument: str, value: object, kind: type | tuple[type, ...], accepted: str) -> None:
    """Raise UsageError where an argument is of another type."""
    if not isinstance(value, kind):
        raise UsageError(f"{argument} is {type(value).__name__}; accepted: {accepted}")


def _tuned(
    wanted: Schedule, definition: type[Cipher], machine: str, operation: str, key_bits: int
) -> CompiledProgram:
    """The program by what is chosen, what is open filled from the quickest schedule known.

    Raises ScheduleError, which says what came from where.
    """
    from finalist.tuning.origins import said_of, with_tuned  # which compiles programs itself

    given = with_tuned(definition, machine, operation, key_bits, wanted)
    try:
        return _compiled(definition, machine, operation, key_bits, given)  # type: ignore[arg-type]
    except ScheduleError as error:
        raise said_of(error, wanted, given) from error


def _of_program(
    program: Program, machine: str, operation: str | None, key_bits: int | None, wanted: Schedule
) -> CompiledProgram:
    """A program that is traced already, or that no definition was traced for."""
    given = "of a program: accepted is its own"
    if operation not in (None, program.operation):
        raise UnknownNameError(f"operation={operation} {given}, {program.operation}")
    if key_bits not in (None, program.key_bits):
        raise KeyLengthError(f"key_bits={key_bits} {given}, {program.key_bits}")
    if wanted.tuned is not None:
        raise ScheduleError(f"tuned={wanted.tuned}: nothing is tuned for a program; accepted with a cipher")
    with uncollected():
        return find_machine(machine).program(program, wanted)


@lru_cache(maxsize=64)
def _compiled(
    definition: type[Cipher], machine: str, operation: str, key_bits: int, schedule: Schedule
) -> CompiledProgram:
    found = find_machine(machine)
    with uncollected():
        return found.compile(definition, operation=operation, key_bits=key_bits, schedule=schedule)
