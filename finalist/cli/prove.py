"""``finalist prove``: emitted programs held to their definition, for all keys and all blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import typer
from rich.console import RenderableType

from finalist.cli import options, output, tables
from finalist.cli.commands import FAILED
from finalist.errors import UnknownNameError
from finalist.isa.simulate.run import SimulatedProgram
from finalist.machines.registry import machine as find_machine
from finalist.machines.tracing import traced
from finalist.prove.decide import Certificate
from finalist.prove.decide import prove as decided
from finalist.schedule import parse_schedule

#: The machine where none is named: its programs are assembled and simulated.
DEFAULT = "plx"


def prove(
    cipher: options.CipherNames = None,
    machine: options.MachineName = DEFAULT,
    operation: options.AnyOperation = None,
    key_bits: options.KeyBits = None,
    schedule: options.Choices = None,
    as_json: options.AsJson = False,
) -> None:
    """Prove that a program does what its definition says for all keys and blocks, or find where it does not.

    The assembled words of a simulated processor, with their key schedule, and the definition are carried out
    on unknown keys and blocks. "proved" where all output bits come out the same; "refuted" with a key and a
    block, as small as can be, on which simulator and interpreter differ; else "undecided", with where it
    stopped. Exit code 0 if all are proved.
    """
    chosen = parse_schedule(schedule or ())
    found: list[Certificate] = []
    target = find_machine(machine)
    for one in options.ciphers_of(cipher):
        bits = options.key_bits_of(one, key_bits)
        for way in options.operations_of(operation):
            source = traced(one, way, bits)
            made = target.program(source, chosen)
            if not isinstance(made, SimulatedProgram):
                raise UnknownNameError(
                    f"--machine {machine}: its programs are not instruction words of a simulated processor,"
                    f" which alone are proved; accepted: {DEFAULT} and its like"
                )
            found.append(decided(source, made, machine))
    if as_json:
        output.show_json([asdict(one) for one in found])
    else:
        output.show(_shown(found))
    if any(one.verdict != "proved" for one in found):
        raise typer.Exit(FAILED)


def _shown(found: Sequence[Certificate]) -> Iterator[RenderableType]:
    """A row for each program; then why the others are not proved, and on what they fail."""
    table = tables.plain(["cipher", "operation"], ["key bits", "CPU s"], ["verdict", "timing", "schedule"])
    for one in found:
        table.add_row(
            one.cipher,
            one.operation,
            str(one.key_bits),
            f"{one.seconds:.1f}",
            one.verdict,
            one.timing,
            one.schedule,
        )
    yield table
    for one in found:
        wrong = one.counterexample
        if wrong is not None:
            yield (
                f"{one.cipher} {one.operation}: key {wrong.key}, data {wrong.data}:"
                f" the definition gives {wrong.defined}, the program {wrong.computed or 'no result'}"
            )
        elif one.reason:
            yield f"{one.cipher} {one.operation}: {one.reason}"
