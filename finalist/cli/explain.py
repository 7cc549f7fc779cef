"""``finalist explain``: the passes between a definition and its text, and where each choice comes from."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.ciphers.catalogue import identity
from finalist.cli import options, output, plots, tables
from finalist.errors import UnknownNameError, unknown
from finalist.ir.printer import format_graph
from finalist.isa.limits import Limits, limits
from finalist.isa.simulate.run import SimulatedProgram
from finalist.language.cipher import Cipher
from finalist.machines.base import Bounding, FromProgram, Machine
from finalist.machines.registry import machine as find_machine
from finalist.report.explained import Size, Stage, stages
from finalist.report.explained_page import page
from finalist.report.plots.units import plot as of_units
from finalist.report.units import KINDS, ReservationTable, reservation_table
from finalist.schedule import Schedule, parse_schedule
from finalist.tuning.origins import Origin, origins, with_tuned

#: The graphs of a program, as ``--graph`` names them.
GRAPHS = {"kernel": "kernel", "key-schedule": "expand"}
#: What a size is made of, and its unit.
_PARTS = {
    "key_schedule": ("key schedule", "operations"),
    "kernel": ("kernel", "operations"),
    "blocks": ("blocks a call", ""),
    "critical_path": ("critical path", ""),
    "tables": ("tables", "bytes"),
    "expanded_key": ("expanded key", "bytes"),
}
_LEGEND = (
    "Operations are those of one key set-up and of one call of the kernel, moves of words not counted; the"
    " critical path is the longest chain of them in the kernel, each of which waits for the one before."
)


def explain(
    cipher: options.CipherName,
    machine: options.MachineName = options.DEFAULT_MACHINE,
    operation: options.Operation = options.DEFAULT_OPERATION,
    key_bits: options.KeyBits = None,
    schedule: options.Choices = None,
    show: Annotated[
        str | None, typer.Option(metavar="PASS", help="Print the graph after this pass, and nothing else.")
    ] = None,
    graph: Annotated[
        str | None, typer.Option(help=f"With --show, which graph: {', '.join(GRAPHS)} (default: kernel).")
    ] = None,
    units: Annotated[
        bool, typer.Option("--units", help="Print what each unit does in each cycle, and nothing else.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option(help="Write a page with a round drawn and the graphs after each pass.")
    ] = None,
    plot: options.Plot = None,
    as_json: options.AsJson = False,
) -> None:
    """Show which passes a program goes through, what each did to it, and where each choice comes from.

    Of each pass that ran for it, in order: operations of key schedule and kernel, the kernel's critical path,
    bytes of tables and of the expanded key, where it changed them. Then the schedule: whether each word was
    asked for, tuned, is the machine's default, or was found by trying, and why.

    Of a loop over blocks that is software pipelined it says what bounds it, and what one more unit, path or
    register would give. The plot, and `--units`, have the units of a processor by cycles, where code says
    what is issued when.
    """
    definition = find_cipher(cipher)
    options.operations_of(operation)
    bits, found = options.key_bits_of(definition, key_bits), find_machine(machine)
    part, draw = _part(graph, show), plots.to(plot)
    asked = parse_schedule(schedule or ())
    given = with_tuned(definition, machine, operation, bits, asked)
    made, passed, others = stages(found, definition, operation, bits, given)
    if show is not None:
        _show(show, format_graph(getattr(_named(passed, show).program, part)), as_json)
        return
    title = f"{definition.name()} {operation}, {bits}-bit keys, {machine}"
    if html is not None:
        output.write(html, page(title, str(made.schedule), passed))
        output.show_json({"html": str(html)}) if as_json else typer.echo(str(html))
        return
    draw(lambda: of_units(f"{title}, {made.schedule}", reservation_table(made)))
    if units:
        table = reservation_table(made)
        output.show_either(as_json, asdict(table), _units_shown(title, table))
        return
    chosen = list(origins(found, passed[0].program, asked, given, made.schedule))
    bounds = _bounds(found, made)
    if not as_json:
        output.show(_shown(title, passed, others, chosen))
        output.show([] if bounds is None else _limits_shown(bounds))
        return
    record = _program(definition, operation, bits, machine, made.schedule)
    record |= {"passes": list(map(_record, passed)), "others": others, "words": list(map(asdict, chosen))}
    output.show_json(record | ({} if bounds is None else {"loop": asdict(bounds)}))


def _program(
    definition: type[Cipher], operation: str, bits: int, machine: str, schedule: Schedule
) -> dict[str, Any]:
    """What tells a program from others."""
    return {
        "cipher": definition.name(),
        "definition": identity(definition),
        "operation": operation,
        "key_bits": bits,
        "machine": machine,
        "schedule": str(schedule),
    }


def _show(name: str, graph: str, as_json: bool) -> None:
    if as_json:
        output.show_json({"pass": name, "graph": graph})
    else:
        typer.echo(graph, nl=False)


def _bounds(machine: Machine, made: FromProgram) -> Limits | None:
    """What bounds a program's loop over blocks, where that is software pipelined."""
    loop = made.loop if isinstance(made, SimulatedProgram) else None
    known = machine.known if isinstance(machine, Bounding) else None
    return None if loop is None else limits(loop.problem, loop.schedule, known)


