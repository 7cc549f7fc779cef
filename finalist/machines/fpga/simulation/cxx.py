"""The system's C++ compiler, for simulators that make C++ of a design; what it makes is kept."""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from finalist.cache.entries import keep
from finalist.errors import CompilerError
from finalist.machines.fpga import tools
from finalist.toolchain.compiler import named_by

#: A simulation runs for less time than an optimiser takes.
_OPTIONS = ("-std=c++20", "-O0", "-w")
_NAMES = ("c++", "g++", "clang++")


def command() -> tuple[str, ...]:
    """The compiler's command: ``$CXX``, else that of the system, else the `ziglang` wheel's.

    Raises CompilerError where there is none.
    """
    if chosen := named_by("CXX", "C++"):
        return chosen
    for name in _NAMES:
        if shutil.which(name):
            return (name,)
    if importlib.util.find_spec("ziglang") is not None:
        return (sys.executable, "-m", "ziglang", "c++")
    raise CompilerError("no C++ compiler: apt install g++, or pip install 'finalist[zig]', or set CXX")


@cache
def version(compiler: tuple[str, ...]) -> str:
    """Its own first line about itself. Raises CompilerError."""
    return tools.run([*compiler, "--version"], seconds=60).splitlines()[0]


def build(
    compiler: tuple[str, ...], arguments: Sequence[str], target: Path, folder: Path, seconds: float
) -> None:
    """Compile in a folder. Raises CompilerError."""
    coroutines = [] if "clang" in version(compiler) else ["-fcoroutines"]
    own = [*_OPTIONS, *coroutines, *(["-pthread"] if "-c" not in arguments else [])]
    tools.run([*compiler, *own, *arguments, "-o", str(target)], seconds=seconds, folder=folder)


def kept(name: str, texts: Sequence[str], make: Callable[[Path], None], suffix: str = "") -> Path:
    """The file that ``make`` writes; one that was made of the same texts is found again.

    Raises what `finalist.cache.entries.keep` raises.
    """
    digest = hashlib.sha256("\0".join([*texts, *command(), *_OPTIONS]).encode()).hexdigest()[:24]
    file = f"{name}{suffix}"
    return keep(f"{name}-{digest}", lambda folder: make(folder / file)) / file
