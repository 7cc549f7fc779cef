"""GNU as for the C6000 family, where it is there: the words that it makes of a program."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

_PREFIX = "tic6x-elf-"


def tool(name: str) -> str:
    """A tool's path; the test is skipped where it is not there."""
    found = shutil.which(_PREFIX + name) or shutil.which(_PREFIX + name, path="/opt/tic6x/bin")
    if found is None:
        pytest.skip(f"{_PREFIX}{name} is not there; tools/tic6x.sh builds it")
    return found


def words(text: str, cpu: str, folder: Path) -> list[int]:
    """The words of a text's code."""
    source, made, code = folder / "a.s", folder / "a.o", folder / "a.bin"
    source.write_text(text)
    subprocess.run([tool("as"), f"-march={cpu}", "-mlittle-endian", source, "-o", made], check=True)
    subprocess.run([tool("objcopy"), "-O", "binary", "-j", ".text", made, code], check=True)
    data = code.read_bytes()
    return [int.from_bytes(data[k : k + 4], "little") for k in range(0, len(data), 4)]