def _part(graph: str | None, show: str | None) -> str:
    if graph not in (None, *GRAPHS):
        raise UnknownNameError(unknown("graph", graph, GRAPHS))
    if graph is not None and show is None:
        raise UnknownNameError(f"--graph {graph}: accepted with --show, which says after which pass")
    return GRAPHS[graph or "kernel"]


def _named(passed: Sequence[Stage], name: str) -> Stage:
    by_name = {stage.name: stage for stage in passed}
    if name not in by_name:
        raise UnknownNameError(unknown("pass", name, by_name))
    return by_name[name]


def _record(stage: Stage) -> dict[str, Any]:
    own = {"name": stage.name, "summary": stage.summary, "file": stage.file, "changed": stage.changed}
    return own | asdict(stage.size)


def _shown(
    title: str, passed: Sequence[Stage], others: int, chosen: Sequence[Origin]
) -> Iterator[RenderableType]:
    """The passes; the alternatives; the schedule."""
    yield title
    table = tables.plain(["pass", "what it changed"])
    first, *rest = passed
    table.add_row(first.name, _told(_said(first.size), first))
    last = first.size
    for changed, group in itertools.groupby(rest, lambda stage: stage.changed):
        for stage in group if changed else ():
            table.add_row(stage.name, _told(_difference(last, stage.size), stage))
            last = stage.size
        if not changed:
            table.add_row(Text("no change", "dim"), Text(", ".join(stage.name for stage in group), "dim"))
    yield table
    yield _LEGEND
    if others:
        yield f"{others} more passes ran for other programs, such as were tried and not taken."
    if not chosen:
        yield "This machine takes no schedule."
        return
    words = tables.plain(["word", "value", "from", "why"])
    for one in chosen:
        words.add_row(one.word, "yes" if one.value is True else str(one.value), one.origin, one.why)
    yield words


def _told(change: str, stage: Stage) -> Text:
    """What a pass changed here, and below that what it does."""
    return Text.assemble(change, "\n", (stage.summary, "dim"))


def _said(size: Size) -> str:
    parts = {part: told for part, told in _PARTS.items() if part != "blocks"}
    return _listed(f"{name} {getattr(size, part):,} {unit}" for part, (name, unit) in parts.items())


def _difference(before: Size, after: Size) -> str:
    """What has changed, with what it was; where none of that has, how long the graphs are as text."""
    told = [
        f"{name} {old:,} -> {new:,} {unit}"
        for part, (name, unit) in _PARTS.items()
        if (old := getattr(before, part)) != (new := getattr(after, part))
    ]
    done, now = (size.key_schedule + size.kernel for size in (before, after))
    if before.written != after.written and (not told or after.written < before.written <= done <= now):
        told.append(f"written in {before.written:,} -> {after.written:,} lines")
    return _listed(told) or "the same operations in another form or order"


def _listed(parts: Iterable[str]) -> str:
    return ", ".join(part.strip() for part in parts)


#: The colour of each kind of instruction.
_STYLES = dict(zip(KINDS, ("blue", "red", "green", "purple", "yellow", "cyan", "bold", "dim"), strict=True))


def _units_shown(title: str, found: ReservationTable) -> Iterator[RenderableType]:
    """A line for each cycle: a mnemonic below each unit, with the number of its block where several are in
    flight."""
    yield title
    yield found.summary
    yield Text.assemble(*((f"{kind}  ", style) for kind, style in _STYLES.items()))
    if found.blocks > 1:
        yield f"{found.blocks} blocks are in flight; behind a mnemonic its block, 1 the last begun."
    cells: dict[tuple[int, str], Text] = {}
    for slot in found.slots:
        block = f" {slot.block}" if found.blocks > 1 else ""
        cell = cells.setdefault((slot.cycle, slot.unit), Text())
        cell.append((" " if cell else "") + slot.name + block, _STYLES[slot.kind])
    table = tables.plain(["cycle", *found.units])
    for cycle in range(found.cycles):
        table.add_row(str(cycle), *(cells.get((cycle, unit), Text()) for unit in found.units))
    yield table


# -- what bounds a loop that is software pipelined ---------------------------------------------------

_LIMITS = (
    "Least: cycles of the loop that this alone imposes, by the same instructions. With one more: the bound of"
    " all together on a processor with one more of it, of registers one more a file, or with such a latency."
)
_FOUND = " Found: the shortest schedule that a search of so many seconds has found there, from this one on."


def _limits_shown(found: Limits) -> Iterator[RenderableType]:
    """How long the loop is and could be, and a line for each thing that could bind."""
    best = ", which is the least" if found.interval == found.bound else f", at least {found.bound}"
    yield f"The loop over blocks takes {found.interval} cycles{best}: {found.binding} bind."
    searched = [one for one in found.all if one.found is not None]
    table = tables.plain(
        ["loop"], ["least", "in use", "with one more", *(["found", "seconds"] if searched else [])]
    )
    for one in (*found.all, *((found.again,) if found.again is not None else ())):
        used = "" if one.used is None else f"{100 * one.used:.0f} %"
        cells = [one.name or "nothing more", _number(one.least), used, _number(one.more)]
        if searched:
            cells += ["", ""] if one.found is None else [str(one.found), f"{one.seconds:.0f}"]
        table.add_row(*cells)
    yield table
    yield _LIMITS + _FOUND * bool(searched)


def _number(value: int | None) -> str:
    return "" if value is None else str(value)
