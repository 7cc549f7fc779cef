"""Finalist's own programs beside the same ciphers of packaged libraries, measured in turns.

    benchmarks/peers/install.sh
    python benchmarks/peers/compare.py --ciphers serpent twofish --bytes 65536 --json peers.json

Every candidate has to reproduce the cipher's published vectors before it is measured; one that does
not is named and left out. How figures are taken is said in finalist/measure/clock.py.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from peers import Peer, PeerLibrary
from rich.console import Console
from rich.table import Table
from verify import Kernel, ModeKernel, Vectors, check_chaining, check_counter_mode, check_vectors

import finalist
from finalist.errors import FinalistError, VectorError
from finalist.measure.clock import (
    Measurement,
    measure_bulk,
    measure_chained,
    measure_mode,
    measure_setup,
)
from finalist.measure.turns import Measurer, measure_in_turns

FINALISTS = ("rijndael", "serpent", "twofish", "rc6", "mars")
OURS = "Finalist"


@dataclass(frozen=True)
class Candidate:
    """Something to be measured; ``setup`` is the address of its key schedule."""

    cipher: str
    name: str
    mode: str
    kernel: Kernel
    setup: int


@dataclass(frozen=True)
class Row:
    """A candidate's figure; ``ratio`` is how many times the cycles of Finalist's own it takes."""

    cipher: str
    name: str
    figure: Measurement
    ratio: float | None


@dataclass
class Report:
    """All figures, and by name whatever was left out with the reason."""

    rows: list[Row] = field(default_factory=list)
    left_out: list[tuple[str, str, str]] = field(default_factory=list)
    #: Those that agree with the vectors but for the order of bytes, and how they order them.
    reordered: list[tuple[str, str, str]] = field(default_factory=list)
    absent: tuple[str, ...] = ()
    disagreed: bool = False

    def leave_out(self, cipher: str, name: str, error: FinalistError) -> None:
        """Keep what will be missed in the table."""
        self.left_out.append((cipher, name, str(error)))
        self.disagreed |= isinstance(error, VectorError)


def our_candidate(cipher: str, options: argparse.Namespace) -> Candidate:
    """Finalist's program for a cipher: the one place that knows how Finalist is asked for it."""
    operation, bits = options.operation, options.key_bits
    single: dict[str, int] = {"blocks": 1, "width": 1} if options.method == "chained" else {}
    program = finalist.compile(cipher, machine="native", operation=operation, key_bits=bits, **single)
    kernel = Kernel(program.function_address(operation), program.block_bytes, program.expand)
    return Candidate(cipher, OURS, "ecb", kernel, program.function_address("expand"))


def our_mode(cipher: str, mode: str, options: argparse.Namespace) -> Candidate:
    """Finalist's function for a mode of encryption."""
    single: dict[str, int] = {"blocks": 1, "width": 1} if mode == "cbc" else {}
    program: Any = finalist.compile(cipher, machine="native", key_bits=options.key_bits, **single)
    address = program.in_modes(mode).function_address({"cbc": "cbc_encrypt"}.get(mode, mode))
    kernel = ModeKernel(address, program.block_bytes, program.expand, mode == "cbc")
    return Candidate(cipher, f"{OURS} ({mode.upper()})", mode, kernel, program.function_address("expand"))


def peer_candidate(peer: Peer, library: PeerLibrary, options: argparse.Namespace) -> Candidate:
    """A library's cipher, as a candidate."""
    opener = functools.partial(library.open, peer, decrypt=options.operation == "decrypt")
    kernel = Kernel(library.crypt_address, peer.block_bytes, opener)
    return Candidate(peer.cipher, peer.name, peer.mode, kernel, library.setup_address)


def verified(
    cipher: str, library: PeerLibrary, options: argparse.Namespace, report: Report
) -> Iterator[Candidate]:
    """The candidates of a cipher that agree with its vectors; the others go into the report."""
    vectors = Vectors.load(cipher, options.key_bits, options.operation, options.vectors)
    if not options.peers_only:
        try:
            ours = our_candidate(cipher, options)
            check_vectors(ours.kernel, vectors)
            yield ours
            for mode in filter(lambda mode: counts(mode, options), ("ctr", "cbc")):
                candidate = our_mode(cipher, mode, options)
                check(candidate, vectors, ours, report)
                yield candidate
        except FinalistError as error:
            report.leave_out(cipher, OURS, error)
    checked: dict[str, Candidate] = {}
    for peer in library.peers:
        if peer.cipher != cipher or not counts(peer.mode, options):
            continue
        candidate = peer_candidate(peer, library, options)
        try:
            check(candidate, vectors, checked.get(peer.library), report)
        except FinalistError as error:
            report.leave_out(cipher, peer.name, error)
        else:
            checked.setdefault(peer.library, candidate)
            yield candidate


