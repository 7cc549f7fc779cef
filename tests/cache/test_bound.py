"""How much is kept: what was not used for longest goes first."""

from __future__ import annotations

import os
import time
from pathlib import Path

from finalist.cache.bound import Item, bound, items, now_and_then
from finalist.cache.entries import find, keep

AN_HOUR = 3600


def kept(folder: Path, name: str, size: int, hours: float) -> Path:
    """An entry of so many bytes, last used so many hours ago."""
    made = keep(name, lambda part: (part / "data").write_bytes(bytes(size)) and None, folder)
    os.utime(made, (time.time() - hours * AN_HOUR,) * 2)
    return made


def names(found: list[Item]) -> list[str]:
    return [item.path.name for item in found]


def test_the_oldest_go_first(tmp_path: Path) -> None:
    for name, hours in (("a", 3), ("b", 9), ("c", 6), ("d", 1)):
        kept(tmp_path, name, 1000, hours)
    assert names(items(tmp_path)) == ["b", "c", "a", "d"]
    assert names(bound(tmp_path, 2500)) == ["b", "c"]
    assert names(items(tmp_path)) == ["a", "d"]
    assert bound(tmp_path, 2500) == []
    assert names(bound(tmp_path, 0)) == ["a", "d"]
    assert items(tmp_path) == []


def test_use_makes_an_entry_young(tmp_path: Path) -> None:
    kept(tmp_path, "a", 10, 9)
    kept(tmp_path, "b", 10, 5)
    assert find("a", tmp_path)
    assert names(items(tmp_path)) == ["b", "a"]


def test_files_of_other_kinds_count(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(500))
    assert items(tmp_path)[0].bytes == 500


def test_no_such_folder(tmp_path: Path) -> None:
    assert items(tmp_path / "none") == bound(tmp_path / "none") == []
    now_and_then(tmp_path / "none")


def test_what_a_killed_process_left_behind(tmp_path: Path) -> None:
    """It goes when it is a day old, and once an hour is often enough to look."""
    for name, hours in ((".part-old", 30), (".part-new", 1)):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (time.time() - hours * AN_HOUR,) * 2)
    now_and_then(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".bounded", ".part-new"]
    (tmp_path / ".part-new").rename(tmp_path / ".part-newer")
    os.utime(tmp_path / ".part-newer", (0, 0))
    now_and_then(tmp_path)
    assert (tmp_path / ".part-newer").exists()
    os.utime(tmp_path / ".bounded", (0, 0))
    now_and_then(tmp_path)
    assert not (tmp_path / ".part-newer").exists()
