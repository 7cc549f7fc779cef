"""Programs of others: finding them, running them within a limit, one clear error where that fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from finalist.errors import CompilerError


def beside(name: str) -> str | None:
    """The program of this name that was installed with this Python; None if there is none."""
    path = Path(sys.executable).parent / name
    return str(path) if path.is_file() and os.access(path, os.X_OK) else None


def find(name: str, hint: str) -> str:
    """The program of this name: beside this Python, else on the path. Raises CompilerError with the hint."""
    found = beside(name) or shutil.which(name)
    if found is None:
        raise CompilerError(f"{name} is not installed: {hint}")
    return found


def find_any(names: Sequence[str], hint: str) -> str:
    """The first of these programs that there is. Raises CompilerError, naming the last."""
    for name in names[:-1]:
        try:
            return find(name, hint)
        except CompilerError:
            continue
    return find(names[-1], hint)


def run(
    command: Sequence[str],
    *,
    seconds: float,
    folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
    warnings: bool = False,
) -> str:
    """What a program prints, or its ``warnings``; ``variables``: of its environment, beside ours.

    Raises CompilerError with its first lines if it fails or runs past the limit.
    """
    name = Path(command[0]).name
    try:
        done = subprocess.run(
            list(command),
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
            cwd=folder,
            env=os.environ | (variables or {}),
        )
    except subprocess.TimeoutExpired as error:
        raise CompilerError(f"{name} did not finish within {seconds:g} s") from error
    except OSError as error:
        raise CompilerError(f"{name} could not be run: {error}") from error
    if done.returncode:
        what = (done.stderr.strip() or done.stdout.strip()).splitlines()
        wrong = [text for text in what if "error" in text.lower()] or what[-8:]
        raise CompilerError(f"{name} failed with exit code {done.returncode}:\n" + "\n".join(wrong[:8]))
    return done.stderr if warnings else done.stdout


@contextmanager
def workplace() -> Iterator[Path]:
    """A folder for the files of one run, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="finalist-fpga-") as folder:
        yield Path(folder)
