"""``finalist prove``: emitted programs held to their definition, for all keys and all blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from functools import partial
from itertools import groupby
from typing import Annotated, TypeAlias

import typer
from rich.console import RenderableType

from finalist.cli import options, output, proved_passes, tables
from finalist.cli.commands import FAILED
from finalist.cli.proved_passes import Drawn
from finalist.errors import ScheduleError, UnknownNameError
from finalist.export.export import lengths_of
from finalist.isa.simulate.run import SimulatedProgram
from finalist.language.cipher import Cipher
from finalist.machines.registry import machine as find_machine
from finalist.machines.tracing import traced
from finalist.netlist.emitted import GivesNetlists
from finalist.prove import compiled, hardware
from finalist.prove.cached import certificate
from finalist.prove.decide import Certificate
from finalist.prove.decide import prove as decided
from finalist.prove.shared import Shared
from finalist.report import proofs
from finalist.schedule import Schedule, parse_schedule

#: A cipher, operation and length of keys in bits.
Asked: TypeAlias = tuple[type[Cipher], str, int]
#: The machine where none is named: its programs are assembled and simulated.
DEFAULT = "plx"
#: Of the CPU for one program.
SECONDS = 300.0

AllKeyLengths = Annotated[
    bool, typer.Option("--all-key-lengths", help="All that are verified, not the usual one alone.")
]
Seconds = Annotated[float, typer.Option(min=0, help="Of the CPU, after which a program is undecided.")]
Again = Annotated[
    bool, typer.Option("--again", help="Also what was proved or refuted before, of the same files.")
]
Passes = Annotated[
    bool,
    typer.Option(
        "--passes",
        help="Each pass of the machine's plan instead, of any machine: the graphs before and after.",
    ),
]
Draws = Annotated[
    int | None,
    typer.Option("--drawn", min=1, help="With --passes: so many schedules a program, drawn at random."),
]
Seed = Annotated[
    int | None,
    typer.Option("--seed", help="With --drawn: another number than 1 draws other schedules."),
]
Mapped = Annotated[
    bool,
    typer.Option("--mapped", help="Of hardware: the netlist that is mapped, not the text as it is read."),
]


def prove(
    cipher: options.CipherNames = None,
    machine: options.MachineName = DEFAULT,
    operation: options.AnyOperation = None,
    key_bits: options.KeyBits = None,
    all_key_lengths: AllKeyLengths = False,
    schedule: options.Choices = None,
    seconds: Seconds = SECONDS,
    again: Again = False,
    passes: Passes = False,
    drawn: Draws = None,
    seed: Seed = None,
    mapped: Mapped = False,
    target: options.Page = None,
    as_json: options.AsJson = False,
) -> None:
    """Prove that a program does what its definition says for all keys and blocks, or find where it does not.

    The assembled words of a simulated processor, with their key schedule, and the definition are carried out
    on unknown keys and blocks. "proved" where all output bits come out the same; "refuted" with a key and a
    block, as small as can be, on which simulator and interpreter differ; else "undecided", with where it
    stopped. Both operations and the usual key length, if none is named. What was proved or refuted is cached
    until Finalist is another, with the seconds that it took; so what was stopped goes on. Exit code 0 if all
    are proved.

    Of C it is the text as clang reads it, with nothing optimised. Of hardware it is the text as a synthesiser
    reads it, or with --mapped the netlist that it maps, carried out clock by clock from registers that hold
    anything, with the latency that the text promises.

    With --passes it says of each pass whether the program's graphs are the same after it as they were before,
    and names the pass that is wrong; with --drawn under many schedules, and -o then writes how many of the
    passes that changed programs are proved.
    """
    chosen = parse_schedule(schedule or ())
    _check(passes, drawn, seed, bool(schedule), mapped, target is not None)
    lengths = partial(lengths_of if all_key_lengths else _usual, key_bits=key_bits)
    ways = options.operations_of(operation)
    asked = [(one, way, bits) for one in options.ciphers_of(cipher) for bits in lengths(one) for way in ways]
    if passes:
        draws = None if drawn is None else Drawn(drawn, 1 if seed is None else seed)
        proved_passes.run(asked, machine, chosen, draws, seconds, again, target, as_json)
        return
    form = _form(machine, mapped)
    words = [f"-s {one}" for one in schedule or ()] + ["--mapped"] * mapped
    words += ["--all-key-lengths"] * all_key_lengths
    mark = " ".join(["finalist prove --machine", machine, *words])
    renew = None if target is None else output.part_of(target, mark)
    may_refuse = bool(cipher) and len(asked) > 1
    found, refusals = _certificates(asked, machine, form, chosen, seconds, again, may_refuse)
    if renew is not None:
        renew(proofs.table(found, refusals))
    if as_json:
        output.show_json([asdict(one) for one in found])
    elif target is not None:
        typer.echo(target)
    else:
        output.show(_shown(found, refusals))
    if refusals or any(one.verdict != "proved" for one in found):
        raise typer.Exit(FAILED)


def _check(
    passes: bool, drawn: int | None, seed: int | None, schedule: bool, mapped: bool, page: bool
) -> None:
    """Raises UnknownNameError for options that do not go together."""
    refused = (
        (passes and mapped, "--passes and --mapped: accepted is one of them"),
        (drawn is not None and not passes, "--drawn goes with --passes"),
        (drawn is not None and schedule, "--drawn and --schedule: accepted is one of them"),
        (seed is not None and drawn is None, "--seed goes with --drawn"),
        (passes and page and drawn is None, "--output with --passes: accepted with --drawn"),
    )
    for wrong, message in refused:
        if wrong:
            raise UnknownNameError(message)


def _certificates(
    asked: Sequence[Asked],
    machine: str,
    form: str,
    chosen: Schedule,
    seconds: float,
    again: bool,
    may_refuse: bool,
) -> tuple[list[Certificate], dict[str, str]]:
    """Those of the programs, and by cipher why the machine has no such program. Raises ScheduleError, if it
    may not refuse any."""
    found: list[Certificate] = []
    refusals: dict[str, str] = {}
    with output.progress(len(asked)) as step:
        for _, group in groupby(asked, key=lambda each: (each[0], each[2])):
            with closing(Shared()) as shared:  # the directions of one key length
                for one, way, bits in group:
                    step(f"{one.name()} {way} {bits}")
                    make = partial(_certificate, one, way, bits, machine, form, chosen, seconds, shared)
                    cached = partial(certificate, one, way, bits, machine, chosen, make, form)
                    try:
                        found.append(make() if again else cached())
                    except ScheduleError as error:
                        if not may_refuse:
                            raise
                        refusals[one.name()] = str(error)
    return found, refusals


def _usual(cipher: type[Cipher], key_bits: int | None) -> tuple[int, ...]:
    """The key length chosen, or the usual one."""
    return (options.key_bits_of(cipher, key_bits),)


def _certificate(
    cipher: type[Cipher],
    operation: str,
    key_bits: int,
    machine: str,
    form: str,
    chosen: Schedule,
    seconds: float,
    shared: Shared,
) -> Certificate:
    source, found = traced(cipher, operation, key_bits), find_machine(machine)
    if isinstance(found, GivesNetlists):
        return hardware.prove(source, found.netlist(source, chosen, form), machine, seconds)
    made = found.program(source, chosen)
    if isinstance(made, SimulatedProgram):
        return decided(source, made, machine, seconds, shared)
    if isinstance(made, compiled.CText):
        return compiled.prove(source, made, machine, seconds)
    raise UnknownNameError(
        f"--machine {machine}: accepted is a machine whose programs are instruction words, C or hardware,"
        f" such as {DEFAULT}"
    )


def _form(machine: str, mapped: bool) -> str:
    """What of hardware is carried out; empty of other machines. Raises UnknownNameError."""
    found = find_machine(machine)
    if isinstance(found, GivesNetlists):
        return found.forms[mapped]
    if mapped:
        raise UnknownNameError(f"--mapped with --machine {machine}: accepted with a machine that is hardware")
    return ""


def _shown(found: Sequence[Certificate], refusals: Mapping[str, str]) -> Iterator[RenderableType]:
    """A row for each program; then why the others are not proved, and on what they fail."""
    forms = any(one.form for one in found)
    left = ["verdict", "timing", *["form"] * forms, "schedule"]
    table = tables.plain(["cipher", "operation"], ["key bits", "CPU s"], left)
    for one in found:
        table.add_row(
            one.cipher,
            one.operation,
            str(one.key_bits),
            f"{one.seconds:.1f}",
            one.verdict,
            one.timing,
            *[one.form] * forms,
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
    for name, reason in refusals.items():
        yield f"{name}: no program: {reason}"
