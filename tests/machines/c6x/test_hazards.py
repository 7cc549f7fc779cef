"""Each hazard planted: what the assembler refuses, what the checker finds, and what the simulator stops at.

What programs must not do, and the test that plants it, by the id of its case where it has several:

| violation | found by | test |
|---|---|---|
| a unit used twice | checker | `test_what_the_checker_finds[unit]` |
| an instruction that the CPU lacks | assembler, decoder | `test_what_the_assembler_refuses[instruction]`, \
`test_words_of_an_instruction_that_a_processor_lacks` |
| a register that the CPU lacks | assembler, decoder | `test_what_the_assembler_refuses[register]`, \
`test_a_word_of_more_registers_than_there_are` |
| an operand on the wrong side | assembler | `test_what_the_assembler_refuses[side]`, `[cross-path-of-D]` |
| a cross path used twice (C62x) | checker | `test_what_the_checker_finds[cross-path]` |
| a cross path used for two registers (C64x) | checker | `test_a_cross_path_of_the_later_processor` |
| a T path used twice | checker | `test_what_the_checker_finds[T-path]` |
| base or offset off side | assembler | `test_what_the_assembler_refuses[base]`, `[offset]` |
| more than four reads | checker | `test_what_the_checker_finds[reads]` |
| two writes that land together | checker, simulator | `test_what_the_checker_finds[writes]`, \
`[write-of-a-product]`, `[write-of-a-load]`, `test_two_words_that_land_together_stop_a_run` |
| two results of 40 bits on a side (C62x) | checker | `test_what_the_checker_finds[long-port]` |
| a source of 40 bits with a store of its side (C62x) | assembler, decoder: no instruction of the \
model reads 40 bits | `test_what_the_assembler_refuses[long-source]`, `test_words_of_a_source_of_40_bits` |
| two products that land together (C64x) | checker | `test_a_port_of_the_later_multiplier` |
| more than eight instructions in a cycle | checker | `test_nine_at_once` |
| a packet across what is fetched together (C62x) | checker | `test_what_the_checker_finds[fetch]` |
| an address that is not aligned | simulator | `test_an_address_that_is_not_aligned` |
| a register that was never written | checker | `test_what_the_checker_finds[unwritten]`, \
`test_words_that_nobody_has_written` of `tests/isa/test_check.py` |
| two branches taken together | checker, simulator | `test_what_the_checker_finds[branches]`, \
`test_two_branches_stop_a_run` |
| a count of a shift with higher bits (C62x) | simulator | `test_counts_with_higher_bits` |
| two instructions of several cycles together | checker | `test_what_the_checker_finds[long-NOPs]` |
"""

from __future__ import annotations

from unittest.mock import patch

import pytest

from finalist.errors import UnknownNameError
from finalist.isa import check
from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.decoder import Decoder
from finalist.isa.simulate.simulator import Counts, SimulationError, Simulator
from finalist.isa.target.operand import AssemblyError
from finalist.isa.target.processor import Processor
from finalist.machines.c6x.model import processor
from finalist.machines.registry import machine as find_machine

C62, C64 = processor("c62x"), processor("c64x")
END = "\nB .S2 B3\nNOP 5"


def wrong(text: str, p: Processor = C62, written: str = "A1 A2 A3 A4 A5 B1 B2") -> list[str]:
    """What the checker finds, where a caller has written these registers."""
    given = [(name[0].lower(), int(name[1:])) for name in written.split()]
    return check.rules(Decoder(p).all(assemble(text + END, p).words), [0], p, given)


