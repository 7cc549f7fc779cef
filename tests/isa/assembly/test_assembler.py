"""Text to instruction words and back; what is refused, and how that is said."""

from __future__ import annotations

import re

import pytest

from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.decoder import Decoder, disassemble
from finalist.isa.assembly.text import written
from finalist.isa.target.operand import AssemblyError
from finalist.isa.target.processor import Processor
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed
from tests.processors import vliw

KINDS = (
    "with=ptlu+extract+andn+aes32+xperm8+shuffle",
    "word=64,with=ptlu",
    "word=128,with=ptlu+extract",
    "tables=4,with=ptlu",
)


@pytest.mark.parametrize("kind", KINDS)
def test_every_instruction_goes_there_and_back(kind: str) -> None:
    p = processor(parsed(kind))
    lines = []
    for instruction in p.instructions:
        for given, _ in instruction.forms:
            for end in (0, 1):
                values = dict(given)
                for o in instruction.operands:
                    if o.kind in ("def", "use"):
                        values[o.name] = 31 * end
                    elif not o.values:
                        values[o.name] = o.decode((0 if end else (1 << o.bits - 1) - 1) << o.low)
                lines.append(written(p, instruction, values, "here"))
    words = assemble("\n".join(["here:", *lines]), p).words
    again = assemble(disassemble(words, p), p).words
    assert again == words
    assert all(0 <= word < 1 << 32 for word in words)


@pytest.mark.parametrize("kind", KINDS)
def test_no_word_is_two_instructions(kind: str) -> None:
    p = processor(parsed(kind))
    for one in p.instructions:
        fitting = [
            i for i in p.instructions if one.code & i.fixed == i.code & i.fixed and i.fixed & ~one.fixed == 0
        ]
        assert fitting == [one]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("add r1, r2", "line 1: 'add r1, r2'; accepted: 'add {rd}, {ra}, {rb}'"),
        ("add r1, r2, r32", "line 1: r32; accepted: r0 to r31"),
        ("fly r1", "line 1: 'fly r1'; accepted: instructions of plx"),
        ("addi r1, r2, 32768", "line 1: imm=32768; accepted: -32768 to 32767"),
        ("andi r1, r2, -1", "line 1: imm=-1; accepted: 0 to 65535"),
        ("addi r1, r2, twelve", "line 1: 'twelve' is no number"),
        ("bne r1, r2, nowhere", "line 1: there is no label 'nowhere'"),
        ("ptlu.2.4.0 r1, r2", "ptlu: this combination is not legal: lookups=2 data=4 offset=0"),
        ("ptlu.1.3.0 r1, r2", "line 1: data=3; accepted: 1, 2, 4, 8, 16"),
        ("ptlu.9.1.0 r1, r2", "line 1: lookups=9; accepted: 1, 2, 3, 4, 5, 6, 7, 8"),
        ("ptlw.1.8.0 r1, r2", "ptlw: this combination is not legal"),
        ("ptlw.1.4.4 r1, r2", "ptlw: this combination is not legal"),
        (".fly 1", "line 1: '.fly 1'; accepted: .order, .place, .values, .part"),
        (".order middle", "line 1: '.order middle'"),
    ],
)
def test_refusals_name_the_line(line: str, message: str) -> None:
    with pytest.raises(AssemblyError, match=re.escape(message)):
        assemble(line, processor(parsed("with=ptlu")))


def test_a_label_out_of_reach() -> None:
    text = "here:\n" + "add r0, r0, r0\n" * 40000 + "bne r1, r2, here\n"
    with pytest.raises(AssemblyError, match="line 40002: here; accepted: a label within reach"):
        assemble(text, processor(parsed("")))


def test_a_label_that_is_just_within_reach() -> None:
    p = processor(parsed(""))
    back = "here:\n" + "add r0, r0, r0\n" * 32767 + "bne r1, r2, here\n"
    image = assemble(back, p)
    assert Decoder(p).decode(image.words[-1], 32767).target == 0


def test_a_word_that_is_no_instruction() -> None:
    with pytest.raises(AssemblyError, match="word ffffffff at 3 is no instruction"):
        Decoder(processor(parsed(""))).decode(0xFFFFFFFF, 3)


def test_directives() -> None:
    image = assemble(
        ".order big\n.place T 0x40 4 3\n.values 1 0x2\n.values 3\n.part block\ntrap ; end\n",
        processor(parsed("")),
    )
    assert (image.order, image.contents["T"], image.parts, image.notes) == (
        "big",
        [1, 2, 3],
        ["block"],
        ["end"],
    )
    assert (image.places["T"].address, image.places["T"].size) == (0x40, 12)


def test_entries_of_a_place_can_be_apart() -> None:
    """Bytes of words that lie side by side: the last of these begins 4 bytes behind the first."""
    image = assemble(".place key_3 0x52b 1 2 4\nstart:\n trap", processor(parsed("")))
    assert (image.places["key_3"].size, image.places["key_3"].end) == (2, 0x530)


@pytest.mark.parametrize(
    ("model", "text", "message"),
    [
        (vliw.processor(), "|| nop", "line 1: ||: follows no instruction"),
        (processor(parsed("")), "add r1, r2, r3\n|| add r4, r5, r6", "line 2: ||: plx has no such thing"),
    ],
)
def test_what_is_issued_with_nothing(model: Processor, text: str, message: str) -> None:
    with pytest.raises(AssemblyError, match=re.escape(message)):
        assemble(text, model)
