"""What can be chosen of the processor, and how it is written: ``word=64,issue=4/2,with=ptlu``."""

from __future__ import annotations

from dataclasses import dataclass, replace

from finalist.errors import UnknownNameError, unknown
from finalist.isa.target import data_cache
from finalist.isa.target.data_cache import DataCache

#: Rows of the paper's table 6: instructions and memory accesses a cycle.
ISSUES = ((1, 1), (2, 1), (2, 2), (4, 1), (4, 2), (8, 1), (8, 2))


@dataclass(frozen=True, slots=True)
class Parameters:
    """A processor. ``issue``, ``ports``: instructions and memory accesses a cycle.

    ``multiplier``: bits of the operands of a product, 0 for a whole word, and ``latency`` its cycles;
    ``tables``: lookup tables on the chip, ``entries``: bits of an entry, 0 for a whole word; ``extra``:
    instructions beyond the base, by name. ``cache``: between the processor and its data, which
    else are there in a cycle.
    """

    word: int = 32
    issue: int = 1
    ports: int = 1
    shifters: int = 1
    multipliers: int = 1
    multiplier: int = 0
    latency: int = 3
    tables: int = 8
    entries: int = 0
    cache: DataCache | None = None
    extra: tuple[str, ...] = ()

    def __str__(self) -> str:
        """As `parsed` takes it; what is as in the base is left out."""
        base, told = Parameters(), []
        if (self.issue, self.ports) != (base.issue, base.ports):
            told.append(f"issue={self.issue}/{self.ports}")
        for name in _NUMBERS:
            if getattr(self, name) != getattr(base, name):
                told.append(f"{name}={getattr(self, name)}")
        if self.cache:
            told.append(f"cache={self.cache}")
        return ",".join([*told, *([f"with={'+'.join(self.extra)}"] if self.extra else [])])


#: Parameters that are one number, and what they can be.
_NUMBERS: dict[str, tuple[int, ...]] = {
    "word": (32, 64, 128),
    "shifters": tuple(range(1, 9)),
    "multipliers": tuple(range(1, 9)),
    "multiplier": (0, 16, 32, 64),
    "latency": tuple(range(1, 17)),
    "tables": (4, 8),
    "entries": (0, 32, 64, 128),
}
_ACCEPTED = (*_NUMBERS, "issue", "cache", "with")


def parsed(text: str) -> Parameters:
    """Parameters from ``name=value,name=value``. Raises UnknownNameError, saying what is accepted."""
    found = Parameters()
    for item in filter(None, text.split(",")):
        name, _, value = item.partition("=")
        if name == "issue":
            found = _issue(found, value)
        elif name == "cache":
            cache = data_cache.parsed(value)
            if cache is None:
                raise UnknownNameError(f"cache={value}; accepted: {data_cache.ACCEPTED}")
            found = replace(found, cache=cache)
        elif name == "with":
            found = replace(found, extra=tuple(dict.fromkeys(filter(None, value.split("+")))))
        elif name in _NUMBERS:
            number = int(value) if value.isdecimal() else -1
            if number not in _NUMBERS[name]:
                accepted = ", ".join(map(str, _NUMBERS[name]))
                raise UnknownNameError(f"{name}={value}; accepted: {accepted}")
            found = replace(found, **{name: number})  # type: ignore[arg-type]
        else:
            raise UnknownNameError(unknown("parameter", item, _ACCEPTED))
    if found.multiplier and found.multiplier * 2 != found.word:
        raise UnknownNameError(
            f"multiplier={found.multiplier} with word={found.word}; accepted: 0 or {found.word // 2}"
        )
    if found.entries > found.word:
        raise UnknownNameError(
            f"entries={found.entries} with word={found.word}; accepted: at most {found.word}"
        )
    return found


def _issue(found: Parameters, value: str) -> Parameters:
    issue, _, ports = value.partition("/")
    good = issue.isdecimal() and 1 <= int(issue) <= 16
    good = good and (not ports or (ports.isdecimal() and 1 <= int(ports) <= int(issue)))
    if not good:
        raise UnknownNameError(f"issue={value}; accepted: N or N/PORTS, as in 4/2, with N of 1 to 16")
    return replace(found, issue=int(issue), ports=int(ports or 1))
