"""Headers that are read once: when they are, for which options, and what happens where they can't be kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from finalist.cache import entries
from finalist.cache.folder import temporary_cache
from finalist.errors import CompilerError
from finalist.toolchain import compiler, headers
from finalist.toolchain.compiler import build_shared_library

LONG = "#include <immintrin.h>\nint answer(void) { return 42; }\n"
GCC = ["gcc", "-O2", "-shared", "-fPIC"]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FINALIST_CACHE", str(tmp_path))
    return tmp_path


class Reader:
    """In place of a compiler: writes what it is asked for."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def __call__(self, arguments: list[str]) -> None:
        self.calls.append(arguments)
        Path(arguments[-1]).write_text("read")


def test_read_once_for_each_command_and_target(cache: Path) -> None:
    reader = Reader()
    first = headers.options(GCC, [LONG], "here", reader)
    assert first == headers.options(GCC, ["", LONG], "here", reader)
    assert len(reader.calls) == 1 and "-shared" not in reader.calls[0]
    assert first[0] == "-include" and "immintrin" in Path(first[1]).read_text()
    assert Path(first[1] + ".gch").read_text() == "read"
    others = [
        headers.options([*GCC, "-O1"], [LONG], "here", reader),
        headers.options(GCC, [LONG], "there", reader),
    ]
    assert len({first[1], others[0][1], others[1][1]}) == 3


def test_they_outlast_a_temporary_cache(cache: Path) -> None:
    reader = Reader()
    for _ in range(2):
        with temporary_cache():
            (found,) = headers.options(GCC, [LONG], "here", reader)[1:]
    assert len(reader.calls) == 1 and Path(found).is_relative_to(cache)


def test_the_folder_is_made(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FINALIST_CACHE", str(cache / "not" / "there"))
    assert Path(headers.options(GCC, [LONG], "here", Reader())[1]).exists()


def test_texts_without_the_long_one_are_left_alone(cache: Path) -> None:
    reader = Reader()
    assert headers.options(GCC, ["#include <stdint.h>\n"], "here", reader) == []
    assert not reader.calls and not list(cache.iterdir())


def test_what_can_t_be_kept_is_read_again(cache: Path) -> None:
    def refuse(arguments: list[str]) -> None:
        raise CompilerError("no room")

    assert headers.options(GCC, [LONG], "here", refuse) == []
    assert [path for path in cache.iterdir() if path.name != ".bounded"] == []


def test_another_process_was_quicker(cache: Path) -> None:
    """Its folder stays, and nothing else does."""
    reader = Reader()

    def late(arguments: list[str]) -> None:
        reader(arguments)
        if len(reader.calls) == 1:
            headers.options(GCC, [LONG], "here", reader)
            first.extend(path.stat().st_ino for path in cache.glob("headers-*"))

    first: list[int] = []
    found = headers.options(GCC, [LONG], "here", late)
    assert len(reader.calls) == 2 and Path(found[1]).parent.stat().st_ino == first[0]
    assert [path.name for path in cache.iterdir() if path.name.startswith((".part", ".gone"))] == []


def has_vectors() -> bool:
    """Whether there is a gcc for a processor that the header is for."""
    return compiler.available() and compiler.is_gcc() and not compiler.lacking(["__SSE2__"])


@pytest.mark.skipif(not has_vectors(), reason="needs gcc for x86")
@pytest.mark.check
def test_gcc_takes_them(cache: Path) -> None:
    build_shared_library(LONG, name="long")
    kept = [path for path in cache.iterdir() if path.name.startswith("headers-")]
    assert len(kept) == 1 and (kept[0] / "headers.h.gch").stat().st_size > 1 << 20
    # Where it was not taken, the header by itself would be missing.
    (kept[0] / "headers.h").write_text("#error read again\n")
    entries.seal(kept[0])
    build_shared_library(LONG + "\n", name="long")
    (kept[0] / "headers.h.gch").unlink()
    entries.seal(kept[0])
    with pytest.raises(CompilerError, match="read again"):
        build_shared_library(LONG + "\n\n", name="long")
