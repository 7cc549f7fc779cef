"""Which of several processes' figures are given."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest

from finalist.export.figures import processes
from finalist.export.figures.compared import LIBRARY, RUN, Cell
from finalist.export.figures.processes import Figure, least
from finalist.workers import WorkersError

BULK, SETUP = Cell("ECB", 16384), Cell("key set-up, one block")


def figure(cell: Cell, name: str, ticks: float, times: float | None = 1.0) -> Figure:
    unit = "per byte" if cell is BULK else "per call"
    return Figure(cell, name, "blocks=1", ticks, ticks, unit, "rdtsc", 1.0, times)


def test_bulk_is_the_least_of_all_processes() -> None:
    taken = [[figure(BULK, RUN, ticks), figure(BULK, LIBRARY, 9 - ticks)] for ticks in (3.0, 2.0, 4.0)]
    assert [(one.name, one.ticks) for one in least(taken)] == [(RUN, 2.0), (LIBRARY, 5.0)]


def test_differences_of_minima_are_the_median() -> None:
    taken = [[figure(SETUP, RUN, ticks)] for ticks in (3.0, 90.0, 4.0)]
    assert [one.ticks for one in least(taken)] == [4.0]


def test_ratios_are_the_median_whatever_the_times() -> None:
    taken = [[figure(BULK, LIBRARY, 1.0, times)] for times in (1.5, None, 1.01, 1.02)]
    assert [one.times_run for one in least(taken)] == [1.02]


def _killed(cipher: str, key_bits: int, folder: Path, copies: Path) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_ends_is_an_error_that_names_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_taken", _killed)
    with pytest.raises(WorkersError, match=f"measured rc6 in {re.escape(str(tmp_path))} ended"):
        next(processes.measured("rc6", 128, tmp_path))


def test_what_is_too_short_for_the_clock_has_no_ratio() -> None:
    assert least([[figure(SETUP, RUN, 0.0, None)]])[0].times_run is None


def _listed(cipher: str, key_bits: int, folder: Path, copies: Path) -> list[Figure]:
    """One more file is left in ``copies``; all that are there, as names of figures."""
    (copies / str(os.getpid())).touch()
    return [figure(BULK, str(path), 1.0) for path in copies.iterdir()]


def test_copies_of_libraries_last_until_all_processes_are_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_taken", _listed)
    monkeypatch.setattr(processes, "PROCESSES", 3)
    seen = list(processes.measured("rc6", 128, tmp_path))
    assert [len(there) for there in seen] == [1, 2, 3]
    assert not any(Path(one.name).parent.exists() for one in seen[-1])
