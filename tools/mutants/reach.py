"""Which units of checks come to a fault's place and make a difference there, and how long each takes.

Found once for a sample, in a copy of the repository that has a probe at each fault, and noted for each unit
for as long as its file, the package and the sample stay.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from finalist.cache.notes import note, noted
from tools.mutants import probes
from tools.mutants.checks import stages
from tools.mutants.copies import copied, run_units
from tools.mutants.draw import ROOT, Mutant
from tools.mutants.units import TEXTS

#: The kind of note of what a unit reaches.
_NOTED = "reach"
#: Seconds of the processor's time that a unit may take without a fault.
_LONGEST = 600.0


@dataclass(frozen=True, slots=True)
class Reach:
    """Of a unit: the faults that it may find, and its seconds of the processor's time without any."""

    faults: frozenset[Mutant]
    seconds: float

    @property
    def limit(self) -> float:
        """Seconds that it may take with a fault: a fault that makes it take far longer is found."""
        return 10 + 5 * self.seconds


def reached(wanted: Sequence[Mutant], *, quick: bool = False) -> dict[str, Reach]:
    """For each unit that may find one of these faults, which, the quickest unit first.

    ``quick``: emitted texts are left out.
    """
    named = (names for path in _paths(wanted) for _, names in stages(path, quick=quick))
    units = dict.fromkeys(unit for names in named for unit in names)
    about = {unit: (unit, _digest(unit), _sample(wanted)) for unit in units}
    missing = [unit for unit in units if not noted(_NOTED, about[unit])]
    for unit, met, seconds in _met(missing, wanted):
        note(_NOTED, about[unit], partial(list, (met, seconds)))
    found = {unit: note(_NOTED, about[unit], lambda: None) for unit in units}
    reach = {
        unit: Reach(frozenset(wanted[k] for k in met), seconds) for unit, (met, seconds) in found.items()
    }
    return dict(sorted(reach.items(), key=lambda one: one[1].seconds))


def probed_copy(folder: Path, wanted: Sequence[Mutant]) -> Path:
    """A copy with a probe at each fault, by its number among those wanted."""
    copy = copied(folder / "copy")
    probes.plant(copy / "finalist")
    for path in _paths(wanted):
        file = copy / path
        here = {number: one.fault for number, one in enumerate(wanted) if one.path == path}
        file.write_text(probes.probed(file.read_text("utf-8"), here), "utf-8")
    return copy


def _met(units: Sequence[str], wanted: Sequence[Mutant]) -> Iterator[tuple[str, list[int], float]]:
    """Of each unit the numbers of the faults that it meets, and seconds.

    All faults where the unit fails: probes are lines of code that it may not expect. Raises RuntimeError
    where it fails without them as well: whatever the fault, it would seem to be found.
    """
    if not units:
        return
    with tempfile.TemporaryDirectory(prefix="finalist-probes-") as folder:
        copy, hits = probed_copy(Path(folder), wanted), Path(folder) / "hits"
        plain = copied(Path(folder) / "plain")
        hits.mkdir()
        for place, one in enumerate(run_units(copy, dict.fromkeys(units, _LONGEST), str(hits))):
            file = hits / str(place)
            numbers = {int(line) for line in file.read_text("ascii").split()} if file.exists() else set()
            if not one.passed and not all(again.passed for again in run_units(plain, {one.unit: _LONGEST})):
                raise RuntimeError(f"fails without any fault: {one.unit}")
            yield one.unit, sorted(numbers) if one.passed else list(range(len(wanted))), one.seconds


def _paths(wanted: Iterable[Mutant]) -> list[str]:
    return sorted({one.path for one in wanted})


def _digest(unit: str) -> str:
    """Of the file that a unit is in: with another one it may reach something else."""
    if unit.partition(" ")[0] == TEXTS:
        return ""
    return hashlib.sha256((ROOT / unit.partition("::")[0]).read_bytes()).hexdigest()


def _sample(wanted: Sequence[Mutant]) -> str:
    return hashlib.sha256(repr([one.about for one in wanted]).encode()).hexdigest()
