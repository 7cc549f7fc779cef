"""A data cache: patterns of accesses whose misses are known, and no trace of it where there is none."""

from __future__ import annotations

import random

import pytest

from finalist.isa.assembly.assembler import assemble
from finalist.isa.simulate.render import Renderer
from finalist.isa.simulate.runtime import before
from finalist.isa.simulate.simulator import Simulator
from finalist.isa.target.data_cache import DataCache, parsed
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed as parameters
from tests.marks import needs_compiler

pytestmark = needs_compiler


def run(accesses: list[str], cache: str) -> tuple[int, int, int]:
    """Hits, misses and cycles of these instructions."""
    p = processor(parameters(f"cache={cache}"))
    machine = Simulator(assemble("\n".join(["go:", *accesses, "trap"]), p), p, ("go",))
    memory, state = machine.memory(0x4000), machine.machine()
    machine.run("go", memory, state)
    counts = machine.counts(state)
    return sum(counts.hits.values()), sum(counts.misses.values()), sum(counts.cycles.values())


def loads(*addresses: int) -> list[str]:
    return [f"load.32 r1, {address}(r0)" for address in addresses]


#: Of 4 sets of 2 lines of 16 bytes.
SMALL = "128/16/2/20"


@pytest.mark.parametrize(
    ("accesses", "hits", "misses"),
    [
        (loads(0, 4, 8, 12), 3, 1),  # one line
        (loads(0, 16, 32, 48, 0, 16, 32, 48), 4, 4),  # one line of each set
        (loads(0, 64, 0, 64), 2, 2),  # both ways of one set
        (loads(0, 64, 128, 0, 64, 128), 0, 6),  # three lines in turn of a set of two
        (loads(0, 64, 0, 128, 0, 64), 2, 4),  # the one used least recently makes room: 64 for 128
        (loads(14), 0, 2),  # across two lines
        (["store.32 r0, 32(r0)", *loads(36)], 1, 1),  # a store brings its line in
        (["add r1, r2, r3"], 0, 0),
    ],
)
def test_misses_by_hand(accesses: list[str], hits: int, misses: int) -> None:
    found = run(accesses, SMALL)
    assert found[:2] == (hits, misses)
    assert found[2] == len(accesses) + 1 + 20 * misses


def test_a_direct_mapped_one_has_more_conflicts() -> None:
    assert run(loads(0, 128, 0, 128), "128/16/1/20")[:2] == (0, 4)
    assert run(loads(0, 128, 0, 128), "128/16/8/20")[:2] == (2, 2)  # one set for all


@pytest.mark.parametrize("cache", ["64/16/2/3", "256/32/1/7", "128/16/4/1"])
def test_against_a_model_in_a_few_lines(cache: str) -> None:
    draw, own = random.Random(cache), parsed(cache)
    assert own is not None
    addresses = [4 * draw.randrange(128) for _ in range(300)]
    there: dict[int, list[int]] = {}
    misses = 0
    for line in (address // own.line for address in addresses):
        used = there.setdefault(line % own.sets, [])
        misses += line not in used
        used[:] = [line, *(other for other in used if other != line)][: own.ways]
    assert run(loads(*addresses), cache)[:2] == (len(addresses) - misses, misses)


def test_counts_begin_anew_and_lines_stay() -> None:
    p = processor(parameters(f"cache={SMALL}"))
    machine = Simulator(assemble("\n".join(["go:", *loads(0, 16), "trap"]), p), p, ("go",))
    memory, state = machine.memory(0x100), machine.machine()
    machine.run("go", memory, state)
    state.clear()
    machine.run("go", memory, state)
    counts = machine.counts(state)
    assert (sum(counts.hits.values()), sum(counts.misses.values())) == (2, 0)
    assert sum(counts.cycles.values()) == 3


def test_without_one_nothing_is_there() -> None:
    p = processor(parameters(""))
    text = before(p, "little", Renderer(p))
    assert "touch" not in text and "there" not in text
    machine = Simulator(assemble("go:\nload.32 r1, 0(r0)\ntrap", p), p, ("go",))
    assert "kind" not in machine.program.source("little")
    counts = machine.counts(machine.machine())
    assert (counts.hits, counts.misses, counts.stalls) == ({}, {}, {})


@pytest.mark.parametrize(
    "text", ["", "8192", "8192/32/2", "8192/32/2/0", "3000/32/2/20", "64/32/4/20", "8192/2/2/20", "a/b/c/d"]
)
def test_what_is_none(text: str) -> None:
    assert parsed(text) is None


def test_written_as_it_is_read() -> None:
    assert str(parsed("8192/32/2/20")) == "8192/32/2/20"
    assert parsed("8192/32/2/20") == DataCache(8192, 32, 2, 20)
    assert parsed("8192/32/2/20").sets == 128  # type: ignore[union-attr]
