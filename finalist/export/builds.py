"""What the three build systems of a library have to know: its sources by level, flags, ciphers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from finalist.export.levels import LEVELS, Level
from finalist.machines.native.text.names import c_name


@dataclass(frozen=True, slots=True)
class Source:
    """A C file of the library: its path, the name of its level, and whether files of other levels call it."""

    path: str
    level: str
    lent: bool = False


def values(names: Sequence[str], sources: Sequence[Source], tests: Sequence[str]) -> dict[str, str]:
    """The values between @@ and @@ in CMakeLists.txt, Makefile and meson.build."""
    return {
        "SOURCES": "\n".join(map(_cmake_source, sources)),
        "CIPHERS": "\n    ".join(map(c_name, names)),
        "NAMES": "\n    ".join(names),
        "MAKE_SOURCES": "\n".join(_make_sources(sources)),
        "MAKE_TESTS": " ".join(tests),
        "MESON_LEVELS": "\n".join(_meson_levels(sources)),
        "MESON_TESTS": _meson_list(tests),
        "MESON_CIPHERS": _meson_list(names),
    }


def _cmake_source(source: Source) -> str:
    words = ["LENT"] if source.lent else []
    return f"@@NAME@@_source({' '.join([source.level, source.path, *words])})"


def _of(level: Level, sources: Iterable[Source]) -> list[str]:
    return [source.path for source in sources if source.level == level.name]


def _make_sources(sources: Sequence[Source]) -> Iterable[str]:
    for level in LEVELS:
        if own := _of(level, sources):
            yield f"SOURCES_{level.name} = {_continued(own)}"
            yield f"FLAGS_{level.name} = {' '.join(level.flags)}".rstrip()
    yield f"LENT = {_continued(source.path for source in sources if source.lent)}".rstrip()


def _continued(words: Iterable[str]) -> str:
    return " \\\n    ".join(words)


def _meson_levels(sources: Sequence[Source]) -> Iterable[str]:
    """Dictionaries: the level, its flags, and its files."""
    for level in LEVELS:
        if own := _of(level, sources):
            flags = _meson_list(level.flags)
            yield f"  {{'level': '{level.name}', 'flags': {flags},\n   'files': {_meson_list(own)}}},"


def _meson_list(words: Iterable[str]) -> str:
    return "[" + ", ".join(f"'{word}'" for word in words) + "]"
