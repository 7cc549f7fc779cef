"""Figures are kept as they are, in either kind of file; what is damaged is named and costs no other."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from finalist.measure import store
from finalist.measure.store import Figures, ResultsError, append, read, record, results_file
from tests.measure.test_results import ROW
from tests.measure.test_results import SET_UP as ROW_OF_SET_UP

FIGURE = next(ROW.figures())
SET_UP = next(ROW_OF_SET_UP.figures())


@pytest.fixture(params=["jsonl", "sqlite"])
def any_path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return tmp_path / "deeper" / f"results.{request.param}"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deeper" / "results.jsonl"


def test_figures_come_back_as_they_were(any_path: Path) -> None:
    assert append([FIGURE], any_path) == any_path
    append([SET_UP, FIGURE], any_path)
    assert read(any_path) == Figures((FIGURE, SET_UP, FIGURE), ())


def test_a_line_has_what_is_not_empty(path: Path) -> None:
    append([FIGURE], path)
    assert json.loads(path.read_text("utf-8")) == record(FIGURE) and "refused" not in record(FIGURE)


def test_what_a_file_is_its_beginning_says(any_path: Path) -> None:
    append([FIGURE], any_path)
    other = any_path.rename(any_path.with_name("other"))
    append([SET_UP], other)
    assert read(other).rows == (FIGURE, SET_UP)


def test_no_file_is_no_rows(any_path: Path) -> None:
    assert read(any_path) == Figures((), ())


def test_figures_of_one_call_are_kept_together_or_not_at_all(any_path: Path) -> None:
    def some() -> Iterator[Any]:
        yield FIGURE
        raise ResultsError("interrupted")

    with pytest.raises(ResultsError, match="interrupted"):
        append(some(), any_path)
    assert read(any_path) == Figures((), ())


class TestDatabase:
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        return append([FIGURE, SET_UP], tmp_path / "results.sqlite")

    def changed(self, path: Path, statement: str) -> None:
        with closing(sqlite3.connect(path)) as database, database:
            database.execute(statement)

    def test_a_damaged_row_is_named(self, path: Path) -> None:
        self.changed(path, "UPDATE figures SET key_bits = 'many' WHERE rowid = 1")
        assert read(path) == Figures((SET_UP,), (f"{path}:1: key_bits is 'many'; accepted: int",))

    def test_columns_of_a_later_version_do_no_harm(self, path: Path) -> None:
        self.changed(path, "ALTER TABLE figures ADD COLUMN joules REAL")
        append([FIGURE], path)
        assert read(path).rows == (FIGURE, SET_UP, FIGURE)

    def test_a_damaged_file_is_named(self, path: Path) -> None:
        path.write_bytes(path.read_bytes()[:200])
        with pytest.raises(ResultsError, match=rf"{path} can't be read \(.*set FINALIST_RESULTS"):
            read(path)
        with pytest.raises(ResultsError, match="can't be written"):
            append([FIGURE], path)

    def test_another_database_is_named(self, tmp_path: Path) -> None:
        other = tmp_path / "other.sqlite"
        self.changed(other, "CREATE TABLE figures (colour TEXT)")
        with pytest.raises(ResultsError, match="can't be written"):
            append([FIGURE], other)


def test_the_figures_that_come_along_are_whole() -> None:
    """A permutation has no key, which takes no memory."""
    keyless = [row for row in store.published() if row.key_bits == 0 and row.quantity == "key memory"]
    assert all(row.value == 0 for row in keyless)
    assert all(row.value > 0 or row.refused for row in store.published() if row not in keyless)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "Expecting property name"),
        ("[]", "list; accepted: an object"),
        (json.dumps({**record(FIGURE), "value": "fast"}), "value is 'fast'; accepted: float"),
        (json.dumps({**record(FIGURE), "key_bits": True}), "key_bits is True; accepted: int"),
        (json.dumps({k: v for k, v in record(FIGURE).items() if k != "unit"}), "unit is missing"),
        ("[" * 100_000, ""),
    ],
)
def test_a_damaged_line_is_named(path: Path, line: str, said: str) -> None:
    append([FIGURE], path)
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    append([SET_UP], path)
    found = read(path)
    assert found.rows == (FIGURE, SET_UP)
    (damaged,) = found.damaged
    assert damaged.startswith(f"{path}:2: ")
    assert said in damaged


def test_bytes_that_are_no_text_are_named(path: Path) -> None:
    append([FIGURE], path)
    with path.open("ab") as file:
        file.write(b"\xff\xfe\n")
    found = read(path)
    assert (found.rows, len(found.damaged)) == ((FIGURE,), 1)


def test_an_unfinished_line_does_not_swallow_the_next(path: Path) -> None:
    append([FIGURE], path)
    with path.open("ab") as file:
        file.write(b'{"cipher": "to')
    append([SET_UP], path)
    found = read(path)
    assert found.rows == (FIGURE, SET_UP)
    assert len(found.damaged) == 1


def test_fields_of_a_later_version_do_no_harm(path: Path) -> None:
    append([FIGURE], path)
    path.write_text(json.dumps({**record(FIGURE), "joules": 3}) + "\n", "utf-8")
    assert read(path) == Figures((FIGURE,), ())


def test_writers_do_not_mix(any_path: Path) -> None:
    path = any_path
    rows = [replace(FIGURE, cipher=f"toy{i}", processor="p" * 5000) for i in range(64)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda row: append([row], path), rows))
    found = read(path)
    assert not found.damaged
    assert {row.cipher for row in found.rows} == {row.cipher for row in rows}


def test_another_that_begins_the_file_is_waited_for(tmp_path: Path) -> None:
    """One that has a lock for writing, in a file that has no log yet."""
    path = tmp_path / "results.sqlite"
    with closing(sqlite3.connect(path, check_same_thread=False, isolation_level=None)) as other:
        other.execute("CREATE TABLE notes (text)")
        other.execute("BEGIN IMMEDIATE")
        end = threading.Timer(0.2, other.execute, ["COMMIT"])
        end.start()
        append([FIGURE], path)
        end.join()
    assert read(path).rows == (FIGURE,)


def test_killed_while_it_writes(any_path: Path) -> None:
    """What it said to be kept is, and nothing in part, whenever the process that writes is killed."""
    for begun in (0, 7, 40):
        program = subprocess.Popen([sys.executable, "-c", _WRITER, str(any_path)], stdout=subprocess.PIPE)
        assert program.stdout is not None
        before, told = len(read(any_path).rows), 0
        while told < begun + 1:
            told = int(program.stdout.readline())
        program.kill()
        told += len(program.stdout.read().split())
        program.stdout.close()
        program.wait()
        found = read(any_path)
        assert not found.damaged and len(found.rows) >= before + 3 * told
        assert [row.value for row in found.rows] == [0, 1, 2] * (len(found.rows) // 3)


#: Keeps three figures at a time, and says how often it has.
_WRITER = """
import sys
from dataclasses import replace
from pathlib import Path
from finalist.measure.figure import Figure
from finalist.measure.store import append
empty = {name: "" for name in Figure.__dataclass_fields__}
one = Figure(**empty | {"key_bits": 128, "value": 0.0, "data_bytes": 16, "spread": 0.0})
for number in range(10_000):
    append([replace(one, value=float(value)) for value in range(3)], Path(sys.argv[1]))
    print(number + 1, flush=True)
