"""Processors whose pipeline shows: delay slots, conditions, packets, several branches under way."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from finalist.isa.assembly.assembler import assemble
from finalist.isa.simulate.simulator import SimulationError, Simulator
from tests.processors.vliw import processor

P = processor()


def run(text: str) -> tuple[Simulator, bytearray]:
    simulator = Simulator(assemble(text, P), P, ("go",))
    memory = simulator.memory(64)
    with patch("finalist.isa.simulate.simulator.LIMIT", 1000):
        simulator.run("go", memory, simulator.machine())
    return simulator, memory


def word(memory: bytearray, place: int) -> int:
    return int.from_bytes(memory[place : place + 4], "little")


def test_a_result_is_not_there_before_its_time() -> None:
    """Three cycles after a load its register is still what it was."""
    text = ".place x 0 4 1\n.values 7\ngo:\nmvi.l1 a1, 5\nlda32.d1a a1, 0\nnop\nnop\n"
    early = text + "sta32.d1a a1, 4\nsta32.d1a a1, 8\nhalt"
    _, memory = run(early)
    assert (word(memory, 4), word(memory, 8)) == (5, 7)


def test_what_follows_a_branch_is_executed() -> None:
    text = "go:\nmvi.l1 a1, 1\nb.s1 end\n" + "addi.l1 a1, a1, 1\n" * 5 + "end:\nsta32.d1a a1, 0\nhalt"
    _, memory = run(text)
    assert word(memory, 0) == 5  # four of them; the fifth is passed by


def test_conditions() -> None:
    text = "go:\nmvi.l1 a0, 0\n|| mvi.l2 b0, 3\n|| mvi.s1 a1, 9\n[a0] mvi.l1 a1, 1\n|| [!a0] mvi.l2 b2, 2\n"
    text += "[b0] mvi.l2 b3, 4\nsta32.d1a a1, 0\n|| sta32.d2b b2, 4\nsta32.d2b b3, 8\nhalt"
    _, memory = run(text)
    assert [word(memory, k) for k in (0, 4, 8)] == [9, 2, 4]


def test_both_of_a_packet_read_what_was_before() -> None:
    text = "go:\nmvi.l1 a1, 1\n|| mvi.l2 b1, 2\nmv.l1x a1, b1\n|| mv.l2x b1, a1\n"
    text += "sta32.d1a a1, 0\n|| sta32.d2b b1, 4\nhalt"
    _, memory = run(text)
    assert (word(memory, 0), word(memory, 4)) == (2, 1)


#: A sum of eight words, an iteration a cycle: four loads and five branches are under way at once.
PIPELINED = """
.place x 0 4 8
.values 1 2 4 8 16 32 64 128
go:
    mvi.l1 a1, 0
    || mvi.l2 b0, 2
    || mvi.s1 a2, 0
    ld32.d1a a3, 0(a1)
    || addi.l1 a1, a1, 4
    || b.s2 loop
    ld32.d1a a3, 0(a1)
    || addi.l1 a1, a1, 4
    || b.s2 loop
    ld32.d1a a3, 0(a1)
    || addi.l1 a1, a1, 4
    || b.s2 loop
    ld32.d1a a3, 0(a1)
    || addi.l1 a1, a1, 4
    || b.s2 loop
    ld32.d1a a3, 0(a1)
    || addi.l1 a1, a1, 4
    || add.s1 a2, a2, a3
    || b.s2 loop
loop:
    ld32.d1a a3, 0(a1)
    || addi.l1 a1, a1, 4
    || add.s1 a2, a2, a3
    || [b0] b.s2 loop
    || [b0] addi.l2 b0, b0, -1
    sta32.d1a a2, 60
    halt
"""


def test_a_software_pipelined_loop() -> None:
    simulator, memory = run(PIPELINED)
    assert word(memory, 60) == 255
    state = simulator.machine()
    simulator.run("go", simulator.memory(64), state)
    assert simulator.counts(state).cycles[""] == 1 + 5 + 7 + 2


def test_cycles_that_pass_are_counted() -> None:
    simulator, _ = run("go:\nnop\nmvi.l1 a1, 1\n|| mvi.l2 b1, 1\nhalt")
    state = simulator.machine()
    simulator.run("go", simulator.memory(64), state)
    counts = simulator.counts(state)
    assert (counts.cycles[""], counts.instructions) == (3, 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mul.m1 a1, a2, a3\nadd.l1 a1, a2, a3\nnop", "two words are written to one register in one cycle"),
        ("b.s1 go\n|| b.s2 go\nnop\nnop\nnop\nnop\nnop", "two branches are carried out in one cycle"),
        ("nop", "the program goes to where no packet of instructions begins"),
        ("b.s1 go\nnop\nnop\nnop\nnop\nnop", "the program does not end"),
        ("mvi.l1 a1, 1000\nst32.d1a a1, 0(a1)\nnop\nhalt", "an access to memory at 0x3e8, past 64 bytes"),
    ],
)
def test_what_the_processor_can_not_do(text: str, message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        run(f"go:\n{text}")


def test_memory_is_not_read_under_a_condition_that_does_not_hold() -> None:
    text = "go:\nmvi.l1 a0, 0\n|| mvi.s1 a1, 1000\n[a0] ld32.d1a a2, 0(a1)\nnop\nnop\nnop\nhalt"
    run(text)
    with pytest.raises(SimulationError, match="an access to memory at 0x3e8"):
        run(text.replace("[a0]", "[!a0]"))


def test_results_under_way_at_the_end_of_a_run_do_not_reach_the_next() -> None:
    simulator, memory = run("go:\nmvi.l1 a1, 7\nmul.m1 a1, a1, a1\nhalt\nother:\nnop\nsta32.d1a a1, 0\nhalt")
    state = simulator.machine()
    simulator.run("go", memory, state)
    simulator.entries["other"] = simulator.image.labels["other"]
    simulator.run("other", memory, state)
    assert word(memory, 0) == 7
