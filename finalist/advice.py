"""Which cipher should I use? Those that were measured, ranked by what is wanted within what is allowed.

Everything is said of figures that are kept; what was not measured, or was refused, is named and not guessed.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.ciphers.catalogue import cipher_names
from finalist.errors import DefinitionError, UnknownNameError, unknown
from finalist.measure.figure import NOT_EXECUTED, REFUSED, Figure
from finalist.passes.timing import CONSTANT

#: What may be wanted, and the quantities that say how much of it there is: the first that a machine has.
WANTS: Mapping[str, tuple[str, ...]] = {
    "throughput": ("throughput", "bulk"),
    "latency": ("latency", "block", "feedback throughput"),
    "set-up": ("key set-up",),
    "code": ("code and tables",),
    "ram": ("RAM",),
    "key": ("key memory",),
    "area": ("area",),
    "efficiency": ("throughput per area",),
}
#: What a purpose wants, and whether programs must be constant-time.
PURPOSES: Mapping[str, tuple[str, bool]] = {
    "bulk": ("throughput", False),
    "latency": ("latency", False),
    "constant-time": ("throughput", True),
    "small": ("code", False),
    "hardware": ("efficiency", False),
}
#: States of a cipher (`finalist.language.cipher.STATES`) in which it is not advised.
UNSAFE = ("broken", "withdrawn")
_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_LIMIT = re.compile(r"\s*([a-z-]+)\s*(<=|>=|<|>)\s*([0-9.]+)\s*")


@dataclass(frozen=True, slots=True)
class Limit:
    """A quantity, by its name in `WANTS`, that must be on one side of a number."""

    name: str
    comparison: str
    number: float

    def __str__(self) -> str:
        return f"{self.name}{self.comparison}{self.number:g}"

    def allows(self, figures: Mapping[str, Figure]) -> bool:
        """Whether a program keeps it; one of which it is not known does not."""
        found = value_of(self.name, figures)
        return found is not None and _COMPARISONS[self.comparison](found.value, self.number)


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked for. ``ciphers``: only these definitions, all if empty; ``key_bits`` 0: what is usual."""

    machine: str
    want: str
    limits: tuple[Limit, ...] = ()
    constant_time: bool = False
    operation: str = "encrypt"
    key_bits: int = 0
    ciphers: tuple[str, ...] = ()
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """A cipher that is advised: its figure of what is wanted, all of that program's, its cipher's state, and
    why it stands where it does."""

    figure: Figure
    others: Mapping[str, Figure]
    state: str
    why: str

    @property
    def command(self) -> str:
        """What prints its program."""
        return self.figure.command


@dataclass(frozen=True, slots=True)
class Left:
    """Why a cipher is not advised: its ``kind``, and more about it, if there is more."""

    kind: str
    why: str = ""


#: What ciphers that are left out are.
UNSAFE_KIND, BEYOND, UNMEASURED = "unsafe", "beyond the limits", "not measured"


@dataclass(frozen=True, slots=True)
class Answer:
    """The ranking on one machine, the best first, and the ciphers that are not in it. ``processor``: whose
    figures they are, where they are times; ``dates``: the days on which they were taken."""

    wish: Wish
    choices: tuple[Choice, ...]
    left: Mapping[str, Left]
    processor: str
    dates: tuple[str, ...]

    def of(self, kind: str) -> dict[str, str]:
        """The ciphers that are left out for one reason, and more about it."""
        return {name: one.why for name, one in self.left.items() if one.kind == kind}


def limits(text: str) -> tuple[Limit, ...]:
    """Limits as they are written: ``ram<128,code<4096``. Raises UnknownNameError."""
    found = []
    for part in filter(None, text.split(",")):
        match = _LIMIT.fullmatch(part)
        if match is None:
            raise UnknownNameError(f"limit {part!r}; accepted: NAME<NUMBER, also <=, >, >=, as in ram<128")
        name, comparison, number = match.groups()
        if name not in WANTS:
            raise UnknownNameError(unknown("limit", name, WANTS))
        try:
            found.append(Limit(name, comparison, float(number)))
        except ValueError as error:
            raise UnknownNameError(f"limit {part!r}: {number} is no number") from error
    return tuple(found)


