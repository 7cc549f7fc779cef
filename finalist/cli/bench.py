"""``finalist bench``: figures of this computer, ours alone or beside other libraries."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from finalist import workers
from finalist.cli import exported as library
from finalist.cli import figures, options, output, peers, plots
from finalist.errors import UnknownNameError
from finalist.language.cipher import USUAL_KEY_BITS, Cipher
from finalist.machines.base import MODES
from finalist.measure import bench as measure
from finalist.measure import store
from finalist.measure.bench import Wanted, prepare, wanted
from finalist.measure.clock import SECONDS
from finalist.measure.results import Row
from finalist.report.plots.bench import plot as of_figures
from finalist.schedule import Schedule, parse_schedule
from finalist.tuning import choose

KeyBits = Annotated[
    int | None, typer.Option(min=1, help=f"Length of the key in bits; {USUAL_KEY_BITS} where there is that.")
]
DataBytes = Annotated[int, typer.Option("--bytes", min=1, help="Bytes of a bulk call.")]
Seconds = Annotated[float, typer.Option(help="Time for one figure, in seconds.")]
Against = Annotated[
    str | None,
    typer.Option(help=f"Others to measure beside: {peers.PEERS}, other libraries (docs/peers.md)."),
]
Exported = Annotated[
    list[Path] | None,
    typer.Option(
        help="A folder with a library that was exported and built: measure that, and files; may be repeated."
    ),
]
Again = Annotated[
    bool, typer.Option("--again", help="With --against: measure again what an earlier run has measured.")
]
At = Annotated[
    int | None,
    typer.Option("--at", help="With --against: messages of so many bytes alone, in C, as one table."),
]
Pages = Annotated[
    list[Path] | None,
    typer.Option(
        "-o", "--output", help="With --against or --exported: a Markdown page to renew; may be repeated."
    ),
]


def bench(
    cipher: options.CipherNames = None,
    machine: options.MachineName = options.DEFAULT_MACHINE,
    operation: options.AnyOperation = None,
    key_bits: KeyBits = None,
    schedule: options.Choices = None,
    mode: options.Modes = None,
    data_bytes: DataBytes = measure.DATA_BYTES,
    seconds: Seconds = SECONDS,
    against: Against = None,
    exported: Exported = None,
    again: Again = False,
    at: At = None,
    targets: Pages = None,
    plot: options.Plot = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure ciphers: key set-up, latency, bulk in modes of operation (by default ecb and ctr).

    ``--exported DIR`` measures a library that was exported and built, through its own header, and files as
    others compile them, beside what `finalist.new` runs; of several libraries each cipher in the first that
    has it.

    Each program must first reproduce its test vectors. Where no schedule is given, the one that `finalist
    tune` has found quickest on this computer is taken, else the default. Every figure is added to the
    results file.
    """
    others: dict[str, object] = {"--machine": machine != options.DEFAULT_MACHINE}
    others |= {"--operation": operation, "-s": schedule}
    others |= {
        "--mode": mode,
        "--bytes": data_bytes != measure.DATA_BYTES,
        "--seconds": seconds != SECONDS,
        "--plot": plot,
    }
    if exported:
        options.refuse(others | {"--against": against, "--again": again, "--at": at}, "--exported")
        library.bench(exported, cipher, key_bits, targets or [], as_json)
        return
    if against is not None:
        peers.refuse(against, others)
        peers.bench(cipher, key_bits, again, targets or [], as_json, at)
        return
    if at is not None:
        raise UnknownNameError(f"--at goes with --against {peers.PEERS}")
    if again or targets:
        raise UnknownNameError(f"--again and -o go with --against {peers.PEERS}, -o with --exported, too")
    draw = plots.to(plot)
    choices, modes = parse_schedule(schedule or ()), options.modes_of(mode, MODES, measure.USUAL_MODES)
    found, operations = options.ciphers_of(cipher), options.operations_of(operation)
    asked = _Asked(machine, operations, key_bits, choices, modes, data_bytes, seconds)
    shown = _Shown([one.name() for one in found], as_json)
    kept, untuned = asked.measured(found, shown)
    draw(lambda: of_figures(shown.rows))
    shown.end(_footnote(machine, untuned) if choices == Schedule() else "", kept)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is measured of each cipher, and how."""

    machine: str
    operations: Sequence[str]
    key_bits: int | None
    schedule: Schedule
    modes: tuple[str, ...]
    data_bytes: int
    seconds: float

    def measured(
        self, ciphers: Sequence[type[Cipher]], shown: _Shown
    ) -> tuple[Path, dict[str, type[Cipher]]]:
        """Shows each as soon as it is measured; where the figures are, and the ciphers that nobody tuned."""
        untuned: dict[str, type[Cipher]] = {}
        total = len(ciphers) * measure.figures_of(len(self.operations), len(self.modes))
        with workers.processes() as pool, output.progress(total) as step:
            for one in ciphers:
                bits = one.usual_key_bits() if self.key_bits is None else self.key_bits
                step(f"{one.name()} {bits}: compiling")
                plans = [self._plan(one, operation, bits) for operation in self.operations]
                prepare([program for plan in plans for program in plan.programs(self.modes)], pool)
                rows: list[Row] = []
                for row in self._rows(one, bits, plans):
                    rows.append(row)
                    kept = store.append(row.figures())
                    step(f"{row.cipher} {row.key_bits} {row.operation}")
                shown.add(rows)
                if not all(plan.known for plan in plans):
                    untuned[one.name()] = one
        return kept, untuned

    def _plan(self, cipher: type[Cipher], operation: str, bits: int) -> _Plan:
        return _Plan.of(cipher, self.machine, operation, bits, self.data_bytes, self.schedule)

    def _rows(self, cipher: type[Cipher], bits: int, plans: Sequence[_Plan]) -> Iterator[Row]:
        taken = partial(
            measure.bench, modes=self.modes, data_bytes=self.data_bytes, seconds=self.seconds, key_bits=bits
        )
        for plan in plans:
            yield from taken(cipher, self.machine, **plan.arguments())


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is measured of a cipher in one direction: by schedules that were tuned (``known``), or others."""

    cipher: type[Cipher]
    machine: str
    operation: str
    key_bits: int
    many: Schedule
    single: Schedule | None
    known: bool

    @classmethod
    def of(
        cls, cipher: type[Cipher], machine: str, operation: str, bits: int, data_bytes: int, asked: Schedule
    ) -> _Plan:
        many, single = _schedules(cipher, machine, operation, bits, data_bytes, asked)
        known = asked != Schedule() or choose.best(cipher, operation, bits, data_bytes, machine) is not None
        return cls(cipher, machine, operation, bits, many, single, known)

    def arguments(self) -> dict[str, Any]:
        """As `finalist.measure.bench.bench` takes them."""
        return {"operations": [self.operation], "schedule": self.many, "single": self.single}

    def programs(self, modes: tuple[str, ...]) -> list[Wanted]:
        """What has to be compiled for it; a single block's program serves modes that are chains."""
        task = (self.cipher, self.machine, self.operation, self.key_bits)
        alone = self.single or measure.single_of(self.many)
        return [*wanted(*task, [self.many], modes), *wanted(*task, [alone], ())]


