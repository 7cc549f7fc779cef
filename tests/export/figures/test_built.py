"""A library that was built, found in its folder and called through its own header."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.errors import KeyLengthError, UnknownNameError
from finalist.export import folder
from finalist.export.export import Order, write_library
from finalist.export.figures import processes
from finalist.export.figures.built import Functions, built_in
from finalist.export.figures.compared import CELLS, FILE, LIBRARY, RUN
from finalist.export.folder import FolderError
from finalist.export.selection import Selection
from finalist.schedule import Schedule
from finalist.toolchain import compiler
from finalist.vectors.load import vectors_of


def test_a_folder_that_is_no_library_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        FolderError, match=r"is no exported library; accepted: a folder that --layout library"
    ):
        built_in(tmp_path)


def test_a_library_that_was_not_built_is_refused(tmp_path: Path) -> None:
    (tmp_path / folder.MARK).write_text("")
    with pytest.raises(FolderError, match=r"was not built: no build/lib\*\.a; accepted: after `make -C "):
        built_in(tmp_path)
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "libothers.a").write_text("")
    with pytest.raises(FolderError, match="was not built"):
        built_in(tmp_path)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """XTEA under a name of its own."""
    return written(tmp_path_factory.mktemp("library") / "acme")


def written(target: Path, modes: tuple[str, ...] | None = None) -> Path:
    """A library of XTEA in those modes, or all."""
    if not compiler.available():
        pytest.skip("needs a C compiler")
    selection = Selection(modes=modes, levels=("simd128",), size="small")
    write_library(
        Order(("xtea",), 128, Schedule(), "finalist emit ...", selection, "acme"), target, print, check=False
    )
    subprocess.run(["make", "-C", str(target)], check=True, capture_output=True)
    return target


@pytest.mark.check
class TestFunctions:
    def test_they_are_the_librarys(self, library: Path) -> None:
        found, row = built_in(library), vectors_of(cipher("xtea"))[0]
        functions = Functions(found, cipher("xtea"), "encrypt", 128)
        context = functions.open(row.key)
        assert found.prefix == "acme" and functions.programs(context).startswith("simd128: blocks=1")
        assert functions.address("ecb") != functions.address("ctr") and functions.setup_address

    def test_what_it_has_not_is_named(self, library: Path, tmp_path: Path) -> None:
        found = built_in(library)
        with pytest.raises(UnknownNameError, match="has no rc6"):
            Functions(found, cipher("rc6"), "encrypt", 128)
        functions = Functions(found, cipher("xtea"), "encrypt", 128)
        with pytest.raises(KeyLengthError, match="xtea has no 64-bit keys"):
            functions.open(bytes(8))
        without = Functions(built_in(written(tmp_path / "ecb", ("ecb",))), cipher("xtea"), "encrypt", 128)
        with pytest.raises(UnknownNameError, match="has no function acme_xtea_ctr"):
            without.address("ctr")

    def test_all_three_are_measured_in_every_cell(
        self, library: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(processes, "PROCESSES", 1)
        (figures,) = processes.measured("xtea", 128, library)
        assert {(one.cell, one.name) for one in figures} == {
            (cell, name) for cell in CELLS for name in (RUN, FILE, LIBRARY)
        }
        assert all(one.ticks > 0 and one.clock for one in figures)
