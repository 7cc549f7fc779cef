"""Schedules: how a program is laid out in time and space; small immutable records of named choices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from operator import index
from typing import Literal, TypedDict

from finalist import notebook
from finalist.errors import ScheduleError, did_you_mean, unknown
from finalist.notice import notice

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
    #: How much of keyed functions is in tables: full, partial, minimal, zero.
    keyed_tables: str | None = None
    #: ``loop``, ``unroll``, ``nested`` loops, or the number of rounds in one iteration of the loop.
    rounds: Choice | None = None
    #: ``loop`` where the key schedule repeats itself, ``nested`` loops, or ``unroll``; in hardware ``load``:
    #: round keys come from outside, or ``chip``.
    key_schedule: str | None = None
    #: Round keys ``stored`` when a key is set up, or ``computed`` where they are used.
    subkeys: str | None = None
    #: In which order the terms of sums are added: as they are ``ready``, or as the ``compiler`` likes.
    sums: str | None = None
    #: Bits of the widest word that the code may use, 8 to 64; wider ones are worked on in parts. With
    #: vectors, 8 and 16 are the bits of a lane.
    word: int | None = None
    #: ``on``: spend time to find the program of fewest cycles; ``size`` or ``speed``: which of both code is
    #: made for.
    optimise: str | None = None
    #: ``on``: iterations of the loop over blocks overlap, the next begins before one has ended.
    pipeline: str | None = None
    #: Only a program whose time depends on no secret will do; written ``constant-time``.
    constant_time: bool | None = None
    #: The data path of hardware: ``LU-n``, ``PP-n`` or ``SP-n-m``.
    architecture: str | None = None
    #: What hardware is written in: ``verilog`` or ``vhdl``.
    language: str | None = None
    #: Of hardware and small programs: ``one`` operation, or ``both``, encryption and decryption, in one.
    directions: str | None = None
    #: How many coefficients of linear maps of bytes are tables; the others are made of these by steps.
    map_tables: int | None = None
    #: Cycles a block that one byte of code less may cost, where code is made small.
    byte_worth: int | None = None
    #: In place of all that is open, what `finalist tune` found quickest: for messages of so many bytes, or
    #: ``long`` ones. No machine sees it.
    tuned: Choice | None = None

    def __str__(self) -> str:
        return " ".join(self.texts()) or "default"

    def __repr__(self) -> str:
        return f"Schedule({', '.join(f'{name}={value!r}' for name, value in self.chosen().items())})"

    def _repr_html_(self) -> str:
        return notebook.table("Schedule", self.chosen() or {"all words": "the machine's defaults"})

    def texts(self) -> list[str]:
        """The choices that are made, each as `-s` takes it."""
        chosen = self.chosen().items()
        return [spelt(name) if value is True else f"{spelt(name)}={value}" for name, value in chosen]

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
    keyed_tables: Literal["full", "partial", "minimal", "zero"]
    rounds: int | Literal["loop", "unroll", "nested"]
    key_schedule: Literal["loop", "unroll", "nested", "load", "chip"]
    subkeys: Literal["stored", "computed"]
    sums: Literal["compiler", "ready"]
    word: int
    optimise: Literal["off", "on", "size", "speed"]
    pipeline: Literal["off", "on", "chained"]
    constant_time: bool
    architecture: str
    language: Literal["verilog", "vhdl"]
    directions: Literal["one", "both"]
    map_tables: int
    byte_worth: int
    tuned: int | Literal["long"]


def spelt(name: str) -> str:
    """The word of a field, as it is written outside of Python."""
    return name.replace("_", "-")


WORDS = tuple(spelt(f.name) for f in fields(Schedule))
#: The words that stand by themselves, without a value.
FLAGS = frozenset({"constant-time"})
#: Earlier names, which are still taken.
FORMERLY = {"keys": "key-schedule", "keying": "keyed-tables", "operations": "directions"}
#: What is chosen beside the schedule: options of the command line, arguments in Python.
_BESIDE = ("operation", "machine", "key-bits")
_INTEGERS = {"blocks", "width", "planes", "skew", "fuse", "word", "map-tables", "byte-worth"}
_MAY_BE_ZERO = {"fuse", "skew", "map-tables", "byte-worth"}
#: The words whose values end somewhere, whatever the machine; all others at `_MOST`.
_RANGES = {"word": range(8, 65)}
_MOST = 1 << 20
_NAMES: Mapping[str, tuple[str, ...]] = {
    "lookup": ("load", "gather", "permute", "match", "bitslice", "scan", "ptlu", "compute", "blockram"),
    "keyed-tables": ("full", "partial", "minimal", "zero"),
    "rounds": ("loop", "unroll", "nested"),
    "key-schedule": ("loop", "unroll", "nested", "load", "chip"),
    "subkeys": ("stored", "computed"),
    "sums": ("compiler", "ready"),
    "optimise": ("off", "on", "size", "speed"),
    "pipeline": ("off", "on", "chained"),
    "language": ("verilog", "vhdl"),
    "directions": ("one", "both"),
    "tuned": ("long",),
}
#: Words with names for values that may also be a number, and what it counts.
_NUMBERS = {"rounds": "the rounds in one iteration of the loop", "tuned": "the bytes of a message"}
#: Words that may stand alone, and what they mean then.
_ALONE = {"optimise": "on", "pipeline": "on", "tuned": "long"}
#: Words whose values have parts; the machine that has them takes them apart.
_FREE = {"architecture"}


def refuse_others(schedule: Schedule, own: Iterable[str], machine: str) -> None:
    """Raise ScheduleError where a choice is made that the machine does not have; ``own``: as in `WORDS`."""
    accepted = tuple(own)
    for text, name in zip(schedule.texts(), schedule.chosen(), strict=True):
        if spelt(name) not in accepted:
            raise ScheduleError(f"{text}: {machine} has no such choice; accepted: {', '.join(accepted)}")


def schedule_of(**choices: Choice | None) -> Schedule:
    """A schedule from keyword arguments; raises ScheduleError for an unknown word or value.

    Numbers may be given as text, and words by their earlier names, of which one line tells the user.
    """
    return _schedule_of(choices, _notice_renamed)


def parse_schedule(texts: Iterable[str], *, kept: bool = False) -> Schedule:
    """A schedule from ``name=value`` texts, as `-s` takes them; several may stand in one text.

    ``kept``: they come from a file of ours, which may have earlier names, and not from the user.
    Raises ScheduleError, also where a word is given two values.
    """
    choices: dict[str, Choice] = {}
    for text in texts:
        for item in text.replace(",", " ").split():
            name, value = _parted(item)
            if choices.setdefault(name, value) != value:
                raise ScheduleError(f"{name}={choices[name]} and {item}: accepted is one of them")
    return _schedule_of(choices, _ignore if kept else _notice_renamed)


def parsed(text: str) -> Schedule:
    """A schedule from how `str` writes it, the default's too; without a word of names of earlier versions."""
    return Schedule() if text == str(Schedule()) else parse_schedule([text], kept=True)


