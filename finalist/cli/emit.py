"""`finalist emit`: a cipher's code to take away, as one file, as a C library, or in SUPERCOP's folders."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from finalist import api
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.ciphers.catalogue import identity
from finalist.cli import options, output
from finalist.errors import ScheduleError, UnknownNameError, unknown
from finalist.export.export import Order, write_library, write_supercop
from finalist.machines.base import MODES, InModes
from finalist.machines.registry import machine as find_machine
from finalist.schedule import Schedule, parse_schedule

LAYOUTS = ("file", "library", "supercop")


def emit(
    cipher: options.CipherNames = None,
    machine: options.MachineName = options.DEFAULT_MACHINE,
    operation: options.AnyOperation = None,
    key_bits: options.KeyBits = None,
    schedule: options.Choices = None,
    mode: options.Modes = None,
    target: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="A file, or a folder to make one in; else the screen."),
    ] = None,
    layout: Annotated[
        str,
        typer.Option(
            help="file: one program; library: a folder with a C library of all of them; supercop: a folder to"
            " be copied over SUPERCOP's.",
            autocompletion=lambda incomplete: [name for name in LAYOUTS if name.startswith(incomplete)],
        ),
    ] = LAYOUTS[0],
    tuned: Annotated[
        bool, typer.Option("--tuned", help="By the schedule that `finalist tune` found quickest: -s tuned.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Write a library into a folder with other files in it.")
    ] = False,
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="Write a library without compiling and testing it first.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Take ciphers' code for a machine away.

    As a file the blocks' function of one cipher (ecb), or those of other modes. As a library
    (--layout library -o DIR) all operations, modes and key lengths, for several instruction sets, of the
    ciphers named or of all.
    """
    choices = parse_schedule([*(schedule or ()), *(["tuned"] if tuned else [])])
    if layout not in LAYOUTS:
        raise UnknownNameError(unknown("layout", layout, LAYOUTS))
    if layout == LAYOUTS[0]:
        _file(_only(cipher), machine, operation, key_bits, choices, mode, target, as_json)
        return
    for option, value in (("operation", operation), ("mode", mode)):
        if value:
            raise UnknownNameError(f"--{option}: a library has all of them; accepted: none")
    if machine != options.DEFAULT_MACHINE:
        raise UnknownNameError(f"--machine {machine}: a library is for {options.DEFAULT_MACHINE}")
    if target is None:
        raise output.OutputError("a library is a folder; accepted: -o DIR")
    _library(cipher, key_bits, choices, target, layout, force, unchecked, as_json)


def _only(ciphers: Sequence[str] | None) -> str:
    if not ciphers or len(ciphers) > 1:
        raise UnknownNameError(
            f"{len(ciphers or ())} ciphers; accepted: one, or with --layout library any number, none for all"
        )
    return ciphers[0]


def _library(
    ciphers: list[str] | None,
    key_bits: int | None,
    choices: Schedule,
    target: Path,
    layout: str,
    force: bool,
    unchecked: bool,
    as_json: bool,
) -> None:
    found = options.ciphers_of(ciphers)  # before anything takes time
    names = tuple(one.source or one.name() for one in found)
    bits = ["--key-bits", str(key_bits)] if key_bits else []
    chosen = [word for text in choices.texts() for word in ("-s", text)]
    command = shlex.join(
        ["finalist", "emit", *(ciphers or ()), "--layout", layout, *bits, *chosen, "-o", "DIR"]
    )
    order = Order(names, key_bits, choices, command)
    checks: dict[str, str] = {}
    refused: list[str] = []
    with output.progress(0) as step:
        if layout == LAYOUTS[2]:
            refused = write_supercop(order, target, step, force=force)
        else:
            checks = write_library(order, target, step, force=force, check=not unchecked)
    for reason in refused:
        output.say(f"left out: {reason}")
    if as_json:
        told = {"folder": str(target), "ciphers": list(names), "command": command}
        told["definitions"] = [identity(one) for one in found]
        output.show_json(told | {"checks": checks, "left_out": refused})
    else:
        typer.echo(target)


def _file(
    cipher: str,
    machine: str,
    operation: str | None,
    key_bits: int | None,
    choices: Schedule,
    mode: list[str] | None,
    target: Path | None,
    as_json: bool,
) -> None:
    operation = operation or options.DEFAULT_OPERATION
    definition = find_cipher(cipher)
    program = api.compile(definition, machine, operation, key_bits, choices)
    possible = program.possible_modes if isinstance(program, InModes) else MODES[:1]
    modes = options.modes_of(mode, possible, MODES[:1])
    if isinstance(program, InModes):
        program = program.in_modes(*modes)
    elif modes != MODES[:1]:
        raise ScheduleError(f"mode={', '.join(modes)}: {machine} has code for blocks only; accepted: ecb")
    told = {"cipher": program.cipher, "operation": operation, "key_bits": program.key_bits}
    told |= {"machine": machine, "schedule": str(program.schedule), "timing": program.timing}
    told |= {"modes": list(modes), "definition": identity(definition)}
    if target is not None and target.is_dir():
        suffix = getattr(find_machine(machine), "suffix", ".txt")
        parts = (program.cipher, operation, str(program.key_bits), *(m for m in modes if m != MODES[0]))
        target = output.file_in(target, "-".join(parts), suffix)
    if target is not None:
        output.write(target, program.text)
    if as_json:
        output.show_json(told | ({"file": str(target)} if target else {"text": program.text}))
    else:
        typer.echo(target or program.text.removesuffix("\n"))
