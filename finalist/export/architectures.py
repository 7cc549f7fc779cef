"""`python -m finalist.export.architectures DIR`: an exported library built and tested for many machines.

By gcc and clang, under the address and undefined-behaviour sanitizers, and for other processors (one of them
big-endian) in QEMU's user mode. What this computer lacks for a target is said, with the Debian packages that
have it, and the target left out. Exit status 1 where any target that there is fails, or none is left.

Builds are made in a folder each beside the library, DIR-builds, and stay there: what was interrupted goes on
where it stopped, and what has passed is not run again while the library is the same.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from finalist.export.levels import LEVELS
from finalist.toolchain import compiler

_SANITIZED = "-fsanitize=address,undefined"
_SANITIZERS = f"{_SANITIZED} -fno-sanitize-recover=all"
_LINES = 40


@dataclass(frozen=True, slots=True)
class Target:
    """A way to build and run: the programs that it takes, the compiler first, their Debian packages, CMake's
    definitions, and a flag that the compiler has libraries of its own for."""

    name: str
    programs: tuple[str, ...]
    packages: str
    definitions: tuple[str, ...]
    flag: str = ""


def _cross(name: str, package: str) -> Target:
    compiler, emulator = f"{name}-linux-gnu-gcc", f"qemu-{name}-static"
    if shutil.which(emulator) is None and shutil.which(f"qemu-{name}"):
        emulator = f"qemu-{name}"  # of Debian's qemu-user, which finds the libraries where -L says
    return Target(
        name,
        (compiler, emulator),
        f"{package} qemu-user-static",
        (
            "-DCMAKE_SYSTEM_NAME=Linux",
            f"-DCMAKE_SYSTEM_PROCESSOR={name}",
            f"-DCMAKE_C_COMPILER={compiler}",
            f"-DCMAKE_CROSSCOMPILING_EMULATOR={emulator};-L;/usr/{name}-linux-gnu",
        ),
    )


def _native(compiler: str, *definitions: str, suffix: str = "") -> Target:
    return Target(compiler + suffix, (compiler,), compiler, (f"-DCMAKE_C_COMPILER={compiler}", *definitions))


def _sanitized(name: str, packages: str, optimise: str) -> Target:
    """Only what runs here is worth the time: sanitizers say nothing of code that does not."""
    without = ";".join(one.name for one in LEVELS if not one.runs_here) if compiler.available() else ""
    definitions = (
        f"-DCMAKE_C_COMPILER={name}",
        "-DCMAKE_BUILD_TYPE=None",
        f"-DCMAKE_C_FLAGS=-Werror {optimise} {_SANITIZERS}",
        f"-DFINALIST_WITHOUT={without}",
    )
    return Target(f"{name}, sanitizers", (name,), packages, definitions, _SANITIZED)


TARGETS = (
    _native("gcc", "-DCMAKE_C_FLAGS=-Werror"),
    _native("clang", "-DCMAKE_C_FLAGS=-Werror", "-DBUILD_SHARED_LIBS=ON", suffix=", shared library"),
    _sanitized("gcc", "gcc", "-O1"),
    # With checks in them, clang optimises long functions for minutes each.
    _sanitized("clang", "clang libclang-rt-dev", "-O0"),
    _cross("aarch64", "gcc-aarch64-linux-gnu"),
    _cross("riscv64", "gcc-riscv64-linux-gnu"),
    _cross("s390x", "gcc-s390x-linux-gnu"),
)


def missing(target: Target) -> list[str]:
    """The programs that this computer lacks, or else the libraries for a flag."""
    programs = [name for name in ("cmake", "ctest", *target.programs) if shutil.which(name) is None]
    if not programs and target.flag and not _links(target.programs[0], target.flag):
        return [f"libraries for {target.flag}"]
    return programs


def _links(compiler: str, flag: str) -> bool:
    """Whether a program can be made with a flag."""
    with tempfile.TemporaryDirectory() as folder:
        command = [compiler, flag, "-x", "c", "-", "-o", str(Path(folder) / "program")]
        made = subprocess.run(
            command, input="int main(void) { return 0; }\n", capture_output=True, text=True, check=False
        )
    return made.returncode == 0


def run(target: Target, library: Path, build: Path) -> str:
    """Configure, build, test, in the folder ``build``. Returns what was said if anything failed."""
    jobs = str(os.cpu_count() or 1)
    generator = ("-G", "Ninja") if shutil.which("ninja") else ()
    steps = (
        ["cmake", "-S", str(library), "-B", str(build), *generator, *_defined(target, library)],
        ["cmake", "--build", str(build), "-j", jobs],
        ["ctest", "--test-dir", str(build), "--output-on-failure", "-j", jobs],
    )
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = (done.stdout + done.stderr).splitlines()[-_LINES:]
            return "\n".join([" ".join(step), *said])
    return ""


def _defined(target: Target, library: Path) -> list[str]:
    """CMake's definitions, where the library's own begin with its prefix."""
    found = re.search(r"^project\((\w+)", (library / "CMakeLists.txt").read_text("utf-8"), re.MULTILINE)
    prefix = found[1].upper() if found else "FINALIST"
    return [one.replace("-DFINALIST_", f"-D{prefix}_") for one in target.definitions]


def digest(target: Target, library: Path) -> str:
    """What a target and all files of a library come to."""
    found = hashlib.sha256(repr(target).encode())
    for path in sorted(path for path in library.rglob("*") if path.is_file()):
        found.update(f"{path.relative_to(library)}\0{path.stat().st_size}\0".encode())
        found.update(path.read_bytes())
    return found.hexdigest()


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description="build and test an exported library for many machines")
    parser.add_argument("library", type=Path, help="its folder")
    names = ", ".join(target.name for target in TARGETS)
    parser.add_argument("--target", action="append", help=f"one of: {names}; may be repeated")
    options = parser.parse_args(arguments)
    if not (options.library / "CMakeLists.txt").is_file():
        parser.error(f"{options.library} is no exported library; see finalist emit --layout library")
    if unknown := set(options.target or ()) - {target.name for target in TARGETS}:
        parser.error(f"unknown target {sorted(unknown)[0]!r}; accepted: {names}")
    wanted = [target for target in TARGETS if not options.target or target.name in options.target]
    return _report(wanted, options.library.resolve())


def _report(targets: Sequence[Target], library: Path) -> int:
    found: dict[str, str] = {}
    for target in targets:
        lacking = missing(target)
        if lacking:
            print(f"{target.name}: LEFT OUT, no {', '.join(lacking)} here (Debian: cmake {target.packages})")
            continue
        said, how = _tried(target, library)
        found[target.name] = said
        print(f"{target.name}: {'FAILED' if said else 'passed'}, {how}", flush=True)
        if said:
            print(said, file=sys.stderr)
    print(f"{sum(not said for said in found.values())} of {len(targets)} targets passed")
    return int(not found or any(found.values()))


def _tried(target: Target, library: Path) -> tuple[str, str]:
    """What was said if anything failed, and how long it took; what has passed before is left."""
    build = library.with_name(f"{library.name}-builds") / re.sub(r"\W+", "-", target.name)
    passed, wanted = build / "passed", digest(target, library)
    if passed.is_file() and passed.read_text("utf-8") == wanted:
        return "", "before"
    build.mkdir(parents=True, exist_ok=True)
    passed.unlink(missing_ok=True)
    begun = time.monotonic()
    said = run(target, library, build)
    if not said:
        passed.write_text(wanted, "utf-8")
    return said, f"in {time.monotonic() - begun:.0f} s"


if __name__ == "__main__":
    sys.exit(main())
