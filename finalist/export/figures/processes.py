"""Comparisons taken in several processes, for where a process has its code and stack is drawn by chance; each
loads copies of the libraries, since the pages of a file are drawn once for all processes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from finalist import workers
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.export.figures.built import built_in
from finalist.export.figures.compared import Cell, Compared
from finalist.measure.turns import in_turns, merged, times_of_first
from finalist.toolchain.loading import from_copies

#: Processes that each comparison is taken in. One in ten runs a loop of 25 KB a fifth slower, for the pages
#: that its code was given; the median of five processes was at times one of those.
PROCESSES = 9
#: Time for one figure in each, in seconds, and the samples that are taken within it.
SECONDS, TURNS = 0.05, 25


@dataclass(frozen=True)
class Figure:
    """One figure: of ``name``, by the programs ``about``; core cycles per byte, block or call, as ``clock``,
    of which one took ``ticks_per_cycle``, has them; how many times what Finalist runs takes beside it."""

    cell: Cell
    name: str
    about: str
    ticks: float
    core_cycles: float
    unit: str
    clock: str
    ticks_per_cycle: float
    times_run: float | None


def measured(cipher: str, key_bits: int, folder: Path) -> Iterator[list[Figure]]:
    """The comparisons of a cipher as each process takes them. Raises as `Compared` and `built_in`, and
    WorkersError where a process ends, perhaps by the library's fault."""
    with tempfile.TemporaryDirectory(prefix="finalist-loaded-") as copies:
        for _ in range(PROCESSES):
            with workers.processes(at_once=1) as pool:
                try:
                    taken = pool.submit(_taken, cipher, key_bits, folder, Path(copies)).result()
                except BrokenExecutor as error:
                    raise workers.WorkersError(
                        f"a process that measured {cipher} in {folder} ended before it was done"
                    ) from error
            yield taken


def _taken(cipher: str, key_bits: int, folder: Path, copies: Path) -> list[Figure]:
    """In the process, which leaves its copies of libraries in ``copies``."""
    from_copies(copies)
    compared, found = Compared(find_cipher(cipher), key_bits, built_in(folder)), []
    for cell in compared.cells():
        entries = compared.entries(cell)
        turns = in_turns([one.measurer for one in entries], seconds=SECONDS, rounds=TURNS)
        for entry, figure, times in zip(entries, map(merged, turns), times_of_first(turns), strict=True):
            taken = (figure.ticks, figure.core_cycles, figure.unit, figure.clock, figure.ticks_per_cycle)
            found.append(Figure(cell, entry.name, entry.about, *taken, times))
    return found


def least(taken: Iterable[list[Figure]]) -> list[Figure]:
    """Of each figure the least of all processes; of differences of two minima, and of ratios, the median."""
    same: dict[tuple[Cell, str], list[Figure]] = {}
    for figures in taken:
        for one in figures:
            same.setdefault((one.cell, one.name), []).append(one)
    return [_least(own) for own in same.values()]


def _least(own: list[Figure]) -> Figure:
    told = [one.times_run for one in own if one.times_run is not None]
    return replace(_chosen(own), times_run=median(told) if told else None)


def _chosen(own: list[Figure]) -> Figure:
    if own[0].unit != "per call":
        return min(own, key=lambda one: one.ticks)
    middle = median(one.ticks for one in own)
    return min(own, key=lambda one: abs(one.ticks - middle))
