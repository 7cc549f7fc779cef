"""The order and the packets of random blocks are what they were, with registers enough and with few."""

from __future__ import annotations

import random
from itertools import count

import pytest

from finalist.isa.allocate.linear import Frame
from finalist.isa.allocate.scheduled import PairsError, allocate
from finalist.isa.assembly.listing import code_lines
from finalist.isa.code import Block, Code, Ins
from finalist.isa.schedule.dependences import latency, of_registers, of_words
from finalist.isa.schedule.order import arrange
from finalist.isa.schedule.packets import fill
from finalist.isa.schedule.packets import packets as fetched
from finalist.machines.c6x.model import processor as c6x
from tests.isa.allocate.test_scheduled import HOMES, few, random_block, spilling, two_blocks
from tests.isa.schedule.test_order import P as RISC
from tests.isa.schedule.test_order import add, one, shift
from tests.processors.test_texts import program
from tests.processors.vliw import processor
from tests.programs import simulated
from tests.unchanged import unchanged

pytestmark = pytest.mark.digest

VLIW = processor()


@pytest.mark.parametrize("registers", [4, 5, 6, 8, 16])
def test_registers_after_the_schedule(registers: int) -> None:
    """Of blocks that are worked on often or once, and of several that share words."""
    made = {}
    for seed in range(6):
        for part in ("block", "expand"):
            blocks = [Block("a", random_block(seed, 4 + 2 * seed, 24), part=part)]
            if seed % 3 == 2:
                blocks = two_blocks(4 * seed)
            words = max(word for block in blocks for ins in block.body for word in (*ins.read, *ins.written))
            code = Code(blocks, words + 1, {}, dict.fromkeys(range(1, words + 1), "ab"[seed % 2]))
            frame = Frame((HOMES + 4 * k for k in count()).__next__)
            p = few(registers)
            try:
                allocate(code, p, frame, spilling())
                made[f"{seed} {part}"] = code_lines(code, p), frame.homes, frame.constants
            except PairsError as error:
                made[f"{seed} {part}"] = str(error)
    unchanged(f"schedule-registers-{registers}", made)


def block(seed: int) -> list[Ins]:
    """Sums, shifts, loads and stores on nine words, of several rounds."""
    source = random.Random(seed)
    body = []
    for place in range(30):
        a, b, phase = source.randint(1, 9), source.randint(1, 9), place // 8
        body.append(
            source.choice(
                [
                    add(source.randint(1, 9), a, b, phase),
                    shift(a, b, phase),
                    Ins(one("load.32"), [a, 0, b], phase, access=source.choice("xy")),
                    Ins(one("store.32"), [a, 0, b], phase, access=source.choice("xy")),
                ]
            )
        )
    return body


def test_orders() -> None:
    made = {}
    for seed in range(8):
        for how in ("levels", "critical"):
            for room in (3, 6, 20):
                body = block(seed)
                number = {id(ins): place for place, ins in enumerate(body)}
                made_of = Block("b", list(body))
                arrange(made_of, RISC, how, room, {1, 2, 3})
                made[f"{seed} {how} {room}"] = [number[id(ins)] for ins in made_of.body]
    unchanged("schedule-orders", made)


def test_dependences() -> None:
    made = {}
    for seed in range(8):
        body = block(seed)
        edges = of_words(body, {1, 2, 3})
        told = sorted((edge.source, edge.target, edge.distance) for edge in edges)
        late = [latency(ins, word) for ins in body for word in ins.written]
        with_files = random_block(seed, 4, 16)
        for ins in with_files:
            ins.files = tuple("a" if o.is_register else "" for o in ins.instruction.operands)
        again = sorted((e.source, e.target, e.distance) for e in of_registers(with_files, VLIW))
        made[str(seed)] = told, late, again
    unchanged("schedule-dependences", made)


@pytest.mark.parametrize("cpu", ["c62x", "c64x"])
def test_packets_that_are_fetched(cpu: str) -> None:
    """Where each of a program's packets begins; it is filled already."""
    made = {}
    for number in (1, 3, 13):
        code = simulated(cpu, program(number)).simulator.code
        made[str(number)] = [(place, found.chained) for place, found in code.items()]
    assert fetched([]) is not None and c6x(cpu).fetch == 8
    fill([Code([Block("b", [])])], c6x(cpu))
    unchanged(f"schedule-fetched-{cpu}", made)
