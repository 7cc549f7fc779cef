"""``finalist results``: what is shown, written and refused, and when a comparison fails."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from finalist.cli import app
from finalist.measure import history, store
from tests.measure.test_figure import RATE
from tests.measure.test_store import FIGURE, SET_UP

NEW = replace(FIGURE, commit="9999999", date="2025-01-01T00:00:00+00:00", value=1.8)


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "results.jsonl"
    monkeypatch.setenv("FINALIST_RESULTS", str(path))
    store.append([FIGURE, SET_UP, RATE, NEW])
    return path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["results", *arguments])


def refused(*arguments: str) -> str:
    done = run(*arguments)
    assert done.exit_code == 2 and not done.stdout and done.stderr.count("\n") == 1
    return done.stderr


class TestShown:
    def test_the_latest_of_each(self) -> None:
        shown = run("toy").stdout
        assert "9999999" in shown and shown.count("bulk") == 1 and shown.count("key set-up") == 1

    def test_every_one(self) -> None:
        assert run("--every").stdout.count("bulk") == 3

    def test_by_what_they_are_of(self) -> None:
        found = json.loads(run("--quantity", "key set-up", "--json").stdout)
        assert found == [asdict(SET_UP)]
        assert json.loads(run("other", "--json").stdout) == []
        assert json.loads(run("--commit", "0123", "--machine", "native", "--json").stdout)[0] == asdict(
            FIGURE
        )

    def test_another_unit(self) -> None:
        assert json.loads(run("--unit", "Mbit/s", "--json").stdout) == [asdict(RATE)]
        assert "unknown unit 'Gbit/s'" in refused("--unit", "Gbit/s")

    def test_what_comes_along(self) -> None:
        assert len(json.loads(run("--published", "--json").stdout)) == len(history.latest(store.published()))
        assert "accepted is one" in refused("--published", "--file", "x")

    def test_damaged_lines_are_named_and_passed_over(self, file: Path) -> None:
        file.write_text("{" + file.read_text("utf-8"), "utf-8")
        done = run("--json")
        assert f"passed over: {file}:1: " in done.stderr and len(json.loads(done.stdout)) == 2
        advised = CliRunner().invoke(app, ["advise", "--file", str(file)])
        assert f"passed over: {file}:1: " in advised.stderr

    def test_another_file(self, file: Path, tmp_path: Path) -> None:
        other = file.rename(tmp_path / "other.jsonl")
        assert "is not there" in refused()
        assert "9999999" in run("--file", str(other)).stdout


class TestWritten:
    @pytest.mark.parametrize("suffix", ["json", "jsonl", "csv"])
    def test_all_fields(self, suffix: str, tmp_path: Path) -> None:
        target = tmp_path / f"rows.{suffix}"
        assert run("--every", "-o", str(target)).stdout == f"{target}\n"
        if suffix == "jsonl":
            assert store.read(target).rows == (FIGURE, SET_UP, RATE, NEW)
            return
        text = target.read_text("utf-8")
        found = list(csv.DictReader(text.splitlines())) if suffix == "csv" else json.loads(text)
        assert [float(row["value"]) for row in found] == [1.5, 1.5, 1234.5, 1.8]
        assert [row["processor"] for row in found] == [FIGURE.processor] * 4

    def test_parquet(self, tmp_path: Path) -> None:
        parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is missing")
        run("--every", "-o", str(tmp_path / "rows.parquet"))
        found = parquet.read_table(tmp_path / "rows.parquet").to_pylist()
        assert [row["value"] for row in found] == [1.5, 1.5, 1234.5, 1.8]
        assert found[0]["fingerprint"] == FIGURE.fingerprint

    def test_without_a_library_for_it(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("finalist.report.exports.find_spec", lambda name: None)
        assert "pip install 'finalist[report]'" in refused("-o", str(tmp_path / "rows.parquet"))

    def test_other_kinds_of_file_are_refused(self, tmp_path: Path) -> None:
        target = tmp_path / "rows.xls"
        assert "a file .xls; accepted: .csv, .json, .jsonl, .parquet" in refused("-o", str(target))
        assert not target.exists()


class TestCompared:
    def test_slower_fails(self) -> None:
        done = run("--before", "0123abc", "--after", "9999999")
        assert done.exit_code == 1 and "🔴" not in done.stdout and "1.200" in done.stdout
        assert "1 of 1 figures take more than 5% longer" in done.stderr

    def test_a_threshold_beyond_it_passes(self) -> None:
        assert run("--before", "0123", "--threshold", "21").exit_code == 0

    def test_quicker_passes(self) -> None:
        done = run("--before", "9999999", "--after", "0123abc", "--json")
        assert done.exit_code == 0 and [round(one["ratio"], 3) for one in json.loads(done.stdout)] == [0.833]

    def test_files_are_states(self, tmp_path: Path) -> None:
        before = tmp_path / "before.jsonl"
        store.append([replace(FIGURE, value=0.9)], before)
        assert "2.000" in run("toy", "--before", str(before)).stdout

    def test_what_can_not_be_compared_is_refused(self, tmp_path: Path) -> None:
        assert "unknown state '5'; accepted: 0123abc, 9999999 and results files" in refused("--before", "5")
        assert "--after goes with --before" in refused("--after", "9999999")
        assert "there are no figures of what is asked for" in refused("other", "--before", "0123abc")
        strange = tmp_path / "strange.jsonl"
        store.append([replace(FIGURE, processor="another")], strange)
        assert "have no figures of the same: toy bulk; toy bulk" in refused("--before", str(strange))

    def test_a_quantity_that_there_is_not(self) -> None:
        assert "unknown quantity 'bulky' (did you mean bulk?)" in refused("--quantity", "bulky")
