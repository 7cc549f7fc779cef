"""The files of a library: texts by their paths in its folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import compress
from multiprocessing import parent_process

from finalist import licence
from finalist.errors import UnknownNameError
from finalist.export import builds, tables
from finalist.export.builds import Source
from finalist.export.choice import choice_text, parts_header
from finalist.export.choices import ONE
from finalist.export.code import comment, mode_text, part_text
from finalist.export.costs import Key, table_rows
from finalist.export.identity import DEFAULT_PREFIX, Identity
from finalist.export.interface import header_text
from finalist.export.levels import LEVELS, PORTABLE
from finalist.export.merging import merged
from finalist.export.parts import Part, Plan
from finalist.export.set_ups import called_directly
from finalist.export.testing import list_text, test_text
from finalist.ir.memoized import uncollected
from finalist.language.cipher import Cipher
from finalist.machines.native.text.head import crowded, may_reassociate
from finalist.machines.native.text.names import c_name
from finalist.machines.native.text.outlining.outline import outlined
from finalist.version import VERSION
from finalist.workers import processes

#: Copied as they stand, but for values between @@ and @@, and for names that begin with `DEFAULT_PREFIX`.
_TEXTS = (
    "CMakeLists.txt",
    "Makefile",
    "README.md",
    "meson.build",
    "cmake/finalistConfig.cmake.in",
    "finalist.pc.in",
    "include/finalist.h",
    "src/cpu.c",
    "src/internal.h",
    "src/message.c",
    "tests/check.c",
    "tests/check.h",
    "tests/costs.c",
    "tests/main.c",
)
#: Characters of a file from which on what repeats there is written once, and made part of the code by the
#: compiler; of single blocks, which gcc makes slower code of then (RC2's by a fifth), it has to be longer.
_LONG_TEXT, _LONG_BLOCK = 64_000, 160_000
#: Characters of all files from which on those of an operation and level are one, and those of a level.
_LARGE, _HUGE = 2_000_000, 4_000_000
#: Characters whose outlining takes longer than starting processes for it.
_SLOW = 250_000
_TESTS = ("tests/main.c", "tests/check.c", "tests/costs.c", "tests/ciphers.c")


@dataclass(frozen=True, slots=True)
class Files:
    """What belongs to some ciphers: texts by path, the library's sources, the tests', rows of the README."""

    names: tuple[str, ...]
    texts: Mapping[str, str]
    sources: tuple[Source, ...]
    tests: tuple[str, ...]
    rows: tuple[str, ...]
    #: By cipher and level the files of its programs, whose code has a size.
    programs: Mapping[Key, tuple[str, ...]] = field(default_factory=dict)

    @property
    def source_bytes(self) -> int:
        """Bytes of the sources and headers, without the tests."""
        return sum(len(text.encode()) for path, text in self.texts.items() if not path.startswith("tests/"))

    @property
    def levels(self) -> list[str]:
        """The names of the levels that there are programs for."""
        return list(dict.fromkeys(source.level for source in self.sources))


def cipher_files(identity: Identity, cipher: type[Cipher], plans: Sequence[Plan]) -> Files:
    """The files of one cipher, of a library.

    Raises VectorError or UnknownNameError.
    """
    if not re.fullmatch(r"[\w.+/:=,-]+", cipher.name(), flags=re.ASCII):
        raise UnknownNameError(
            f"a cipher named {cipher.name()!r}; accepted in a library: letters, digits, . + - _ / : = ,"
        )
    own, name = c_name(cipher.name()), identity.stem(cipher)
    parts = [part for plan in plans for part in plan.parts]
    held = _by_file(identity, cipher, parts)
    shared = tables.share([text for text, _ in held.values()], name, f"{identity.macro}_HIDDEN")
    paths = [f"src/{own}/{stem}.c" for stem in held]
    texts = {
        f"include/{name}.h": header_text(identity, cipher, plans),
        f"src/{own}/parts.h": parts_header(identity, cipher, plans, shared.declarations),
        f"src/{own}/{own}.c": choice_text(identity, cipher, plans),
        f"tests/{own}.c": headed(identity, test_text(identity, cipher, plans)),
        **dict(zip(paths, shared.texts, strict=True)),
    }
    sources = [Source(f"src/{own}/{own}.c", PORTABLE.name)]
    if shared.definitions:
        about = comment([f"The tables that several programs of {cipher.name()} read."])
        texts[f"src/{own}/tables.c"] = headed(identity, f'{about}#include "parts.h"\n\n{shared.definitions}')
        sources.append(Source(f"src/{own}/tables.c", PORTABLE.name))
    sources += [_source(path, within) for path, (_, within) in zip(paths, held.values(), strict=True)]
    programs: dict[Key, tuple[str, ...]] = {}
    for source in sources:
        programs[cipher.name(), source.level] = (
            *programs.get((cipher.name(), source.level), ()),
            source.path,
        )
    rows = tuple(table_rows(cipher, plans))
    return Files((cipher.name(),), texts, tuple(sources), (f"tests/{own}.c",), rows, programs)


def library_files(identity: Identity, parts: Iterable[Files]) -> Files:
    """The files of a library of these ciphers. Raises UnknownNameError where two have the same names in C."""
    found = list(parts)
    names = tuple(name for one in found for name in one.names)
    _check_names(identity, names)
    common = (Source("src/cpu.c", PORTABLE.name), Source("src/message.c", PORTABLE.name))
    sources = (*common, *(source for one in found for source in one.sources))
    rows = tuple(row for one in found for row in one.rows)
    texts = {path: text for one in found for path, text in one.texts.items()}
    texts["tests/ciphers.c"] = headed(identity, list_text(names))
    texts["LICENSE"] = licence.text(identity.holder or licence.HOLDER)
    tests = (*_TESTS, *(test for one in found for test in one.tests))
    made = Files(names, texts, sources, tests, rows, {k: v for one in found for k, v in one.programs.items()})
    texts |= _fixed(identity, made)
    return made


def _check_names(identity: Identity, names: Sequence[str]) -> None:
    taken: dict[str, str] = {}
    for name in names:
        if c_name(name) in taken:
            raise UnknownNameError(
                f"{taken[c_name(name)]} and {name}: both would be {identity.prefix}_{c_name(name)} in C"
            )
        taken[c_name(name)] = name


def _by_file(
    identity: Identity, cipher: type[Cipher], parts: Sequence[Part]
) -> dict[str, tuple[str, list[Part]]]:
    """The text of each file, by its name, and the parts that it has: one, or a mode of one, or where size
    comes first, or there is too much otherwise, all of a level that are compiled alike. Levels of vendors do
    not count: with them programs would be merged, which slows some, for what most CPUs never run."""
    texts = {part: _texts(identity, cipher, part) for part in parts}
    size = sum(len(text) for part, own in texts.items() if not part.level.vendor for text in own.values())
    held: dict[str, list[tuple[Part, str]]] = {}
    for part, own in texts.items():
        for mode, text in own.items():
            held.setdefault("_".join(filter(None, (_stem(part, size), mode))), []).append((part, text))
    within = {stem: [part for part, _ in own] for stem, own in held.items()}
    plain = [_plain([text for _, text in own], own[0][0]) for own in held.values()]
    found = _outlined(c_name(cipher.name()), plain, [_outlined_from(own) for own in within.values()])
    return {stem: (text, own) for (stem, own), text in zip(within.items(), found, strict=True)}


def _texts(identity: Identity, cipher: type[Cipher], part: Part) -> dict[str, str]:
    """A part's text without the modes that are apart, and those of these, by mode."""
    apart = {mode: mode_text(identity, cipher, part, mode) for mode in part.apart}
    return {"": part_text(identity, cipher, part), **apart}


