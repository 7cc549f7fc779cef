"""Writing folders: all or nothing, and nothing of anyone else's."""

from __future__ import annotations

from pathlib import Path

import pytest

from finalist.export import folder
from finalist.export.folder import MARK, FolderError


def write(target: Path, texts: dict[str, str], *, force: bool = False) -> None:
    folder.check_folder(target, force=force)
    with folder.beside(target) as part:
        folder.fill(part, {**texts, MARK: folder.mark("finalist emit", texts)})
        folder.take_over(part, target)


def found(target: Path) -> dict[str, str]:
    files = (file for file in target.rglob("*") if file.is_file() and file.name != MARK)
    return {str(file.relative_to(target)): file.read_text("utf-8") for file in files}


@pytest.mark.parametrize("there", [False, True])
def test_a_new_or_an_empty_folder(tmp_path: Path, there: bool) -> None:
    target = tmp_path / "made"
    if there:
        target.mkdir()
    write(target, {"a": "1", "b/c": "2"})
    assert found(target) == {"a": "1", "b/c": "2"}
    assert [entry.name for entry in tmp_path.iterdir()] == ["made"]


def test_the_folder_that_one_is_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    write(Path("."), {"a": "1"})
    assert found(tmp_path / "here") == {"a": "1"} and len(list(tmp_path.iterdir())) == 1


def test_again_removes_what_is_ours_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "made"
    write(target, {"a": "1", "b/c": "2"})
    (target / "build").mkdir()
    (target / "build" / "mine").write_text("3")
    write(target, {"a": "4", "d": "5"})
    assert found(target) == {"a": "4", "d": "5", "build/mine": "3"}


def test_a_folder_of_others_is_refused_unless_forced(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("3")
    with pytest.raises(FolderError, match="did not write; accepted: a new or an empty folder, or --force"):
        write(tmp_path, {"a": "1"})
    assert found(tmp_path) == {"mine": "3"}
    write(tmp_path, {"a": "1"}, force=True)
    assert found(tmp_path) == {"a": "1", "mine": "3"}


def test_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("3")
    with pytest.raises(FolderError, match="is no folder"):
        write(tmp_path / "file", {"a": "1"}, force=True)
    with pytest.raises(FolderError, match="can't be written"):
        write(tmp_path / "file" / "inner", {"a": "1"})


def test_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Path, *arguments: object, **options: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", fail)
    with pytest.raises(FolderError, match="No space left on device"):
        write(tmp_path / "made", {"a": "1"})
    assert list(tmp_path.iterdir()) == []


def test_a_list_that_leads_elsewhere_is_not_followed(tmp_path: Path) -> None:
    target, other = tmp_path / "made", tmp_path / "other"
    other.write_text("3")
    write(target, {"a": "1"})
    with (target / MARK).open("a") as mark:
        mark.write(f"../other\n{other}\n")
    write(target, {"a": "1"})
    assert other.read_text() == "3"
