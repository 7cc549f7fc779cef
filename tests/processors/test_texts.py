"""Texts of small random programs on every kind of simulated processor: each is what it was.

None is run, so that many are made: with loops, calls and more words than there are registers, for processors
of several widths, units and ways to store words.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping

from finalist.errors import FinalistError
from finalist.ir.program import Program
from finalist.isa.build import Builder, Plan
from finalist.isa.pipeline import Writing, compiled, ready
from finalist.machines.hc05.model import processor as card
from finalist.machines.hc05.parameters import Parameters
from finalist.machines.registry import machine
from finalist.schedule import Schedule, parse_schedule
from tests.graphs import random_program
from tests.processors import accumulator, vliw
from tests.programs import SHAPES, program_in_rounds
from tests.unchanged import unchanged

#: Programs whose texts for an 8-bit machine are made in no time.
SMALL = (0, 1, 3, 7, 12, 13, 15)
VLIW = vliw.processor()


def program(number: int) -> Program:
    """A random one; of some each block hands a state on to the next."""
    source = random.Random(number)
    shape = SHAPES[source.choice(list(SHAPES))]
    if source.random() < 0.2:
        return random_program(number, stateful=True)
    return program_in_rounds(str(number), shape, source)


def texts(kinds: Mapping[str, Iterable[int]]) -> Iterator[tuple[str, str]]:
    """The texts of programs by machine and schedule; where there can be none, why."""
    for kind, numbers in kinds.items():
        name, *schedule = kind.split()
        for number in numbers:
            try:
                text = machine(name).program(program(number), parse_schedule(schedule)).text  # type: ignore[attr-defined]
            except FinalistError as refusal:
                text = str(refusal)
            yield f"{number} {kind}", text


def test_on_the_risc() -> None:
    """Of several widths; with blocks side by side, rounds and key schedules as loops, few instructions."""
    kinds = {
        "plx": range(16),
        "plx:word=64": range(16),
        "plx blocks=3 rounds=unroll": range(8),
        "plx rounds=loop key-schedule=loop": range(8),
        "plx:multiplier=16,issue=2/1,with=aes32": range(16, 24),
        "plx:issue=8/2,shifters=2,with=extract+andn blocks=2": range(8, 16),
        "plx subkeys=computed": range(4),
    }
    unchanged("texts-risc", dict(texts(kinds)))


def test_on_signal_processors() -> None:
    kinds = {"c62x": range(16), "c64x": range(16, 28), "c64x blocks=2 rounds=unroll": range(6)}
    unchanged("texts-signal-processors", dict(texts(kinds)))


def test_on_a_vliw_processor_of_few_instructions() -> None:
    """In every order of instructions that there is."""
    made = {
        f"{number} {how}": compiled("vliw", VLIW, program(number), Schedule(rounds="loop"), Writing(how)).text
        for number in range(8)
        for how in ("levels", "critical", "backward")
    }
    unchanged("texts-vliw", made)


def test_on_an_accumulator_machine() -> None:
    toy = {
        f"{number} toy loops={loops}": accumulator.compiled(program(number), loops=loops).text
        for number in (0, 1, 3, 7, 13, 15)
        for loops in (False, True)
    }
    unchanged("texts-accumulator", toy | dict(texts({"hc05": SMALL})))


def in_few_bytes(number: int, worth: int) -> str:
    """A program whose repeated parts are subroutines; ``worth``: cycles that a byte of code may cost."""
    processor, schedule = card(Parameters()), Schedule(optimise="size", rounds="loop", lookup="load")
    made, _ = ready(program(number), processor, schedule, Writing())
    return Builder(made, processor, Plan(subroutines=True, worth=worth)).text()


def test_in_few_bytes() -> None:
    made = {
        f"{number} worth={worth}": in_few_bytes(number, worth)
        for number, worth in ((0, 4), (1, 4), (3, 4), (7, 4), (12, 4), (13, 0), (15, 0), (0, 0), (12, 50))
    }
    unchanged("texts-in-few-bytes", made)
