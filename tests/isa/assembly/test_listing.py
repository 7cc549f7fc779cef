"""A program as text: what the assembler reads again."""

from __future__ import annotations

import pytest

from finalist.ir.graph import TableData
from finalist.ir.types import ArrayType
from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.listing import code_lines, place_lines
from finalist.isa.code import Block, Code, Ins
from finalist.isa.target.memory import Memory
from tests.isa.allocate.test_memory import ins
from tests.processors.accumulator import PROCESSOR


def test_places_and_what_they_hold() -> None:
    memory = Memory(256)
    slots = memory.place("slots", 4, 3)
    memory.array("key", ArrayType(5, 8))
    memory.table(TableData(tuple(range(250, 260)), 16, "T"))
    assert place_lines(memory, [slots], {}, 4) == [
        ".place slots 0x100 4 3",
        ".place key 0x10c 1 5",
        ".place T 0x114 2 10",
        "    .values 0xfa 0xfb 0xfc 0xfd 0xfe 0xff 0x100 0x101",
        "    .values 0x102 0x103",
    ]


def test_interleaved_arrays_say_how_far_apart_entries_are() -> None:
    memory = Memory(256)
    memory.interleaved(["k_0", "k_1"], ArrayType(4, 8))
    slots = memory.place("slots", 1, 0)
    assert place_lines(memory, [slots], {}, 1)[:2] == [".place k_0 0x100 1 4 2", ".place k_1 0x101 1 4 2"]


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({256: 7}, "    .values 0x7"),
        ({264: 7}, "    .values 0x0 0x0 0x7"),
        ({260: 5, 256: 9}, "    .values 0x9 0x5"),
    ],
)
def test_slots_hold_constants_up_to_the_last(values: dict[int, int], line: str) -> None:
    memory = Memory(256)
    slots = memory.place("slots", 4, 3)
    other = memory.place("other", 4, 3)
    assert place_lines(memory, [slots], values, 4) == [
        ".place slots 0x100 4 3",
        line,
        f".place other 0x{other.address:x} 4 3",
    ]


def code() -> Code:
    halt = Ins(PROCESSOR.by_name["halt"][0], [])
    noted = ins("sta", 2)
    noted.note = "spilled"
    return Code(
        [
            Block("expand", [ins("lda", 1), noted], part="expand", comment="round 1"),
            Block("more", [ins("lda", 2)], part="expand"),
            Block("block", [ins("add", 3)], entry="encrypt"),
            Block("end", [halt]),
        ]
    )


def test_parts_labels_entries_and_notes() -> None:
    assert code_lines(code(), PROCESSOR) == [
        "    .part expand",
        "expand:  ; round 1",
        "    lda *1",
        "    sta *2  ; spilled",
        "more:",
        "    lda *2",
        "",
        "encrypt:",
        "    .part block",
        "block:",
        "    add *3",
        "end:",
        "    halt",
    ]


def test_the_assembler_reads_it() -> None:
    memory = Memory(256)
    slots = memory.place("slots", 1, 3)
    lines = [*place_lines(memory, [slots], {257: 200}, 1), *code_lines(code(), PROCESSOR)]
    image = assemble("\n".join(lines), PROCESSOR)
    assert image.contents == {"slots": [0, 200]}
    assert set(image.labels) == {"expand", "more", "encrypt", "block", "end"}
    assert image.labels["encrypt"] == image.labels["block"]
    at = PROCESSOR.by_name["add"][0].bits // 8
    assert [image.parts[image.labels[name]] for name in ("more", "end")] == ["expand", "block"]
    assert image.notes[image.labels["expand"] + at] == "spilled"
