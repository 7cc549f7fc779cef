"""Which modes of operation a program has functions for; their names, and what callers have to know."""

from __future__ import annotations

from collections.abc import Iterable

from finalist.errors import ScheduleError, UnknownNameError, unknown
from finalist.ir.program import Program
from finalist.machines.base import MODES
from finalist.machines.native.shape import Shape


def modes_of(program: Program, shape: Shape) -> tuple[str, ...]:
    """The modes that a program has."""
    return tuple(mode for mode in MODES if not _obstacle(mode, program, shape))


def check_modes(modes: Iterable[str], program: Program, shape: Shape) -> None:
    """Raises UnknownNameError or ScheduleError for a mode that there is not, or not for this program."""
    for mode in modes:
        if mode not in MODES:
            raise UnknownNameError(unknown("mode", mode, MODES))
        obstacle = _obstacle(mode, program, shape)
        if obstacle:
            what = f"{program.cipher} {program.operation}"
            raise ScheduleError(f"mode={mode} is not legal for {what}: {obstacle}")


def _obstacle(mode: str, program: Program, shape: Shape) -> str:
    """Why there is no such mode of this program; empty if there is."""
    if mode == "ecb":
        return ""
    if program.stateful:
        return "a stream cipher has no modes"
    if mode == "ctr":
        return "" if program.operation == "encrypt" else "it decrypts by encryption; accepted: encrypt"
    if program.operation == "encrypt" and shape.blocks > 1:
        return "it encrypts block after block; accepted: blocks=1"
    return ""


def function_name(cipher: str, operation: str, mode: str) -> str:
    """The name of a mode's function."""
    if mode == "ctr":
        return f"{cipher}_ctr"
    return f"{cipher}_{'cbc_' if mode == 'cbc' else ''}{operation}"


def contract(function: str, mode: str, block_bytes: int) -> str:
    """What a caller of a mode's function has to know, as lines of a comment."""
    if mode == "ecb":
        return f" * {function}: any number of blocks, 0 included, each by itself.\n"
    if mode == "cbc":
        return (
            f" * {function}: cipher block chaining, any number of blocks, 0 included; `iv` is"
            f" {block_bytes} bytes\n * and becomes the last ciphertext block.\n"
        )
    return (
        f" * {function}: counter mode, any number of bytes, 0 included; `counter` is"
        f" {block_bytes} bytes, a big-endian\n"
        " * number: the first block's, and after the call that of the first block that was not begun.\n"
    )
