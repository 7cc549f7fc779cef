"""Programs as the C that simulates them, their cycles, words and disassembly are what they were."""

from __future__ import annotations

from functools import cache

import pytest

from finalist.ir.program import Program
from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.decoder import disassemble
from finalist.isa.simulate.profile import RULES, profile
from finalist.isa.simulate.run import SimulatedProgram
from finalist.isa.simulate.simulator import Counts, Simulator
from finalist.schedule import parse_schedule
from tests.processors import accumulator
from tests.processors.test_texts import VLIW, program
from tests.processors.vliw import processor
from tests.programs import simulated as compiled
from tests.unchanged import unchanged

pytestmark = pytest.mark.digest

KINDS = {
    "plx": (1, 3),
    "plx:multiplier=16,issue=2/1,with=aes32": (15,),
    "plx:word=64,with=ptlu": (0,),
    "c62x": (13,),
    "c64x:memory=banked": (3,),
    "hc05": (13,),
}


@cache
def simulated() -> list[tuple[str, SimulatedProgram]]:
    found = []
    for kind, numbers in KINDS.items():
        for number in numbers:
            one = compiled(kind, program(number))
            found.append((f"{number} {kind}", one))
    return [*found, ("13 toy", accumulator.compiled(program(13)))]


def test_simulators() -> None:
    """What is counted is made up: counter k is k + 1."""
    made: dict[str, object] = {}
    for case, one in simulated():
        simulator = one.simulator
        translated = simulator.program
        counters = range(1, translated.counters + 1)
        made[f"{case} source"] = translated.source(one.image.order)
        made[f"{case} counted"] = list(translated.counted(list(counters)))
        made[f"{case} stalls"] = list(getattr(translated, "stalls", lambda counters: ())(list(counters)))
        state = simulator.machine()
        state.counted[:] = list(counters)
        made[f"{case} counts"] = simulator.counts(state)
        made[f"{case} memory"] = bytes(simulator.memory(one.image.places["data"].address))
        made[f"{case} tables"] = one.tables()
    unchanged("simulate", made)


def test_words_of_programs_and_back() -> None:
    made: dict[str, object] = {}
    for case, one in simulated():
        image = one.image
        text = disassemble(image.words, one.processor)
        assert assemble(text, one.processor).words == image.words
        told = image.words, image.labels, image.parts, image.notes, image.contents, image.order
        made[case] = told, text, list(image.places.items())
    unchanged("simulate-images", made)


def test_figures_of_a_sample() -> None:
    """Whatever the counts are; by part of the program, with what a schedule asked for."""
    one = compiled("plx", program(1), parse_schedule(["blocks=2"]))
    assert one.sampled_blocks == 32 and one.block_bytes == program(1).block.bytes
    assert isinstance(one.program, Program) and one.timing == one.parts.label


def test_profiles() -> None:
    """Of programs that executed the instruction at place k as often as k % 7 says."""
    made = {}
    for case, one in simulated():
        if case.endswith("plx"):
            executed = [k % 7 for k in range(len(one.image.words))]
            one.__dict__["sample"] = Counts(executed, {"block": 2 * sum(executed)})
            made |= {f"{case} {rule}": profile(one, rule) for rule in RULES}
    assert made
    unchanged("simulate-profiles", made)


def test_a_simulator_of_another_entry() -> None:
    image = assemble("here:\nnop\nthere:\nhalt", processor())
    simulator = Simulator(image, VLIW, ("there", "here"))
    assert simulator.entries == {"there": 1, "here": 0}
