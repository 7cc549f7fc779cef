"""A program as text: what lies in memory, and its code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from finalist.isa.assembly.text import written
from finalist.isa.code import Code
from finalist.isa.target.memory import Memory, Place
from finalist.isa.target.processor import Processor


def place_lines(
    memory: Memory, slots: Sequence[Place], slot_values: Mapping[int, int], size: int
) -> list[str]:
    """All places, with what they hold at first; ``slot_values``: by address what words of ``slots`` do."""
    lines = []
    for place in memory.places:
        apart = f" {place.apart}" if place.apart else ""
        lines.append(f".place {place.name} 0x{place.address:x} {place.bytes} {place.length}{apart}")
        values = memory.contents.get(place)
        if place in slots and (held := [at for at in slot_values if place.address <= at < place.end]):
            count = (max(held) - place.address) // size + 1
            values = tuple(slot_values.get(place.address + k * size, 0) for k in range(count))
        if values:
            lines += _values(values)
    return lines


def code_lines(code: Code, processor: Processor) -> list[str]:
    """Its parts, labels and instructions."""
    lines, part = [], ""
    for block in code.blocks:
        if block.entry is not None:
            lines += ["", f"{block.entry}:"]
        if block.part != part:
            part = block.part
            lines.append(f"    .part {part}")
        lines.append(f"{block.label}:" + (f"  ; {block.comment}" if block.comment else ""))
        for ins in block.body:
            text = written(processor, ins.instruction, ins.values, ins.target, ins.issue)
            lines.append(f"    {text}" + (f"  ; {ins.note}" if ins.note else ""))
    return lines


def _values(values: Sequence[int]) -> list[str]:
    texts = [f"0x{value:x}" for value in values]
    return ["    .values " + " ".join(texts[k : k + 8]) for k in range(0, len(texts), 8)]
