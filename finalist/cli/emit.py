"""`finalist emit`: a cipher's code to take away, as one file, as a C library, or in SUPERCOP's folders."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from finalist import api
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.ciphers.catalogue import identity
from finalist.cli import options, output
from finalist.errors import ScheduleError, UnknownNameError, unknown
from finalist.export.export import Order, write_library, write_supercop
from finalist.export.identity import DEFAULT_PREFIX, check_holder, check_prefix
from finalist.export.selection import LEVEL_NAMES, SIZES, Selection
from finalist.language.definition import OPERATIONS
from finalist.machines.base import MODES, InModes, Saved
from finalist.machines.registry import machine as find_machine
from finalist.schedule import Schedule, parse_schedule

LAYOUTS = ("file", "library", "supercop")
_FILE, _LIBRARY, _SUPERCOP = LAYOUTS


Operations = Annotated[
    list[str] | None,
    typer.Option(
        "--operation",
        "--operations",
        help="encrypt or decrypt; of a library may be repeated, or a list with commas.",
        autocompletion=options.starting(OPERATIONS),
    ),
]
Modes = Annotated[
    list[str] | None,
    typer.Option(
        "--mode",
        "--modes",
        help=f"A mode of operation: {', '.join(MODES)}, or {options.ALL_MODES}; may be repeated, or a"
        " list with commas.",
        autocompletion=options.starting((*MODES, options.ALL_MODES)),
    ),
]
Target = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="A file, or a folder to make one in; else the screen."),
]
Layout = Annotated[
    str,
    typer.Option(
        help="file: one program; library: a folder with a C library of all of them; supercop: a folder to"
        " be copied over SUPERCOP's.",
        autocompletion=options.starting(LAYOUTS),
    ),
]
Tuned = Annotated[
    bool, typer.Option("--tuned", help="By the schedule that `finalist tune` found quickest: -s tuned.")
]
Levels = Annotated[
    list[str] | None,
    typer.Option(
        "--level",
        "--levels",
        help="Of a library: a set of instructions that it has programs for; may be repeated, or a list"
        f" with commas. {', '.join(LEVEL_NAMES)}; the last is always there.",
        autocompletion=options.starting(LEVEL_NAMES),
    ),
]
Size = Annotated[
    str,
    typer.Option(
        help="Of a library: fast, or small: portable programs of one block, with loops.",
        autocompletion=options.starting(SIZES),
    ),
]
Prefix = Annotated[
    str, typer.Option(metavar="NAME", help="Of a library: what its public names and files begin with.")
]
Holder = Annotated[
    str | None,
    typer.Option("--copyright", metavar="NAME", help="Of a library: the copyright holder in LICENSE."),
]
Force = Annotated[bool, typer.Option("--force", help="Write a library into a folder with other files in it.")]
Unchecked = Annotated[
    bool, typer.Option("--unchecked", help="Write a library without compiling and testing it first.")
]


def emit(
    cipher: options.CipherNames = None,
    machine: options.MachineName = options.DEFAULT_MACHINE,
    operation: Operations = None,
    key_bits: options.KeyBits = None,
    schedule: options.Choices = None,
    mode: Modes = None,
    target: Target = None,
    layout: Layout = _FILE,
    tuned: Tuned = False,
    levels: Levels = None,
    size: Size = SIZES[0],
    prefix: Prefix = DEFAULT_PREFIX,
    holder: Holder = None,
    force: Force = False,
    unchecked: Unchecked = False,
    as_json: options.AsJson = False,
) -> None:
    """Take ciphers' code for a machine away.

    As a file the blocks' function of one cipher (ecb), or those of other modes. As a library
    (--layout library -o DIR) all operations, modes and key lengths, or those selected, for several
    instruction sets, of the ciphers named or of all.
    """
    choices = parse_schedule([*(schedule or ()), *(["tuned"] if tuned else [])])
    _check(layout, size, prefix, holder)
    operations = options.listed("operation", operation, OPERATIONS)
    modes = options.listed("mode", mode, (*MODES, options.ALL_MODES))
    asked = options.listed("levels", levels, LEVEL_NAMES)
    library = {
        "--levels": asked,
        "--size": size if size != SIZES[0] else None,
        "--prefix": prefix if prefix != DEFAULT_PREFIX else None,
        "--copyright": holder,
    }
    _refuse_for(layout, machine, {**library, "--operation": operations, "--mode": modes})
    if layout == _FILE:
        _file(_only(cipher), machine, _one(operations), key_bits, choices, modes, target, as_json)
        return
    if target is None:
        raise output.OutputError("a library is a folder; accepted: -o DIR")
    chosen = None if modes is None or options.ALL_MODES in modes else modes
    selection = Selection(operations or OPERATIONS, chosen, asked, size)
    order = _order(cipher, key_bits, choices, layout, selection, prefix, holder)
    _write(order, target, layout, force, unchecked, as_json)


def _check(layout: str, size: str, prefix: str, holder: str | None) -> None:
    """Refuse values that options do not have. Raises UnknownNameError."""
    if layout not in LAYOUTS:
        raise UnknownNameError(unknown("layout", layout, LAYOUTS))
    if size not in SIZES:
        raise UnknownNameError(unknown("size", size, SIZES))
    check_prefix(prefix)
    if holder is not None:
        check_holder(holder)


def _refuse_for(layout: str, machine: str, given: Mapping[str, object]) -> None:
    """Refuse options that a layout does not have. Raises UnknownNameError."""
    own = {
        _FILE: ("--operation", "--mode"),
        _LIBRARY: tuple(given),
        _SUPERCOP: ("--levels",),
    }[layout]
    for option, value in given.items():
        if value is not None and option not in own:
            having = " or ".join(f"--layout {name}" for name in (_FILE, _LIBRARY) if option in _having(name))
            raise UnknownNameError(f"{option}: --layout {layout} has no such choice; accepted with {having}")
    if layout != _FILE and machine != options.DEFAULT_MACHINE:
        raise UnknownNameError(f"--machine {machine}: a library is for {options.DEFAULT_MACHINE}")


def _having(layout: str) -> tuple[str, ...]:
    both = ("--operation", "--mode")
    return both if layout == _FILE else (*both, "--levels", "--size", "--prefix", "--copyright")


def _only(ciphers: Sequence[str] | None) -> str:
    if ciphers and len(ciphers) > 1:
        options.ciphers_of(list(ciphers))  # a word that names no cipher is told of by itself
    if not ciphers or len(ciphers) > 1:
        raise UnknownNameError(
            f"{len(ciphers or ())} ciphers; accepted: one, or with --layout library any number, none for all"
        )
    return ciphers[0]


def _one(operations: Sequence[str] | None) -> str:
    if operations and len(operations) > 1:
        raise UnknownNameError("--operation: a file has one; accepted: encrypt, decrypt")
    return operations[0] if operations else options.DEFAULT_OPERATION


def _order(
    ciphers: list[str] | None,
    key_bits: int | None,
    choices: Schedule,
    layout: str,
    selection: Selection,
    prefix: str,
    holder: str | None,
) -> Order:
    """What is asked for, with the command that asks for it again."""
    found = options.ciphers_of(ciphers)  # before anything takes time
    names = tuple(one.source or one.name() for one in found)
    words = ["finalist", "emit", *(ciphers or ()), "--layout", layout]
    words += ["--key-bits", str(key_bits)] if key_bits else []
    words += [word for text in choices.texts() for word in ("-s", text)]
    if selection.operations != OPERATIONS:
        words += ["--operation", ",".join(selection.operations)]
    words += ["--mode", ",".join(selection.modes)] if selection.modes is not None else []
    words += ["--levels", ",".join(selection.levels)] if selection.levels is not None else []
    words += ["--size", selection.size] if selection.small else []
    words += ["--prefix", prefix] if prefix != DEFAULT_PREFIX else []
    words += ["--copyright", holder] if holder is not None else []
    return Order(names, key_bits, choices, shlex.join([*words, "-o", "DIR"]), selection, prefix, holder)


def _write(order: Order, target: Path, layout: str, force: bool, unchecked: bool, as_json: bool) -> None:
    checks: dict[str, str] = {}
    refused: list[str] = []
    with output.progress(0) as step:
        if layout == _SUPERCOP:
            refused = write_supercop(order, target, step, force=force)
        else:
            checks = write_library(order, target, step, force=force, check=not unchecked)
    for reason in refused:
        output.say(f"left out: {reason}")
    if as_json:
        told = {"folder": str(target), "ciphers": list(order.ciphers), "command": order.command}
        told["definitions"] = [identity(one) for one in options.ciphers_of(list(order.ciphers))]
        output.show_json(told | {"checks": checks, "left_out": refused})
    else:
        typer.echo(target)


def _file(
    cipher: str,
    machine: str,
    operation: str,
    key_bits: int | None,
    choices: Schedule,
    mode: Sequence[str] | None,
    target: Path | None,
    as_json: bool,
) -> None:
    definition = find_cipher(cipher)
    program = api.compile(definition, machine, operation, key_bits, choices)
    possible = program.possible_modes if isinstance(program, InModes) else MODES[:1]
    modes = options.modes_of(list(mode or ()), possible, MODES[:1])
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
    text = program.saved_as(target.name) if target and isinstance(program, Saved) else program.text
    if target is not None:
        output.write(target, text)
    if as_json:
        output.show_json(told | ({"file": str(target)} if target else {"text": text}))
    else:
        typer.echo(target or text.removesuffix("\n"))
