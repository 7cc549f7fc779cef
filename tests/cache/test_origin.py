"""The digest of Finalist's own files: read once, known again by what the files look like from outside."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from finalist.cache import origin


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small package in place of this one."""
    monkeypatch.setenv("FINALIST_CACHE", str(tmp_path / "cache"))
    place = tmp_path / "package"
    (place / "inside" / "__pycache__").mkdir(parents=True)
    (place / "a.py").write_text("a = 1\n")
    (place / "inside" / "data.json").write_text("{}")
    monkeypatch.setattr(origin, "_PACKAGE", place)
    return place


def digest() -> str:
    origin.code_digest.cache_clear()
    found = origin.code_digest()
    origin.code_digest.cache_clear()
    return found


def test_every_file_counts(package: Path) -> None:
    found = [digest()]
    for path, text in (("a.py", "a = 2\n"), ("inside/data.json", "{ }"), ("inside/more.py", "")):
        (package / path).write_text(text)
        found.append(digest())
    (package / "a.py").rename(package / "b.py")
    found.append(digest())
    assert len(set(found)) == 5 and all(len(one) == 16 for one in found)


def test_what_python_compiled_does_not(package: Path) -> None:
    found = digest()
    (package / "inside" / "__pycache__" / "a.pyc").write_bytes(b"compiled")
    assert digest() == found


def test_files_are_read_once(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = digest()
    monkeypatch.setattr(origin, "_digest", lambda: "0" * 16)
    assert digest() == found
    os.utime(package / "a.py")  # another look, the same bytes
    assert digest() == "0" * 16


def test_of_a_copy_it_is_the_same(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = digest()
    package.rename(tmp_path / "elsewhere")
    monkeypatch.setattr(origin, "_PACKAGE", tmp_path / "elsewhere")
    assert digest() == found


def test_changed_meanwhile(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in package.rglob("*.*"):
        os.utime(path, (0, 0))
    assert not origin.changed_meanwhile()
    os.utime(package / "a.py", (origin._STARTED + 1,) * 2)
    assert origin.changed_meanwhile()