def _stem(part: Part, size: int) -> str:
    """The name of the file that a part stands in, where the texts of all parts have so many characters."""
    if part.small or size > _HUGE:
        return f"{_compiled_as(part) or 'all'}_{part.level.name}"
    return "_".join(filter(None, (part.kind, _compiled_as(part)))) if size > _LARGE else part.name


def _compiled_as(part: Part) -> str:
    """The pragmas of the file that a part stands in, as words: only parts with the same ones share a file.

    Pragmas apply up to the end of a file, and those of scalar code disable AVX-512, which a kernel of vectors
    of 512 bits behind it needs.
    """
    shape = part.first.shape
    alone = shape.scalar and "__AVX512F__" in part.level.macros
    ordered = not may_reassociate(part.first.schedule)
    return "_".join(["crowded"] * crowded(shape) + ["ordered"] * ordered + ["scalar"] * alone)


def _plain(texts: Sequence[str], part: Part) -> str:
    """The text of a file of some parts."""
    text = merged(texts) if len(texts) > 1 or part.small else texts[0]
    return tables.compact(text) if part.small else text


def _outlined_from(parts: Sequence[Part]) -> int:
    """The characters from which on what repeats in a file of these parts is there once; 0 where size comes
    first."""
    if parts[0].small:
        return 0
    return _LONG_BLOCK if all(part.role == ONE for part in parts) else _LONG_TEXT


