"""The files of a library: texts by their paths in its folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from finalist.errors import UnknownNameError
from finalist.export.choice import choice_text, parts_header
from finalist.export.code import comment, marker, part_text, stem
from finalist.export.interface import header_text
from finalist.export.levels import PORTABLE, level
from finalist.export.plan import Part, Plan
from finalist.export.testing import list_text, rows_of, test_text
from finalist.language.cipher import Cipher
from finalist.machines.native.text.names import c_name
from finalist.passes.timing import worst
from finalist.version import VERSION

#: Copied as they stand, but for values between @@ and @@.
_TEXTS = (
    "CMakeLists.txt",
    "LICENSE",
    "README.md",
    "cmake/finalistConfig.cmake.in",
    "finalist.pc.in",
    "include/finalist.h",
    "src/cpu.c",
    "src/internal.h",
    "src/message.c",
    "tests/check.c",
    "tests/check.h",
    "tests/main.c",
)


@dataclass(frozen=True, slots=True)
class Source:
    """A C file of the library: its path, the name of its level, and whether registers are short in it."""

    path: str
    level: str
    crowded: bool = False


@dataclass(frozen=True, slots=True)
class Files:
    """What belongs to some ciphers: texts by path, the library's sources, the tests', rows of the README."""

    names: tuple[str, ...]
    texts: Mapping[str, str]
    sources: tuple[Source, ...]
    tests: tuple[str, ...]
    rows: tuple[str, ...]

    @property
    def levels(self) -> list[str]:
        """The names of the levels that there are programs for."""
        return list(dict.fromkeys(source.level for source in self.sources))


def cipher_files(command: str, cipher: type[Cipher], plans: Sequence[Plan]) -> Files:
    """The files of one cipher, of a library that ``command`` makes.

    Raises VectorError or UnknownNameError.
    """
    if not re.fullmatch(r"[\w.+/-]+", cipher.name(), flags=re.ASCII):
        raise UnknownNameError(
            f"a cipher named {cipher.name()!r}; accepted in a library: letters, digits, . + - _ /"
        )
    own, name = c_name(cipher.name()), stem(cipher)
    parts = [part for plan in plans for part in plan.parts]
    texts = {
        f"include/{name}.h": header_text(command, cipher, plans),
        f"src/{own}/parts.h": parts_header(cipher, plans),
        f"src/{own}/{own}.c": choice_text(command, cipher, plans),
        f"tests/{own}.c": headed(command, test_text(cipher, plans)),
    }
    texts |= {f"src/{own}/{part.name}.c": part_text(command, cipher, part) for part in parts}
    sources = [Source(f"src/{own}/{part.name}.c", part.level.name, _crowded(part)) for part in parts]
    choice = Source(f"src/{own}/{own}.c", PORTABLE.name)
    return Files(
        (cipher.name(),), texts, (choice, *sources), (f"tests/{own}.c",), tuple(_rows(cipher, plans))
    )


def library_files(command: str, parts: Iterable[Files]) -> Files:
    """The files of a library of these ciphers. Raises UnknownNameError where two have the same names in C."""
    found = list(parts)
    names = tuple(name for one in found for name in one.names)
    _check_names(names)
    common = (Source("src/cpu.c", PORTABLE.name), Source("src/message.c", PORTABLE.name))
    sources = (*common, *(source for one in found for source in one.sources))
    rows = tuple(row for one in found for row in one.rows)
    texts = {path: text for one in found for path, text in one.texts.items()}
    texts["tests/ciphers.c"] = headed(command, list_text(names))
    texts |= _fixed(command, names, sources, rows)
    tests = (
        "tests/main.c",
        "tests/check.c",
        "tests/ciphers.c",
        *(test for one in found for test in one.tests),
    )
    return Files(names, texts, sources, tests, rows)


def with_checks(texts: Mapping[str, str], checks: Mapping[str, str]) -> dict[str, str]:
    """The texts with what was checked of each level, by its name."""
    found = dict(texts)
    for name, said in checks.items():
        found = {path: text.replace(marker(level(name)), said) for path, text in found.items()}
    return found


def _check_names(names: Sequence[str]) -> None:
    taken: dict[str, str] = {}
    for name in names:
        if c_name(name) in taken:
            raise UnknownNameError(
                f"{taken[c_name(name)]} and {name}: both would be finalist_{c_name(name)} in C"
            )
        taken[c_name(name)] = name


def _crowded(part: Part) -> bool:
    shape = part.first.shape
    return shape.planes > 1 or shape.sliced or shape.slotted


def _fixed(
    command: str, names: Sequence[str], sources: Sequence[Source], rows: Sequence[str]
) -> dict[str, str]:
    """The texts that are the same for all libraries, but for some values."""
    values = {
        "VERSION": VERSION,
        "COMMAND": command,
        "SOURCES": "\n".join(map(_cmake_source, sources)),
        "CIPHERS": "\n    ".join(map(c_name, names)),
        "NAMES": "\n    ".join(names),
        "TABLE": "\n".join(rows),
    }
    found = {}
    for path in _TEXTS:
        text = (files("finalist.export") / "texts" / path).read_text("utf-8")
        for name, value in values.items():
            text = text.replace(f"@@{name}@@", value)
        found[path] = headed(command, text) if path.endswith((".c", ".h")) else text
    return found


def headed(command: str, text: str) -> str:
    """A C text after a comment that says where it comes from."""
    told = [f"Part of a library written by Finalist {VERSION}; do not edit.", "", f"  {command}", ""]
    return comment([*told, "SPDX-License-Identifier: MIT"]) + text


def _cmake_source(source: Source) -> str:
    return f"finalist_source({source.level} {source.path}{' CROWDED' if source.crowded else ''})"


def _rows(cipher: type[Cipher], plans: Sequence[Plan]) -> list[str]:
    """A row of the README for each level: schedules, labels, checks."""
    lengths = {way.key_bits for plan in plans for way in plan.ways}
    answers = rows_of(cipher, lengths)
    own = sum(row.own for row in answers)
    rows, count = [], f"{len(answers)}" + (f" ({own} of them own, not published)" if own else "")
    for level_ in dict.fromkeys(part.level for plan in plans for part in plan.parts):
        parts = [part for plan in plans for part in plan.parts if part.level is level_]
        label = worst(*(program.timing for part in parts for program in part.programs))
        schedules = "; ".join(dict.fromkeys(str(part.first.schedule) for part in parts))
        rows.append(
            f"| {cipher.name()} | {level_.name} | {schedules} | {label} | {count} | {marker(level_)} |"
        )
    return rows
