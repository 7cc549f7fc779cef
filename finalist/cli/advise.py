"""``finalist advise``: which cipher to use, by figures that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from finalist.advice import PURPOSES, WANTS, Answer, Limit, Wish, advice, limits, machines_with
from finalist.ciphers.catalogue import identity
from finalist.cli import options, output, tables
from finalist.cli.results import figures_of
from finalist.errors import UnknownNameError, unknown
from finalist.machines.registry import machine as find_machine
from finalist.measure import store
from finalist.measure.figure import Figure
from finalist.report.advice import lines, sheet

Want = Annotated[
    str | None,
    typer.Option(help=f"What there should be most or least of: {', '.join(WANTS)}."),
]
Purpose = Annotated[
    str | None, typer.Option("--for", help=f"In place of --want, a purpose: {', '.join(PURPOSES)}.")
]
Limits = Annotated[
    str,
    typer.Option("--limit", help="What must be kept, such as 'ram<128,code<4096'."),
]
Broken = Annotated[bool, typer.Option("--broken", help="Ciphers as well that are broken or withdrawn.")]
Most = Annotated[int, typer.Option("--count", min=1, help="How many of each ranking.")]
File = Annotated[Path | None, typer.Option("--file", help="Only the figures of this results file.")]


def advise(
    cipher: Annotated[
        list[str] | None,
        typer.Argument(metavar="CIPHER", help="Only these ciphers.", autocompletion=options.complete_cipher),
    ] = None,
    machine: options.AnyMachines = None,
    want: Want = None,
    purpose: Purpose = None,
    limit: Limits = "",
    operation: options.Operation = options.DEFAULT_OPERATION,
    key_bits: options.KeyBits = None,
    broken: Broken = False,
    most: Most = 5,
    file: File = None,
    as_json: options.AsJson = False,
) -> None:
    """Say which ciphers do best on a machine, within limits, and how their code is had.

    By the figures of this computer and those that come with Finalist; times are compared of one processor
    only. What is broken is left out, and what was not measured is said.
    """
    wanted, constant = _wanted(want, purpose)
    kept = limits(limit)
    options.operations_of(operation)
    names = tuple(identity(one) for one in options.ciphers_of(cipher)) if cipher else ()
    rows = figures_of(file) if file else (*figures_of(), *store.published())
    answers = [
        advice(Wish(name, wanted, kept, constant, operation, key_bits or 0, names, broken), rows)
        for name in machine or _machines(wanted, kept, rows)
        if find_machine(name)
    ]
    if as_json:
        output.show_json([_record(one, most) for one in answers])
        return
    for one in answers:
        output.show([*tables.of_sheet(sheet(one, most)), *lines(one, most), ""])


def _wanted(want: str | None, purpose: str | None) -> tuple[str, bool]:
    """What is ranked by, and whether time must be constant. Raises UnknownNameError."""
    if want is not None and purpose is not None:
        raise UnknownNameError("--want and --for both say what is wanted; accepted is one")
    if want is not None:
        if want not in WANTS:
            raise UnknownNameError(unknown("want", want, WANTS))
        return want, False
    if purpose is not None and purpose not in PURPOSES:
        raise UnknownNameError(unknown("purpose", purpose, PURPOSES))
    return PURPOSES[purpose or next(iter(PURPOSES))]


def _machines(want: str, kept: Sequence[Limit], rows: Sequence[Figure]) -> list[str]:
    """The default machine, if it has figures of all that is asked for, else those that have."""
    having = [machines_with(name, rows) for name in (want, *(limit.name for limit in kept))]
    found = [name for name in having[0] if all(name in one for one in having)]
    if options.DEFAULT_MACHINE in found or not found:
        return [options.DEFAULT_MACHINE]
    return found


def _record(answer: Answer, most: int) -> dict[str, Any]:
    return {
        "machine": answer.wish.machine,
        "want": answer.wish.want,
        "processor": answer.processor,
        "choices": [
            {**asdict(one.figure), "state": one.state, "why": one.why, "command": one.command}
            for one in answer.choices[:most]
        ],
        "left": {name: {"kind": one.kind, "why": one.why} for name, one in answer.left.items()},
    }
