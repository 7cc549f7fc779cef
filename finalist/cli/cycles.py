"""``finalist cycles``: what an instruction, or a wider machine, is worth."""

from __future__ import annotations

from typing import Annotated

import typer

from finalist.cli import options, output, plots, tables
from finalist.measure.cycles import cycles as measured
from finalist.report.plots.cycles import plot as of_cycles
from finalist.report.sheets import Sheet
from finalist.schedule import parse_schedule


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
    figures: dict[str, list[float]] = {}
    with output.progress(len(machines) * len(found)) as step:
        for one in found:
            bits = one.usual_key_bits() if key_bits is None else key_bits
            for name in machines:
                step(f"{one.name()} {name}")
                figures.setdefault(one.name(), []).append(measured(one, name, operation, bits, choices))
    draw(lambda: of_cycles(f"Cycles a block, {operation}", machines, figures))
    if as_json:
        output.show_json({name: dict(zip(machines, row, strict=True)) for name, row in figures.items()})
    else:
        output.show(tables.of_sheet(_sheet(machines, figures)))


def _sheet(machines: list[str], figures: dict[str, list[float]]) -> Sheet:
    first, *others = machines
    header = ("cipher", first, *(text for name in others for text in (name, "faster")))
    rows = []
    for name, (base, *rest) in figures.items():
        cells = [text for ours in rest for text in (f"{ours:g}", f"{base / ours:.2f}")]
        rows.append((name, f"{base:g}", *cells))
    return Sheet("Cycles a block", header, tuple(rows), len(header) - 1)
