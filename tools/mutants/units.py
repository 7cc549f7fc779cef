"""``python -m tools.mutants.units``: run units of checks one after the other, each in a process of its own.

They are forked from this process, which has imported what all need and nothing of what may have a fault: what
a unit has memoized, no other one finds. Standard input: a document with ``units`` (names, and the seconds of
the processor's time that each may take), ``hits`` (a folder where probes note what they met, or empty) and
``stop`` (whether the first one that fails is the last). Standard output: a line for each.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

#: The variable with the file that probes write to.
HITS = "FINALIST_HITS"
#: What a unit of emitted texts begins with; the kind of machine and the cipher follow.
TEXTS = "texts"
#: Imported once for all units.
_SHARED = ("numpy", "pytest", "rich.console", "typer")
#: Seconds that a unit may take by the clock, where it waits for something.
_PATIENCE = 900


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of a unit: whether it passed, and the seconds of the processor's time that it took."""

    unit: str
    passed: bool
    seconds: float


def run(unit: str, limit: float, hits: str = "") -> Outcome:
    """Run one unit; ``limit``: seconds of the processor's time."""
    child = os.fork()
    if not child:
        os.environ[HITS] = hits
        try:
            os._exit(_limited(unit, limit))
        finally:
            os._exit(1)
    _, status, used = os.wait4(child, 0)
    return Outcome(unit, status == 0, used.ru_utime + used.ru_stime)


def _limited(unit: str, limit: float) -> int:
    seconds = int(limit) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    signal.alarm(_PATIENCE)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    return _check(unit)


def _check(unit: str) -> int:
    if unit.partition(" ")[0] == TEXTS:
        from tools.mutants.checks import texts

        os.environ["CC"] = "none-for-replay"
        return int(any(case.digest() != digest for case, digest in texts()[unit].items()))
    import pytest

    code = pytest.main(["-q", "-x", "-n0", "-p", "no:cacheprovider", "-m", "not check", unit])
    # All tests of a unit may be of the second tier: nothing was asked then, and nothing is found.
    return int(code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED))


def outcomes(wanted: dict[str, float], hits: str, stop: bool) -> Iterator[Outcome]:
    """Each unit's, in order."""
    for number, (unit, limit) in enumerate(wanted.items()):
        outcome = run(unit, limit, str(Path(hits) / str(number)) if hits else "")
        yield outcome
        if stop and not outcome.passed:
            return


def main() -> None:
    """As above."""
    given = json.load(sys.stdin)
    for name in _SHARED:
        importlib.import_module(name)
    for one in outcomes(given["units"], given["hits"], given["stop"]):
        print(json.dumps([one.unit, one.passed, one.seconds]), flush=True)


if __name__ == "__main__":
    main()
