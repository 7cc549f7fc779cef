"""`finalist cache`: shows, bounds and clears."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from finalist.cache.entries import keep
from finalist.cli.commands import app

KIB = 1 << 10


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FINALIST_CACHE", str(tmp_path / "cache"))
    for number in range(4):
        keep(f"entry-{number}", lambda part: (part / "data").write_bytes(bytes(100 * KIB)) and None)
    return tmp_path / "cache"


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["cache", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_shows(folder: Path) -> None:
    assert run().splitlines() == [
        f"{folder} ($FINALIST_CACHE)",
        "4 entries, 400 KiB of at most 2.0 GiB; the oldest was last used today",
    ]
    told = json.loads(run("--json"))
    assert told["folder"] == str(folder) and told["entries"] == 4 and told["bytes"] > 400 * KIB


def test_bounds() -> None:
    assert run("--limit", "250K").startswith("removed 2 entries, 200 KiB\n")
    assert json.loads(run("--limit", "1GiB", "--json"))["entries"] == 2


def test_clears(folder: Path) -> None:
    assert "0 entries, 0 bytes" in run("--clear")
    assert [path for path in folder.iterdir() if not path.name.startswith(".")] == []
    assert "0 entries" in run()


def test_no_folder_yet(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FINALIST_CACHE", str(folder / "another"))
    assert "0 entries" in run()
    assert "0 entries" in run("--clear")
    assert not (folder / "another").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--limit", "much"), "--limit much: accepted is a size such as 500M or 1G"),
        (("--limit", "-1"), "accepted is a size"),
        (("--limit", "1G", "--clear"), "accepted is one of them"),
    ],
)
def test_refusals(arguments: tuple[str, ...], message: str) -> None:
    assert message in run(*arguments, code=2)
    assert "4 entries" in run()


def test_somebody_else_s(folder: Path) -> None:
    """It is not touched."""
    folder.chmod(0o777)
    assert "can be written by others" in run("--clear", code=2)
    folder.chmod(0o700)
    assert "4 entries" in run()
