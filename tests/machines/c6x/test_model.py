"""The processors as data: what units, paths and registers there are, and each encoding against GNU as."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.decoder import Decoder, disassemble
from finalist.isa.assembly.text import Issue, written
from finalist.isa.target.instruction import Instruction, Way
from finalist.isa.target.meaning import evaluate
from finalist.isa.target.operand import AssemblyError
from finalist.isa.target.processor import Processor
from finalist.machines.c6x.model import CPUS, processor
from tests.machines.c6x import gnu

C62, C64 = map(processor, CPUS)


def named(p: Processor, name: str, syntax: str = "") -> Instruction:
    return next(one for one in p.instructions if one.name == name and syntax in one.syntax)


def units(p: Processor, name: str) -> set[str]:
    return {way.unit[0] for way in named(p, name).ways}


def test_which_units_do_what() -> None:
    assert (units(C62, "XOR"), units(C64, "XOR")) == ({"L", "S"}, {"L", "S", "D"})
    assert (units(C62, "ADD"), units(C62, "SHL"), units(C62, "CMPEQ")) == ({"L", "S", "D"}, {"S"}, {"L"})
    assert "ROTL" not in C62.by_name and units(C64, "ROTL") == {"M"}


def test_delay_slots() -> None:
    assert named(C62, "LDW").latency == 5 and named(C62, "MPYU").latency == 2 and named(C62, "B").latency == 6
    assert named(C64, "ROTL").latency == 2 and named(C64, "MVD").latency == 4


def test_cross_paths() -> None:
    """The second operand crosses, but on .D of the C62x, where none does; of SUB on .L either."""
    add = [way for way in named(C62, "ADD").ways if way.paths]
    assert {way.unit for way in add} == {"L1", "L2", "S1", "S2"}
    assert all(way.files["ra"] != way.files["rb"] == ("b" if way.unit.endswith("1") else "a") for way in add)
    subtract = [way for way in named(C62, "SUB").ways if way.name == ".L1X"]
    assert sorted(way.files["ra"] for way in subtract) == ["a", "b"]


def test_loads_bring_words_to_either_side() -> None:
    ways = named(C62, "LDW", "[").ways
    assert {(way.unit, way.files["ra"], way.files["rd"]) for way in ways} == {
        ("D1", "a", "a"),
        ("D1", "a", "b"),
        ("D2", "b", "b"),
        ("D2", "b", "a"),
    }


def test_a_pair_is_an_even_register_and_the_one_above() -> None:
    (one,) = Decoder(C62).all(assemble("SHL .S1 A1,5,A3:A2", C62).words).values()
    assert (one.values["hi"], one.values["lo"]) == (3, 2)
    low, high = one.instruction.effects({**one.values, "ra": 0x80000001, "imm": 5})
    assert (low.target, high.target) == ("lo", "hi")


def test_two_words_side_by_side_are_loaded_to_a_pair() -> None:
    """The even register has the lower half of the 64 bits; the address is a multiple of 8."""
    assert "LDDW" not in C62.by_name
    one = named(C64, "LDDW")
    assert {(way.unit, way.files["ra"], way.files["lo"], way.files["hi"]) for way in one.ways} == {
        ("D1", "a", "a", "a"),
        ("D1", "a", "b", "b"),
        ("D2", "b", "b", "b"),
        ("D2", "b", "a", "a"),
    }
    low, high = one.effects({"ra": 64, "imm": 8})
    halves = [evaluate(half.value, {}, 32, lambda term, at: at[0] << 32 | term.attr) for half in (low, high)]
    assert (low.target, high.target, halves) == ("lo", "hi", [8, 72])
    assert (one.latency, one.effect) == (5, "load")
    with pytest.raises(AssemblyError, match="A7:A5; accepted: an odd register and the even one below it"):
        assemble("LDDW .D1T1 *+A4(40),A7:A5", C64)
    with pytest.raises(AssemblyError, match="imm=44; accepted: 0 to 248, multiples of 8"):
        assemble("LDDW .D1T1 *+A4(44),A7:A6", C64)


def samples(p: Processor, seed: int) -> list[str]:
    """Every instruction in every way, with operands drawn at random."""
    source = random.Random(seed)
    lines = []
    for one in p.instructions:
        if one.flow is None:
            lines += [written(p, one, drawn(p, one, way, source), "", Issue(way)) for way in one.ways]
    return [line for line in lines if not same_across(line)]


def same_across(line: str) -> bool:
    """MVK of short constants on several units has several encodings that mean one thing."""
    return line.startswith("MVK ")


def drawn(p: Processor, one: Instruction, way: Way, source: random.Random) -> dict[str, int]:
    values: dict[str, int] = {}
    for o in (one.operand_in(way, o.name) for o in one.operands):
        if o.pair:
            values[o.pair] &= ~1
            values[o.name] = values[o.pair] + 1
        elif o.is_register:
            file = p.file(way.files[o.name])
            values[o.name] = source.choice([n for n in range(file.count) if n not in file.reserved])
        else:
            low = -(1 << o.bits - 1) if o.signed else 0
            numbers = range(low * o.scale, (low + (1 << o.bits)) * o.scale, o.scale)
            values[o.name] = source.choice([n for n in numbers if o.accepts(n)])
    return values


@pytest.mark.parametrize("p", [C62, C64], ids=CPUS)
def test_text_goes_there_and_back(p: Processor) -> None:
    words = assemble("\n".join(samples(p, 1)), p).words
    assert assemble(disassemble(words, p), p).words == words


@pytest.mark.parametrize("p", [C62, C64], ids=CPUS)
def test_every_encoding_is_that_of_gnu_as(p: Processor, tmp_path: Path) -> None:
    for seed in range(3):
        lines = samples(p, seed)
        ours = assemble("\n".join(lines), p).words
        theirs = gnu.words("\n".join(lines) + "\n", p.name, tmp_path)
        wrong = [line for line, a, b in zip(lines, ours, theirs, strict=False) if a != b]
        assert not wrong


@pytest.mark.parametrize("p", [C62, C64], ids=CPUS)
def test_a_number_that_an_instruction_accepts_fits_a_way(p: Processor) -> None:
    """The numbers of all ways together, where units differ in what they take: of ADD on .D 0 to 31."""
    for one in p.instructions:
        for o in (o for o in one.operands if o.kind == "imm" and not o.values):
            around = [edge + k for edge in (-1 << 15, -32, -16, 0, 16, 32, 1 << 15) for k in range(-2, 3)]
            for number in (n for n in around if o.accepts(n)):
                assert any(one.operand_in(way, o.name).accepts(number) for way in one.ways), (one, number)
