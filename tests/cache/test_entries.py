"""Entries: whole or not there, used only as they were made, whoever else writes and whatever happened."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from finalist.cache import entries
from finalist.cache.entries import SUMS, discard, find, keep
from finalist.cache.folder import cache_folder
from finalist.errors import CacheError, CompilerError

NAME = "some-entry"
OWN_MODE = 0o700


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FINALIST_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def two_files(folder: Path) -> None:
    (folder / "a").write_bytes(b"first")
    (folder / "b.so").write_bytes(bytes(range(256)) * 8)


def never(folder: Path) -> None:
    raise AssertionError("it is there already")


def test_made_once(folder: Path) -> None:
    assert find(NAME) is None
    made = keep(NAME, two_files)
    assert made == folder / NAME == find(NAME) == keep(NAME, never)
    assert (made / "a").read_bytes() == b"first"
    assert [line.split()[1] for line in (made / SUMS).read_text().splitlines()] == ["a", "b.so"]
    assert stat.S_IMODE(folder.stat().st_mode) == OWN_MODE


def test_its_digests_are_those_of_sha256sum(folder: Path) -> None:
    subprocess.run(["sha256sum", "--check", "--quiet", SUMS], cwd=keep(NAME, two_files), check=True)


def cut_off(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def empty(file: Path) -> None:
    os.truncate(file, 0)


def random_bytes(file: Path) -> None:
    file.write_bytes(os.urandom(file.stat().st_size))


def one_bit(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[7] ^= 1
    file.write_bytes(data)


def gone(file: Path) -> None:
    file.unlink()


def foreign(file: Path) -> None:
    (file.parent / "another.so").write_bytes(b"somebody else's")


def a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


DAMAGES = [cut_off, empty, random_bytes, one_bit, gone, foreign, a_folder]


@pytest.mark.parametrize("known", [False, True], ids=["new process", "same process"])
@pytest.mark.parametrize("file", ["b.so", SUMS])
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_damaged_ones_are_made_anew(
    damage, file: str, known: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where this process has found it undamaged before."""
    made = keep(NAME, two_files)
    assert find(NAME) == made
    if not known:
        monkeypatch.setattr(entries, "_verified", {})
    damage(made / file)
    assert find(NAME) is None
    again = keep(NAME, two_files)
    assert again == made
    assert (again / "b.so").read_bytes() == bytes(range(256)) * 8
    assert sorted(path.name for path in again.iterdir()) == [SUMS, "a", "b.so"]
    assert [path.name for path in folder.iterdir() if path.name.startswith((".part", ".gone"))] == []


def test_a_file_in_its_place(folder: Path) -> None:
    keep("another", two_files)
    (folder / NAME).write_text("in the way")
    assert (keep(NAME, two_files) / "a").read_bytes() == b"first"


def test_whole_or_not_at_all(folder: Path) -> None:
    """What fails half-way leaves nothing, and the next one is made."""

    def fails(part: Path) -> None:
        (part / "a").write_bytes(b"fir")
        raise CompilerError("stopped")

    with pytest.raises(CompilerError, match="stopped"):
        keep(NAME, fails)
    assert list(folder.iterdir()) == []
    keep(NAME, two_files)


def test_discarded(folder: Path) -> None:
    discard(keep(NAME, two_files))
    assert find(NAME) is None
    discard(folder / NAME)  # which is no longer there


# -- whose the folder is ------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o720], ids=oct)
def test_a_folder_that_others_can_write_to(mode: int, folder: Path) -> None:
    keep(NAME, two_files)
    folder.chmod(mode)
    for use in (find, lambda name: keep(name, two_files)):
        with pytest.raises(CacheError, match=rf"{folder} can be written by others .*set FINALIST_CACHE"):
            use(NAME)


def test_one_that_others_may_read_serves(folder: Path) -> None:
    """As earlier versions made it."""
    folder.mkdir(mode=0o755)
    assert keep(NAME, two_files) == find(NAME)


