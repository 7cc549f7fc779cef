"""Rows are kept as they are, one a line; a damaged line is named and costs no other."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from finalist.measure.results import Results, ResultsError, Row, append, read, results_file

ROW = Row(
    cipher="toy",
    operation="encrypt",
    key_bits=128,
    quantity="bulk",
    ticks=1.25,
    core_cycles=1.5,
    unit="per byte",
    clock="rdtsc",
    ticks_per_cycle=0.8333333333333334,
    mbit_per_s=1234.5,
    spread=0.01,
    data_bytes=65536,
    machine="native",
    processor='A "processor" ü',
    compiler="cc 12",
    flags="-O2",
    schedule="blocks=2 width=1",
    timing="table lookups",
    commit="0123abc",
    date="2024-01-01T00:00:00+00:00",
)
SET_UP = replace(ROW, quantity="key set-up", unit="per call", mbit_per_s=None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deeper" / "results.jsonl"


def test_what_is_shown_is_the_figure() -> None:
    name = f"{ROW.cipher} {ROW.operation}, key of {ROW.key_bits} bits"
    assert repr(ROW) == f"<Row {name}, bulk: 1.50 cycles per byte, 1234 Mbit/s>"
    assert repr(SET_UP) == f"<Row {name}, key set-up: 1.50 cycles per call>"
    text = ROW._repr_html_()
    assert "&quot;processor&quot; ü" in text and ">blocks=2 width=1</td>" in text and ">1.50</td>" in text
    assert "Mbit/s" not in SET_UP._repr_html_()


def test_rows_come_back_as_they_were(path: Path) -> None:
    assert append([ROW], path) == path
    append([SET_UP, ROW], path)
    assert read(path) == Results((ROW, SET_UP, ROW), ())
    assert json.loads(path.read_text("utf-8").partition("\n")[0]) == asdict(ROW)


def test_no_file_is_no_rows(path: Path) -> None:
    assert read(path) == Results((), ())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "Expecting property name"),
        ("[]", "list; accepted: an object"),
        (json.dumps({**asdict(ROW), "ticks": "fast"}), "ticks is 'fast'; accepted: float"),
        (json.dumps({**asdict(ROW), "key_bits": True}), "key_bits is True; accepted: int"),
        (json.dumps({k: v for k, v in asdict(ROW).items() if k != "clock"}), "clock is missing"),
        ("[" * 100_000, ""),
    ],
)
def test_a_damaged_line_is_named(path: Path, line: str, said: str) -> None:
    append([ROW], path)
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    append([SET_UP], path)
    found = read(path)
    assert found.rows == (ROW, SET_UP)
    (damaged,) = found.damaged
    assert damaged.startswith(f"{path}:2: ")
    assert said in damaged


def test_bytes_that_are_no_text_are_named(path: Path) -> None:
    append([ROW], path)
    with path.open("ab") as file:
        file.write(b"\xff\xfe\n")
    found = read(path)
    assert (found.rows, len(found.damaged)) == ((ROW,), 1)


def test_an_unfinished_line_does_not_swallow_the_next(path: Path) -> None:
    append([ROW], path)
    with path.open("ab") as file:
        file.write(b'{"cipher": "to')
    append([SET_UP], path)
    found = read(path)
    assert found.rows == (ROW, SET_UP)
    assert len(found.damaged) == 1


def test_fields_of_a_later_version_do_no_harm(path: Path) -> None:
    append([ROW], path)
    path.write_text(json.dumps({**asdict(ROW), "joules": 3}) + "\n", "utf-8")
    assert read(path) == Results((ROW,), ())


def test_writers_do_not_mix(path: Path) -> None:
    rows = [replace(ROW, cipher=f"toy{i}", processor="p" * 5000) for i in range(64)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda row: append([row], path), rows))
    found = read(path)
    assert not found.damaged
    assert {row.cipher for row in found.rows} == {row.cipher for row in rows}


class TestWhere:
    def test_chosen(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("FINALIST_RESULTS", str(tmp_path / "here"))
        assert results_file() == tmp_path / "here"
        append([ROW])
        assert read().rows == (ROW,)

    def test_state_folder(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.delenv("FINALIST_RESULTS", raising=False)
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
        assert results_file() == tmp_path / "finalist" / "results.jsonl"

    def test_home(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.delenv("FINALIST_RESULTS", raising=False)
        monkeypatch.delenv("XDG_STATE_HOME", raising=False)
        monkeypatch.setenv("HOME", str(tmp_path))
        assert results_file() == tmp_path / ".local" / "state" / "finalist" / "results.jsonl"


class TestErrors:
    def test_a_folder_that_is_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(ResultsError, match=r"can't be written .*set FINALIST_RESULTS"):
            append([ROW], tmp_path / "file" / "results.jsonl")

    def test_a_folder_in_its_place(self, tmp_path: Path) -> None:
        with pytest.raises(ResultsError, match="can't be written"):
            append([ROW], tmp_path)
        with pytest.raises(ResultsError, match="can't be read"):
            read(tmp_path)

    @pytest.mark.parametrize("value", [float("nan"), float("inf")])
    def test_what_is_no_number_is_not_kept(self, path: Path, value: float) -> None:
        with pytest.raises(ResultsError):
            append([replace(ROW, ticks=value)], path)
        assert read(path) == Results((), ())

    def test_a_full_disk(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        real = os.write

        def short(descriptor: int, data: Any) -> int:
            return real(descriptor, data[: len(data) // 2])

        monkeypatch.setattr(os, "write", short)
        with pytest.raises(ResultsError, match="no space is left"):
            append([ROW], path)
        monkeypatch.undo()
        append([SET_UP], path)
        assert read(path).rows == (SET_UP,)
