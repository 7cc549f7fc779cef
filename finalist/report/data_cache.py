"""The sheets of `finalist paper ptlu` about a data cache: what the paper's perfect memory leaves out."""

from __future__ import annotations

from dataclasses import dataclass

from finalist.isa.target.data_cache import DataCache
from finalist.papers import ptlu
from finalist.papers.load import notes_on
from finalist.papers.ptlu import Row
from finalist.report.sheets import Row as Cells
from finalist.report.sheets import Sheet

#: The smallest first.
CACHES = tuple(DataCache(size, line=32, ways=2, penalty=20) for size in (4096, 8192, 16384))


@dataclass(frozen=True, slots=True)
class Kind:
    """A machine that the caches are put before. ``parameters``: of the machine."""

    title: str
    parameters: str


BASE = Kind("A data cache: base machine", "")
PARALLEL = Kind("A data cache: parallel lookup", f"word={ptlu.WORDS[-1]},with=ptlu")


def sheet(kind: Kind) -> Sheet:
    """For each cipher of the paper's table 3 what caches of several sizes make of its cycles."""
    rows = {name: ptlu.rows()[entry["row"]] for name, entry in notes_on("ptlu")["profiles"].items()}
    header = ["cipher", "cycles"]
    for cache in CACHES:
        header += [f"{cache.size // 1024} KiB: misses", f"{cache.size // 1024} KiB: times"]
    one = CACHES[0]
    note = (
        f"{kind.parameters or 'The base machine'}: cycles a block with all data there in a cycle; behind a"
        f" cache of lines of {one.line} bytes, {one.ways} a set, that takes {one.penalty} cycles to bring one"
        f" (`cache={one}`),"
        " how many table lookups of a block miss, and how many times the cycles it takes with all misses,"
        " those of key and data too. Of 64 calls on random blocks that have gone through before."
    )
    cells = tuple(_cells(name, row, kind) for name, row in rows.items())
    return Sheet(kind.title, tuple(header), cells, len(header) - 1, note)


def _cells(name: str, row: Row, kind: Kind) -> Cells:
    perfect = ptlu.cycles(row, kind.parameters)
    shown = [name, f"{perfect:g}"]
    for cache in CACHES:
        found = ptlu.cached(row, cache, kind.parameters)
        shown += [f"{found.misses:.1f}", f"{found.cycles / perfect:.2f}"]
    return tuple(shown)
