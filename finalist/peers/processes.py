"""The comparisons of a cipher, each taken in several processes.

Where a process has its code, stack and tables is drawn by chance (address randomisation), and some programs
are a tenth quicker in one process than in another, at every size, with hardly any spread inside of each.
Turns within a process don't see that; so each figure is the least of several processes, everybody's alike.
Of messages beyond the cache, where memory counts more than code, fewer do.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool

from finalist import workers
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.language.cipher import Cipher
from finalist.peers import figures
from finalist.peers.field import Field
from finalist.peers.figures import LONG, Figure, Kept
from finalist.peers.grid import Cell, Grid
from finalist.peers.interface import PeersError
from finalist.peers.library import library

#: Processes that each comparison is taken in; of long messages, how many.
PROCESSES, PROCESSES_OF_LONG = 5, 2


def processes_of(cell: Cell) -> int:
    """How many processes take a comparison."""
    return PROCESSES_OF_LONG if cell.data_bytes > LONG else PROCESSES


def measured(definition: type[Cipher], cells: Sequence[Cell], place: str, kept: Kept) -> Iterator[Cell]:
    """Take the comparisons that ``kept`` lacks, in one process after the other; add them to it and the file.

    Each cell is given once a process, before it is taken. Raises what `finalist.peers.grid.Grid.entries` and
    `finalist.peers.figures.append` do, and PeersError where a process ends.
    """
    name = definition.source or definition.name()
    for process in range(PROCESSES):
        own = [cell for cell in cells if process < processes_of(cell)]
        missing = [cell for cell in own if process not in kept.get(cell, {})]
        yield from (cell for cell in own if cell not in missing)
        if missing:
            yield from _by_one(name, missing, process, place, kept)


def _by_one(name: str, cells: Sequence[Cell], process: int, place: str, kept: Kept) -> Iterator[Cell]:
    with workers.processes(at_once=1) as pool:
        try:
            for cell in cells:
                yield cell
                taken = _result(pool.submit(_taken, name, cell, process, place), cell)
                figures.append(taken)
                kept.setdefault(cell, {})[process] = taken
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _result(taken: Future[list[Figure]], cell: Cell) -> list[Figure]:
    try:
        return taken.result()
    except BrokenProcessPool as error:
        what = (
            f"{cell.cipher}, {cell.key_bits}-bit key, {cell.level}, {cell.quantity}, {cell.data_bytes} bytes"
        )
        raise PeersError(
            f"{what}: the process that measured it has ended, perhaps by a fault in a library; what was"
            " measured before is kept"
        ) from error


def _taken(name: str, cell: Cell, process: int, place: str) -> list[Figure]:
    """In the process: the figures of a cell."""
    return figures.taken(cell, _grid(name, cell.key_bits).entries(cell), place, process)


@functools.cache
def _grid(name: str, key_bits: int) -> Grid:
    return Grid(Field(find_cipher(name), key_bits, library()))
