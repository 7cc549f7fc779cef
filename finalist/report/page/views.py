"""Which plots the page has, and which programs each is of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from finalist.advice import value_of
from finalist.report.page.points import Point, Points, of_want
from finalist.report.plots import page as plots
from finalist.report.plots.style import Spec

#: What throughput is laid against where a machine has figures of it, and where it has none of those.
COSTS, ELSE = ("area", "code", "ram"), "set-up"
#: What makes ciphers comparable between machines: of hardware, which can be as large as one likes, its use.
BESIDE = ("efficiency", "throughput")
#: Programs that a plot needs, to say anything.
_FEWEST = 3


@dataclass(frozen=True)
class View:
    """A plot of the page. ``section``: where it stands; ``name``: of its element; ``spec`` without its data,
    which is of ``points``; ``machine``: where it is of one; ``more``: what each point has beside its record;
    ``explained``: whether the machine is."""

    section: str
    name: str
    title: str
    spec: Spec
    points: Sequence[Point]
    machine: str = ""
    more: tuple[dict[str, float], ...] = ()
    explained: bool = False

    def values(self) -> list[Spec]:
        """The records of its points."""
        own = self.more or ({},) * len(self.points)
        return [point.record() | more for point, more in zip(self.points, own, strict=True)]

    def drawn(self) -> Spec:
        """The plot with its data, for a file of its own."""
        return {**self.spec, "width": 640, "data": {**self.spec["data"], "values": self.values()}}


def every(found: Points) -> list[View]:
    """All plots that are of programs."""
    return [*rankings(found), *fronts(found), beside(found), *spreads(found)]


def rankings(found: Points) -> Iterator[View]:
    """A plot a machine: of each cipher the program of most throughput."""
    for number, place in enumerate(found.places):
        own = found.best(place, "throughput")
        if own:
            unit, rate = own[0].unit("throughput"), _is_rate(own[0])
            timings = {one.timing for one in own}
            spec = plots.ranking(place, "throughput", unit, timings, rate=rate)
            yield View("rankings", f"ranking-{number}", place, spec, own, place, explained=True)


def fronts(found: Points) -> Iterator[View]:
    """Throughput against area, code and memory where a machine has figures of it; else against key set-up."""
    for number, place in enumerate(found.places):
        costs = [cost for cost in COSTS if len(_both(found, place, cost)) >= _FEWEST]
        for cost in costs or [ELSE]:
            own = _both(found, place, cost)
            if len(own) >= _FEWEST:
                units = own[0].unit(cost), own[0].unit("throughput")
                spec = plots.front(place, cost, *units, rate=_is_rate(own[0]))
                title = f"{place}: throughput against {cost}"
                yield View("fronts", f"front-{cost}-{number}", title, spec, own, place)


def beside(found: Points) -> View:
    """All machines side by side."""
    points, costs = list[Point](), list[dict[str, float]]()
    for place in found.places:
        for want in BESIDE:
            own = found.best(place, want)
            if own:
                points += own
                costs += [{"cost": _cost(one, want)} for one in own]
                break
    return View("beside", "beside-all", "All machines", plots.beside(found.places), points, "", tuple(costs))


def spreads(found: Points) -> Iterator[View]:
    """How restless figures were that are times."""
    for number, place in enumerate(found.places):
        own = [one for one in found.best(place, "throughput") if one.first.processor]
        if own:
            yield View("spread", f"spread-{number}", place, plots.spread(place), own, place)


def _both(found: Points, place: str, cost: str) -> list[Point]:
    return of_want(of_want(found.of(place), "throughput"), cost)


def _is_rate(one: Point) -> bool:
    found = value_of("throughput", one.figures)
    return found is not None and found.is_rate


def _cost(one: Point, want: str) -> float:
    found = value_of(want, one.figures)
    assert found is not None
    return 1 / found.value if found.is_rate else found.value