def _outlined(name: str, texts: Sequence[str], limits: Sequence[int]) -> Sequence[str]:
    """The texts of files, in which what repeats is there once in those that are as long as their limits; in
    several processes where that takes time and this is not one of several."""
    long = [len(text) >= limit for text, limit in zip(texts, limits, strict=True)]
    each = ([name] * len(texts), texts, limits)
    slow = sum(map(len, compress(texts, long))) >= _SLOW
    if sum(long) > 1 and slow and parent_process() is None:
        with processes() as pool:
            return list(pool.map(_text, *each))
    return list(map(_text, *each))


def _text(name: str, text: str, limit: int) -> str:
    with uncollected():
        long = len(text) >= limit
        return called_directly(outlined(text, name, inlined=limit > 0) if long else text)


def small_text(identity: Identity, cipher: type[Cipher], parts: Sequence[Part]) -> str:
    """Parts, where size comes first, as one file in which nothing stands twice."""
    text = _plain([part_text(identity, cipher, part) for part in parts], parts[0])
    return called_directly(outlined(text, c_name(cipher.name())))


def _source(path: str, parts: Sequence[Part]) -> Source:
    return Source(path, parts[0].level.name, any(part.lent for part in parts))


def _fixed(identity: Identity, made: Files) -> dict[str, str]:
    """The texts that are the same for all libraries, but for some values and for names."""
    values = {
        **builds.values(made.names, made.sources, made.tests),
        "VERSION": VERSION,
        "COMMAND": identity.command,
        "NAME": identity.prefix,
        "MACRO": identity.macro,
        "SPDX": licence.SPDX_LINE,
        "LICENCE": licence.SPDX,
        "HOLDER": identity.holder or licence.HOLDER,
        "TABLE": "\n".join(made.rows),
    }
    found = {}
    for path in _TEXTS:
        text = (files("finalist.export") / "texts" / path).read_text("utf-8")
        if path.endswith((".c", ".h")):
            text = headed(identity, identity.renamed(text))
        for name, value in values.items():
            text = text.replace(f"@@{name}@@", value)
        found[path.replace(DEFAULT_PREFIX, identity.prefix)] = text
    found["src/cpu.c"] = _of_levels(found["src/cpu.c"], made.levels)
    return found


def _of_levels(text: str, levels: Iterable[str]) -> str:
    """The list of levels with those alone that the library has."""
    for one in LEVELS:
        if one.name not in levels:
            text = re.sub(rf'^    \{{"{one.name}", .*\}},\n', "", text, flags=re.MULTILINE)
    return text


def headed(identity: Identity, text: str) -> str:
    """A C text after a comment that says where it comes from."""
    told = [f"Part of a library written by Finalist {VERSION}; do not edit.", "", f"  {identity.command}", ""]
    return comment([*told, licence.SPDX_LINE]) + text
