"""Cycles of programs on simulated machines, each having just reproduced vectors."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from finalist import api
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.language.cipher import Cipher
from finalist.machines.base import CompiledProgram
from finalist.measure.arguments import MeasurementError
from finalist.schedule import Schedule
from finalist.vectors.diagnosis import held
from finalist.vectors.load import vectors_of

#: Vectors that a program reproduces before its cycles count; `finalist verify` runs them all.
VECTORS = 4


@runtime_checkable
class CountsCycles(Protocol):
    """A program whose machine counts its cycles."""

    cycles_a_block: float


class BytesTaken(Protocol):
    """Bytes of ``key`` memory, of ``ram`` with the stack, and of ``rom``: code and tables."""

    @property
    def key(self) -> int: ...

    @property
    def ram(self) -> int: ...

    @property
    def rom(self) -> int: ...


@runtime_checkable
class TakesMemory(CountsCycles, Protocol):
    """A program whose machine counts its bytes as well."""

    @property
    def memory(self) -> BytesTaken: ...


def checked(
    cipher: str | type[Cipher],
    machine: str,
    operation: str = "encrypt",
    key_bits: int | None = None,
    schedule: Schedule | None = None,
) -> CompiledProgram:
    """The program, having reproduced vectors. Raises VectorError and what `finalist.compile` raises."""
    program = api.compile(cipher, machine, operation, key_bits, schedule)
    definition = cipher if isinstance(cipher, type) else find_cipher(cipher)
    own = [row for row in vectors_of(definition) if len(row.key) * 8 == program.key_bits]
    held(definition, program, own[:VECTORS])
    return program


def cycles(
    cipher: str | type[Cipher],
    machine: str,
    operation: str = "encrypt",
    key_bits: int | None = None,
    schedule: Schedule | None = None,
) -> float:
    """Cycles a block. Raises MeasurementError where the machine counts none, and what `checked` raises."""
    program = checked(cipher, machine, operation, key_bits, schedule)
    if not isinstance(program, CountsCycles):
        raise MeasurementError(f"{machine} counts no cycles; accepted: a simulated machine")
    return program.cycles_a_block
