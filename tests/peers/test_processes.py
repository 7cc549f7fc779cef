"""Comparisons by several processes: real ones, one at a time, each with code and figures of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.peers import figures, library, processes
from finalist.peers.field import Field
from finalist.peers.figures import Figure, Kept
from finalist.peers.grid import Cell, cells
from finalist.workers import WorkersError
from tests.marks import needs_compiler
from tests.peers.test_command import figure

pytestmark = needs_compiler
DES = cipher("des")


def test_a_cell_is_measured_once_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell("des", 64, "C", "ECB", 16)
    if cell not in cells(Field(DES, 64, library.library())):
        pytest.skip(f"no other library with DES is here: {library.how_to_install()}")
    monkeypatch.setenv("FINALIST_PEERS", str(tmp_path / "peers.jsonl"))
    monkeypatch.setattr(processes, "PROCESSES", 2)
    kept: Kept = {}
    for work in processes.measuring(DES, [cell], "here", kept):
        assert work.alone(cell)
        list(work.run())
    assert kept == figures.known("here") and list(kept[cell]) == [0, 1]
    first, second = kept[cell].values()
    assert first[0].name == second[0].name == "Finalist" and len(first) == len(second) > 1
    again = list(processes.measuring(DES, [cell], "here", kept))
    assert len(again) == 2 and not any(work.left for work in again)


def test_all_processes_take_messages_of_all_lengths() -> None:
    every = [Cell("des", 64, "C", "ECB", size) for size in (16, 1 << 20, 1 << 25)]
    assert [work.left for work in processes.measuring(DES, every, "here", {})] == [every] * 5


def test_a_process_that_ends_is_named_with_what_it_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a fault in a library."""
    monkeypatch.setenv("FINALIST_PEERS", str(tmp_path / "peers.jsonl"))
    monkeypatch.setattr(processes, "_taken", _ended)
    cell = Cell("des", 64, "C", "ECB", 16)
    work = next(processes.measuring(DES, [cell], "here", {}))
    with pytest.raises(WorkersError, match=r"ended 3 times .* such as des 64, C, ECB, 16 bytes$"):
        list(work.run())
    assert not figures.known("here")


def _ended(*arguments: object) -> None:
    os._exit(1)


def _listed(name: str, process: int, place: str, copies: Path, cell: Cell) -> list[Figure]:
    """One more file is left in ``copies``; all that are there, as names of figures."""
    (copies / str(process)).touch()
    return [figure(cell, str(path), 1.0, process) for path in copies.iterdir()]


def test_copies_of_libraries_last_until_all_processes_are_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_taken", _listed)
    monkeypatch.setattr(processes, "_keep", lambda *arguments: None)
    monkeypatch.setattr(processes, "PROCESSES", 3)
    cell = Cell("des", 64, "C", "ECB", 16)
    seen = [taken for work in processes.measuring(DES, [cell], "here", {}) for _, taken in work.run()]
    assert [len(there) for there in seen] == [1, 2, 3]
    assert not any(Path(one.name).parent.exists() for one in seen[-1])