def _schedules(
    cipher: type[Cipher], machine: str, operation: str, key_bits: int, data_bytes: int, asked: Schedule
) -> tuple[Schedule, Schedule | None]:
    """What many blocks, and one alone, are measured by: as asked, else the quickest known.

    Raises ScheduleError where that is asked for and there is none.
    """
    tuned = asked.tuned if asked.tuned not in (None, "long") else data_bytes
    if asked == Schedule():
        found = choose.best(cipher, operation, key_bits, data_bytes, machine)
    elif asked == Schedule(tuned=asked.tuned):
        found = choose.tuned(cipher, operation, key_bits, machine, tuned)
    else:
        return asked, None
    return found or asked, found and choose.best_of_one(cipher, operation, key_bits, machine)


def _footnote(machine: str, untuned: dict[str, type[Cipher]]) -> str:
    """What is said where figures are of a schedule that nobody tuned; empty where there are none."""
    if not untuned or not choose.tunable(machine):
        return ""
    names = [one.source or name for name, one in untuned.items()]
    return f"not tuned: {', '.join(untuned)}; `{shlex.join(['finalist', 'tune', *names])}`"


class _Shown:
    """Figures on the screen: each cipher's as soon as they are there, where the table has room."""

    def __init__(self, names: Sequence[str], as_json: bool) -> None:
        self._names, self._as_json = names, as_json
        self.rows: list[Row] = []

    def add(self, rows: Sequence[Row]) -> None:
        """The figures of a cipher."""
        first = not self.rows
        self.rows += rows
        if not self._as_json and output.width() >= figures.width(self._names):
            made = figures.begin(rows, self._names) if first else figures.more(rows, self._names)
            output.show(made)

    def end(self, footnote: str, kept: Path) -> None:
        """What stands below the table; all, where rows had to wait."""
        if self._as_json:
            output.show_json([asdict(row) for row in self.rows])
            return
        waited = output.width() < figures.width(self._names)
        output.show(figures.whole(self.rows) if waited else ["", *figures.end(self.rows)])
        output.show([footnote] if footnote else [])
        typer.echo(f"Kept in {kept}")
