"""A library held to its own test on this computer, before anyone else has it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from finalist.errors import CompilerError, VectorError
from finalist.export import costs
from finalist.export.builds import Source
from finalist.export.code import marker
from finalist.export.costs import Costs, Key
from finalist.export.levels import PORTABLE, level
from finalist.export.library import Files
from finalist.machines.native.machine import processor
from finalist.toolchain import compiler

OPTIMISE = ("-O2",)
_LINES = 12
_TEST_SECONDS = 1800


@dataclass(frozen=True, slots=True)
class Found:
    """What is said of how each level was checked, by its name, and what programs were found to cost."""

    levels: dict[str, str]
    costs: Costs = field(default_factory=Costs)

    def put_into(self, files: Files) -> dict[str, str]:
        """The texts of a library with what was found in its places."""
        found = dict(files.texts)
        for name, said in self.levels.items():
            found = {path: text.replace(marker(level(name)), said) for path, text in found.items()}
        found["README.md"] = self.costs.put_into(found["README.md"], files.programs)
        return found


def unchecked(files: Files) -> Found:
    """What is said of each level where nothing was run."""
    return Found(dict.fromkeys(files.levels, "not when it was written; run the library's own test"))


def checked(files: Files, folder: Path, step: Callable[[str], None]) -> Found:
    """Compile a library that lies in a folder, run its test, and say of each level what was checked.

    ``step`` is called before each file that is compiled. Levels that this CPU does not have are compiled
    all the same. Raises CompilerError; VectorError with what the test said where anything was wrong.
    """
    with tempfile.TemporaryDirectory(prefix="finalist-") as build:
        executable = linked(files, folder, Path(build), step)
        run(executable)
        step("measuring costs")
        printed = run(executable, "--costs").splitlines()
        measured = costs.read(printed, _sizes(files, Path(build)))
    return Found({name: _said(name) for name in files.levels}, measured)


def _sizes(files: Files, build: Path) -> dict[Key, int]:
    """Bytes of code and constants of each level's objects; none where there is no `size`, of binutils."""
    tool = shutil.which("size")
    if tool is None:
        return {}
    return {
        key: sum(_size(tool, object_of(path, build)) for path in own) for key, own in files.programs.items()
    }


def _size(tool: str, path: Path) -> int:
    done = subprocess.run([tool, str(path)], capture_output=True, text=True, check=False)
    words = done.stdout.splitlines()[-1].split() if done.returncode == 0 and done.stdout else []
    return sum(map(int, words[:2])) if words else 0


def _said(name: str) -> str:
    where = f"{processor()}, {compiler.version()}"
    missing = compiler.lacking(level(name).macros)
    if missing:
        return f"compiles, but was not run where it was written: no {missing[0]} there"
    return f"against all vectors, by the library's own test, on {where}"


def linked(
    files: Files, folder: Path, build: Path, step: Callable[[str], None], flags: tuple[str, ...] = OPTIMISE
) -> Path:
    """The test as an executable, made in ``build``; objects that are there already are taken as they are."""
    tests = [Source(path, PORTABLE.name) for path in files.tests]

    def compiled(source: Source) -> str:
        step(f"compiling {source.path}")
        return _compile(source, folder, build, flags)

    def size(source: Source) -> int:
        return (folder / source.path).stat().st_size

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        # The largest first, so that no processor is left waiting for one of them in the end.
        sources = sorted((*files.sources, *tests), key=size, reverse=True)
        objects = list(pool.map(compiled, sources))
    executable = build / "library_test"
    compiler.invoke([*compiler.command(), *flags, "-o", str(executable), *objects])
    return executable


def object_of(source: str, build: Path) -> Path:
    """Where the object of a source, given by its path, is made."""
    return build / source.replace("/", "-").replace(".c", ".o")


def _compile(source: Source, folder: Path, build: Path, flags: tuple[str, ...]) -> str:
    target = object_of(source.path, build)
    if target.exists():
        return str(target)
    chosen = (*compiler.STANDARD, *flags, *level(source.level).flags, f"-I{folder / 'include'}")
    compiler.invoke([*compiler.command(), *chosen, "-c", "-o", str(target), str(folder / source.path)])
    return str(target)


def run(executable: Path, *arguments: str) -> str:
    """Run the test; what it printed. Raises VectorError with what was wrong, or CompilerError where it can't
    be run."""
    try:
        done = subprocess.run(
            [str(executable), *arguments], capture_output=True, text=True, timeout=_TEST_SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise CompilerError(f"the library's test can't be run: {error}") from error
    if done.returncode != 0:
        said = "\n".join((done.stderr.strip() or done.stdout.strip()).splitlines()[:_LINES])
        raise VectorError(f"the library's test failed with exit code {done.returncode}:\n{said}")
    return done.stdout
