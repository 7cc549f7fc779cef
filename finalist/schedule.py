"""Schedules: how a program is laid out in time and space; small immutable records of named choices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Literal, TypedDict

from finalist import notebook
from finalist.errors import ScheduleError

Choice = int | str | bool


@dataclass(frozen=True, slots=True, repr=False)
class Schedule:
    """What is None is the machine's default for the cipher. docs/schedules.md has a page on each word."""

    #: Blocks that one call of the kernel works on.
    blocks: int | None = None
    #: Bits of a vector; 1 is scalar code.
    width: int | None = None
    #: Bit planes that a word is cut into, with as many blocks in a lane; 1 for none.
    planes: int | None = None
    #: Statements by which each block (or vector) worked on side by side lags behind the one before.
    skew: int | None = None
    #: How a table is read: ``load``; with vectors ``gather`` or ``permute``; ``scan``: all of it each time;
    #: ``match``: an instruction has it; ``bitslice``: computed, bit by bit; on the chip ``ptlu``.
    lookup: str | None = None
    #: Widest table, in bits an entry, that a linear map is merged into; 0 for none.
    fuse: int | None = None
    #: How far keyed functions are tabulated: full, partial, minimal, zero.
    keying: str | None = None
    #: ``loop``, ``unroll``, or the number of rounds in one turn of the loop.
    rounds: Choice | None = None
    #: The key schedule: ``loop`` where it repeats itself, or ``unroll``; in hardware ``load``: round keys
    #: come from outside, or ``chip``.
    keys: str | None = None
    #: Bits of the widest word that the code may use, 8 to 64; wider ones are worked on in parts. With
    #: vectors, 8 and 16 are the bits of a lane.
    word: int | None = None
    #: ``on``: spend time to find the program of fewest cycles.
    optimise: str | None = None
    #: Only a program whose time depends on no secret will do; written ``constant-time``.
    constant_time: bool | None = None
    #: The data path of hardware: ``LU-n``, ``PP-n`` or ``SP-n-m``.
    architecture: str | None = None
    #: What hardware is written in: ``verilog`` or ``vhdl``.
    language: str | None = None
    #: Of hardware: ``one`` operation, or ``both``, encryption and decryption, in one design.
    operations: str | None = None

    def __str__(self) -> str:
        return " ".join(self.texts()) or "default"

    def __repr__(self) -> str:
        return f"Schedule({', '.join(f'{name}={value!r}' for name, value in self.chosen().items())})"

    def _repr_html_(self) -> str:
        return notebook.table("Schedule", self.chosen() or {"all words": "the machine's defaults"})

    def texts(self) -> list[str]:
        """The choices that are made, each as `-s` takes it."""
        chosen = self.chosen().items()
        return [_spelt(name) if value is True else f"{_spelt(name)}={value}" for name, value in chosen]

    def over(self, defaults: Schedule) -> Schedule:
        """This schedule, its open choices filled from ``defaults``."""
        own = {f.name: getattr(self, f.name) for f in fields(self)}
        return replace(defaults, **{name: value for name, value in own.items() if value is not None})

    def chosen(self) -> dict[str, Choice]:
        """The choices that are made, by name."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


class Choices(TypedDict, total=False):
    """The words of a `Schedule` as keyword arguments, for editors and type checkers."""

    blocks: int
    width: int
    planes: int
    skew: int
    lookup: Literal["load", "gather", "permute", "match", "bitslice", "scan", "ptlu", "compute", "blockram"]
    fuse: int
    keying: Literal["full", "partial", "minimal", "zero"]
    rounds: int | Literal["loop", "unroll"]
    keys: Literal["loop", "unroll", "load", "chip"]
    word: int
    optimise: Literal["off", "on"]
    constant_time: bool
    architecture: str
    language: Literal["verilog", "vhdl"]
    operations: Literal["one", "both"]


def _spelt(name: str) -> str:
    """A word as it is written outside of Python."""
    return name.replace("_", "-")


WORDS = tuple(_spelt(f.name) for f in fields(Schedule))
#: The words that stand by themselves, without a value.
FLAGS = frozenset({"constant-time"})
_INTEGERS = {"blocks", "width", "planes", "skew", "fuse", "word"}
_MAY_BE_ZERO = {"fuse", "skew"}
#: The words whose values end somewhere, whatever the machine.
_RANGES = {"word": range(8, 65)}
_NAMES: Mapping[str, tuple[str, ...]] = {
    "lookup": ("load", "gather", "permute", "match", "bitslice", "scan", "ptlu", "compute", "blockram"),
    "keying": ("full", "partial", "minimal", "zero"),
    "rounds": ("loop", "unroll"),
    "keys": ("loop", "unroll", "load", "chip"),
    "optimise": ("off", "on"),
    "language": ("verilog", "vhdl"),
    "operations": ("one", "both"),
}
#: Words that may stand alone, and what they mean then.
_ALONE = {"optimise": "on"}
#: Words whose values have parts; the machine that has them takes them apart.
_FREE = {"architecture"}
#: The choices that only hardware has, and those of programs.
HARDWARE = ("architecture", "language", "operations")
SOFTWARE = tuple(f.name for f in fields(Schedule) if f.name not in HARDWARE)


def refuse_others(schedule: Schedule, own: Iterable[str], machine: str) -> None:
    """Raise ScheduleError where a choice is made that the machine does not have."""
    accepted = tuple(own)
    for name, value in schedule.chosen().items():
        if name not in accepted:
            told = ", ".join(map(_spelt, accepted))
            raise ScheduleError(f"{_spelt(name)}={value}: {machine} has no such choice; accepted: {told}")


def schedule_of(**choices: Choice | None) -> Schedule:
    """A schedule from keyword arguments; raises ScheduleError for an unknown word or value."""
    given = {name: value for name, value in choices.items() if value is not None and not _unset(name, value)}
    made = {name: _value(_spelt(name), value) for name, value in given.items()}
    return Schedule(**made)  # type: ignore[arg-type]


def parse_schedule(texts: Iterable[str]) -> Schedule:
    """A schedule from ``name=value`` texts, as `-s` takes them; several may stand in one text."""
    choices: dict[str, Choice] = {}
    for text in texts:
        for item in text.replace(",", " ").split():
            name, equals, value = item.partition("=")
            if item in _ALONE:
                equals, value = "=", _ALONE[item]
            if name in FLAGS and not equals:
                choices[name.replace("-", "_")] = True
            elif not equals or not value:
                raise ScheduleError(f"schedule {item!r}: accepted is name=value, such as blocks=2")
            else:
                choices[name] = int(value) if value.isdecimal() else value
    return schedule_of(**choices)


def _unset(name: str, value: Choice) -> bool:
    return value is False and _spelt(name) in FLAGS


def _value(name: str, value: Choice) -> Choice:
    if name not in WORDS:
        raise ScheduleError(f"unknown schedule word {name!r}; accepted: {', '.join(WORDS)}")
    if name in FLAGS:
        if value is not True:
            raise ScheduleError(f"{name}={value}: it stands by itself, or in Python is True")
        return value
    if name in _INTEGERS or (name == "rounds" and isinstance(value, int)):
        if (
            isinstance(value, bool)
            or not isinstance(value, int)
            or value < (0 if name in _MAY_BE_ZERO else 1)
        ):
            raise ScheduleError(f"{name}={value}: accepted is a positive integer")
        if name in _RANGES and value not in _RANGES[name]:
            raise ScheduleError(f"{name}={value}: accepted is {_RANGES[name][0]} to {_RANGES[name][-1]}")
        return value
    if name in _FREE and isinstance(value, str):
        return value
    if value not in _NAMES.get(name, ()):
        raise ScheduleError(f"{name}={value}: accepted: {', '.join(_NAMES[name])}")
    return value
