"""Several C files of a library as one: what they have in common is there once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

_WORD = re.compile(r"[A-Za-z_]\w*")
#: What a piece of a file defines for that file alone.
_DEFINED = re.compile(
    r"^#define (\w+)|^typedef [^;{}]*?(\w+)(?: __attribute__[^;]*)?;|^(?:typedef struct \{[^{}\n]*)?\} (\w+);"
    r"|^static const struct (\w+) \{|^\} (\w+) = \{"
    r"|^static [^=;{}]*?(\w+)(?:\[[^=;{]*\])?(?: __attribute__\(\([^=;]*\)\))? = "
    r"|^(?:ALWAYS|(?:__attribute__\(\(\w+\)\) )?static) (?:inline )?(?:__attribute__\(\(\w+\)\) )?"
    r"[^=;{}()]*?(\w+)\([^;{}]*\)\s\{",
    re.MULTILINE,
)
_MACRO = re.compile(r"#define (\w+)")
#: What is said of a function where a file may not use it.
_UNUSED = "__attribute__((unused)) "
#: What a definition that is one file's own begins with.
_OWN = ("static ", "#define ", "ALWAYS ", "__attribute__")
#: Helpers of kernels of vectors, but for loops over a table. In a long file gcc leaves some as functions, for
#: whose calls all vectors go to memory.
_HELPER = re.compile(r"^static inline (?=vec\w* vec_(?!scan))", re.MULTILINE)
#: A piece that what is before it in a file may be needed for: a function, or what points to some.
_LATE = re.compile(r"^\w[^;={}]*\)\n\{$|^const struct|^_Static_assert", re.MULTILINE)


def merged(texts: Sequence[str]) -> str:
    """The files one after the other, without what was there before under any name; names that several of
    them define for themselves are numbered, and helpers are to be part of what calls them."""
    merging = _Merging(texts)
    found = [piece for text in texts for piece in merging.of(text)]
    whole = "\n".join(sorted(found, key=lambda piece: _LATE.search(piece) is not None))
    return _HELPER.sub("static inline __attribute__((always_inline)) ", whole)


class _Merging:
    """``pieces``: what is there, with its own name left out, and under what name; ``taken``: names in use."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.pieces: dict[str, str] = {}
        self.defined: set[str] = set()
        self.words = {word for text in texts for word in _WORD.findall(text)}

    def of(self, text: str) -> Iterator[str]:
        """The pieces of a file that are not there yet, with the names that they have now."""
        names: dict[str, str] = {}
        for original in (one for whole in _pieces(text) for one in _of_one(whole)):
            own = dict.fromkeys(next(filter(None, found)) for found in _DEFINED.findall(original))
            piece = _renamed(original, names)
            shape = _renamed(piece, {name: f"\0{number}" for number, name in enumerate(own)})
            shape = shape.replace(_UNUSED, "")
            if shape in self.pieces:
                known = self.pieces[shape].split()
                names |= {old: new for old, new in zip(own, known, strict=True) if old != new}
                continue
            new = {name: self._unused(name) for name in own if name in self.defined}
            names |= new
            self.pieces[shape] = " ".join(new.get(name, name) for name in own)
            self.defined |= set(self.pieces[shape].split())
            yield _renamed(piece, new)

    def _unused(self, name: str) -> str:
        number = 2
        while f"{name}_{number}" in self.words:
            number += 1
        self.words.add(f"{name}_{number}")
        return f"{name}_{number}"


def _pieces(text: str) -> Iterator[str]:
    """What stands between empty lines, but for those within conditions of the preprocessor."""
    lines: list[str] = []
    depth = 0
    for line in text.splitlines(keepends=True):
        if not line.strip() and not depth:
            if lines:
                yield "".join(lines)
            lines = []
            continue
        depth += line.startswith("#if") - line.startswith("#endif")
        lines.append(line)
    if lines:
        yield "".join(lines)


def _of_one(piece: str) -> list[str]:
    """A piece; one for each function where several stand together, or for each macro where it defines several
    under a condition."""
    if not piece.startswith("#"):
        return list(_apart(piece))
    lines = piece.splitlines(keepends=True)
    macros = dict.fromkeys(match[1] for line in lines if (match := _MACRO.match(line)))
    if len(macros) < 2 or not all(line.startswith("#") for line in lines):
        return [piece]
    others = {line: match[1] for line in lines if (match := _MACRO.match(line))}
    return ["".join(line for line in lines if others.get(line, macro) == macro) for macro in macros]


def _apart(piece: str) -> Iterator[str]:
    """Definitions that stand together, each by itself; within conditions of the preprocessor they are one."""
    lines: list[str] = []
    depth = 0
    for line in piece.splitlines(keepends=True):
        if lines and lines[-1].endswith("}\n") and not depth and line.startswith(_OWN):
            yield "".join(lines)
            lines = []
        depth += line.startswith("#if") - line.startswith("#endif")
        lines.append(line)
    yield "".join(lines)


def _renamed(text: str, names: dict[str, str]) -> str:
    return _WORD.sub(lambda match: names.get(match[0], match[0]), text) if names else text
