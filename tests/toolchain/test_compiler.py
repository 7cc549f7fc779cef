"""Finding and running the C compiler: what goes wrong is said, and leaves nothing half-written."""

from __future__ import annotations

import ctypes
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from finalist.cache.entries import SUMS
from finalist.errors import CacheError, CompilerError
from finalist.toolchain import compiler
from finalist.toolchain.compiler import build_shared_library, load_shared_library

GOOD = "int answer(void) { return 42; }\n"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FINALIST_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def answer(path: Path) -> int:
    value: int = ctypes.CDLL(str(path)).answer()
    return value


def nothing_in(cache: Path) -> bool:
    return not [path for path in cache.iterdir() if path.name != ".bounded"]


def test_built_once(cache: Path) -> None:
    path = build_shared_library(GOOD, name="good")
    assert answer(path) == 42
    made = path.stat().st_mtime_ns
    assert build_shared_library(GOOD, name="good") == path
    assert path.stat().st_mtime_ns == made
    assert {p.name for p in path.parent.iterdir()} == {"good.c", "good.so", SUMS}
    assert path.with_suffix(".c").read_text() == GOOD


def test_other_text_or_flags_are_another_library(cache: Path) -> None:
    paths = {
        build_shared_library(GOOD, name="good"),
        build_shared_library(GOOD + "\n", name="good"),
        build_shared_library(GOOD, name="good", flags=("-O0",)),
    }
    assert len(paths) == 3


def test_text_that_is_no_c(cache: Path) -> None:
    with pytest.raises(CompilerError, match=r"(?s)failed with exit code 1:\n.*error") as caught:
        build_shared_library("int answer(void) { return", name="bad")
    assert len(str(caught.value).splitlines()) <= 14
    assert nothing_in(cache)


def fake(folder: Path, text: str) -> str:
    """A program that answers what is asked of a compiler, and then does as ``text`` says."""
    path = folder / "fakecc"
    path.write_text(f"""#!/bin/sh
for argument in "$@"; do
    case "$argument" in --version) echo "fake 1.0"; exit 0;; -dM) echo "#define __SSE2__ 1"; exit 0;; esac
done
{text}
""")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("echo nothing doing >&2; exit 3", "failed with exit code 3:\nnothing doing"),
        ("kill -9 $$", "failed with exit code -9"),
        ("exit 0", "there is no such file"),
    ],
    ids=["fails", "killed", "makes nothing"],
)
def test_compilers_that_fail(
    text: str, message: str, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", fake(tmp_path, text))
    with pytest.raises(CompilerError) as caught:
        build_shared_library(GOOD, name="good")
    assert message in str(caught.value)
    assert nothing_in(cache)


def test_compiler_that_hangs(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", fake(tmp_path, "exec sleep 60"))
    monkeypatch.setattr(compiler, "_TIMEOUT", 0.5)
    with pytest.raises(CompilerError, match=r"did not finish within 0.5 s"):
        build_shared_library(GOOD, name="good")
    assert nothing_in(cache)


def test_what_a_compiler_that_hangs_has_begun_is_ended(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the compiler proper, which gcc begins and does not end when it is killed."""
    begun = tmp_path / "begun"
    monkeypatch.setenv("CC", fake(tmp_path, f"sleep 60 & echo $! > {begun}; wait"))
    monkeypatch.setattr(compiler, "_TIMEOUT", 0.5)
    with pytest.raises(CompilerError, match=r"did not finish within 0.5 s"):
        build_shared_library(GOOD, name="good")
    state = Path(f"/proc/{int(begun.read_text())}/stat")
    for _ in range(100):
        if not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.02)
    pytest.fail("it still runs")


@pytest.mark.parametrize("chosen", ["no-such-compiler", "/no/such/cc -O2", "'unbalanced", " "])
def test_cc_that_is_no_program(chosen: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", chosen)
    with pytest.raises(CompilerError, match="CC="):
        build_shared_library(GOOD, name="good")
    assert not compiler.available()
    assert not cache.exists()


def test_cc_may_have_arguments(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "cc -DFORTY=40")
    assert compiler.command() == ("cc", "-DFORTY=40")
    assert answer(build_shared_library("int answer(void) { return FORTY; }", name="good")) == 40


def test_no_compiler_at_all(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(compiler.importlib.util, "find_spec", lambda name: None)
    assert not compiler.available()
    with pytest.raises(CompilerError, match=r"no C compiler: install gcc or clang, .* or set CC"):
        build_shared_library(GOOD, name="good")


def test_cache_that_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("FINALIST_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(CacheError, match=r"cache folder .* can't be written .*set FINALIST_CACHE"):
        build_shared_library(GOOD, name="good")
    assert (tmp_path / "file").read_text() == "in the way"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_cache_that_may_not_be_written(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cache.mkdir()
    cache.chmod(stat.S_IRUSR | stat.S_IXUSR)
    assert answer(build_shared_library(GOOD, name="good")) == 42
    assert "can't be written" in capsys.readouterr().err


@pytest.mark.parametrize("damage", [b"", b"\x7fELF", b"no library"], ids=["empty", "cut off", "foreign"])
def test_a_damaged_library_is_made_anew(damage: bytes, cache: Path) -> None:
    """It is neither run nor in the way of later runs."""
    path = build_shared_library(GOOD, name="good")
    path.unlink()
    path.write_bytes(damage)
    assert load_shared_library(GOOD, name="good").answer() == 42


def test_a_replaced_library_is_not_run(cache: Path) -> None:
    path = build_shared_library(GOOD, name="good")
    other = build_shared_library("int answer(void) { return 43; }", name="other")
    path.unlink()
    path.write_bytes(other.read_bytes())
    assert load_shared_library(GOOD, name="good").answer() == 42


def test_cache_whose_path_is_no_ascii(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FINALIST_CACHE", str(tmp_path / "größe \N{SNOWMAN} 'x"))
    assert answer(build_shared_library(GOOD, name="good")) == 42


def test_several_processes_at_once(cache: Path) -> None:
    """All build the same text at the same time; each gets a whole library, and one is left."""
    code = (
        "import sys, ctypes; from finalist.toolchain.compiler import build_shared_library as build\n"
        f"sys.exit(ctypes.CDLL(str(build({GOOD!r}, name='good'))).answer() != 42)"
    )
    running = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(6)]
    assert [process.wait(120) for process in running] == [0] * 6
    assert len([path for path in cache.iterdir() if path.name.startswith("good-")]) == 1


def test_what_the_compiler_sees() -> None:
    assert compiler.version()
    assert compiler.vector_bits() in (1, 128, 256, 512)


@pytest.mark.parametrize(
    ("told", "vendor"),
    [("GenuineIntel", "intel"), ("AuthenticAMD", "amd"), ("CentaurHauls", "centaurhauls"), (None, "")],
)
def test_the_vendor_of_the_cpu(told: str | None, vendor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["processor\t: 0\n", *([f"vendor_id\t: {told}\n"] if told else []), "flags\t\t: sse2\n"]
    monkeypatch.setattr(compiler, "_first_processor", lambda: lines)
    compiler.cpu_vendor.cache_clear()
    try:
        assert compiler.cpu_vendor() == vendor
    finally:
        compiler.cpu_vendor.cache_clear()
