"""Where things are kept: as the user says, and elsewhere for a while."""

from __future__ import annotations

from pathlib import Path

import pytest

from finalist.cache.folder import cache_folder, lasting_folder, temporary_cache


def test_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FINALIST_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert cache_folder() == Path("/elsewhere/finalist")
    monkeypatch.setenv("FINALIST_CACHE", "/here")
    assert cache_folder() == Path("/here")
    monkeypatch.delenv("FINALIST_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "finalist"


@pytest.mark.parametrize("before", [None, "/here"])
def test_for_a_while(before: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was put there is gone afterwards, and the folder is the one from before, also after an error."""
    monkeypatch.delenv("FINALIST_CACHE", raising=False)
    if before:
        monkeypatch.setenv("FINALIST_CACHE", before)
    usual = cache_folder()
    made: list[Path] = []

    def fails() -> None:
        with temporary_cache() as folder:
            assert cache_folder() == folder != usual
            with temporary_cache():
                assert lasting_folder() == usual
            assert lasting_folder() == usual
            made.append(folder / "made")
            made[0].write_text("", "utf-8")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert not made[0].parent.exists()
    assert cache_folder() == lasting_folder() == usual
