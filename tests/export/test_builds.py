"""Every build system builds a library, under a name of its own, and runs its test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from finalist.export import folder
from finalist.export.export import Order, write_library
from finalist.export.levels import LEVELS
from finalist.export.selection import Selection
from finalist.schedule import Schedule
from finalist.toolchain import compiler

SPECK = str(Path(__file__).parents[2] / "examples" / "speck.py")
#: Where programs are: those that came with the tests' own environment first.
TOOLS = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
PROGRAM = """\
#include "acme_speck.h"
int main(void)
{
    acme_speck_encrypt_key key;
    return acme_speck_set_encrypt_key(&key, (const uint8_t *)"a key, 16 bytes", 16);
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not compiler.available():
        pytest.skip("needs a C compiler")
    target = tmp_path_factory.mktemp("library") / "acme"
    selection = Selection(modes=("ecb", "ctr"), levels=("simd128",), size="small")
    order = Order((SPECK,), 128, Schedule(), "finalist emit ...", selection, "acme", "Ada Lovelace")
    write_library(order, target, lambda _: None, check=False)
    return target


def run(*command: str | Path, folder: Path) -> str:
    environment = {**os.environ, "PATH": TOOLS}
    words = list(map(str, command))
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def uses(here: Path, library: Path) -> None:
    """A program of another's is built with what was installed in a folder."""
    (here / "own.c").write_text(PROGRAM)
    flags = ["-Iinclude", "own.c", f"-L{library.parent}", "-lacme", "-o", "own"]
    run("cc", "-Werror", *flags, folder=here)
    run(here / "own", folder=here)


def begin_at_cache_lines(archive: Path) -> None:
    """So do a cipher's functions, whatever is linked before them."""
    names = run("nm", archive, folder=archive.parent).splitlines()
    starts = [int(line.split()[0], 16) for line in names if " T acme_speck_encrypt" in line]
    assert len(starts) > 1
    assert not any(start % 64 for start in starts)


def needs(*tools: str) -> pytest.MarkDecorator:
    missing = [tool for tool in tools if shutil.which(tool, path=TOOLS) is None]
    packages = {"meson": "pip install meson", "ninja": "pip install ninja"}
    said = ", ".join(packages.get(tool, f"Debian's {tool}") for tool in missing)
    return pytest.mark.skipif(bool(missing), reason=f"no {', '.join(missing)} here; {said} has it")


@needs("make", "cc")
def test_make(library: Path, tmp_path: Path) -> None:
    build = f"BUILD={tmp_path / 'build'}"
    assert "speck, portable: 1 vectors" in run("make", "check", build, folder=library)
    run("make", "install", build, f"PREFIX={tmp_path}", folder=library)
    assert "-lacme" in (tmp_path / "lib" / "pkgconfig" / "acme.pc").read_text("utf-8")
    uses(tmp_path, tmp_path / "lib" / "libacme.a")
    begin_at_cache_lines(tmp_path / "lib" / "libacme.a")


@needs("make", "cc")
def test_make_without_levels(library: Path, tmp_path: Path) -> None:
    without = " ".join(level.name for level in LEVELS if level.name != "portable")
    said = run("make", "check", f"BUILD={tmp_path}", f"WITHOUT={without}", folder=library)
    assert "simd128: 1 vectors, portable" in said or "simd128" not in said


@needs("cmake", "make", "cc")
def test_cmake(library: Path, tmp_path: Path) -> None:
    build = tmp_path / "build"
    run("cmake", "-S", library, "-B", build, f"-DCMAKE_INSTALL_PREFIX={tmp_path}", folder=tmp_path)
    run("cmake", "--build", build, folder=tmp_path)
    assert "100% tests passed" in run("ctest", folder=build)
    run("cmake", "--install", build, folder=tmp_path)
    (made,) = tmp_path.glob("lib*/**/libacme.a")
    uses(tmp_path, made)
    begin_at_cache_lines(made)


@pytest.mark.parametrize(
    "tools", [("make",), ("cmake", "make"), pytest.param(("meson", "ninja"), marks=pytest.mark.check)]
)
def test_a_cipher_whose_name_has_parameters(tools: tuple[str, ...], tmp_path: Path) -> None:
    if any(shutil.which(tool, path=TOOLS) is None for tool in (*tools, "cc")):
        pytest.skip(f"no {', '.join(tools)} here")
    selection = Selection(("encrypt",), modes=("ecb",), size="small")
    source, build = tmp_path / "source", tmp_path / "build"
    order = Order(("rijndael:block-bits=256",), 128, Schedule(), "finalist emit ...", selection)
    write_library(order, source, lambda _: None, check=False)
    assert "finalist_rijndael_block_bits_256_encrypt_blocks(" in (
        source / "include" / "finalist_rijndael_block_bits_256.h"
    ).read_text("utf-8")
    if tools[0] == "make":
        assert "rijndael:block-bits=256, portable" in run("make", "check", f"BUILD={build}", folder=source)
    elif tools[0] == "cmake":
        run("cmake", "-S", source, "-B", build, folder=tmp_path)
        run("cmake", "--build", build, folder=tmp_path)
        assert "100% tests passed" in run("ctest", folder=build)
    else:
        assert "WARNING" not in run("meson", "setup", build, source, folder=tmp_path)
        assert "Ok:" in run("meson", "test", "-C", build, folder=tmp_path)


@needs("meson", "ninja", "cc")
@pytest.mark.check
def test_meson(library: Path, tmp_path: Path) -> None:
    build = tmp_path / "build"
    run("meson", "setup", build, library, f"--prefix={tmp_path}", folder=tmp_path)
    assert "Ok:" in run("meson", "test", "-C", build, folder=tmp_path)
    run("meson", "install", "-C", build, folder=tmp_path)
    (made,) = tmp_path.glob("lib*/**/libacme.a")
    uses(tmp_path, made)
    begin_at_cache_lines(made)


def test_every_source_is_in_all_of_them(library: Path) -> None:
    sources = {str(path.relative_to(library)) for path in (library / "src").rglob("*.c")}
    assert len(sources) > 4
    for name in ("CMakeLists.txt", "Makefile", "meson.build"):
        text = (library / name).read_text("utf-8")
        assert not [source for source in sources if source not in text] and "@@" not in text


def test_no_name_but_its_own(library: Path) -> None:
    """Whatever is not a comment or the test's own."""
    listed = (library / folder.MARK).read_text("utf-8").partition("Files:\n")[2].split()
    assert {"include/acme.h", "include/acme_speck.h", "acme.pc.in", "cmake/acmeConfig.cmake.in"} <= set(
        listed
    )
    for path in listed:
        text = (library / path).read_text("utf-8")
        for line in text.replace("finalist emit", "").replace("Finalist", "").splitlines():
            assert "finalist" not in line.lower(), f"{path}: {line}"
    assert "Ada Lovelace" in (library / "LICENSE").read_text("utf-8")


def test_symbols(library: Path, tmp_path: Path) -> None:
    if shutil.which("nm") is None or shutil.which("make") is None:
        pytest.skip("no nm or make here; Debian's binutils and make have them")
    run("make", f"BUILD={tmp_path}", folder=library)
    told = run("nm", "-g", "--defined-only", tmp_path / "libacme.a", folder=tmp_path)
    symbols = [line.split()[-1] for line in told.splitlines() if len(line.split()) == 3]
    assert symbols and all(symbol.startswith("acme_") for symbol in symbols)
