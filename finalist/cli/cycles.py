"""``finalist cycles``: what an instruction, or a wider machine, is worth."""

from __future__ import annotations

from typing import Annotated

import typer

from finalist.ciphers.catalogue import identity, is_built_in
from finalist.cli import options, output, plots, tables
from finalist.language.cipher import Cipher
from finalist.machines.registry import schedule_words
from finalist.measure.cycles import cycles as measured
from finalist.report.plots.cycles import plot as of_cycles
from finalist.report.sheets import Sheet
from finalist.schedule import Schedule, parse_schedule
from finalist.vectors.load import provenance, vectors_of


def cycles(
    cipher: options.CipherNames = None,
    machine: Annotated[
        list[str] | None,
        typer.Option(
            help="A simulated machine, such as plx:with=extract; may be repeated. The first is the base."
        ),
    ] = None,
    operation: options.Operation = options.DEFAULT_OPERATION,
    key_bits: options.KeyBits = None,
    schedule: options.Choices = None,
    plot: options.Plot = None,
    as_json: options.AsJson = False,
) -> None:
    """Count the cycles of a block on simulated machines, side by side.

    Every program must first reproduce test vectors in the simulator.
    """
    machines, found = machine or ["plx"], options.ciphers_of(cipher)
    choices, draw = parse_schedule(schedule or ()), plots.to(plot)
    figures: list[list[float]] = []
    held_to: list[str] = []
    with output.progress(len(machines) * len(found)) as step:
        for one in found:
            bits = one.usual_key_bits() if key_bits is None else key_bits
            figures.append([])
            for name in machines:
                step(f"{one.name()} {name}")
                figures[-1].append(measured(one, name, operation, bits, choices))
            held_to.append(provenance(vectors_of(one), bits))
    by_name = {one.name(): counts for one, counts in zip(found, figures, strict=True)}
    draw(lambda: of_cycles(f"Cycles a block, {operation}", machines, by_name))
    if as_json:
        records = [dict(zip(machines, row, strict=True)) for row in figures]
        told = map(_of_file, found, held_to)
        both = zip(found, records, told, strict=True)
        output.show_json({one.name(): record | more for one, record, more in both})
    else:
        names = [tables.marked(one.name(), vectors) for one, vectors in zip(found, held_to, strict=True)]
        sheet = tables.of_sheet(_sheet(machines, names, figures))
        output.show([*sheet, *tables.own_note(held_to), *_footnote(machines, choices)])


def _footnote(machines: list[str], choices: Schedule) -> list[str]:
    """What is said where nobody has looked for the best programs."""
    had = any("optimise" in schedule_words(name) for name in machines)
    if not had or choices.optimise:
        return []
    return ["not optimised: `-s optimise` looks for the programs of fewest cycles"]


def _of_file(cipher: type[Cipher], vectors: str) -> dict[str, str]:
    """What is said of a definition that is not built in, beside its cycles."""
    return {} if is_built_in(cipher) else {"definition": identity(cipher), "vectors": vectors}


def _sheet(machines: list[str], names: list[str], figures: list[list[float]]) -> Sheet:
    first, *others = machines
    header = ("cipher", first, *(text for name in others for text in (name, "faster")))
    rows = []
    for name, (base, *rest) in zip(names, figures, strict=True):
        cells = [text for ours in rest for text in (f"{ours:g}", f"{base / ours:.2f}")]
        rows.append((name, f"{base:g}", *cells))
    return Sheet("Cycles a block", header, tuple(rows), len(header) - 1)
