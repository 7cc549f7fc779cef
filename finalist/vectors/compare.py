"""A definition's intermediate values held against those of somebody else, written as text or JSON.

A text has a line for each value, ``name = hex`` (or ``name: hex``), below lines that say where it belongs,
``round 3``, ``loop 2 round 3``, ``before the rounds``, ``after the rounds``, ``round keys``,
``key schedule``. ``#`` begins a comment; key, input and output (or plaintext and ciphertext) at the top are
compared as well. Lines as the publication prints them (`finalist.language.Intermediate`) may take the place
of all that. Values need not be complete: of a name that has several in a round, those given have to be among
them, in their order; and of a value that ends in ``...`` the beginning counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import Formatter

from finalist.errors import DataError
from finalist.language.cipher import Intermediate
from finalist.language.watch import STATE
from finalist.vectors.intermediate import AFTER, BEFORE, KEY_SCHEDULE, ROUND_KEYS, Named, Way
from finalist.vectors.reorder import order_between

_HEX = r"(?:0[xX])?[0-9a-fA-F]+(?:[\s:_,]+(?:0[xX])?[0-9a-fA-F]+)*"
_VALUE = re.compile(rf"^\*?\s*(?P<name>[^\s=:][^=:]*?)\s*[=:]\s*(?P<value>{_HEX}(?:\s*\.\.\.)?)$")
_ROUND = re.compile(r"^(?:loop\s+(?P<loop>\d+)[\s,]+)?round\s+(?P<round>\d+)\s*:?$", re.IGNORECASE)
_OTHERS = (KEY_SCHEDULE, ROUND_KEYS, BEFORE, AFTER)
_TOP = ("key", "input", "output")
#: The section of the output.
RESULT = "the result"


@dataclass(frozen=True, slots=True)
class Given:
    """A value of somebody else: ``section`` is empty where nothing says it; ``line`` counts from 1."""

    section: str
    name: str
    digits: str
    line: int
    #: The number of the round in lines as a publication has them.
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """The first value that differs: where, theirs, ours; the order of bytes that would make them equal."""

    where: str
    name: str
    line: int
    theirs: str
    ours: str
    order: str

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where else ""
        return f"{where}{self.name} is {self.theirs} in line {self.line}, {self.ours} here{self._hint()}"

    def short(self) -> str:
        """The same of values that have no file."""
        where = f"{self.where}, " if self.where else ""
        return f"{where}{self.name}: expected {self.theirs}, got {self.ours}{self._hint()}"

    def _hint(self) -> str:
        return f"; the same with {self.order}" if self.order else ""


@dataclass(frozen=True, slots=True)
class Compared:
    """How many values agree before the first difference, if any; those that the definition has not got."""

    agreed: int
    unknown: tuple[str, ...]
    difference: Difference | None


def parse(text: str, layout: Intermediate | None = None) -> list[Given]:
    """The values of a text, or of the JSON of `finalist trace`. Raises DataError, naming the line."""
    if text.lstrip().startswith(("{", "[")):
        return list(_of_json(text))
    line_of = _published_line(layout) if layout else None
    found, section = [], ""
    for number, line in enumerate(text.splitlines(), start=1):
        told = line.partition("#")[0].strip()
        own = line_of.match(told) if line_of else None
        value, head = _VALUE.match(told), _section(told)
        if own:
            found.append(Given("", own["name"], _digits(own["value"]), number, int(own["round"])))
        elif head is not None:
            section = head
        elif value:
            found.append(Given(section, value["name"].strip(), _digits(value["value"]), number))
        elif told and not (layout and told.endswith(":")):
            raise DataError(
                f"line {number}: {line.strip()!r}; accepted: name = hex, round N, {', '.join(_OTHERS)}, # ..."
            )
    return found


def _section(text: str) -> str | None:
    matched = _ROUND.match(text)
    if matched:
        loop = f"loop {matched['loop']} " if matched["loop"] else ""
        return f"{loop}round {int(matched['round'])}"
    plain = text.rstrip(":").strip().lower()
    if plain == RESULT:
        return ""
    known = plain in _OTHERS or re.fullmatch(r"before loop \d+|the operation", plain)
    return plain if known else None


def _digits(text: str) -> str:
    """Hex digits alone; of a value that goes on the dots are kept."""
    return re.sub(r"0[xX]|[\s:_,]", "", text).lower()


def _published_line(layout: Intermediate) -> re.Pattern[str]:
    """What reads a line that `layout` has written."""
    kinds = {"round": r"\s*(?P<round>\d+)\s*", "name": r"(?P<name>[^\s=]+)\s*", "value": f"(?P<value>{_HEX})"}
    parts = [
        re.escape(text) + kinds.get(field or "", "") for text, field, _, _ in Formatter().parse(layout.line)
    ]
    return re.compile("".join(parts) + "$")


def _of_json(text: str) -> Iterator[Given]:
    try:
        document = json.loads(text)
        for one in document if isinstance(document, list) else [document]:
            for name in _TOP:
                if name in one:
                    yield Given("", name, one[name], 1)
            for value in one["values"]:
                yield Given(value["section"], value["name"], _digits(value["hex"]), 1)
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"this is no JSON of `finalist trace` ({type(error).__name__}: {error})") from error


# -- comparing -----------------------------------------------------------------------------------------


def compare(way: Way, given: Sequence[Given]) -> Compared:
    """Hold the values of one block against given ones, in their order, up to the first that differs."""
    ours = _Ours(way)
    agreed, unknown = 0, dict[str, None]()
    for one in given:
        having = ours.of(one)
        if not having:
            unknown[f"{one.name} in {_where(one)}" if _where(one) else one.name] = None
            continue
        difference = ours.take(one, having)
        if difference is not None:
            return Compared(agreed, tuple(unknown), difference)
        agreed += 1
    return Compared(agreed, tuple(unknown), None)


def _where(one: Given) -> str:
    return one.section if one.number is None else f"round {one.number}"


class _Ours:
    """The values of a block by name, and which of them have been found."""

    def __init__(self, way: Way) -> None:
        self.own = [*(one for one in way.values if one.section in (ROUND_KEYS, KEY_SCHEDULE)), *way.raw]
        layout = way.cipher.intermediate
        self.published = published(way, layout) if layout else []
        self.top = dict(zip(_TOP, (way.key.hex(), way.given.hex(), way.output.hex()), strict=True))
        texts = ("plaintext", "ciphertext")[:: 1 if way.operation == "encrypt" else -1]
        self.top |= {name: self.top[known] for name, known in zip(texts, _TOP[1:], strict=True)}
        self.taken: dict[tuple[str, int | None, str], int] = {}

    def of(self, one: Given) -> list[str]:
        """All our values of that name there, as digits."""
        if one.number is not None:
            return [
                _digits(value.hex)
                for number, name, value in self.published
                if (number, name) == (one.number, one.name)
            ]
        if one.name.lower() in self.top and not one.section:
            return [self.top[one.name.lower()]]
        there = (v for v in self.own if v.name == one.name and one.section in ("", v.section))
        return [_digits(value.hex) for value in there]

    def take(self, one: Given, having: list[str]) -> Difference | None:
        """Find the value among ours, after those found before."""
        place = (one.section, one.number, one.name)
        first = self.taken.get(place, 0)
        later = [k for k in range(first, len(having)) if _equal(one.digits, having[k])]
        if later:
            # A value that is bound, and then is the state, is there twice.
            self.taken[place] = later[0]
            return None
        # After what was found the next one was meant, else most likely what the round ends with.
        ours = having[min(first + 1, len(having) - 1)] if place in self.taken else having[-1]
        order = order_between(_bytes(one.digits.rstrip(".")), _bytes(ours))
        return Difference(_where(one), one.name, one.line, one.digits, ours, order)


def _equal(one: str, other: str) -> bool:
    """Whether digits are the same number, or those that it begins with."""
    if one.endswith("..."):
        return other.startswith(one[:-3])
    return one == other or (len(one) < len(other) and one.lstrip("0") == other.lstrip("0") != "")


def _bytes(digits: str) -> bytes:
    return bytes.fromhex(digits if len(digits) % 2 == 0 else "0" + digits)


#: The number of a round, the publication's name, the value.
Entry = tuple[int, str, Named]


def published(way: Way, layout: Intermediate) -> list[Entry]:
    """The values that the publication prints, in the order in which they are made.

    What is known by several names one after the other goes by the last of them.
    """
    names = layout.encrypt if way.operation == "encrypt" else layout.decrypt
    found = [(_number(one), names[one.full], one) for one in way.raw if one.full in names]
    return [a for a, b in pairwise([*found, None]) if a and not (b and a[2].same == b[2].same)]


def _number(value: Named) -> int:
    """What ends a round is what the next one starts from."""
    return value.number + (value.kind == STATE)


def lines(way: Way, layout: Intermediate) -> Iterator[str]:
    """The same as text."""
    head = layout.encrypt_head if way.operation == "encrypt" else layout.decrypt_head
    if head:
        yield head.format(key=way.key.hex(), input=way.given.hex())
    for number, name, value in published(way, layout):
        yield layout.line.format(round=number, name=name, value=value.hex)
