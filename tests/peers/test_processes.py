"""Comparisons by several processes: real ones, one at a time, each with code and figures of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.peers import figures, library, processes
from finalist.peers.field import Field
from finalist.peers.figures import Kept
from finalist.peers.grid import Cell, cells
from finalist.peers.interface import PeersError
from finalist.toolchain import compiler

pytestmark = pytest.mark.skipif(not compiler.available(), reason="needs a C compiler")
DES = cipher("des")


def test_a_cell_is_measured_once_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell("des", 64, "C", "ECB", 16)
    if cell not in cells(Field(DES, 64, library.library())):
        pytest.skip(f"no other library with DES is here: {library.how_to_install()}")
    monkeypatch.setenv("FINALIST_PEERS", str(tmp_path / "peers.jsonl"))
    monkeypatch.setattr(processes, "PROCESSES", 2)
    kept: Kept = {}
    assert list(processes.measured(DES, [cell], "here", kept)) == [cell, cell]
    assert kept == figures.known("here") and list(kept[cell]) == [0, 1]
    first, second = kept[cell].values()
    assert first[0].name == second[0].name == "Finalist" and len(first) == len(second) > 1
    assert list(processes.measured(DES, [cell], "here", kept)) == [cell, cell]
    assert kept == figures.known("here")


def test_fewer_processes_take_long_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_by_one", lambda name, cells, *others: iter(cells))
    short, long = (Cell("des", 64, "C", "ECB", size) for size in (1 << 20, 1 << 25))
    assert list(processes.measured(DES, [short, long], "here", {})) == [
        short,
        long,
        short,
        long,
        *[short] * 3,
    ]


def test_a_process_that_ends_is_named_with_what_it_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FINALIST_PEERS", str(tmp_path / "peers.jsonl"))
    monkeypatch.setattr(processes, "_taken", _ended)
    monkeypatch.setattr(processes.workers, "processes", lambda at_once: ThreadPoolExecutor(at_once))
    cell = Cell("des", 64, "C", "ECB", 16)
    with pytest.raises(PeersError, match=r"des, 64-bit key, C, ECB, 16 bytes: the process .* has ended"):
        list(processes.measured(DES, [cell], "here", {}))
    assert not figures.known("here")


def _ended(*arguments: object) -> None:
    raise BrokenProcessPool
