"""``python -m tools.mutants``: plant random faults, one at a time, and see whether tests find them.

A fault is found if a test of the module that has it fails, or one of the modules beside it, or a quick test
of whole programs on any kind of machine, or if an emitted text changes that is compared with every commit, or
if any of these takes far too long. Each that was not found is named: a test is missing, or it changes
nothing. What is known to change nothing stands in ``equivalent.txt`` with its reason, and is not counted.

A run that was stopped goes on where it was: what was found is noted for these files of Finalist. What
survived is tried again, since tests may have come.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import SimpleQueue

from finalist.cache.notes import note, noted
from tools.mutants.draw import ROOT, Mutant, mutants
from tools.mutants.equivalent import FILE, equivalents

FOLDERS = ("ir", "language", "passes", "isa")
#: Quick tests of whole programs: what a fault in any module should show in.
WHOLE = ("tests/test_whole_programs.py", "tests/processors")
_NOT_COPIED = (".git", ".venv", "build", "__pycache__", "*.egg-info", ".*_cache")
_PYTEST = ("pytest", "-q", "-x", "-n0", "-p", "no:cacheprovider")
#: Seconds that the tests of a module may take with a fault, or emitted texts; without one it is a minute.
LIMIT = 600
#: The kind of note that says that a fault was found.
_NOTED = "mutant"


def own_tests(path: str) -> list[str]:
    """The test files that mirror a module; none where there is no such file."""
    mirror = _folder(path) / f"test_{Path(path).name}"
    return [str(mirror)] if (ROOT / mirror).exists() else []


def neighbours(path: str) -> list[str]:
    """The other test files of the folder that mirrors a module's: what it is there for, they use."""
    own = own_tests(path)
    files = sorted(str(_folder(path) / file.name) for file in (ROOT / _folder(path)).glob("test_*.py"))
    return [file for file in files if file not in own]


def _folder(path: str) -> Path:
    return Path("tests") / Path(path).relative_to("finalist").parent


class Copies:
    """Copies of the repository, each for one fault at a time."""

    def __init__(self, folder: Path, count: int) -> None:
        self._free: SimpleQueue[Path] = SimpleQueue()
        for number in range(count):
            copy = folder / str(number)
            shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*_NOT_COPIED))
            self._free.put(copy)

    def survives(self, mutant: Mutant) -> bool:
        """Whether all tests pass with the fault."""
        copy = self._free.get()
        path = copy / mutant.path
        source = path.read_text("utf-8")
        try:
            path.write_text(mutant.fault.planted(source), "utf-8")
            return all(_passes(copy, *check) for check in checks(mutant.path))
        finally:
            path.write_text(source, "utf-8")
            self._free.put(copy)


def checks(path: str) -> Iterator[tuple[str, ...]]:
    """What a fault in a module is to be found by, the quickest first: modules of Python and arguments."""
    for files in (own_tests(path), neighbours(path)):
        if files:
            yield *_PYTEST, *files
    yield *_PYTEST, *WHOLE
    yield ("tests.replay",)


def _passes(copy: Path, *module: str) -> bool:
    command = [sys.executable, "-B", "-m", *module]
    variables = {**os.environ, "PYTHONPATH": str(copy), "FINALIST_CACHE": str(copy / ".cache-of-mutants")}
    try:
        done = subprocess.run(command, cwd=copy, env=variables, capture_output=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def survivors(wanted: Sequence[Mutant], at_once: int) -> Iterator[tuple[Mutant, bool]]:
    """Each fault as soon as it is known whether it survives; those that an earlier run found come first."""
    found = [mutant for mutant in wanted if noted(_NOTED, mutant.about)]
    yield from ((mutant, False) for mutant in found)
    wanted = [mutant for mutant in wanted if mutant not in set(found)]
    with tempfile.TemporaryDirectory(prefix="finalist-mutants-") as folder:
        copies = Copies(Path(folder), at_once)
        with ThreadPoolExecutor(at_once) as pool:
            jobs = {pool.submit(copies.survives, mutant): mutant for mutant in wanted}
            for job in as_completed(jobs):
                if not job.result():
                    note(_NOTED, jobs[job].about, lambda: True)
                yield jobs[job], job.result()


def main(arguments: Sequence[str] | None = None) -> int:
    """0 where at least nine in ten of those that change something are found, else 1."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("folder", nargs="*", default=FOLDERS, help="folders or files of finalist/")
    parser.add_argument("-n", type=int, default=200, help="how many faults")
    parser.add_argument("--seed", type=int, default=1, help="which of them")
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
    alive = _tried(wanted)
    print(summary(len(wanted) - alive, len(wanted), len(drawn) - len(wanted)))
    return int(alive * 10 > len(wanted))


def _tried(wanted: Sequence[Mutant]) -> int:
    """How many survive, each named as soon as it is known."""
    alive = 0
    for number, (mutant, survives) in enumerate(survivors(wanted, os.cpu_count() or 1), start=1):
        alive += survives
        if survives:
            print(f"alive: {mutant}", flush=True)
        print(f"{number} of {len(wanted)}, {alive} alive", file=sys.stderr, flush=True)
    return alive


def summary(found: int, wanted: int, equivalent: int) -> str:
    """The last line; what changes nothing is in neither of the first two."""
    return f"{found} of {wanted} found" + (f", {equivalent} change nothing" if equivalent else "")


if __name__ == "__main__":
    sys.exit(main())
