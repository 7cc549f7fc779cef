"""Cycles of straight code, counted by hand from the rules of the paper's machine."""

from __future__ import annotations

import pytest

from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.decoder import Decoder
from finalist.isa.simulate.interlocked import Interlocked, timed
from finalist.isa.simulate.render import Renderer
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed
from tests.processors import accumulator

ADDS = "add r1, r2, r3\nadd r4, r5, r6\nadd r7, r8, r9\nadd r10, r11, r12"
CASES = [
    ("issue=1/1", ADDS, 4),
    ("issue=2/1", ADDS, 2),
    ("issue=4/1", ADDS, 1),
    (
        "issue=2/2",
        "add r1, r2, r3\nadd r4, r5, r6\nload.32 r7, 0(r8)",
        2,
    ),  # units are free
    ("issue=4/1", "add r1, r2, r3\nadd r4, r1, r1", 2),  # the first result is there a cycle later
    ("issue=4/1", "add r1, r2, r3\nadd r2, r4, r4", 1),  # read before it is written
    ("issue=4/1", "add r1, r2, r3\nadd r1, r4, r4", 2),  # not written twice in a cycle
    ("issue=4/1", "slli r1, r2, 3\nsrli r3, r2, 3", 2),  # one shifter
    ("issue=4/1,shifters=2", "slli r1, r2, 3\nsrli r3, r2, 3", 1),
    ("issue=4/1", "load.32 r1, 0(r2)\nload.32 r3, 4(r2)", 2),  # one port
    ("issue=4/2", "load.32 r1, 0(r2)\nload.32 r3, 4(r2)", 1),
    ("issue=4/2", "store.32 r1, 0(r2)\nload.32 r3, 4(r2)", 2),  # no access after a store
    ("issue=4/2", "load.32 r3, 4(r2)\nstore.32 r1, 0(r2)", 1),
    ("issue=1/1", "mul.lo r1, r2, r3\nadd r4, r1, r1", 4),
    ("issue=1/1", "mul.lo r1, r2, r3\nadd r4, r2, r2\nadd r5, r2, r2\nadd r6, r1, r1", 4),
    ("issue=1/1,latency=5", "mul.lo r1, r2, r3\nadd r4, r1, r1", 6),
    ("issue=1/1", "mul.lo r1, r2, r3\nmul.lo r4, r5, r6", 2),  # started one after the other
    ("issue=4/1", "add r1, r2, r3\nadd r4, r1, r1\nadd r5, r2, r2", 2),  # in order
    ("issue=8/2", "add r1, r2, r3\nhere:\nbne r1, r0, here\nadd r4, r2, r2", 3),  # a branch ends its cycle
    ("issue=4/2,with=ptlu", "ptlw.1.4.0 r1, r2\nptlu.1.4.1 r3, r4", 2),
    ("issue=4/2,with=ptlu", "ptlu.1.4.1 r3, r4\nptlu.1.4.2 r5, r4", 1),
]


@pytest.mark.parametrize(("kind", "text", "cycles"), CASES)
def test_by_hand(kind: str, text: str, cycles: int) -> None:
    p = processor(parsed(kind))
    decoder = Decoder(p)
    code = [decoder.decode(word, k) for k, word in enumerate(assemble(text, p).words)]
    assert timed(code, p).cycles == cycles


def test_what_is_under_way_is_handed_on() -> None:
    p = processor(parsed("latency=7"))
    decoder = Decoder(p)
    product, sum_ = (decoder.decode(w) for w in assemble("mul.lo r1, r2, r3\nadd r4, r1, r1", p).words)
    first = timed([product], p)
    assert first.pending == ((1, 6),)
    assert timed([sum_], p, first.pending).cycles == 7


def test_a_counter_for_each_block_and_what_is_under_way_before_it() -> None:
    """Of a product that is under way, more cycles or fewer are left."""
    p = processor(parsed("latency=7"))
    text = "mul.lo r4, r2, r3\nhere:\nmul.lo r1, r2, r3\nbne r1, r0, here\ntrap"
    code = Decoder(p).all(assemble(text, p).words)
    program = Interlocked(code, {0}, ["block"] * len(code), p)
    assert len(program.blocks) == 3 < len(program.states)
    assert program.counters == len(program.nexts)


def test_what_an_instruction_changes_is_computed_before_any_of_it_changes() -> None:
    """Of one that changes several registers; one that changes a single one needs no more."""
    image = assemble("f:\nadd *1\nlda *2\nhalt", accumulator.PROCESSOR)
    code = Decoder(accumulator.PROCESSOR).all(image.words)
    translated = Interlocked(code, {0}, ["block"] * 99, accumulator.PROCESSOR)
    renderer = Renderer(accumulator.PROCESSOR)
    add, load, _ = (translated._statement(one, at, renderer) for at, one in code.items())
    assert add.count("__auto_type") == 2  # the flag of zero is overwritten before anything reads it
    assert add.index("__auto_type v1") < add.index("= v0") < add.index("= v1")
    model = processor(parsed(""))
    plain = Decoder(model).all(assemble("add r1, r2, r3", model).words)
    statement = Interlocked(plain, {0}, ["block"], model)._statement(plain[0], 0, Renderer(model))
    assert "__auto_type" not in statement
    assert load
