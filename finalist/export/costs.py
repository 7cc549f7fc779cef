"""What the README of a library says of each cipher's programs, and what they were found to cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from finalist.export.code import marker
from finalist.export.levels import Level
from finalist.export.parts import Plan
from finalist.export.testing import rows_of
from finalist.language.cipher import Cipher
from finalist.passes.timing import worst

#: A cipher and a level, by their names.
Key: TypeAlias = tuple[str, str]
_UNKNOWN = "not measured"


@dataclass(frozen=True, slots=True)
class Costs:
    """What was measured when a library was checked.

    ``sizes``: bytes of code and tables; ``setups``: core cycles of key set-up, and ``speeds``: core cycles a
    byte of 16 KiB, over all operations and key lengths; ``clock``: by what.
    """

    sizes: Mapping[Key, int] = field(default_factory=dict)
    setups: Mapping[Key, str] = field(default_factory=dict)
    speeds: Mapping[Key, str] = field(default_factory=dict)
    clock: str = ""

    def put_into(self, text: str, keys: Iterable[Key]) -> str:
        """A text with what was measured in its places."""
        for key in keys:
            size = f"{self.sizes[key]:,}" if key in self.sizes else _UNKNOWN
            text = text.replace(_place("SIZE", key), size)
            text = text.replace(_place("SETUP", key), self.setups.get(key, _UNKNOWN))
            text = text.replace(_place("SPEED", key), self.speeds.get(key, _UNKNOWN))
        return text.replace("@CLOCK@", self.clock or "nothing: it was written without being run")


def read(lines: Iterable[str], sizes: Mapping[Key, int]) -> Costs:
    """The costs that the library's test printed, `finalist_test --costs`, beside the sizes of its objects."""
    setups: dict[Key, list[str]] = {}
    speeds: dict[Key, list[str]] = {}
    clock = ""
    for words in (line.split("\t") for line in lines):
        if words[0] == "clock":
            clock = f"{words[1]}, {words[2]} ticks a core cycle"
        elif words[0] == "cost":
            _, cipher, level, _, _, setup, speed = words
            setups.setdefault((cipher, level), []).append(setup)
            speeds.setdefault((cipher, level), []).append(speed)
    return Costs(sizes, _ranges(setups), _ranges(speeds), clock)


def _ranges(found: Mapping[Key, Sequence[str]]) -> dict[Key, str]:
    """The least and the most of figures."""
    ends = {key: (min(own, key=float), max(own, key=float)) for key, own in found.items()}
    return {key: low if low == high else f"{low} to {high}" for key, (low, high) in ends.items()}


def _place(what: str, key: Key) -> str:
    return f"@{what} {' '.join(key)}@"


def table_rows(cipher: type[Cipher], plans: Sequence[Plan]) -> Iterator[str]:
    """A row of the README for each level: functions, timing label, costs, schedules, checks."""
    lengths = {way.key_bits for plan in plans for way in plan.ways}
    answers = rows_of(cipher, lengths)
    own = sum(row.own for row in answers)
    count = f"{len(answers)}" + (f" ({own} of them own, not published)" if own else "")
    for level in dict.fromkeys(way.level for plan in plans for way in plan.ways):
        key = (cipher.name(), level.name)
        context = max(way.key_bytes for plan in plans for way in plan.ways if way.level is level)
        cells = (
            *key,
            _label(plans, level),
            _place("SIZE", key),
            f"{context:,}",
            _place("SETUP", key),
            _place("SPEED", key),
            _schedules(plans, level),
            count,
            marker(level),
        )
        yield f"| {' | '.join(cells)} |"


def _label(plans: Sequence[Plan], level: Level) -> str:
    """The worst timing label of what runs on a level, single blocks included."""
    ways = [way for plan in plans for way in plan.ways if way.level is level]
    return worst(*(p.timing for way in ways for part in way.parts for p in part.programs))


def _schedules(plans: Sequence[Plan], level: Level) -> str:
    parts = dict.fromkeys(part for plan in plans for part in plan.parts if part.level is level)
    return "; ".join(dict.fromkeys(str(part.first.schedule) for part in parts))