#: By what is violated: a text, and what is said of it.
FOUND = {
    "unit": ("ADD .L1 A1,A2,A3\n|| XOR .L1 A4,A5,A6", "0: L1 is taken 2 times in a cycle"),
    "cross-path": ("ADD .L1X A1,B2,A3\n|| XOR .S1X A4,B2,A6", "0: X1 is taken 2 times in a cycle"),
    "T-path": (
        "LDW .D1T1 *+A1(0),A3\n|| LDW .D2T1 *+B1(0),A4\nNOP 4",
        "0: T1 is taken 2 times in a cycle",
    ),
    "reads": (
        "ADD .L1 A1,A1,A2\n|| ADD .S1 A1,A1,A3\n|| ADD .D1 A1,A4,A5",
        "0: A1 is read 5 times in a cycle; accepted: 4",
    ),
    "writes": ("ADD .L1 A1,A2,A3\n|| ADD .S1 A4,A5,A3", "0: A3 is written 2 times in the cycle 1 later"),
    "write-of-a-product": (
        "MPYU .M1 A1,A2,A3\nADD .L1 A4,A5,A3",
        "1: A3 is written 2 times in the cycle 1 later",
    ),
    "write-of-a-load": (
        "LDW .D1T1 *+A1(0),A3\nNOP 3\nADD .L1 A4,A5,A3",
        "2: A3 is written 2 times in the cycle 1 later",
    ),
    "long-port": ("SHL .S1 A1,5,A3:A2\n|| ADDU .L1 A4,A5,A7:A6", "0: W1 is taken 2 times in a cycle"),
    "branches": ("B .S1 to\n|| B .S2 to\nNOP 5\nto:", "0: 2 branches are carried out in the cycle 6 later"),
    "fetch": (
        "NOP\nNOP\nNOP\nNOP\nNOP\nNOP\nNOP\nADD .L1 A1,A2,A3\n|| ADD .S1 A1,A2,A4",
        "7: what is issued together is fetched in two parts",
    ),
    "unwritten": (
        "ADD .L1 A1,A9,A3",
        "0: A9 is read, and on some way there nothing was written to it",
    ),
    "long-NOPs": ("NOP 3\n|| NOP 4", "0: instructions of several cycles are issued together"),
}


@pytest.mark.parametrize(("text", "message"), FOUND.values(), ids=FOUND)
def test_what_the_checker_finds(text: str, message: str) -> None:
    assert wrong(text) == [message]


def test_nine_at_once() -> None:
    """Where packets may be fetched in two parts, a ninth instruction can stand with eight."""
    side = "ADD .L{0} {1}1,{1}2,{1}5\n|| ADD .S{0} {1}3,{1}4,{1}6\n|| ADD .D{0} {1}1,{1}2,{1}7\n"
    side += "|| MPYU .M{0} {1}3,{1}4,{1}8"
    eight = side.format(1, "A") + "\n|| " + side.format(2, "B")
    given = "A1 A2 A3 A4 B1 B2 B3 B4"
    assert wrong(f"{eight}\nNOP", C64, given) == []
    assert wrong(f"{eight}\n|| NOP\nNOP", C64, given) == ["0: 9 instructions in a cycle; accepted: 8"]


def test_a_cross_path_of_the_later_processor() -> None:
    """Two units may read one register over it in a cycle, not two registers."""
    text = "ADD .L1X A1,B1,A3\n|| ADD .S1X A1,{},A4"
    assert wrong(text.format("B1"), C64) == []
    assert wrong(text.format("B2"), C64) == ["0: X1 is taken 2 times in a cycle"]
    assert wrong(text.format("B1"), C62) == ["0: X1 is taken 2 times in a cycle"]


def test_a_port_of_the_later_multiplier() -> None:
    """A product of two cycles must not be written with one of four."""
    text = "MVD .M1 A1,A2\nNOP\nROTL .M1 A3,5,A4\nNOP"
    assert wrong(text, C64) == ["2: P1 is written 2 times in the cycle 2 later"]
    assert wrong(text.replace("NOP\nROTL", "NOP 2\nROTL"), C64) == []


def test_code_that_keeps_the_rules() -> None:
    good = "SHL .S1 A1,5,A3:A2\n|| MPYU .M1 A1,A1,A4\n|| LDW .D2T2 *+B1(0),B2\nADD .L1 A3,A2,A2\nNOP 4"
    assert wrong(good) == []


