"""Arguments and options that commands share, and what the shell completes them to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from finalist.ciphers.catalogue import GROUPS, USUAL_GROUP, cipher_names, installed_names
from finalist.ciphers.catalogue import ciphers as find_ciphers
from finalist.errors import KeyLengthError, UnknownNameError, unknown
from finalist.language.cipher import Cipher
from finalist.language.definition import OPERATIONS
from finalist.machines import registry
from finalist.machines.base import MODES
from finalist.machines.registry import machine as find_machine
from finalist.machines.registry import machine_names, schedule_words
from finalist.schedule import FLAGS, WORDS


def starting(names: Iterable[str]) -> Callable[[str], list[str]]:
    """What completes a word to one of several names."""
    accepted = tuple(names)

    def complete(incomplete: str) -> list[str]:
        return [name for name in accepted if name.startswith(incomplete)]

    return complete


def complete_cipher(incomplete: str) -> list[str]:
    """Ciphers by name, definition files, and folders on the way to one."""
    slash = incomplete.rfind("/") + 1
    head, start = incomplete[:slash], incomplete[slash:]
    paths: list[str] = []
    with suppress(OSError):
        entries = sorted(Path(head or ".").iterdir())
        names = [entry.name + "/" if entry.is_dir() else entry.name for entry in entries]
        paths = [name for name in names if name.startswith(start) and not name.startswith((".", "__"))]
    return starting((*cipher_names(), *GROUPS, *installed_names()))(incomplete) + [
        head + name for name in paths if name.endswith((".py", "/"))
    ]


CipherName = Annotated[
    str,
    typer.Argument(help="A cipher's name, or the path of a definition file.", autocompletion=complete_cipher),
]
CipherNames = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CIPHER",
        help="Names of ciphers or paths of definition files; `contest` or `today` for all of a group; the"
        " group `contest` if none is given.",
        autocompletion=complete_cipher,
    ),
]


def complete_machine(incomplete: str) -> list[str]:
    """Machines by name, also those of other packages."""
    return starting((*machine_names(), *registry.installed_names()))(incomplete)


def _schedule_help() -> str:
    """What -s takes on each machine."""
    words = {name: schedule_words(name) for name in machine_names()}
    told = [f"{name}: {', '.join(own)}." for name, own in words.items() if own]
    head = (
        "A choice of the schedule, such as blocks=2; may be repeated. What there is for a cipher: `finalist"
    )
    return "\n\n".join([f"{head} schedules CIPHER`.", *told, "What `finalist tune` found quickest: tuned."])


_MACHINE = typer.Option(help="See `finalist machines`.", autocompletion=complete_machine)
_MACHINES = typer.Option(
    "--machine", help="See `finalist machines`; may be repeated.", autocompletion=complete_machine
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
        help=_schedule_help(),
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
Plot = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        help="Also a plot: a file .svg, .html (both light or dark as the reader's system), .png, .dark.png,"
        " .json (Vega-Lite).",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on standard output, nothing else.")]
Claims = Annotated[
    bool,
    typer.Option(
        "--claims", help="Nothing new: each claim of the paper, how it was tested last, the verdict."
    ),
]

#: Of those that are offered, the one where none is named.
DEFAULT_MACHINE, DEFAULT_OPERATION = machine_names()[0], OPERATIONS[0]


def ciphers_of(names: list[str] | None) -> list[type[Cipher]]:
    """The ciphers named, each once, or those of the usual group. Raises UnknownNameError or DefinitionError.

    No two have one name: of definitions that call themselves alike, see `finalist.ciphers.catalogue.ciphers`.
    """
    return find_ciphers(names or [USUAL_GROUP])


def operations_of(chosen: str | None) -> tuple[str, ...]:
    """The operation named, or all. Raises UnknownNameError."""
    if chosen is not None and chosen not in OPERATIONS:
        raise UnknownNameError(unknown("operation", chosen, OPERATIONS))
    return OPERATIONS if chosen is None else (chosen,)


def key_bits_of(cipher: type[Cipher], chosen: int | None) -> int:
    """The key length chosen, in bits, or the usual one. Raises KeyLengthError."""
    bits = cipher.usual_key_bits() if chosen is None else chosen
    if bits not in cipher.key_bits:
        raise KeyLengthError(f"{cipher.name()} has no {bits}-bit keys; accepted: {cipher.key_sizes()}")
    return bits


def modes_of(chosen: list[str] | None, possible: Iterable[str], usual: Iterable[str]) -> tuple[str, ...]:
    """The modes named, in the order of MODES, or all possible, or the usual. Raises UnknownNameError."""
    for mode in chosen or ():
        if mode not in (*MODES, ALL_MODES):
            raise UnknownNameError(unknown("mode", mode, (*MODES, ALL_MODES)))
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
            if not name:
                raise UnknownNameError(f"--{option}: a name is missing; accepted: {', '.join(accepted)}")
            raise UnknownNameError(unknown(option.removesuffix("s"), name, accepted))
    return tuple(name for name in accepted if name in names)


def refuse(others: Mapping[str, object], option: str) -> None:
    """Refuse what was given of other options, which say nothing beside this one. Raises UnknownNameError."""
    for name, given in others.items():
        if given:
            raise UnknownNameError(f"{name} can't be had with {option}")


def machines_that(*able: type) -> str:
    """The machines that can do one of these, protocols of `finalist.machines.base`, for what is accepted."""
    return ", ".join(name for name in machine_names() if isinstance(find_machine(name), able))
