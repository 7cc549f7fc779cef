"""Delay and area of the unit of lookup tables by the bits of an entry, and of the ALU beside it, as models.

As published models of memories and adders have them: a table has as many rows whatever its width, so that
what grows is the word line, which is driven through a tree of buffers; an adder of parallel prefixes has a
level more for each doubling. Both are lines over the logarithm of the width. The area is a constant a table
and one a bit. All of it is **fitted** to the figures that it is shown beside (Fiskiran, Lee 2005, table 5,
section 4; 90 nm): two constants to three delays each, two to two areas. So that what says something of the
delays is how far each is from a line through the other two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2
from statistics import linear_regression

from finalist.papers.load import paper

#: Entries of a table.
ENTRIES = 256
#: What is timed, by the names in the paper's data.
TIMED = ("alu", "lookup")


@dataclass(frozen=True, slots=True)
class Line:
    """A constant, and what each unit more adds."""

    constant: float
    each: float

    def at(self, place: float) -> float:
        """The value there."""
        return self.constant + self.each * place


def _through(points: Sequence[tuple[float, float]]) -> Line:
    each, constant = linear_regression(*zip(*points, strict=True))
    return Line(constant, each)


def published_delays(what: str) -> Mapping[int, float]:
    """ns by bits of a word."""
    found = paper("ptlu")["alu_and_lookup_latency_ns"]
    return {int(word): float(entry[what]) for word, entry in found.items()}


def delay(what: str, word: int) -> float:
    """ns by the line through all published delays; ``what`` is of `TIMED`."""
    return _through([(log2(w), ns) for w, ns in published_delays(what).items()]).at(log2(word))


def delay_by_others(what: str, word: int) -> float:
    """ns by the line through the delays of the other words."""
    others = [(log2(w), ns) for w, ns in published_delays(what).items() if w != word]
    return _through(others).at(log2(word))


def published_areas() -> Mapping[int, float]:
    """mm2 of eight tables, by bits of an entry."""
    found = paper("ptlu")["table_area"]["eight tables mm2"]
    return {int(name.split("-")[0]): float(area) for name, area in found.items()}


def area(bits: int, tables: int = 8) -> float:
    """mm2 of tables with entries of so many bits."""
    return tables * _area_of_one().at(bits)


def area_of_a_bit() -> float:
    """Square micrometres of a bit of a table, with its share of what is around."""
    return _area_of_one().each / ENTRIES * 1e6


def _area_of_one() -> Line:
    return _through([(bits, mm2 / 8) for bits, mm2 in published_areas().items()])
