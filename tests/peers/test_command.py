"""``--against peers``: what is refused, what a run shows and keeps, and that it goes on where it was."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from finalist import workers
from finalist.cli import app
from finalist.cli import peers as command
from finalist.machines.registry import machine_names
from finalist.peers import figures, library, processes
from finalist.peers.figures import Figure
from finalist.peers.grid import Cell
from finalist.tuning.search import place_of
from tests.marks import needs_compiler

pytestmark = needs_compiler


@pytest.fixture(autouse=True)
def own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FINALIST_PEERS", str(tmp_path / "peers.jsonl"))
    monkeypatch.setenv("FINALIST_TUNING", str(tmp_path / "tuning.jsonl"))


def refused(*arguments: str) -> str:
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 2 and not done.stdout
    return done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("bench", "rc6", "--against", "friends"), "--against friends; accepted: peers"),
        (("bench", "rc6", "--at", "64"), "--at goes with --against peers"),
        (("bench", "rc6", "--against", "peers", "--at", "17"), "--at 17; accepted: 16, 64, 256"),
        (("verify", "rc6", "--against", "friends"), "--against friends; accepted: peers"),
        (("bench", "rc6", "--against", "peers", "-s", "blocks=1"), "-s can't be had with --against peers"),
        (("bench", "rc6", "--against", "peers", "--mode", "ctr"), "--mode can't be had"),
        (("verify", "rc6", "--against", "peers", "--all-schedules"), "--all-schedules can't be had"),
        (("bench", "rc6", "--again"), "--again and -o go with --against peers"),
        (("verify", "rc6", "--blocks", "5"), "--blocks goes with --against peers"),
    ],
)
def test_what_says_nothing_is_refused(arguments: tuple[str, ...], said: str) -> None:
    assert said in refused(*arguments)


def test_a_cipher_that_no_library_has_is_refused() -> None:
    if library.library() is None:
        pytest.skip(f"no other library is here: {library.how_to_install()}")
    assert "magenta is in no library here; accepted: " in refused("bench", "magenta", "--against", "peers")


def test_nobody_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "library", lambda: None)
    monkeypatch.setattr(command.python, "packages", tuple)
    assert "install.sh" in refused("bench", "rc6", "--against", "peers")


class _Threads(ThreadPoolExecutor):
    """In place of processes."""

    def end(self) -> None:
        self.shutdown(cancel_futures=True)


# -- a run on a grid of two cells --------------------------------------------------------------------------

CELLS = [Cell("des", 64, "C", "ECB", size) for size in (16, 64)]


def figure(cell: Cell, name: str, ticks: float, process: int) -> Figure:

    made = Figure(
        *(cell.cipher, cell.key_bits, cell.level, cell.quantity, cell.data_bytes, name, "a call", ""),
        *(
            ticks,
            ticks,
            "per byte",
            0.0,
            place_of(machine_names()[0]),
            figures.bench.commit(),
            "2026",
            process,
            ticks / 2.0,
        ),
    )
    return replace(made, schedule="blocks=1" if name == "Finalist" else "")


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, Cell]]:
    """The processes and cells measured; what a measurement gives is made up, and nothing is tuned."""
    if library.library() is None:
        pytest.skip(f"no other library is here: {library.how_to_install()}")
    asked: list[tuple[int, Cell]] = []

    def take(name: str, process: int, place: str, copies: Path, cell: Cell) -> list[Figure]:
        asked.append((process, cell))
        other = 3.0 if cell.data_bytes == 16 else 1.0
        return [figure(cell, "Finalist", 2.0 + process, process), figure(cell, "toy 1", other, process)]

    monkeypatch.setattr(command, "cells", lambda field: iter(CELLS))
    monkeypatch.setattr(command, "_tune", lambda *arguments: None)
    monkeypatch.setattr(processes, "_taken", take)
    monkeypatch.setattr(workers, "processes", _Threads)
    return asked


ALL = [(process, cell) for process in range(processes.PROCESSES) for cell in CELLS]


def test_a_run_is_shown_kept_and_gone_on_with(taken: list[tuple[int, Cell]]) -> None:
    run = ("bench", "des", "--against", "peers")
    shown = CliRunner().invoke(app, run)
    assert shown.exit_code == 0, shown.output
    assert "1.50 (toy 1)" in shown.stdout and "0.50 (toy 1)" in shown.stdout
    assert taken == ALL
    again = CliRunner().invoke(app, [*run, "--json"])
    assert taken == ALL and [row["ticks"] for row in json.loads(again.stdout)] == [2.0, 3.0, 2.0, 1.0]
    CliRunner().invoke(app, [*run, "--again"])
    assert taken == ALL * 2


def test_a_run_that_was_stopped_goes_on_in_its_process(
    taken: list[tuple[int, Cell]], monkeypatch: pytest.MonkeyPatch
) -> None:
    take = processes._taken

    def stopped(name: str, process: int, place: str, copies: Path, cell: Cell) -> list[Figure]:
        if (process, cell) == ALL[3]:
            raise KeyboardInterrupt
        return take(name, process, place, copies, cell)

    with monkeypatch.context() as within:
        within.setattr(processes, "_taken", stopped)
        CliRunner().invoke(app, ["bench", "des", "--against", "peers"])
    assert taken == ALL[:3]
    assert CliRunner().invoke(app, ["bench", "des", "--against", "peers"]).exit_code == 0
    assert taken == ALL


def test_pages_are_renewed_whole_or_in_short(taken: list[tuple[int, Cell]], tmp_path: Path) -> None:
    page, short = tmp_path / "peers.md", tmp_path / "short.md"
    mark = "finalist bench --against peers, in short"
    short.write_text(f"before\n<!-- {mark} -->\nold\n<!-- end of {mark} -->\nafter\n", "utf-8")
    done = CliRunner().invoke(app, ["bench", "des", "--against", "peers", "-o", str(page), "-o", str(short)])
    assert done.exit_code == 0, done.output
    assert "🔴 0.50 (toy 1)" in page.read_text("utf-8") and "## Our programs" in page.read_text("utf-8")
    text = short.read_text("utf-8")
    assert text.startswith("before") and text.endswith("after\n") and "1 of 2" in text and "old" not in text


def test_messages_of_one_size_are_one_table(taken: list[tuple[int, Cell]], tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    run = ("bench", "des", "--against", "peers", "--at", "64", "-o", str(page))
    done = CliRunner().invoke(app, run)
    assert done.exit_code == 0, done.output
    assert {cell.data_bytes for _, cell in taken} == {64}
    text = page.read_text("utf-8")
    assert "<!-- finalist bench --against peers --at 64 -->" in text
    assert "| des | 64 | ECB | blocks=1 | toy 1 | 2 | 1 | 🔴 0.50 |" in text
