"""What a C text uses of all that it defines: the rest is left out, as are conditions that are constant.

Helpers are written once, for all texts (`finalist.machines.native.text.prelude` and those of the layouts);
here each text gets those of them that it calls. It is the C of this machine that is understood, no other:
what is at the outermost level begins in the first column, and ends in the line where its brackets do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r"\b[A-Za-z_]\w*(?:##)?")
#: For each character that is in no word a space.
_BETWEEN = {at: " " for at in range(128) if not (chr(at).isalnum() or chr(at) == "_")}
_ATTRIBUTE = re.compile(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)")
_EQUAL = re.compile(r"(\d+) == (\d+)")
_CONDITION = re.compile(r"#\s*(if|ifdef|ifndef|elif|else|endif)\b\s*(.*)", re.DOTALL)
#: Headers that a text includes if it has any of these words.
_HEADERS = (
    ("stddef.h", re.compile(r"\bsize_t\b")),
    ("stdint.h", re.compile(r"\bu?int\d+_t\b")),
    ("string.h", re.compile(r"\bmem(cpy|set)\(")),
)
#: What a function that others call begins with, part of these or not.
_HELPERS = ("static inline", "static __attribute__((noinline))")
#: What of a function is conditional.
_INSIDE = re.compile(r"^#if.*?^#endif", re.MULTILINE | re.DOTALL)
#: The header of what x86 has in C beside the language, and how its names begin.
INTRINSICS = "#include <immintrin.h>"
_CALLED = re.compile(r"\b_mm\d*_|\b__m(?:128|256|512|mask)")
#: A branch inside of a function, for CPUs with some instructions.
_BRANCH = re.compile(r"^#(?:el)?if (.*?__\)?)\n(.*?)(?=^#)", re.MULTILINE | re.DOTALL)


@dataclass(eq=False)
class _Item:
    """Some lines of a text: what they define and which words are in them.

    ``kind``: blank, comment, include, note (pragmas and errors), or definition.
    """

    text: str
    kind: str
    names: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    wanted: bool = False


@dataclass(eq=False)
class _Group:
    """`#if` to `#endif`: the directive and the contents of each branch."""

    branches: list[tuple[str, list[_Part]]] = field(default_factory=list)


_Part = _Item | _Group


@dataclass(frozen=True)
class Used:
    """A text with nothing needless in it, less the headers that it includes: these as lines."""

    headers: str
    text: str


def used(text: str, roots: Iterable[str]) -> Used:
    """What of a text is not `static`, or defines one of the names ``roots``, and all that this uses."""
    parts, _ = _parts(_lines(without_constant_conditions(text)), 0)
    items = [item for item in _items(parts) if item.kind == "definition"]
    _mark(items, frozenset(roots))
    _attribute([part for part in parts if isinstance(part, _Item) and part.wanted])
    body = _text(parts)
    return Used(_headers(body, parts), body)


# -- reading ------------------------------------------------------------------------------------------


def _lines(text: str) -> list[str]:
    """The lines, of which directives that go on in the next are one."""
    lines: list[str] = []
    goes_on = False
    for line in text.split("\n"):
        if goes_on:
            lines[-1] += "\n" + line
        else:
            lines.append(line)
        goes_on = line.endswith("\\")
    return lines


def _words(text: str) -> frozenset[str]:
    """What stands in a text that may be a name, and numbers; the beginning of a name with its ``##``."""
    if "##" in text:
        return frozenset(_WORD.findall(text))
    return frozenset(text.translate(_BETWEEN).split())  # a function of bit slices has a megabyte


