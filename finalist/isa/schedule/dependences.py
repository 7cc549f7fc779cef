"""Dependences of a basic block: which instruction is issued how many cycles after which other one.

An edge a -> b of d says that b is issued at least d cycles after a: a read waits for the latency of what it
reads (true dependence), and a write to a register comes after reads (anti-dependence) and writes (output
dependence) of what was there before. Of words that have no register yet only the first kind counts, since
each is written once. Accesses to one array keep their order; in one cycle a load finds what was there before.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeVar

from finalist.isa.code import ZERO, Ins
from finalist.isa.target.processor import Processor
from finalist.isa.target.registers import Register

Location = TypeVar("Location", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Edge:
    """``target`` is issued at least ``distance`` cycles after ``source``."""

    source: int
    target: int
    distance: int


# -- of instructions on words --------------------------------------------------------------------------


def of_words(body: Sequence[Ins], lasting: AbstractSet[int]) -> Iterator[Edge]:
    """The edges of instructions in this order. A word that is not ``lasting`` is written once, and its
    register is found later."""
    return _edges(
        body,
        lambda ins: ins.read,
        lambda ins: [word for word in ins.written if word != ZERO],
        latency,
        lambda word: word in lasting,
    )


def of_waiting(body: Sequence[Ins]) -> Iterator[Edge]:
    """The edges of instructions on words in this order, on a processor that waits for results itself: what is
    written again is so a cycle later, and accesses to no array have no order."""
    return _edges(
        body,
        lambda ins: ins.read,
        lambda ins: [word for word in ins.written if word != ZERO],
        lambda ins, _: ins.instruction.latency,
        lambda _: True,
        waits=True,
    )


def latency(ins: Ins, word: int) -> int:
    """Cycles until a word that an instruction writes can be read."""
    for place in ins.instruction.written:
        if ins.operands[place] == word:
            return ins.instruction.latency_of(ins.instruction.operands[place].name)
    raise AssertionError


# -- of instructions on registers ----------------------------------------------------------------------


def of_registers(body: Sequence[Ins], processor: Processor) -> Iterator[Edge]:
    """The edges of instructions in this order."""
    return _edges(
        body,
        lambda ins: _read(ins, processor),
        lambda ins: registers_of(ins, ins.instruction.written),
        _register_latency,
        lambda _: True,
    )


def registers_of(ins: Ins, places: Sequence[int]) -> list[Register]:
    """The registers at some places among the operands."""
    return [(ins.files[place], int(ins.operands[place])) for place in places]


def _read(ins: Ins, processor: Processor) -> list[Register]:
    found = registers_of(ins, ins.instruction.read)
    if ins.issue is not None and ins.issue.condition:
        assert processor.predicates is not None
        found.append(processor.predicates.tested(ins.issue.condition)[0])
    return found


def _register_latency(ins: Ins, register: Register) -> int:
    for place in ins.instruction.written:
        if registers_of(ins, [place]) == [register]:
            return ins.instruction.latency_of(ins.instruction.operands[place].name)
    raise AssertionError


# -- of either -----------------------------------------------------------------------------------------


def _edges(
    body: Sequence[Ins],
    read: Callable[[Ins], Sequence[Location]],
    write: Callable[[Ins], Sequence[Location]],
    latency: Callable[[Ins, Location], int],
    reused: Callable[[Location], bool],
    *,
    waits: bool = False,
) -> Iterator[Edge]:
    """``reused``: whether something else can have been at a location before; ``waits``: see `of_waiting`."""
    written: dict[Location, int] = {}
    readers: dict[Location, list[int]] = {}
    stored: dict[object, int] = {}
    loaded: dict[object, list[int]] = {}
    for k, ins in enumerate(body):
        for one in read(ins):
            if one in written:
                yield Edge(written[one], k, latency(body[written[one]], one))
            readers.setdefault(one, []).append(k)
        for one in write(ins):
            own = 1 if waits else latency(ins, one)
            if reused(one):
                if one in written:
                    yield Edge(written[one], k, 1 if waits else latency(body[written[one]], one) - own + 1)
                yield from (Edge(reader, k, 1 - own) for reader in readers.pop(one, ()) if reader != k)
            written[one] = k
        if ins.access is not None or not waits:
            yield from _memory(k, ins, stored, loaded)


def _memory(k: int, ins: Ins, stored: dict[object, int], loaded: dict[object, list[int]]) -> Iterator[Edge]:
    """``stored``, ``loaded``: by array the last store, and the loads since then."""
    effect, access = ins.instruction.effect, ins.access
    if not effect:
        return
    if access in stored:
        yield Edge(stored[access], k, 1)
    if effect in ("store", "write"):
        yield from (Edge(before, k, 0) for before in loaded.pop(access, ()))
        stored[access] = k
    else:
        loaded.setdefault(access, []).append(k)
