"""Building an exported library for many machines: what fails is said, and what is missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from finalist.export import architectures
from finalist.export.architectures import Target, main

needs_cmake = pytest.mark.skipif(
    not all(map(shutil.which, ("cmake", "ctest", "cc"))), reason="needs cmake and a C compiler"
)
PROJECT = """\
cmake_minimum_required(VERSION 3.16)
project(small LANGUAGES C)
enable_testing()
add_executable(small small.c)
add_test(NAME small COMMAND small)
"""


def project(folder: Path, status: int) -> Path:
    (folder / "CMakeLists.txt").write_text(PROJECT)
    (folder / "small.c").write_text(f"int main(void) {{ return {status}; }}\n")
    return folder


@needs_cmake
@pytest.mark.parametrize("status", [0, 1])
def test_a_target_passes_or_fails(
    status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(architectures, "TARGETS", (Target("here", ("cc",), "gcc", ()),))
    assert main([str(project(tmp_path, status))]) == status
    said = capsys.readouterr()
    assert said.out.startswith(f"here: {('passed', 'FAILED')[status]}, in ")
    assert ("ctest --test-dir" in said.err) == bool(status)


@needs_cmake
def test_what_has_passed_is_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """But for a library that has been changed since, or that failed."""
    monkeypatch.setattr(architectures, "TARGETS", (Target("here", ("cc",), "gcc", ()),))
    library = tmp_path / "library"
    library.mkdir()
    for status, said in ((1, "FAILED, in"), (0, "passed, in"), (0, "passed, before"), (1, "FAILED, in")):
        main([str(project(library, status))])
        assert capsys.readouterr().out.startswith(f"here: {said}")
    assert (tmp_path / "library-builds" / "here").is_dir()


def test_what_is_missing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(architectures, "TARGETS", (Target("vax", ("vax-gcc-none",), "gcc-vax", ()),))
    assert main([str(project(tmp_path, 0))]) == 1  # nothing is left that could pass
    said = capsys.readouterr().out
    assert "vax: LEFT OUT, no " in said and "vax-gcc-none here (Debian: cmake gcc-vax)" in said


@needs_cmake
def test_libraries_that_a_flag_takes_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As those of sanitizers may be, which are no part of a compiler's package."""
    flag = "-lno_such_library"
    monkeypatch.setattr(architectures, "TARGETS", (Target("odd", ("cc",), "gcc libodd", (), flag),))
    assert main([str(project(tmp_path, 0))]) == 1
    said = capsys.readouterr().out
    assert f"odd: LEFT OUT, no libraries for {flag} here (Debian: cmake gcc libodd)" in said


def test_the_emulator_is_one_that_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    for here, expected in (
        ({"qemu-s390x"}, "qemu-s390x"),
        ({"qemu-s390x", "qemu-s390x-static"}, "qemu-s390x-static"),
        (set[str](), "qemu-s390x-static"),
    ):
        monkeypatch.setattr(shutil, "which", lambda name, here=here: name if name in here else None)
        target = architectures._cross("s390x", "gcc-s390x-linux-gnu")
        assert target.programs[1] == expected
        assert any(expected + ";-L" in definition for definition in target.definitions)


def test_bad_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
    assert "is no exported library" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([str(project(tmp_path, 0)), "--target", "vax"])
    assert "unknown target 'vax'; accepted: gcc" in capsys.readouterr().err
