"""What is made of fixed inputs stays what it was: digests of it are committed, a file for each test.

Two graphs can mean the same, and one of them be worse: tests of meaning see no difference, these do. Of what
changed they name each; a change that means to make something else writes the files anew, by the same tests
under ``FINALIST_RENEW=1``, and its commit says what that gains.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from finalist.ir.graph import Graph
from finalist.ir.printer import digest, fingerprint_of
from finalist.ir.program import Program

FOLDER = Path(__file__).with_name("digests")
#: The variable under which digests are written, not compared.
RENEW = "FINALIST_RENEW"


def unchanged(name: str, made: Mapping[str, object], folder: Path = FOLDER) -> None:
    """Assert that what was made of each input has its committed digest; ``name``: of the file."""
    found = {case: told(value) for case, value in made.items()}
    file = folder / f"{name}.txt"
    if os.environ.get(RENEW):
        folder.mkdir(exist_ok=True)
        file.write_text("".join(f"{digest} {case}\n" for case, digest in found.items()), "utf-8")
        return
    known = committed(file)
    changed = [case for case in found.keys() | known.keys() if found.get(case) != known.get(case)]
    assert not changed, f"made otherwise than before ({file.name}): {', '.join(sorted(changed))}"


def committed(file: Path) -> dict[str, str]:
    """The digests of a file; none where there is no such file."""
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return {case: found for found, _, case in (line.partition(" ") for line in lines)}


def told(value: object) -> str:
    """The digest of a graph, a program, or what is written as it is."""
    if isinstance(value, Graph):
        return fingerprint_of(value)
    if isinstance(value, Program):
        return digest(value)
    text = str(value)
    assert " at 0x" not in text, f"an object's address is no digest's business: {text[:200]}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]
