"""What the checker says of programs with mistakes in them, and what limits a loop, are what they were."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice

import pytest

from finalist.isa import check
from finalist.isa.assembly.decoder import Decoder
from finalist.isa.code import Ins, successors
from finalist.isa.limits import limits, with_one_more
from finalist.isa.schedule.modulo.bounds import least_interval
from finalist.isa.schedule.modulo.greedy import greedy, manners
from finalist.isa.target.operand import AssemblyError
from finalist.machines.c6x.model import processor as c6x
from tests.isa.allocate.test_liveness import loop as blocks
from tests.loops import random_loop, sum_loop
from tests.processors import vliw
from tests.processors.test_texts import program
from tests.programs import simulated
from tests.unchanged import unchanged

pytestmark = pytest.mark.digest

P = vliw.processor()


def spoiled(words: list[int], source: random.Random) -> list[int]:
    """Two words changed places, one left out, or one with the bit that says what is issued with the next."""
    found, at = list(words), source.randrange(len(words) - 1)
    kind = source.randrange(3)
    if kind == 0:
        found[at], found[at + 1] = found[at + 1], found[at]
    elif kind == 1:
        del found[at]
    else:
        found[at] ^= 1
    return found


def test_rules() -> None:
    made: dict[str, object] = {}
    for number in (1, 3, 13):
        one = simulated("c62x", program(number))
        p, source = one.processor, random.Random(number)
        entries = list(one.simulator.entries.values())
        assert check.rules(one.simulator.code, entries, p) == []
        for place in range(12):
            try:
                code = Decoder(p).all(spoiled(one.image.words, source))
                made[f"{number} {place}"] = check.rules(code, entries, p)
            except AssemblyError as error:
                made[f"{number} {place}"] = str(error)
    assert sum(bool(found) for found in made.values()) > 10
    unchanged("isa-rules", made)


def body(source: random.Random) -> Iterator[Ins]:
    """Operations, loads and stores on words 1 to 6, some under conditions."""
    for _ in range(10):
        name = source.choice(["add", "sub", "xor", "mul", "rotr", "ld32", "st32", "mvi", "mv"])
        one = P.by_name[name][0]
        operands: list[int | str] = [
            source.randint(1, 6) if o.is_register else 4 * source.randrange(8) for o in one.operands
        ]
        access = source.choice("xy") if name in ("ld32", "st32") else None
        condition = (source.randint(1, 6), source.random() < 0.5) if source.random() < 0.2 else None
        yield Ins(one, operands, access=access, condition=condition)


def test_orders_that_do_the_same_and_that_do_not() -> None:
    found = []
    for seed in range(60):
        source = random.Random(seed)
        before = list(body(source))
        after = list(before)
        at = source.randrange(len(after) - 1)
        after[at], after[at + 1] = after[at + 1], after[at]
        found.append([check.same(before, after, P, k) for k in range(2)])
    assert any(map(all, found)) and not all(map(all, found))
    unchanged("isa-same", {"all": found})


def test_where_blocks_go_on() -> None:
    assert successors(blocks()) == {"start": ["loop"], "loop": ["loop", "after"], "after": []}


def test_limits_of_loops() -> None:
    made = {}
    for name, problem in {"sum": sum_loop(), **{str(k): random_loop(k, 16) for k in range(4)}}.items():
        interval, schedule = least_interval(problem), None
        while schedule is None:
            schedule = next(
                filter(None, (greedy(problem, interval, m) for m in islice(manners(problem, 2), 4))), None
            )
            interval += 1
        made[name] = limits(problem, schedule), [(what, one.digest) for what, one in with_one_more(problem)]
    unchanged("isa-limits", made)


def test_processors() -> None:
    """Every instruction of the signal processors, in all ways, as bits and text."""
    made = {}
    for cpu in ("c62x", "c64x"):
        for one in c6x(cpu).instructions:
            ways = [(way.resources, way.name, one.fixed_in(way)) for way in one.ways]
            made[f"{cpu} {one.syntax}"] = (
                one.fixed,
                one.ways_mask,
                one.name,
                one.effect,
                ways,
                len(list(one.forms)),
            )
    unchanged(
        "isa-instructions",
        {cpu: [v for k, v in made.items() if k.startswith(cpu)] for cpu in ("c62x", "c64x")},
    )