REFUSED = {
    "side": ("ADD .L1 A1,B2,A3", "B2; accepted: A0 to A15"),
    "cross-path-of-D": ("ADD .D1X A1,B2,A3", "accepted: 'ADD"),
    "base": ("LDW .D1T1 *+B1(0),A3", "B1; accepted: A0 to A15"),
    "offset": ("LDW .D1T1 *+A1[B1],A3", "B1; accepted: A0 to A15"),
    "displacement": ("LDW .D1T1 *+A1(2),A3", "multiples of 4"),
    "register": ("ADD .L1 A16,A2,A3", "A16; accepted: A0 to A15"),
    "instruction": ("ROTL .M1 A1,5,A2", "accepted: instructions of c62x"),
    "number": ("ADD .L1 16,A2,A3", "imm=16; accepted: -16 to 15"),
    "pair": ("SHL .S1 A1,5,A4:A3", "an odd register and the even one below it"),
    "condition": ("[A0] ADD .L1 A1,A2,A3", "accepted conditions: B0"),
    "long-source": ("SHRU .S1 A3:A2,5,A5:A4\n|| STW .D1T1 A6,*+A1(0)", "accepted: 'SHRU"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_what_the_assembler_refuses(text: str, message: str) -> None:
    with pytest.raises(AssemblyError, match=message.replace("(", r"\(")):
        assemble(text, C62)


def test_the_later_processor_has_more() -> None:
    assert assemble("ADD .D1X A1,B22,A13\nROTL .M1 A31,5,A2\n[A0] B .S1 x\nx:", C64).words


def test_a_word_of_more_registers_than_there_are() -> None:
    words = assemble("ADD .L1 A17,A2,A3", C64).words
    with pytest.raises(AssemblyError, match="A17; accepted: A0 to A15"):
        Decoder(C62).all(words)


def test_words_of_an_instruction_that_a_processor_lacks() -> None:
    words = assemble("ROTL .M1 A1,5,A2", C64).words
    with pytest.raises(AssemblyError, match="is no instruction"):
        Decoder(C62).all(words)


def test_words_of_a_source_of_40_bits() -> None:
    """SHRU .S1 A3:A2,5,A5:A4, as GNU as encodes it, is no word of the model."""
    with pytest.raises(AssemblyError, match="word 0208a920 at 0 is"):
        Decoder(C62).all([0x920 | 2 << 18 | 5 << 13 | 4 << 23])


def run(text: str, p: Processor = C62, size: int = 256) -> tuple[Counts, bytearray, int]:
    """What is counted, what is in memory at the end of a program, and the cycles that were waits."""
    simulator = Simulator(assemble(".place x 0x80 4 8\ngo:\n.part block\n" + text + END, p), p, ("go",))
    memory, state = simulator.memory(size), simulator.machine()
    with patch("finalist.isa.simulate.simulator.LIMIT", 1000):
        simulator.run("go", memory, state)
    counts = simulator.counts(state)
    return counts, memory, counts.stalls.get("block", 0)


def counted(text: str, p: Processor) -> Counts:
    """What is counted of a program with more memory."""
    return run(text, p, 1 << 17)[0]


def test_an_address_that_is_not_aligned() -> None:
    with pytest.raises(SimulationError, match="0x82, past 256 bytes or not aligned"):
        run("MVK .S1 130,A1\nLDW .D1T1 *+A1(0),A2\nNOP 4")


def test_two_words_that_land_together_stop_a_run() -> None:
    with pytest.raises(SimulationError, match="two words are written to one register"):
        run("MPYU .M1 A1,A2,A3\nADD .L1 A4,A5,A3")


def test_two_branches_stop_a_run() -> None:
    with pytest.raises(SimulationError, match="two branches are carried out in one cycle"):
        run("B .S1 to\n|| B .S2 to\nNOP 5\nto:")


@pytest.mark.parametrize("shift", ["SHL", "SHR", "SHRU"])
def test_counts_with_higher_bits(shift: str) -> None:
    """Of six bits a count may be; what more does is not defined on the earlier processor."""
    text = f"MVK .S1 {{}},A1\n{shift} .S1 A1,A1,A2"
    run(text.format(63))
    run(text.format(64), C64)
    run(f"MVK .S1 64,A1\n|| MVK .S2 0,B0\n[B0] {shift} .S1 A1,A1,A2")
    with pytest.raises(SimulationError, match="as the count of a shift with higher bits"):
        run(text.format(64))


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


#: Of two addresses whether accesses of one cycle to them meet in a bank.
MEET = {
    "c62x": {(128, 132): 0, (128, 136): 1, (128, 128): 1, (128, 128 + (1 << 15)): 0, (128, 160): 1},
    "c64x": {(128, 132): 0, (128, 136): 0, (128, 128): 0, (128, 160): 1, (128, 128 + (1 << 13)): 1},
}
TOGETHER = [(cpu, *pair, wait) for cpu, pairs in MEET.items() for pair, wait in pairs.items()]


@pytest.mark.parametrize(("cpu", "first", "second", "waits"), TOGETHER)
def test_accesses_that_meet_in_a_bank(cpu: str, first: int, second: int, waits: int) -> None:
    """A load with a load, or with a store, costs a cycle; memory is flat where nothing else is said."""
    to = f"MVK .S1 {first},A1\n|| MVK .S2 {second & 0x7FFF},B1\n"
    to += f"MVK .S2 {second & 0x8000 and 1},B2\nSHL .S2 B2,15,B2\nADD .L2 B1,B2,B1\n"
    for other in ("LDW .D2T2 *+B1(0),B3", "STW .D2T2 B1,*+B1(0)"):
        text = f"{to}LDW .D1T1 *+A1(0),A3\n|| {other}\nNOP 4"
        for p, count in ((processor(cpu, banked=True), waits), (processor(cpu), 0)):
            counts = counted(text, p)
            assert (counts.conflicts.get("block", 0), counts.stalls.get("block", 0)) == (count, count)


def test_bytes_and_half_words_take_single_banks() -> None:
    text = "MVK .S1 128,A1\n|| MVK .S2 {},B1\nLDBU .D1T1 *+A1(0),A3\n|| LDHU .D2T2 *+B1(0),B3\nNOP 4"
    banked = processor("c62x", banked=True)
    assert [counted(text.format(at), banked).conflicts.get("block", 0) for at in (128, 130, 136)] == [1, 0, 1]


def test_an_access_under_a_condition_that_does_not_hold_meets_nothing() -> None:
    text = "MVK .S1 128,A1\n|| MVK .S2 128,B1\nMVK .S2 0,B0\n"
    text += "LDW .D1T1 *+A1(0),A3\n|| [B0] LDW .D2T2 *+B1(0),B3\nNOP 4"
    banked = processor("c62x", banked=True)
    assert not counted(text, banked).conflicts
    assert counted(text.replace("[B0]", "[!B0]"), banked).conflicts == {"block": 1}


def test_cycles_have_the_waits_for_banks() -> None:
    text = "MVK .S1 128,A1\n|| MVK .S2 136,B1\nLDW .D1T1 *+A1(0),A3\n|| LDW .D2T2 *+B1(0),B3\nNOP 4"
    flat, banked = (counted(text, processor("c62x", banked=banked)) for banked in (False, True))
    assert banked.cycles["block"] == flat.cycles["block"] + 1


def test_the_machine_with_banks() -> None:
    from_name = find_machine("c64x:memory=banked")
    assert from_name.name == "c64x:memory=banked" and "banked memory" in from_name.describe()["processor"]
    assert find_machine("c64x:memory=flat").name == "c64x"
    with pytest.raises(UnknownNameError, match="memory=fast; accepted: flat, banked"):
        find_machine("c62x:memory=fast")
    with pytest.raises(UnknownNameError, match="unknown parameter 'banks'"):
        find_machine("c62x:banks=2")