def without_constant_conditions(text: str) -> str:
    """The text without branches that no compiler takes, and conditions that all do.

    `#if 32 == 32 && defined(A)` -> `#if defined(A)`
    """
    lines: list[str] = []
    #: Of each open condition: whether a branch was written, whether one is always taken, and is now written.
    open_: list[tuple[bool, bool, bool]] = []
    for line in _lines(text):
        found = _CONDITION.match(line) if line.startswith("#") else None
        shown = all(now for _, _, now in open_)
        if not found:
            lines += [line] if shown else []
            continue
        kind, condition = found[1], found[2]
        if kind == "endif":
            any_, always, _ = open_.pop()
            lines += [line] if any_ and all(now for _, _, now in open_) else []
            continue
        if kind in ("if", "ifdef", "ifndef"):
            open_.append((False, False, True))
        any_, always, _ = open_.pop()
        outside = all(now for _, _, now in open_)
        value = _value(condition) if kind in ("if", "elif") else ""
        if always or value is None:
            open_.append((any_, always, False))
            continue
        everywhere = kind == "else" or (kind in ("if", "elif") and not value)
        directive = line if kind in ("ifdef", "ifndef") else f"#{'elif' if any_ else 'if'} {value}"
        if everywhere:
            directive = "#else" if any_ else ""
        lines += [directive] if outside and directive else []
        open_.append((any_ or bool(directive), everywhere, True))
    return "\n".join(lines)


def _value(condition: str) -> str | None:
    """A condition without comparisons of numbers; None if it does not hold."""
    left = []
    for term in condition.split(" && "):
        numbers = _EQUAL.fullmatch(term)
        if numbers is None:
            left.append(term)
        elif numbers[1] != numbers[2]:
            return None
    return " && ".join(left)


def _parts(lines: list[str], at: int) -> tuple[list[_Part], int]:
    """The parts from a line on, and the line that ends them: the last, or one of an outer condition."""
    parts: list[_Part] = []
    while at < len(lines):
        found = _CONDITION.match(lines[at])
        if not found:
            item, at = _item(lines, at)
            parts.append(item)
        elif found[1] in ("if", "ifdef", "ifndef"):
            group = _Group()
            while not lines[at].startswith("#endif"):
                inside, end = _parts(lines, at + 1)
                group.branches.append((lines[at], inside))
                at = end
            parts.append(group)
            at += 1
        else:
            break
    return parts, at


def _item(lines: list[str], at: int) -> tuple[_Item, int]:
    """The item that begins at a line, and the line after it."""
    line = lines[at]
    if not line.strip():
        return _Item(line, "blank"), at + 1
    if line.startswith("/*"):
        end = next(n for n in range(at, len(lines)) if "*/" in lines[n]) + 1
        return _Item("\n".join(lines[at:end]), "comment"), end
    if line.startswith("#"):
        kind = "include" if line.startswith("#include") else "note"
        defined = re.match(r"#define (\w+)", line)
        if defined is None:
            return _Item(line, kind), at + 1
        return _defined(line, frozenset({defined[1]})), at + 1
    end = _end(lines, at)
    text = "\n".join(lines[at:end])
    return _defined(text, _names(text)), end


def _end(lines: list[str], at: int) -> int:
    """The line after that in which a definition ends."""
    depth = 0
    for number in range(at, len(lines)):
        line = lines[number]
        depth += sum(map(line.count, "({[")) - sum(map(line.count, ")}]"))
        if depth == 0 and line.rstrip().endswith((";", "}", "*/")):
            return number + 1
    return len(lines)


def _defined(text: str, names: frozenset[str]) -> _Item:
    return _Item(text, "definition", names, _words(_COMMENT.sub("", text)))


def _names(text: str) -> frozenset[str]:
    """What a definition that is no macro defines."""
    head = _ATTRIBUTE.sub("", _COMMENT.sub("", text))
    if head.startswith("typedef"):
        return frozenset(re.findall(r"(\w+)\s*;\s*$", head))
    tag = re.match(r"static const struct (\w+) \{.*\} (\w+) = ", head, re.DOTALL)
    if tag:
        return frozenset({tag[1], tag[2]})
    declared = re.match(r"[\w\s*]*?(\w+)\s*[\[(=;]", head)
    return frozenset({declared[1]}) if declared else frozenset()


def _items(parts: Iterable[_Part]) -> Iterator[_Item]:
    for part in parts:
        if isinstance(part, _Item):
            yield part
        else:
            for _, inside in part.branches:
                yield from _items(inside)


# -- what is used -------------------------------------------------------------------------------------