"""


class TestWhere:
    def test_chosen(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("FINALIST_RESULTS", str(tmp_path / "here"))
        assert results_file() == tmp_path / "here"
        append([FIGURE])
        assert read().rows == (FIGURE,)

    def test_state_folder(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.delenv("FINALIST_RESULTS", raising=False)
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
        assert results_file() == tmp_path / "finalist" / "results.sqlite"

    def test_home(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.delenv("FINALIST_RESULTS", raising=False)
        monkeypatch.delenv("XDG_STATE_HOME", raising=False)
        monkeypatch.setenv("HOME", str(tmp_path))
        assert results_file() == tmp_path / ".local" / "state" / "finalist" / "results.sqlite"


class TestErrors:
    def test_a_folder_that_is_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(ResultsError, match=r"can't be written .*set FINALIST_RESULTS"):
            append([FIGURE], tmp_path / "file" / "results.jsonl")

    def test_a_folder_in_its_place(self, tmp_path: Path) -> None:
        with pytest.raises(ResultsError, match="can't be written"):
            append([FIGURE], tmp_path)
        with pytest.raises(ResultsError, match="can't be read"):
            read(tmp_path)

    @pytest.mark.parametrize("value", [float("nan"), float("inf")])
    def test_what_is_no_number_is_not_kept(self, any_path: Path, value: float) -> None:
        with pytest.raises(ResultsError):
            append([replace(FIGURE, value=value)], any_path)
        assert read(any_path) == Figures((), ())

    def test_a_full_disk(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        real = os.write

        def short(descriptor: int, data: Any) -> int:
            return real(descriptor, data[: len(data) // 2])

        monkeypatch.setattr(os, "write", short)
        with pytest.raises(ResultsError, match="no space is left"):
            append([FIGURE], path)
        monkeypatch.undo()
        append([SET_UP], path)
        assert read(path).rows == (SET_UP,)
