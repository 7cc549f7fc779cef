"""`python -m finalist.export.architectures DIR`: an exported library built and tested for many machines.

By gcc and clang, under the address and undefined-behaviour sanitizers, and for other processors (one of them
big-endian) in QEMU's user mode. What this computer lacks for a target is said, with the Debian packages that
have it, and the target left out. Exit status 1 where any target that there is fails, or none is left.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_SANITIZERS = "-O1 -fsanitize=address,undefined -fno-sanitize-recover=all"
_LINES = 40


@dataclass(frozen=True, slots=True)
class Target:
    """A way to build and run: the programs that it takes, their Debian packages, CMake's definitions."""

    name: str
    programs: tuple[str, ...]
    packages: str
    definitions: tuple[str, ...]


def _cross(name: str, package: str) -> Target:
    compiler, emulator = f"{name}-linux-gnu-gcc", f"qemu-{name}-static"
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


_SANITIZED = ("-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_C_FLAGS=-Werror {_SANITIZERS}")
TARGETS = (
    _native("gcc", "-DCMAKE_C_FLAGS=-Werror"),
    _native("clang", "-DCMAKE_C_FLAGS=-Werror"),
    _native("gcc", "-DCMAKE_C_FLAGS=-Werror", "-DBUILD_SHARED_LIBS=ON", suffix=", shared library"),
    _native("gcc", *_SANITIZED, suffix=", sanitizers"),
    _native("clang", *_SANITIZED, suffix=", sanitizers"),
    _cross("aarch64", "gcc-aarch64-linux-gnu"),
    _cross("riscv64", "gcc-riscv64-linux-gnu"),
    _cross("s390x", "gcc-s390x-linux-gnu"),
)


def missing(target: Target) -> list[str]:
    """The programs that this computer lacks."""
    return [name for name in ("cmake", "ctest", *target.programs) if shutil.which(name) is None]


def run(target: Target, library: Path) -> str:
    """Configure, build, test. Returns what was said if anything failed, else nothing."""
    with tempfile.TemporaryDirectory(prefix="finalist-") as build:
        jobs = str(os.cpu_count() or 1)
        generator = ("-G", "Ninja") if shutil.which("ninja") else ()
        steps = (
            ["cmake", "-S", str(library), "-B", build, *generator, *target.definitions],
            ["cmake", "--build", build, "-j", jobs],
            ["ctest", "--test-dir", build, "--output-on-failure", "-j", jobs],
        )
        for step in steps:
            done = subprocess.run(step, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                said = (done.stdout + done.stderr).splitlines()[-_LINES:]
                return "\n".join([" ".join(step), *said])
    return ""


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
    return _report(wanted, options.library)


def _report(targets: Sequence[Target], library: Path) -> int:
    found = {}
    for target in targets:
        lacking = missing(target)
        if lacking:
            print(f"{target.name}: LEFT OUT, no {', '.join(lacking)} here (Debian: cmake {target.packages})")
            continue
        said = found[target.name] = run(target, library)
        print(f"{target.name}: {'FAILED' if said else 'passed'}", flush=True)
        if said:
            print(said, file=sys.stderr)
    print(f"{sum(not said for said in found.values())} of {len(targets)} targets passed")
    return int(not found or any(found.values()))


if __name__ == "__main__":
    sys.exit(main())
