"""Each hazard planted: what the assembler refuses, what the checker finds, and what the simulator stops
at."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from finalist.isa import check
from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.decoder import Decoder
from finalist.isa.simulate.simulator import SimulationError, Simulator
from finalist.isa.target.operand import AssemblyError
from finalist.isa.target.processor import Processor
from finalist.machines.c6x.model import processor

C62, C64 = processor("c62x"), processor("c64x")
END = "\nB .S2 B3\nNOP 5"


def wrong(text: str, p: Processor = C62) -> list[str]:
    return check.rules(Decoder(p).all(assemble(text + END, p).words), [0], p)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ADD .L1 A1,A2,A3\n|| XOR .L1 A4,A5,A6", "0: L1 is taken 2 times in a cycle"),
        ("ADD .L1X A1,B2,A3\n|| XOR .S1X A4,B2,A6", "0: X1 is taken 2 times in a cycle"),
        ("LDW .D1T1 *+A1(0),A3\n|| LDW .D2T1 *+B1(0),A4\nNOP 4", "0: T1 is taken 2 times in a cycle"),
        (
            "ADD .L1 A1,A1,A2\n|| ADD .S1 A1,A1,A3\n|| ADD .D1 A1,A4,A5",
            "0: A1 is read 5 times in a cycle; accepted: 4",
        ),
        ("ADD .L1 A1,A2,A3\n|| ADD .S1 A4,A5,A3", "0: A3 is written 2 times in the cycle 1 later"),
        ("MPYU .M1 A1,A2,A3\nADD .L1 A4,A5,A3", "1: A3 is written 2 times in the cycle 1 later"),
        (
            "LDW .D1T1 *+A1(0),A3\nNOP 3\nADD .L1 A4,A5,A3",
            "2: A3 is written 2 times in the cycle 1 later",
        ),
        ("SHL .S1 A1,5,A3:A2\n|| ADDU .L1 A4,A5,A7:A6", "0: W1 is taken 2 times in a cycle"),
        ("B .S1 to\n|| B .S2 to\nNOP 5\nto:", "0: 2 branches are carried out in the cycle 6 later"),
        (
            "NOP\nNOP\nNOP\nNOP\nNOP\nNOP\nNOP\nADD .L1 A1,A2,A3\n|| ADD .S1 A1,A2,A4",
            "7: what is issued together is fetched in two parts",
        ),
    ],
)
def test_what_the_checker_finds(text: str, message: str) -> None:
    assert wrong(text) == [message]


def test_a_port_of_the_later_multiplier() -> None:
    """A product of two cycles must not be written with one of four."""
    text = "MVD .M1 A1,A2\nNOP\nROTL .M1 A3,5,A4\nNOP"
    assert wrong(text, C64) == ["2: P1 is written 2 times in the cycle 2 later"]
    assert wrong(text.replace("NOP\nROTL", "NOP 2\nROTL"), C64) == []


def test_code_that_keeps_the_rules() -> None:
    good = "SHL .S1 A1,5,A3:A2\n|| MPYU .M1 A1,A1,A4\n|| LDW .D2T2 *+B1(0),B2\nADD .L1 A3,A2,A2\nNOP 4"
    assert wrong(good) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ADD .L1 A1,B2,A3", "B2; accepted: A0 to A15"),
        ("ADD .D1X A1,B2,A3", "accepted: 'ADD"),
        ("LDW .D1T1 *+B1(0),A3", "B1; accepted: A0 to A15"),
        ("LDW .D1T1 *+A1(2),A3", "multiples of 4"),
        ("ADD .L1 A16,A2,A3", "A16; accepted: A0 to A15"),
        ("ROTL .M1 A1,5,A2", "accepted: instructions of c62x"),
        ("ADD .L1 16,A2,A3", "imm=16; accepted: -16 to 15"),
        ("SHL .S1 A1,5,A4:A3", "an odd register and the even one below it"),
        ("[A0] ADD .L1 A1,A2,A3", "accepted conditions: B0"),
    ],
)
def test_what_the_assembler_refuses(text: str, message: str) -> None:
    with pytest.raises(AssemblyError, match=message.replace("(", r"\(")):
        assemble(text, C62)


def test_the_later_processor_has_more() -> None:
    assert assemble("ADD .D1X A1,B22,A13\nROTL .M1 A31,5,A2\n[A0] B .S1 x\nx:", C64).words


def test_a_word_of_more_registers_than_there_are() -> None:
    words = assemble("ADD .L1 A17,A2,A3", C64).words
    with pytest.raises(AssemblyError, match="A17; accepted: A0 to A15"):
        Decoder(C62).all(words)


def run(text: str, p: Processor = C62) -> tuple[Simulator, bytearray, int]:
    """What is in memory at the end of a program, and the cycles that were waits."""
    simulator = Simulator(assemble(".place x 0x80 4 8\ngo:\n.part block\n" + text + END, p), p, ("go",))
    memory, state = simulator.memory(256), simulator.machine()
    with patch("finalist.isa.simulate.simulator.LIMIT", 1000):
        simulator.run("go", memory, state)
    return simulator, memory, simulator.counts(state).stalls.get("block", 0)


def test_an_address_that_is_not_aligned() -> None:
    with pytest.raises(SimulationError, match="0x82, past 256 bytes or not aligned"):
        run("MVK .S1 130,A1\nLDW .D1T1 *+A1(0),A2\nNOP 4")


def test_two_words_that_land_together_stop_a_run() -> None:
    with pytest.raises(SimulationError, match="two words are written to one register"):
        run("MPYU .M1 A1,A2,A3\nADD .L1 A4,A5,A3")


def test_results_and_branches_come_when_they_come() -> None:
    text = (
        "MVK .S1 7,A1\n|| MVK .S2 3,B1\nB .S1 to\n|| STW .D2T2 B1,*+B14(132)\nMPYU .M1 A1,A1,A1\n"
        "STW .D2T1 A1,*+B14(128)\nNOP 9\nto:\nSTW .D2T1 A1,*+B14(136)"
    )
    _, memory, _ = run(text)
    words = [int.from_bytes(memory[at : at + 4], "little") for at in (128, 132, 136)]
    assert words == [7, 3, 49]  # the branch cuts the long NOP short


def test_a_word_across_makes_the_later_processor_wait() -> None:
    text = "MVK .S1 7,A1\n{}ADD .L2X B1,A1,B2"
    assert [run(text.format(wait), C64)[2] for wait in ("", "NOP\n")] == [1, 0]
    assert run(text.format(""), C62)[2] == 0
