"""Libraries are loaded as they lie there, or from copies that are gone afterwards."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import pytest

from finalist.toolchain import loading
from finalist.toolchain.compiler import build_shared_library
from tests.marks import needs_compiler

TEXT = "int count(void); int count(void) { static int n; return ++n; }"


@pytest.fixture
def built() -> Path:
    return build_shared_library(TEXT, name="counting")


@needs_compiler
class TestLoaded:
    def test_a_file_is_one_library(self, built: Path) -> None:
        first = loading.loaded(built).count()
        assert loading.loaded(built).count() == first + 1

    def test_each_copy_is_a_library_of_its_own(self, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(loading, "_copied", False)
        loading.from_copies()
        assert [loading.loaded(built).count() for _ in range(3)] == [1, 1, 1]

    @pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="needs /proc")
    def test_copies_are_gone_from_the_disk(self, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(loading, "_copied", True)
        library = loading.loaded(built)
        address = ctypes.cast(library.count, ctypes.c_void_p).value or 0
        maps = [line.split(maxsplit=5) for line in Path("/proc/self/maps").read_text().splitlines()]
        held = [row[5] for row in maps if len(row) == 6 and _within(address, row[0])]
        assert len(held) == 1 and "finalist-loaded-" in held[0] and held[0].endswith(" (deleted)")


def _within(address: int, told: str) -> bool:
    start, end = (int(one, 16) for one in told.split("-"))
    return start <= address < end


def test_what_is_not_there_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for copied in (False, True):
        monkeypatch.setattr(loading, "_copied", copied)
        with pytest.raises(OSError, match=r"none\.so"):
            loading.loaded(tmp_path / "none.so")
