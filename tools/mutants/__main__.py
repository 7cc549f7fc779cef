"""``python -m tools.mutants``: plant random faults, one at a time, and see whether tests find them.

A fault is found if a test of the module that has it fails, or one of the modules beside it, or a quick test
of whole programs on any kind of machine, or if an emitted text changes that is compared with every commit, or
if any of these takes far too long. Each that was not found is named: a test is missing, or it changes
nothing. What is known to change nothing stands in ``equivalent.txt`` with its reason, and is not counted.

Of all these checks, only those are run for a fault that come to its place and compute something else there
(`tools.mutants.reach`). A run that was stopped goes on where it was: what was found is noted for these files
of Finalist. What survived is tried again, since tests may have come.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import SimpleQueue

from finalist.cache.notes import note, noted
from tools.mutants.checks import stages
from tools.mutants.copies import copied, run_units
from tools.mutants.draw import Mutant, mutants
from tools.mutants.equivalent import FILE, equivalents
from tools.mutants.reach import Reach, reached

FOLDERS = ("ir", "language", "passes", "isa")
#: The kind of note that says by what a fault was found.
_NOTED = "found-fault"


class Copies:
    """Copies of the repository, each for one fault at a time."""

    def __init__(self, folder: Path, count: int) -> None:
        self._free: SimpleQueue[Path] = SimpleQueue()
        for number in range(count):
            self._free.put(copied(folder / str(number)))

    def found_by(self, mutant: Mutant, reach: Mapping[str, Reach]) -> str:
        """The stage of checks that finds the fault; empty if it survives all."""
        copy = self._free.get()
        path = copy / mutant.path
        source = path.read_text("utf-8")
        try:
            path.write_text(mutant.fault.planted(source), "utf-8")
            return next((stage for stage, units in limits(mutant, reach) if _finds(copy, units)), "")
        finally:
            path.write_text(source, "utf-8")
            self._free.put(copy)


def limits(mutant: Mutant, reach: Mapping[str, Reach]) -> Iterator[tuple[str, dict[str, float]]]:
    """By stages the units that may find a fault, the quickest first, with the seconds that each may take."""
    for stage, units in stages(mutant.path):
        yield (
            stage,
            {unit: one.limit for unit, one in reach.items() if unit in units and mutant in one.faults},
        )


def _finds(copy: Path, units: Mapping[str, float]) -> bool:
    return bool(units) and not all(one.passed for one in run_units(copy, units, stop=True))


def tried(wanted: Sequence[Mutant], at_once: int, quick: bool) -> Iterator[tuple[Mutant, str]]:
    """Each fault and the stage that finds it, as soon as it is known; those found earlier come first."""
    found = [mutant for mutant in wanted if noted(_NOTED, mutant.about)]
    yield from ((mutant, note(_NOTED, mutant.about, str)) for mutant in found)
    left = [mutant for mutant in wanted if mutant not in set(found)]
    reach = reached(wanted, quick=quick) if left else {}
    with tempfile.TemporaryDirectory(prefix="finalist-mutants-") as folder:
        copies = Copies(Path(folder), at_once if left else 0)
        with ThreadPoolExecutor(at_once) as pool:
            jobs = {pool.submit(copies.found_by, mutant, reach): mutant for mutant in left}
            for job in as_completed(jobs):
                if job.result():
                    note(_NOTED, jobs[job].about, job.result)
                yield jobs[job], job.result()


def main(arguments: Sequence[str] | None = None) -> int:
    """0 where at least nine in ten of those that change something are found, else 1."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("folder", nargs="*", default=FOLDERS, help="folders or files of finalist/")
    parser.add_argument("-n", type=int, default=200, help="how many faults")
    parser.add_argument("--seed", type=int, default=1, help="which of them")
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 1, help="how many at a time")
    parser.add_argument("--quick", action="store_true", help="compare no emitted texts, which take longest")
    parser.add_argument("--list", action="store_true", help="only name the faults")
    chosen = parser.parse_args(arguments)
    drawn = mutants(chosen.folder, chosen.n, chosen.seed)
    if chosen.list:
        print(*drawn, sep="\n")
        return 0
    reasons = equivalents(FILE.read_text("utf-8"))
    wanted = [mutant for mutant in drawn if mutant not in reasons]
    for mutant in drawn:
        if mutant in reasons:
            print(f"changes nothing: {mutant}: {reasons[mutant]}", flush=True)
    found = _told(wanted, chosen.at_once, chosen.quick)
    print(*(f"{count:4} by {stage}" for stage, count in found.items()), sep="\n")
    print(summary(found.total(), len(wanted), len(drawn) - len(wanted)))
    return int((len(wanted) - found.total()) * 10 > len(wanted))


def _told(wanted: Sequence[Mutant], at_once: int, quick: bool) -> Counter[str]:
    """How many each stage finds; those that survive are named as soon as it is known."""
    found, alive = Counter[str](), 0
    for number, (mutant, stage) in enumerate(tried(wanted, at_once, quick), start=1):
        if stage:
            found[stage] += 1
        else:
            alive += 1
            print(f"alive: {mutant}", flush=True)
        print(f"{number} of {len(wanted)}, {alive} alive", file=sys.stderr, flush=True)
    return found


def summary(found: int, wanted: int, equivalent: int) -> str:
    """The last line; what changes nothing is in neither of the first two."""
    return f"{found} of {wanted} found" + (f", {equivalent} change nothing" if equivalent else "")


if __name__ == "__main__":
    sys.exit(main())
