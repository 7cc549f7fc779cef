"""Tables that several C files of a cipher read: moved to one file, which all of them name."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from finalist.names import unused

#: A table as the machine writes it, at the left margin. Its braces stand for all of it.
_TABLE = re.compile(
    r"^static const (?P<type>uint(?P<bits>\d+)_t) (?P<name>\w+)"
    r"(?P<size>\[[^=;]*\](?: __attribute__\(\([^=;]*\)\))?) = "
    r"(?P<values>\{.*?\});\n",
    re.DOTALL | re.MULTILINE,
)
#: What an array of a function begins with: a table of the function's own, copied at once.
_FILLED = re.compile(
    r"^(?P<indent> +)static const (?P<type>uint(?P<bits>\d+)_t) (?P<name>\w+)"
    r"(?P<size>\[\d+\]) = (?P<values>\{[^}]*\});\n"
    r" +memcpy\((?P<target>[^,\n]+), (?P=name), sizeof (?P=name)\);\n",
    re.MULTILINE,
)
#: Characters of a table from which on it is not to be written twice.
_LONG = 500
#: Entries from which on those of a table are read one by one; with fewer, and no more bytes than this, it is
#: read as whole vectors, by permutes (four of 512 bits) and affine maps, or copied: the compiler makes
#: constants of them where it sees them. E2 and DFC take a twentieth less in bulk for it, FROG's key set-up a
#: seventh.
_READ_BY_ENTRY, _AS_VECTORS = 256, 256
_COLUMNS = 110


@dataclass(frozen=True, slots=True)
class Shared:
    """``texts``: the files, which define the names of tables; ``declarations`` of the tables, for a header,
    and their ``definitions``, for a file of their own; empty where no table is read twice."""

    texts: Sequence[str]
    declarations: str
    definitions: str


def share(texts: Sequence[str], stem: str, hidden: str) -> Shared:
    """Move tables that several texts have. Their names begin with ``stem``; ``hidden`` is what C says of
    names that the library keeps for itself."""
    found = [[*_TABLE.finditer(text), *_FILLED.finditer(text)] for text in texts]
    counted = Counter(_content(match) for tables in found for match in tables)
    names: dict[tuple[str, ...], str] = {}
    for tables in found:
        for match in tables:
            content = _content(match)
            if counted[content] > 1 and _is_worth_it(match) and content not in names:
                names[content] = unused(f"{stem}_{match['name']}", names.values())
    declared = [f"extern {hidden} const {kind} {name}{size};\n" for (kind, size, _), name in names.items()]
    defined = [f"const {kind} {name}{size} = {values};\n" for (kind, size, values), name in names.items()]
    return Shared([_named(text, names) for text in texts], "".join(declared), "".join(defined))


def _is_worth_it(match: re.Match[str]) -> bool:
    """Whether a table is worth moving to a file of its own."""
    entries = len(re.findall(r"\w+", match["values"]))
    size = entries * int(match["bits"]) // 8
    known = entries < _READ_BY_ENTRY and size <= _AS_VECTORS
    return len(match["values"]) >= _LONG and not known


def table_bytes(text: str) -> int:
    """Characters of the tables of a text."""
    return sum(len(match[0]) for match in _TABLE.finditer(text))


def compact(text: str) -> str:
    """The text with the entries of tables in as few characters as C has for them."""
    return _TABLE.sub(lambda match: match[0].replace(match["values"], _rows(match["values"])), text)


def _rows(values: str) -> str:
    entries = [
        _shortest(int(entry.strip(), 0)) for entry in values.strip("{} \n").split(",") if entry.strip()
    ]
    lines = textwrap.wrap(" ".join(entries), _COLUMNS, break_long_words=False)
    return "{\n" + ",\n".join(line.replace(" ", ",") for line in lines) + "}"


def _shortest(value: int) -> str:
    """A number in decimal, or where that is longer, or an int would not hold it, in hexadecimal."""
    decimal, hexadecimal = str(value), hex(value)
    return decimal if value < 1 << 31 and len(decimal) <= len(hexadecimal) else hexadecimal


def _content(match: re.Match[str]) -> tuple[str, str, str]:
    return match["type"], match["size"], match["values"]


def _named(text: str, names: Mapping[tuple[str, ...], str]) -> str:
    """The text with names in the place of tables. A table stays where a structure has a member of its name,
    which the macro would rename, too."""

    def name(match: re.Match[str]) -> str:
        own = None if re.search(rf"->{match['name']}\b", text) else names.get(_content(match))
        return f"#define {match['name']} {own}\n" if own else match[0]

    def source(match: re.Match[str]) -> str:
        own = names.get(_content(match))
        return f"{match['indent']}memcpy({match['target']}, {own}, sizeof {own});\n" if own else match[0]

    return _FILLED.sub(source, _TABLE.sub(name, text))