def counts(mode: str, options: argparse.Namespace) -> bool:
    """Whether a mode says something: counter mode of throughput, chaining of latency, in one direction."""
    wanted = {"ctr": "bulk", "cbc": "chained"}.get(mode)
    return wanted is None or (options.method == wanted and options.operation == "encrypt")


def check(candidate: Candidate, vectors: Vectors, ecb: Candidate | None, report: Report) -> None:
    """Check a candidate against the vectors; other modes, against their own library's ECB.

    Raises:
        FinalistError: it disagrees, or lacks the key length or the operation.
    """
    key = vectors.rows[0][0]
    if candidate.kernel.open(key) is None:
        raise FinalistError(f"has no {vectors.operation}ion with {8 * len(key)}-bit keys")
    keys = {row[0] for row in vectors.rows}
    if candidate.mode == "ecb":
        if order := check_vectors(candidate.kernel, vectors):
            report.reordered.append((candidate.cipher, candidate.name, order))
    elif ecb is None:
        raise FinalistError("its ECB, to check this by, is left out")
    elif candidate.mode == "ctr":
        check_counter_mode(candidate.kernel, ecb.kernel, keys)
    else:
        check_chaining(candidate.kernel, ecb.kernel, set(list(keys)[:1]))


def measure(candidates: Sequence[Candidate], options: argparse.Namespace) -> list[Row]:
    """Measure the candidates of one cipher in turns; the fastest row comes first."""
    key = bytes(range(options.key_bits // 8))
    opened = [(candidate, candidate.kernel.open(key)) for candidate in candidates]
    measurers = [measurer(candidate, key, keyed.address, options) for candidate, keyed in opened if keyed]
    figures = measure_in_turns(measurers, seconds=options.seconds, rounds=options.rounds)
    ours = {c.name: figure for c, figure in zip(candidates, figures, strict=True)}.get(OURS)
    rows = [
        Row(c.cipher, c.name, figure, figure.ticks / ours.ticks if ours and ours.ticks else None)
        for c, figure in zip(candidates, figures, strict=True)
    ]
    return sorted(rows, key=lambda row: row.figure.ticks)


def measurer(candidate: Candidate, key: bytes, keyed: int, options: argparse.Namespace) -> Measurer:
    """The measuring function that the method asks for, bound to a candidate."""
    kernel = candidate.kernel
    if options.method == "setup":
        return functools.partial(measure_setup, candidate.setup, key, keyed)
    if isinstance(kernel, ModeKernel):
        size = 256 * kernel.block_bytes if kernel.in_blocks else options.bytes
        unit = "per block" if kernel.in_blocks else "per byte"
        sizes = (size, kernel.block_bytes)
        return functools.partial(
            measure_mode, kernel.function, keyed, *sizes, in_blocks=kernel.in_blocks, unit=unit
        )
    if candidate.mode == "cbc":
        return functools.partial(measure_chain, kernel.function, keyed, kernel.block_bytes)
    if options.method == "chained":
        return functools.partial(measure_chained, kernel.function, keyed, kernel.block_bytes)
    return functools.partial(measure_bulk, kernel.function, keyed, options.bytes, kernel.block_bytes)


def measure_chain(function: int, key: int, block_bytes: int, *, seconds: float) -> Measurement:
    """Ticks a block of a function that chains blocks itself."""
    blocks = 256
    figure = measure_bulk(function, key, blocks * block_bytes, block_bytes, seconds=seconds)
    ticks, median = figure.ticks * block_bytes, figure.median_ticks * block_bytes
    return replace(figure, ticks=ticks, median_ticks=median, unit="per block")


def compare(options: argparse.Namespace, console: Console) -> Report:
    """Verify and measure everything that the options ask for.

    Raises:
        FinalistError: a cipher has no vectors, or nothing can be measured.
    """
    library = PeerLibrary()
    report = Report(absent=library.absent)
    known = sorted({peer.cipher for peer in library.peers} | set(FINALISTS))
    for cipher in options.ciphers:
        if cipher not in known:
            raise FinalistError(f"cipher {cipher!r} is in no library: expected {', '.join(known)}")
        with console.status(f"{cipher}: checking vectors"):
            candidates = list(verified(cipher, library, options, report))
        with console.status(f"{cipher}: measuring {len(candidates)} in turns"):
            report.rows += measure(candidates, options) if candidates else []
    return report


def show(report: Report, options: argparse.Namespace, console: Console) -> None:
    """Print the table, and below it what is not in it."""
    what = f", {options.bytes} bytes" if options.method == "bulk" else ""
    title = f"{options.method} {options.operation}ion, {options.key_bits}-bit keys{what}"
    units = {f"{row.figure.clock} counts and core cycles {row.figure.unit}" for row in report.rows}
    table = Table(title=title, caption=", ".join(units))
    table.add_column("cipher")
    table.add_column("library", no_wrap=True)
    for heading in ("counts", "cycles", "median", "to ours"):
        table.add_column(heading, justify="right")
    for _, rows in groupby(report.rows, key=lambda row: row.cipher):
        table.add_section()
        for row in rows:
            table.add_row(*cells(row), style="bold" if row.name.startswith(OURS) else "")
    console.print(table)
    for cipher, name, reason in report.left_out:
        console.print(f"{cipher}: {name} left out: {reason}", highlight=False, soft_wrap=True)
    for cipher, name, order in report.reordered:
        console.print(f"{cipher}: {name} {order}", highlight=False, soft_wrap=True)
    if report.absent:
        console.print(f"not installed: {', '.join(report.absent)} (see install.sh)")


def cells(row: Row) -> list[str]:
    """A row of the table, as text."""
    figure = row.figure
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    values = (f"{figure.ticks:.2f}", f"{figure.core_cycles:.2f}", f"+{figure.spread:.0%}")
    return [row.cipher, row.name, *values, ratio]


def save(report: Report, options: argparse.Namespace, path: Path) -> None:
    """Write the report as JSON; the file appears only once it is whole."""
    settings = {k: v for k, v in vars(options).items() if k not in ("json", "vectors")}
    content: dict[str, Any] = {
        "machine": {"processor": processor(), "system": platform.platform()},
        "settings": settings,
        **asdict(report),
    }
    with tempfile.TemporaryDirectory(dir=path.resolve().parent) as folder:
        unfinished = Path(folder) / path.name
        unfinished.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        unfinished.replace(path)


def processor() -> str:
    """The processor's name, as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line's options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--ciphers", nargs="+", default=list(FINALISTS), metavar="CIPHER", help="default: the five finalists")
    add("--bytes", type=int, default=65536, help="of the buffer in bulk (default 65536)")
    add("--key-bits", type=int, default=128, help="default 128")
    add("--operation", choices=("encrypt", "decrypt"), default="encrypt")
    add("--method", choices=("bulk", "chained", "setup"), default="bulk")
    add("--seconds", type=float, default=1.0, help="for each figure (default 1)")
    add("--rounds", type=int, default=25, help="turns that these are taken in (default 25)")
    add("--cpu", type=int, help="run on this processor only")
    add("--peers-only", action="store_true", help="leave Finalist's own programs out")
    add("--vectors", type=Path, help="folder of vectors (default: those of the package)")
    add("--json", type=Path, metavar="FILE", help="write all figures there, too")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison; 1 if a candidate disagreed with the vectors, 2 if it couldn't be run."""
    options, console = parse(arguments), Console()
    try:
        if options.json and not options.json.resolve().parent.is_dir():
            raise FinalistError(f"--json {options.json}: expected a file in an existing folder")
        if options.cpu is not None:
            os.sched_setaffinity(0, {options.cpu})
        report = compare(options, console)
        show(report, options, console)
        if options.json:
            save(report, options, options.json)
    except (FinalistError, OSError) as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return 2
    return 1 if report.disagreed else 0


if __name__ == "__main__":
    sys.exit(main())
