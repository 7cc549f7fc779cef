"""The programs on the page, each with its figures: what plots show as a point and tables as a row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from finalist.advice import WANTS, known, programs, value_of
from finalist.ciphers.catalogue import GROUPS, built_in
from finalist.measure.figure import REFUSED, Figure
from finalist.report.plots.style import Spec

#: What a program without a figure of it is called, in columns and legends.
NO_LABEL = "estimate"


@dataclass(frozen=True)
class Point:
    """A program of a cipher on a machine. ``number``: its place among all; ``figures``: by quantity;
    ``place``: the machine, and the processor where its figures are times."""

    number: int
    place: str
    state: str
    figures: Mapping[str, Figure]

    @cached_property
    def first(self) -> Figure:
        """Any of its figures: what they have in common."""
        return next(iter(self.figures.values()))

    @property
    def cipher(self) -> str:
        """As it is called on the page: by file where it is not built in."""
        return self.first.name

    @property
    def timing(self) -> str:
        """The label of its timing."""
        return self.first.timing or NO_LABEL

    def value(self, want: str) -> float | None:
        """How much it takes or gives of what may be wanted (`finalist.advice.WANTS`), if that is known."""
        found = value_of(want, self.figures)
        return None if found is None else found.value

    def unit(self, want: str) -> str:
        """The unit of that; empty where it is not known."""
        found = value_of(want, self.figures)
        return "" if found is None else found.unit

    def record(self) -> Spec:
        """The point as plots and the script have it."""
        one = self.first
        speed = value_of("throughput", self.figures)
        figures = {want: float(f"{value:.4g}") for want in WANTS if (value := self.value(want)) is not None}
        return {
            "id": self.number,
            "cipher": self.cipher,
            "machine": self.place,
            "operation": one.operation,
            "key": one.key_bits,
            "state": self.state,
            "timing": self.timing,
            "schedule": one.schedule,
            "spread": round(max(figure.spread for figure in self.figures.values()), 3),
            "verified": one.verified,
            "taken": f"{one.date[:10]}, commit {one.commit}",
            "unit": speed.unit if speed else "",
            "command": one.command,
            **figures,
        }


@dataclass(frozen=True, slots=True)
class Refusal:
    """A cipher that a machine refuses, and why."""

    cipher: str
    place: str
    operation: str
    why: str


@dataclass(frozen=True)
class Points:
    """All programs of the page, and what there is no program of."""

    points: tuple[Point, ...]
    refusals: tuple[Refusal, ...]

    @cached_property
    def places(self) -> tuple[str, ...]:
        """The machines, in the order of the machine list."""
        return tuple(dict.fromkeys(point.place for point in self.points))

    @cached_property
    def ciphers(self) -> tuple[str, ...]:
        """The ciphers, built-in ones first, by group."""
        order = [name for group in GROUPS for name in built_in(group)]
        named = {point.cipher for point in self.points} | {one.cipher for one in self.refusals}
        return tuple(
            sorted(
                named, key=lambda name: (name not in order, order.index(name) if name in order else 0, name)
            )
        )

    def of(self, place: str, operation: str = "") -> list[Point]:
        """Those of a machine, in one direction or both."""
        return [one for one in self.points if one.place == place and operation in ("", one.first.operation)]

    def best(self, place: str, want: str) -> list[Point]:
        """Of each cipher and direction on a machine the program that is best by what is wanted."""
        found: dict[tuple[str, str], Point] = {}
        for one in self.of(place):
            key, value = (one.cipher, one.first.operation), value_of(want, one.figures)
            if value is not None and (key not in found or better(one, found[key], want)):
                found[key] = one
        return list(found.values())


def better(one: Point, other: Point, want: str) -> bool:
    """Whether a program is better than another by what is wanted, which both have figures of."""
    ours, theirs = value_of(want, one.figures), value_of(want, other.figures)
    assert ours is not None and theirs is not None
    return ours.value > theirs.value if ours.is_rate else ours.value < theirs.value


def gathered(rows: Sequence[Figure], machines: Sequence[str]) -> Points:
    """The programs of these figures, of each cipher at its usual key length; ``machines``: their order."""
    usual = [row for row in rows if row.key_bits in (known(row.name)[1], 0) or not known(row.name)[1]]
    subjects: dict[tuple[str, str, str], list[Figure]] = {}
    for row in sorted(usual, key=lambda row: _order(row.machine, machines)):
        subjects.setdefault((row.name, _place(row), row.operation), []).append(row)
    points, refusals = list[Point](), list[Refusal]()
    for (name, place, operation), own in subjects.items():
        found = [one for one in programs(own) if REFUSED not in one]
        points += [Point(len(points) + k, place, known(name)[0], one) for k, one in enumerate(found)]
        if not found:
            refusals.append(Refusal(name, place, operation, own[-1].refused))
    return Points(tuple(points), tuple(refusals))


def _order(machine: str, machines: Sequence[str]) -> tuple[int, str]:
    plain = machine.split(":")[0]
    return (machines.index(plain) if plain in machines else len(machines), machine)


def _place(row: Figure) -> str:
    return f"{row.machine}, {row.processor}" if row.processor else row.machine


def of_want(found: Iterable[Point], want: str) -> list[Point]:
    """Those that have a figure of what is wanted."""
    return [one for one in found if one.value(want) is not None]
