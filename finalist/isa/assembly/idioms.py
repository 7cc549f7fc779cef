"""Short pieces of code with a branch in them that selection takes for one instruction: written out.

halved: a = a >> 1, with m added where a bit was lost   ->   lsra; bcc end; eor #m; end:
"""

from __future__ import annotations

from collections.abc import Mapping

from finalist.isa.code import Block, Code, Ins
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.processor import Processor


def written_out(code: Code, processor: Processor) -> bool:
    """Writes out all idioms of the code; whether there are any."""
    parts = {idiom.instruction: idiom.parts for idiom in processor.idioms}
    found = False
    number = 0
    while number < len(code.blocks):
        block = code.blocks[number]
        place = next((k for k, ins in enumerate(block.body) if ins.instruction in parts), None)
        if place is not None:
            code.blocks[number : number + 1] = _split(block, place, parts)
            found = True
        number += 1
    return found


def _split(block: Block, place: int, parts: Mapping[Instruction, tuple[Instruction, ...]]) -> list[Block]:
    """The block up to the branch, what that may pass by, and the rest."""
    ins = block.body[place]
    end = f"{block.label}_e{len(block.body)}"
    pieces: list[list[Ins]] = [block.body[:place]]
    for part in parts[ins.instruction]:
        operands = [end if o.is_target else ins.values.get(o.name, 0) for o in part.operands]
        pieces[-1].append(Ins(part, operands, ins.phase, note=ins.note))
        if part.flow is not None:
            pieces.append([])
    labels = [block.label, *(f"{end}_{k}" for k in range(1, len(pieces)))]
    comments = [block.comment, *[""] * len(pieces)]
    made = [
        Block(label, body, block.depth, block.part, comment)
        for label, body, comment in zip(labels, pieces, comments, strict=False)
    ]
    made[0].entry = block.entry
    return [*made, Block(end, block.body[place + 1 :], block.depth, block.part)]
