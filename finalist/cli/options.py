"""Arguments and options that commands share, and what the shell completes them to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.ciphers.catalogue import cipher_names
from finalist.errors import UnknownNameError
from finalist.language.cipher import Cipher
from finalist.language.definition import OPERATIONS
from finalist.machines.base import MODES
from finalist.machines.registry import machine_names
from finalist.schedule import FLAGS, WORDS


def starting(names: Iterable[str]) -> Callable[[str], list[str]]:
    """What completes a word to one of several names."""
    accepted = tuple(names)

    def complete(incomplete: str) -> list[str]:
        return [name for name in accepted if name.startswith(incomplete)]

    return complete


def complete_cipher(incomplete: str) -> list[str]:
    """Built-in ciphers, definition files, and folders on the way to one."""
    slash = incomplete.rfind("/") + 1
    head, start = incomplete[:slash], incomplete[slash:]
    paths: list[str] = []
    with suppress(OSError):
        entries = sorted(Path(head or ".").iterdir())
        names = [entry.name + "/" if entry.is_dir() else entry.name for entry in entries]
        paths = [name for name in names if name.startswith(start) and not name.startswith((".", "__"))]
    return starting(cipher_names())(incomplete) + [
        head + name for name in paths if name.endswith((".py", "/"))
    ]


CipherName = Annotated[
    str,
    typer.Argument(help="A cipher's name, or the path of a definition file.", autocompletion=complete_cipher),
]
CipherNames = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[CIPHER]...",
        help="Names of ciphers or paths of definition files; all built-in ciphers if none is given.",
        autocompletion=complete_cipher,
    ),
]
_MACHINE = typer.Option(help="See `finalist machines`.", autocompletion=starting(machine_names()))
_MACHINES = typer.Option(
    "--machine", help="See `finalist machines`; may be repeated.", autocompletion=starting(machine_names())
)
_OPERATION = typer.Option(help="encrypt or decrypt.", autocompletion=starting(OPERATIONS))
MachineName = Annotated[str, _MACHINE]
AnyMachines = Annotated[list[str] | None, _MACHINES]
Operation = Annotated[str, _OPERATION]
AnyOperation = Annotated[str | None, _OPERATION]
KeyBits = Annotated[int | None, typer.Option(min=1, help="Length of the key in bits.")]
Choices = Annotated[
    list[str] | None,
    typer.Option(
        "-s",
        "--schedule",
        metavar="NAME=VALUE",
        help=f"A choice of the schedule, such as blocks=2; may be repeated. Names: {', '.join(WORDS)}.",
        autocompletion=starting(word if word in FLAGS else f"{word}=" for word in WORDS),
    ),
]
#: What may be said instead of the name of a mode.
ALL_MODES = "all"
Modes = Annotated[
    list[str] | None,
    typer.Option(
        "--mode",
        help=f"A mode of operation: {', '.join(MODES)}, or {ALL_MODES}; may be repeated.",
        autocompletion=starting((*MODES, ALL_MODES)),
    ),
]
Page = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="A Markdown page: made, or its part from this command renewed."),
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on standard output, nothing else.")]

#: Of those that are offered, the one where none is named.
DEFAULT_MACHINE, DEFAULT_OPERATION = machine_names()[0], OPERATIONS[0]


def ciphers_of(names: list[str] | None) -> list[type[Cipher]]:
    """The ciphers named, each once, or all that are built in. Raises UnknownNameError or DefinitionError."""
    return [find_cipher(name) for name in dict.fromkeys(names or cipher_names())]


def operations_of(chosen: str | None) -> tuple[str, ...]:
    """The operation named, or all. Raises UnknownNameError."""
    if chosen is not None and chosen not in OPERATIONS:
        raise UnknownNameError(f"unknown operation {chosen!r}; accepted: {', '.join(OPERATIONS)}")
    return OPERATIONS if chosen is None else (chosen,)


def modes_of(chosen: list[str] | None, possible: Iterable[str], usual: Iterable[str]) -> tuple[str, ...]:
    """The modes named, in the order of MODES, or all possible, or the usual. Raises UnknownNameError."""
    for mode in chosen or ():
        if mode not in (*MODES, ALL_MODES):
            raise UnknownNameError(f"unknown mode {mode!r}; accepted: {', '.join(MODES)}, {ALL_MODES}")
    if not chosen:
        return tuple(usual)
    wanted = {*chosen, *(possible if ALL_MODES in chosen else ())}
    return tuple(mode for mode in MODES if mode in wanted)


def listed(option: str, given: Iterable[str] | None, accepted: Sequence[str]) -> tuple[str, ...] | None:
    """What an option that may be repeated, or be a list with commas, names: in the order of ``accepted``.

    None where it was not given. Raises UnknownNameError for a name that there is not, and for no name at all.
    """
    if not given:
        return None
    names = [name for text in given for name in text.split(",")]
    for name in names:
        if name not in accepted:
            what = (
                f"unknown {option.removesuffix('s')} {name!r}" if name else f"--{option}: a name is missing"
            )
            raise UnknownNameError(f"{what}; accepted: {', '.join(accepted)}")
    return tuple(name for name in accepted if name in names)
