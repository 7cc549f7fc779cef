"""The Python interface: compile a cipher for a machine, or take one ready to use."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack, overload

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.errors import KeyLengthError, ScheduleError, UnknownNameError, unknown
from finalist.ir.memory import uncollected
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
    cipher: str | Path | type[Cipher],
    machine: str,
    operation: str = "encrypt",
    key_bits: int | None = None,
    schedule: Schedule | None = None,
    **choices: Unpack[Choices],
) -> CompiledProgram: ...
def compile(
    cipher: str | Path | type[Cipher],
    machine: str = "native",
    operation: str = "encrypt",
    key_bits: int | None = None,
    schedule: Schedule | None = None,
    **choices: Unpack[Choices],
) -> CompiledProgram:
    """One operation of a cipher as a program for a machine.

    ``cipher``: a name, the path of a definition file, or a Cipher class. ``key_bits``: default 128 bits,
    else the cipher's first. The schedule's words may be given as keywords (``blocks=8``) or as a `Schedule`.
    Raises UnknownNameError, KeyLengthError, ScheduleError, DefinitionError or CompilerError.

    >>> finalist.compile("serpent", blocks=8).run(key, plaintext).output
    """
    definition = find_cipher(cipher)
    if operation not in OPERATIONS:
        raise UnknownNameError(unknown("operation", operation, OPERATIONS))
    bits = definition.usual_key_bits() if key_bits is None else key_bits
    if bits not in definition.key_bits:
        accepted = definition.key_sizes()
        raise KeyLengthError(f"{definition.name()} has no {bits}-bit keys; accepted: {accepted}")
    wanted = schedule_of(**choices).over(schedule or Schedule())
    if wanted.tuned is not None:
        return _tuned(wanted, definition, machine, operation, bits)
    return _compiled(definition, machine, operation, bits, wanted)  # type: ignore[arg-type]


def _tuned(
    wanted: Schedule, definition: type[Cipher], machine: str, operation: str, key_bits: int
) -> CompiledProgram:
    """The program by what is chosen, what is open filled from the quickest schedule known.

    Raises ScheduleError, which says what came from where.
    """
    from finalist.tuning import choose  # which compiles programs itself

    found = choose.tuned(definition, operation, key_bits, machine, wanted.tuned or "long")
    own = replace(wanted, tuned=None)
    try:
        return _compiled(definition, machine, operation, key_bits, own.over(found))  # type: ignore[arg-type]
    except ScheduleError as error:
        if not own.chosen():
            raise
        given = {name: value for name, value in found.chosen().items() if name not in own.chosen()}
        raise ScheduleError(
            f"{error.reason}; {Schedule(**given)} is from tuned={wanted.tuned}; accepted:"  # type: ignore[arg-type]
            f" tuned={wanted.tuned} alone, which is {found}, or {own} alone"
        ) from error


@lru_cache(maxsize=64)
def _compiled(
    definition: type[Cipher], machine: str, operation: str, key_bits: int, schedule: Schedule
) -> CompiledProgram:
    found = find_machine(machine)
    with uncollected():
        return found.compile(definition, operation=operation, key_bits=key_bits, schedule=schedule)