def _parted(item: str) -> tuple[str, Choice]:
    """The name and value of one choice as it is written."""
    name, equals, value = item.partition("=")
    if not equals and name in FLAGS:
        return name.replace("-", "_"), True
    if not equals and name in _ALONE:
        return name, _ALONE[name]
    if not equals or not value:
        told = f"schedule {item!r}: accepted is name=value, such as blocks=2"
        raise ScheduleError(told + ("" if name in WORDS else did_you_mean(name, WORDS)))
    return name, value


def _schedule_of(choices: Mapping[str, Choice | None], notice: Callable[[str, str], None]) -> Schedule:
    made: dict[str, Choice] = {}
    for name, value in choices.items():
        word = spelt(name)
        if value is None or (value is False and word in FLAGS):
            continue
        if word in FORMERLY:
            notice(word, FORMERLY[word])
            word = FORMERLY[word]
        field = word.replace("-", "_")
        if field in made:
            raise ScheduleError(f"{word} is given 2 times; accepted is one")
        made[field] = _value(word, value)
    return Schedule(**made)  # type: ignore[arg-type]


def _notice_renamed(old: str, new: str) -> None:
    notice(f"the schedule word {old} is called {new} now; {old} is still taken")


def _ignore(*_: str) -> None:
    pass


def _value(name: str, value: Choice) -> Choice:
    """What is chosen, if it is a value of that word."""
    if name in _BESIDE:
        raise ScheduleError(f"{name} is no schedule word, but an option of its own: --{name} {value}")
    if name not in WORDS:
        raise ScheduleError(unknown("schedule word", name, WORDS))
    if name in FLAGS:
        if value is not True:
            raise ScheduleError(f"{name}={value}: it stands by itself, or in Python is True")
        return value
    number = _number(value) if name in _INTEGERS or name in _NUMBERS else None
    if name in _INTEGERS or number is not None:
        return _in_range(name, value, number)
    if name in _FREE and isinstance(value, str):
        return value
    if value not in _NAMES.get(name, ()):
        told = f"{name}={value}{did_you_mean(value, _NAMES.get(name, ()))}: accepted: "
        counted = f", or a number: {_NUMBERS[name]}" if name in _NUMBERS else ""
        raise ScheduleError(told + ", ".join(_NAMES.get(name, ("text",))) + counted)
    return value


def _number(value: object) -> int | None:
    """An integer, or text that is one; None for anything else."""
    if isinstance(value, str):
        # Longer ones Python refuses to read; they are too large in any case.
        return int(value[:_DIGITS]) if value.isascii() and value.isdecimal() else None
    if isinstance(value, bool):
        return None
    try:
        return index(value)  # type: ignore[arg-type]  # what is no integer raises
    except TypeError:
        return None


_DIGITS = 9


def _in_range(name: str, value: Choice, number: int | None) -> int:
    if number is None or number < (0 if name in _MAY_BE_ZERO else 1):
        least = "0 or a positive integer" if name in _MAY_BE_ZERO else "a positive integer"
        raise ScheduleError(f"{name}={value}: accepted is {least}")
    if name in _RANGES and number not in _RANGES[name]:
        raise ScheduleError(f"{name}={value}: accepted is {_RANGES[name][0]} to {_RANGES[name][-1]}")
    if number > _MOST:
        raise ScheduleError(f"{name}={value}: accepted is {_MOST} at most")
    return number