def _mark(items: list[_Item], roots: frozenset[str]) -> None:
    """Mark what defines a root or is seen from outside, and what that uses."""
    by_name: dict[str, list[_Item]] = {}
    for item in items:
        for name in item.names:
            by_name.setdefault(name, []).append(item)
    waiting = [item for item in items if item.names & roots or _is_seen(item)]
    while waiting:
        item = waiting.pop()
        if item.wanted:
            continue
        item.wanted = True
        for word in item.words:
            waiting += by_name.get(word, ())
            if word.endswith("##"):  # the beginning of a name
                begun = (name for name in by_name if name.startswith(word[:-2]))
                waiting += [other for name in begun for other in by_name[name]]


def _attribute(items: list[_Item]) -> None:
    """Say of functions that only conditional text calls that they may be unused: compilers warn of them."""
    words = (_words(_INSIDE.sub("", item.text)) - item.names for item in items)
    sure = set[str]().union(*words)
    for item in items:
        if item.text.startswith(_HELPERS) and not item.names & sure:
            item.text = f"__attribute__((unused)) {item.text}"


def _is_seen(item: _Item) -> bool:
    """Whether other files may use it: a function or variable that is not static."""
    head = _ATTRIBUTE.sub("", item.text).lstrip()
    return not head.startswith(("#", "typedef", "static", "ALWAYS"))


# -- writing ------------------------------------------------------------------------------------------


def _text(parts: list[_Part]) -> str:
    """The text of what is wanted, with a blank line where there was at least one."""
    paragraphs: list[list[_Part]] = [[]]
    for part in parts:
        if isinstance(part, _Item) and part.kind == "blank":
            paragraphs.append([])
        else:
            paragraphs[-1].append(part)
    texts = dict.fromkeys(filter(None, map(_paragraph, paragraphs)))  # one that stands twice is written once
    return "\n\n".join(texts)


def _paragraph(parts: list[_Part]) -> str:
    """Lines without a blank one between them; a comment before something goes with it, the first with all."""
    lines: list[str] = []
    first = ""
    comment = ""
    for place, part in enumerate(parts):
        if isinstance(part, _Item) and part.kind == "comment":
            comment = part.text
            first = first if place else comment
            continue
        text = _written(part)
        if text:
            lines += [line for line in (comment or ("" if lines else first), text) if line]
        comment = ""
    return "\n".join(lines)


def _written(part: _Part) -> str:
    if isinstance(part, _Item):
        return part.text if part.wanted or part.kind == "note" else ""
    branches = [(directive, _text(inside)) for directive, inside in part.branches]
    if not any(item.wanted or item.text.startswith("#error") for item in _items([part])):
        return ""
    while not branches[-1][1]:
        branches.pop()
    return "\n".join(
        [*(f"{directive}\n{text}" if text else directive for directive, text in branches), "#endif"]
    )


def _headers(body: str, parts: list[_Part]) -> str:
    """The lines that include what the text needs."""
    lines = [f"#include <{name}>" for name, words in _HEADERS if words.search(body)]
    own = {f"#include <{name}>" for name, _ in _HEADERS}
    included = [item.text for item in _items(parts) if item.kind == "include" and item.text not in own]
    for header in dict.fromkeys((INTRINSICS, *included)):
        lines += _conditional(header, list(dict.fromkeys(_conditions(parts, header))))
    return "\n".join(lines) + "\n"


def _conditional(header: str, conditions: list[str]) -> list[str]:
    """A header that is included where one of these holds; "" always does."""
    if not conditions or "" in conditions:
        return [header] if conditions else []
    return [f"#if {' || '.join(f'({c})' if '&&' in c else c for c in conditions)}", header, "#endif"]


def _conditions(parts: list[_Part], header: str, outer: str = "") -> Iterator[str]:
    """Where something is wanted that needs a header, or stands beside its inclusion."""
    here = [part for part in parts if isinstance(part, _Item)]
    wanted = [item.text for item in here if item.wanted]
    if wanted and any(item.text == header for item in here):
        yield outer
    for text in wanted if header == INTRINSICS else ():
        if _CALLED.search(_INSIDE.sub("", text)):
            yield outer
        yield from (condition for condition, inside in _BRANCH.findall(text) if _CALLED.search(inside))
    for part in parts:
        if isinstance(part, _Group):
            for directive, inside in part.branches:
                found = _CONDITION.match(directive)
                assert found
                yield from _conditions(inside, header, found[2])
