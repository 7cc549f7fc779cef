"""The comparisons of a cipher, each taken in several processes.

Where a process has its code, stack and tables is drawn by chance (address randomisation, and the pages of
memory that a copy of a file gets), and some programs are a tenth quicker in one process than in another, at
every size, with hardly any spread inside of each.
Turns within a process don't see that; so each figure is the least of several processes, everybody's alike,
and a ratio of two is the median of theirs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.language.cipher import Cipher
from finalist.peers import figures
from finalist.peers.field import Field
from finalist.peers.figures import Figure, Kept
from finalist.peers.grid import Cell, Grid
from finalist.peers.library import library
from finalist.resumable import Resumable
from finalist.toolchain.loading import from_copies

#: Processes that each comparison is taken in.
PROCESSES = 5


def measuring(
    definition: type[Cipher], cells: Sequence[Cell], place: str, kept: Kept
) -> Iterator[Resumable[Cell, list[Figure]]]:
    """The comparisons of each process; what is taken is added to ``kept`` and to the file.

    To be run in this order, each before the next is asked for: where they leave copies of libraries lasts as
    long as this iterator. They raise what `finalist.peers.grid.Grid.entries` and
    `finalist.peers.figures.append` do, and WorkersError where processes end, perhaps by a library's fault.
    """
    name = definition.source or definition.name()
    with tempfile.TemporaryDirectory(prefix="finalist-loaded-") as copies:
        for process in range(PROCESSES):
            yield Resumable(
                partial(_taken, name, process, place, Path(copies)),
                list(cells),
                known={cell: own[process] for cell, own in kept.items() if process in own},
                keep=partial(_keep, kept, process),
                alone=lambda _: True,
            )


def _keep(kept: Kept, process: int, cell: Cell, taken: list[Figure]) -> None:
    figures.append(taken)
    kept.setdefault(cell, {})[process] = taken


def _taken(name: str, process: int, place: str, copies: Path, cell: Cell) -> list[Figure]:
    """In the process, which leaves its copies of libraries in ``copies``: the figures of a cell."""
    return figures.taken(cell, _grid(name, cell.key_bits, copies).entries(cell), place, process)


@cache
def _grid(name: str, key_bits: int, copies: Path) -> Grid:
    from_copies(copies)
    return Grid(Field(find_cipher(name), key_bits, library()))
