"""Faults that change nothing that a program or its user could tell: each is named in a file, with why.

An entry is a path, the fault's lines without and with it behind ``-`` and ``+``, and the reason, up to an
empty line. What it names has to be there: an entry whose code is another one by now is an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.mutants.draw import ROOT, Mutant, in_module

FILE = Path(__file__).with_name("equivalent.txt")


class EntryError(ValueError):
    """An entry that names no fault, or none alone, or gives no reason."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A fault by path and lines, and why it changes nothing."""

    path: str
    lines: tuple[str, str]
    why: str


def entries(text: str) -> Iterator[Entry]:
    """The entries of a file; paragraphs that begin with ``#`` are comments."""
    for paragraph in text.split("\n\n"):
        path, *rest = paragraph.strip().splitlines() or ["#"]
        if path.startswith("#"):
            continue
        before, after = (_behind(sign, rest) for sign in "-+")
        why = " ".join(line.strip() for line in rest if not line.startswith(("-", "+")))
        if not (before and after and why):
            raise EntryError(f"{path}: an entry is a path, lines behind - and +, and the reason")
        yield Entry(path, (before, after), why)


def _behind(sign: str, lines: list[str]) -> str:
    return " ".join(" ".join(line[1:].split()) for line in lines if line.startswith(sign))


def equivalents(text: str) -> dict[Mutant, str]:
    """The faults that are named, and why each changes nothing. Raises EntryError."""
    return {_fault(entry): entry.why for entry in entries(text)}


def _fault(entry: Entry) -> Mutant:
    path = ROOT / entry.path
    found = [one for one in in_module(path) if one.lines == entry.lines] if path.exists() else []
    if len(found) != 1:
        raise EntryError(
            f"{entry.path}: {len(found)} faults are as equivalent.txt has it:\n+ {entry.lines[1]}"
        )
    return found[0]