def value_of(name: str, figures: Mapping[str, Figure]) -> Figure | None:
    """The figure of what is wanted, if a program has one."""
    return next((figures[quantity] for quantity in WANTS[name] if quantity in figures), None)


def machines_with(want: str, rows: Iterable[Figure]) -> list[str]:
    """The machines that have figures of what is wanted, in the order in which they came."""
    return list(dict.fromkeys(row.machine for row in rows if row.quantity in WANTS[want]))


def advice(wish: Wish, rows: Sequence[Figure]) -> Answer:
    """The ciphers by what is wanted, one program each."""
    own = [row for row in rows if row.machine == wish.machine and row.operation == wish.operation]
    processor = _processor(own)
    own = [row for row in own if row.processor == processor or row.quantity == REFUSED]
    names = wish.ciphers or tuple(dict.fromkeys((*cipher_names(), *(row.name for row in own))))
    found = {name: _found(name, wish, own) for name in names}
    chosen = [one for one in found.values() if isinstance(one, Choice)]
    ranked = tuple(_reasoned(sorted(chosen, key=lambda one: _cost(one.figure))))
    left = {name: one for name, one in found.items() if isinstance(one, Left)}
    return Answer(wish, ranked, left, processor, tuple(sorted({one.figure.date[:10] for one in ranked})))


def _found(name: str, wish: Wish, rows: Iterable[Figure]) -> Choice | Left:
    """A cipher's best program within the limits, or why there is none."""
    state, usual = known(name)
    if state in UNSAFE and not wish.broken:
        return Left(UNSAFE_KIND, state)
    bits = wish.key_bits or usual
    own = programs(row for row in rows if row.name == name and bits in (row.key_bits, 0))
    found = [(one, value_of(wish.want, one)) for one in own]
    had = [(one, figure) for one, figure in found if figure is not None]
    allowed = [(one, figure) for one, figure in had if _allowed(wish, one, figure)]
    if allowed:
        figures, figure = min(allowed, key=lambda pair: _cost(pair[1]))
        return Choice(figure, figures, state, "")
    if had:
        return Left(BEYOND)
    refused = next((one[REFUSED].refused for one in own if REFUSED in one), "")
    return Left(REFUSED, refused) if refused else Left(UNMEASURED)


def _processor(rows: Sequence[Figure]) -> str:
    """Whose figures are compared: times of two processors can't be, so those of most ciphers, and of two the
    first."""
    found: dict[str, set[str]] = {}
    for row in rows:
        if row.quantity != REFUSED:
            found.setdefault(row.processor, set()).add(row.name)
    return max(found, key=lambda one: len(found[one]), default="")


@cache
def known(name: str) -> tuple[str, int]:
    """What is known of a cipher's security, and its usual key length."""
    try:
        found = find_cipher(name.split(":")[0])
    except (UnknownNameError, DefinitionError):
        return "unknown", 0
    return (found.facts.state if found.facts else "unknown"), found.usual_key_bits()


def programs(rows: Iterable[Figure]) -> list[dict[str, Figure]]:
    """The figures of each program by quantity: of several units that which is compared, the latest."""
    found: dict[str, dict[str, Figure]] = {}
    for row in rows:
        figures = found.setdefault(row.schedule, {})
        known = figures.get(row.quantity)
        if known is None or (row.date, -row.rank) >= (known.date, -known.rank):
            figures[row.quantity] = row
    return list(found.values())


def _allowed(wish: Wish, figures: Mapping[str, Figure], found: Figure) -> bool:
    if wish.constant_time and found.timing != CONSTANT:
        return False
    return all(limit.allows(figures) for limit in wish.limits)


def _cost(row: Figure) -> float:
    return -row.value if row.is_rate else row.value


def _reasoned(ranked: Sequence[Choice]) -> Iterable[Choice]:
    """Each with why it stands where it does."""
    for place, one in enumerate(ranked):
        first, own = ranked[0].figure.value, one.figure.value
        rate = one.figure.is_rate
        if place == 0:
            why = f"{'most' if rate else 'least'} of the {len(ranked)} that are allowed"
        elif rate:
            why = f"the first gives {first / own:.2f} times as much"
        else:
            why = f"{own / first:.2f} times as much as the first"
        if one.figure.verified == NOT_EXECUTED:
            why += f"; {NOT_EXECUTED}"
        yield Choice(one.figure, one.others, one.state, why)
