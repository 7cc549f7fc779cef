"""``finalist report``: the files that it writes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from finalist.cli import app
from finalist.measure import store
from finalist.report.page import page, papers, printed
from tests.report.page.test_points import ROWS


@pytest.fixture(autouse=True)
def few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few programs, one study, and no script of Vega's."""
    monkeypatch.setenv("FINALIST_RESULTS", str(tmp_path / "results.sqlite"))
    monkeypatch.setattr(page, "library", lambda: "window.vegaEmbed = null;")
    monkeypatch.setattr(papers, "names", lambda: ["smartcard"])
    monkeypatch.setattr(store, "published", lambda: [row for row in ROWS if row.cipher != "toy"])


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["report", *arguments])
    assert done.exit_code == code, done.output
    return done.stdout if code == 0 else done.stderr


def test_the_page(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "report"
    assert run("-o", str(target)) == f"{target}/index.html\n"
    assert (target / "index.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert json.loads(run("-o", str(target), "--json")) == {"files": [f"{target}/index.html"]}


def test_ones_own_figures(tmp_path: Path) -> None:
    own, target = tmp_path / "own.sqlite", tmp_path / "report"
    store.append([ROWS[5]], own)
    run("-o", str(target), "--file", str(own))
    text = (target / "index.html").read_text("utf-8")
    assert "1 ciphers on 1 machines" in text
    assert "own computer" not in text
    run("-o", str(target), "--own")
    assert "2 ciphers on 2 machines" in (target / "index.html").read_text("utf-8")


def test_no_browser_for_a_pdf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printed, "BROWSERS", ("no-such-browser",))
    assert "Chromium, which is missing; looked for: no-such-browser" in run(
        "-o", str(tmp_path), "--pdf", code=2
    )
    assert list(tmp_path.glob("*.html")) == []


def test_a_browser_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printed, "BROWSERS", ("false",))
    assert "printed no PDF" in run("-o", str(tmp_path), "--pdf", code=2)


@pytest.mark.check
def test_pictures(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="vl-convert draws them")
    names = run("-o", str(tmp_path), "--png").splitlines()
    assert f"{tmp_path}/ranking-0.png" in names and f"{tmp_path}/cells-smartcard.png" in names
    assert (tmp_path / "ranking-0.png").read_bytes().startswith(b"\x89PNG")


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "file" in run("-o", str(tmp_path / "file"), code=2)
