"""Notes: found again by what they are about, for these files of Finalist alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from finalist.cache import notes, origin
from finalist.cache.notes import forget, note

ABOUT = ("rijndael", "encrypt")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FINALIST_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def never() -> Any:
    raise AssertionError("it was noted before")


def test_noted_once() -> None:
    assert note("kind", ABOUT, lambda: {"a": [1, 2]}) == {"a": [1, 2]}
    assert note("kind", ABOUT, never) == {"a": [1, 2]}
    assert note("another", ABOUT, lambda: 3) == 3
    assert note("kind", (*ABOUT, "128"), lambda: 4) == 4


def test_forgotten() -> None:
    note("kind", ABOUT, lambda: 1)
    forget("kind", ABOUT)
    assert note("kind", ABOUT, lambda: 2) == 2
    forget("none", ABOUT)


def test_of_other_files_of_finalist(monkeypatch: pytest.MonkeyPatch) -> None:
    note("kind", ABOUT, lambda: 1)
    monkeypatch.setattr(notes, "code_digest", lambda: "another")
    assert note("kind", ABOUT, lambda: 2) == 2


def test_not_while_files_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was made then is of some files as they were, and of others as they are."""
    monkeypatch.setattr(origin, "_STARTED", 0.0)
    assert note("kind", ABOUT, lambda: 1) == 1
    monkeypatch.undo()
    assert note("kind", ABOUT, lambda: 2) == 2


@pytest.mark.parametrize("text", ["", "{", "\x00"])
def test_damaged(folder: Path, text: str) -> None:
    note("kind", ABOUT, lambda: 1)
    (entry,) = folder.glob("kind-*")
    (entry / "note.json").write_text(text)
    assert note("kind", ABOUT, lambda: 2) == 2
