"""The search for subroutines in the kernels of a text, where each lowerer has placed its arrays; the order of
operations in these and in what calls them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import cast

from finalist.ir.graph import Graph, Node, Region, origin
from finalist.isa.lower.in_memory import InMemoryLowerer
from finalist.isa.lower.pressure import Pressure, wanted_later
from finalist.isa.lower.subroutines import Finder, Subroutine, executions
from finalist.isa.prepare.key_in_line import Wish


def finder_of(
    kernels: Sequence[Graph],
    lowerers: Sequence[InMemoryLowerer],
    width: int,
    worth: int,
    operations: int,
    in_place: bool,
    anywhere: bool,
) -> Finder:
    """The finder with all regions of the kernels, each with its lowerer; else as `Finder` takes it."""
    places = {param: place for to in lowerers for param, place in to.arrays.of.items()}

    def place_of(array: Node) -> Hashable:
        return cast(Hashable, places.get(origin(array)))

    finder = Finder(place_of, width, lowerers[0].grouped, worth, operations, in_place, anywhere)
    for kernel, to in zip(kernels, lowerers, strict=True):
        for region, times in executions(kernel):
            finder.add(region, to.grouped(region), times)
    return finder


def wishes_of(finder: Finder) -> list[Wish]:
    """What all of its subroutines wish."""
    for _ in finder.found():
        pass
    return finder.wishes


@contextmanager
def arranged(kernels: Sequence[Graph], shared: Sequence[Subroutine], to: InMemoryLowerer) -> Iterator[None]:
    """Meanwhile subroutines and the kernels' regions are in orders in which the fewest words wait at once."""
    inner = [region for kernel in kernels for region, _ in reversed(list(executions(kernel)))]
    before = [(region, region.body) for region in (*(one.region for one in shared), *inner)]
    try:
        _arrange(inner, shared, to)
        yield
    finally:
        for region, body in before:
            region.body = body


def _arrange(inner: Sequence[Region], shared: Sequence[Subroutine], to: InMemoryLowerer) -> None:
    order, kept = Pressure(to.calls), set[Node]()
    for region in (*(one.region for one in shared), *inner):
        kept |= wanted_later(region, to.calls_of(region))
    for region in (*(one.region for one in reversed(shared)), *inner):  # what others call comes first
        order.arrange(region, to.grouped(region), kept)
