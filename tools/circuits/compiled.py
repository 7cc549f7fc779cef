"""The search programs in C, compiled when they are first needed."""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path


class NoCompiler(RuntimeError):
    """There is no C compiler to build the search with."""


def compiler() -> list[str] | None:
    """The command of the C compiler: $CC, or else cc; None if it is not there."""
    command = shlex.split(os.environ.get("CC") or "cc")
    return command if shutil.which(command[0]) else None


@cache
def built(name: str, *flags: str) -> str:
    """The path of the program of ``name``.c, which stays until this process ends."""
    command = compiler()
    if command is None:
        raise NoCompiler("the circuit search needs a C compiler: install cc, or name one in CC")
    folder = tempfile.mkdtemp(prefix="finalist-circuits-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    program = str(Path(folder) / name)
    source = str(Path(__file__).with_name(f"{name}.c"))
    subprocess.run([*command, "-std=gnu11", "-O3", *flags, "-o", program, source], check=True)
    return program
