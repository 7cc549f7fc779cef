"""Libraries are loaded as they lie there, or from copies that are left in a folder."""

from __future__ import annotations

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

    def test_each_copy_is_a_library_of_its_own(
        self, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(loading, "_copies", None)
        loading.from_copies(tmp_path)
        assert [loading.loaded(built).count() for _ in range(3)] == [1, 1, 1]

    def test_copies_are_left_in_their_folder(
        self, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Pages of one that was removed would be those of the next process's."""
        monkeypatch.setattr(loading, "_copies", tmp_path)
        loaded = [loading.loaded(built) for _ in range(2)]
        assert {Path(one._name) for one in loaded} == set(tmp_path.glob(f"*/{built.name}"))
        assert len(list(tmp_path.iterdir())) == 2


def test_what_is_not_there_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for copies in (None, tmp_path):
        monkeypatch.setattr(loading, "_copies", copies)
        with pytest.raises(OSError, match=r"none\.so"):
            loading.loaded(tmp_path / "none.so")
