"""Texts of small random programs for every kind of machine: each is what it was.

None is run, so that many are made: with loops, calls and more words than there are registers, for processors
of several widths, units and ways to store words.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator

import pytest

from finalist.errors import FinalistError
from finalist.ir.program import Program
from finalist.isa.build import Builder, Plan
from finalist.isa.pipeline import Writing, compiled, ready
from finalist.machines.hc05.model import Parameters
from finalist.machines.hc05.model import processor as card
from finalist.machines.registry import machine
from finalist.schedule import Schedule, parse_schedule
from tests.graphs import random_program
from tests.processors import accumulator, vliw
from tests.programs import SHAPES, program_in_rounds
from tests.unchanged import unchanged

pytestmark = pytest.mark.digest

VLIW = vliw.processor()


def program(number: int) -> Program:
    """A random one; of some each block hands a state on to the next."""
    source = random.Random(number)
    shape = SHAPES[source.choice(list(SHAPES))]
    if source.random() < 0.2:
        return random_program(number, stateful=True)
    return program_in_rounds(str(number), shape, source)


def texts(kind: str, numbers: Iterable[int]) -> Iterator[tuple[str, str]]:
    """The texts of programs for a machine under a schedule; where there can be none, why."""
    name, *schedule = kind.split()
    for number in numbers:
        try:
            made = machine(name).program(program(number), parse_schedule(schedule))
            yield str(number), made.text
        except FinalistError as refusal:
            yield str(number), str(refusal)


#: Of several widths; with blocks side by side, rounds and key schedules as loops, few instructions.
RISCS = {
    "plx": range(10),
    "plx:word=64": range(10),
    "plx blocks=3 rounds=unroll": (0, 1, 3, 6, 8, 9),
    "plx rounds=loop key-schedule=loop": (0, 1, 3, 4, 7),
    "plx:multiplier=16,issue=2/1,with=aes32": range(16, 22),
    "plx:issue=8/2,shifters=2,with=extract+andn blocks=2": (8, 9, 11, 12, 13, 15),
    "plx subkeys=computed": (1, 3, 7),
    "plx:with=xperm8": (0, 4, 5, 8),
    "plx:with=ptlu": (3, 4, 5, 9),
    "plx:word=64 blocks=2": (3, 4, 9, 13, 15, 18),
}
SIGNAL_PROCESSORS = {
    "c62x": (*range(10), 11, 12),
    "c64x": range(15, 23),
    "c64x blocks=2 rounds=unroll": (1, 3, 6, 7),
    "c64x pipeline=on": (3, 21),
}
#: With words in lanes, tables in registers, rounds as loops, bits in planes, round keys as they are needed.
OTHERS = {
    "native": range(20),
    "native width=256": (0, 1, 7, 8, 9, 11),
    "native lookup=permute width=256": (0, 4, 5, 7, 8, 11),
    "native rounds=loop width=1": (0, 2, 7, 8, 11, 14),
    "native planes=1 width=128": (1, 8, 9, 12, 20),
    "native subkeys=computed width=1": (1, 4, 5, 10, 12, 14),
    "fpga": (0, 2, 12, 21, 22),
}


def told(kind: str) -> str:
    """As the name of a file."""
    return re.sub("[^a-z0-9]+", "-", kind)


@pytest.mark.parametrize("kind", RISCS)
def test_on_the_risc(kind: str) -> None:
    unchanged(f"texts-{told(kind)}", dict(texts(kind, RISCS[kind])))


@pytest.mark.parametrize("kind", SIGNAL_PROCESSORS)
def test_on_signal_processors(kind: str) -> None:
    unchanged(f"texts-{told(kind)}", dict(texts(kind, SIGNAL_PROCESSORS[kind])))


@pytest.mark.parametrize("kind", OTHERS)
def test_in_c_and_in_hardware(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a compiler, so that nothing depends on this computer."""
    monkeypatch.setenv("CC", "none")
    unchanged(f"texts-{told(kind)}", dict(texts(kind, OTHERS[kind])))


def test_on_a_vliw_processor_of_few_instructions() -> None:
    """In every order of instructions that there is."""
    made = {
        f"{number} {how}": compiled("vliw", VLIW, program(number), Schedule(rounds="loop"), Writing(how)).text
        for number in (0, 1, 3, 4, 6)
        for how in ("levels", "critical", "backward")
    }
    unchanged("texts-vliw", made)


@pytest.mark.parametrize("loops", [False, True])
def test_on_an_accumulator_machine(loops: bool) -> None:
    made = {str(k): accumulator.compiled(program(k), loops=loops).text for k in (1, 3, 9, 13, 15)}
    unchanged(f"texts-accumulator-{loops}", made)


def test_on_a_card() -> None:
    unchanged("texts-hc05", dict(texts("hc05", (0, 1, 3, 7, 12, 13, 15))))


def in_few_bytes(number: int, worth: int) -> str:
    """A program whose repeated parts are subroutines; ``worth``: cycles that a byte of code may cost."""
    processor, schedule = card(Parameters()), Schedule(optimise="size", rounds="loop", lookup="load")
    made, _ = ready(program(number), processor, schedule, Writing())
    return Builder(made, processor, Plan(subroutines=True, worth=worth)).text()


@pytest.mark.parametrize("number", [0, 1, 3, 12, 13, 15])
def test_in_few_bytes(number: int) -> None:
    made = {f"worth={worth}": in_few_bytes(number, worth) for worth in ((4,) if number else (0, 4))}
    unchanged(f"texts-in-few-bytes-{number}", made)