def test_a_folder_of_another_user(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(NAME, two_files)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(CacheError, match=rf"{folder} belongs to another user"):
        find(NAME)


def test_a_folder_that_everybody_may_replace(folder: Path) -> None:
    keep(NAME, two_files)
    folder.parent.chmod(0o777)
    with pytest.raises(CacheError, match="everybody can write"):
        find(NAME)
    folder.parent.chmod(0o1777)  # as /tmp: only its owner may rename it
    assert find(NAME)


def test_a_folder_replaced_between_two_calls(folder: Path) -> None:
    """Another one, with the same names in it, is not taken for the first."""
    made = keep(NAME, two_files)
    folder.rename(folder.with_name("old"))
    shutil.copytree(folder.with_name("old"), folder)
    folder.chmod(OWN_MODE)
    (made / "b.so").write_bytes(b"another")
    assert find(NAME) is None
    shutil.rmtree(folder)
    assert find(NAME) is None
    assert (keep(NAME, two_files) / "a").read_bytes() == b"first"
    folder.chmod(0o777)
    with pytest.raises(CacheError):
        find(NAME)


# -- where nothing can be kept ------------------------------------------------------------------------


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of 64 KiB."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k,mode=0700", "none", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a file system can't be mounted here: only root can (run the tests as root to try it)")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def large(folder: Path) -> None:
    (folder / "large").write_bytes(bytes(1 << 17))


def test_a_full_file_system(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is made, for this process; nothing is left half-written; a line says so, once."""
    monkeypatch.setenv("FINALIST_CACHE", str(small / "cache"))
    made = keep("large", large)
    assert (made / "large").stat().st_size == 1 << 17
    assert keep("large", never) == made
    assert not made.is_relative_to(small)
    assert [path for path in cache_folder().iterdir() if not path.name.startswith(".b")] == []
    assert capsys.readouterr().err.count("can't be written") == 1


def test_a_full_file_system_that_a_tool_tells_of(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A compiler says only that it failed. The user is told once, whoever finds no room."""
    monkeypatch.setenv("FINALIST_CACHE", str(small / "cache"))

    def tool(folder: Path) -> None:
        try:
            large(folder)
        except OSError as error:
            raise CompilerError("the assembler failed") from error

    assert (keep("large-2", tool) / "large").exists()
    assert (keep("large-3", large) / "large").exists()
    assert capsys.readouterr().err.count("can't be written") == 1


def test_a_file_system_that_is_read_only(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FINALIST_CACHE", str(small / "cache"))
    kept = keep(NAME, two_files)
    subprocess.run(["mount", "-o", "remount,ro", str(small)], check=True)
    assert keep(NAME, never) == kept
    assert (keep("some-more", two_files) / "a").read_bytes() == b"first"
    assert "Read-only" in capsys.readouterr().err


def test_a_file_in_the_way_of_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("FINALIST_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(CacheError, match=r"cache folder .* can't be written .*set FINALIST_CACHE"):
        keep(NAME, two_files)
    assert (tmp_path / "file").read_text() == "in the way"


# -- several processes --------------------------------------------------------------------------------

MANY = """
import sys
from pathlib import Path
from finalist.cache.entries import keep

def make(folder: Path) -> None:
    for k in range(20):
        (folder / str(k)).write_bytes(bytes([k]) * 1000)

for number in range(30):
    entry = keep(f"entry-{number}", make)
    assert (entry / "19").read_bytes() == bytes([19]) * 1000
"""


def test_several_processes_at_once(folder: Path) -> None:
    running = [subprocess.Popen([sys.executable, "-c", MANY]) for _ in range(4)]
    assert [process.wait(120) for process in running] == [0] * 4
    assert len([path for path in folder.iterdir() if not path.name.startswith(".")]) == 30
    assert [path.name for path in folder.iterdir() if path.name.startswith((".part", ".gone"))] == []
