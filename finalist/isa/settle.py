"""What becomes of code whose words live in memory: bytes for them, smaller code, branches that reach.

Short pieces of code with a branch in them, which selection takes for one instruction, are written out:

halved: a = a >> 1, with m added where a bit was lost   ->   lsra; bcc end; eor #m; end:
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from finalist.isa.allocate.linear import NoRoomError
from finalist.isa.allocate.memory import WORTH, Taken, allocate, ways_of
from finalist.isa.allocate.tidy import tidied
from finalist.isa.assembly.reach import shortened, within_reach
from finalist.isa.code import Block, Code, Ins
from finalist.isa.shrink.outline import Calls, executions, outline, without_returns
from finalist.isa.shrink.reroll import reroll
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.memory import Memory
from finalist.isa.target.processor import Processor

#: Bytes of a return address.
ADDRESS = 2


@dataclass(frozen=True, slots=True)
class Settled:
    """What code takes: working memory, by piece; calls within calls at the most, in the last piece; and
    whether it branches on words that it works on."""

    taken: tuple[Taken, ...] = ()
    depth: int = 0
    branching: bool = False


def settled(pieces: Sequence[Code], processor: Processor, memory: Memory, worth: int | None) -> Settled:
    """Changes the pieces, of which the last are the operations. ``worth``: cycles a block that a byte of
    those less may cost; None where they are left as they are. Raises NoRoomError."""
    *others, operations = pieces
    taken = [_with_bytes(code, processor, memory.top, None) for code in others]
    taken.append(_with_bytes(operations, processor, memory.top, worth))
    most = max(one.beyond for one in taken)
    if most:
        memory.place("beyond", 1, most)
    depth, branching = Calls.of(pieces[-1]).deepest, False
    for code in pieces:
        without_returns(code, processor)
        branching |= written_out(code, processor)
        within_reach(code, processor)
        shortened(code, processor)
    return Settled(tuple(taken), depth, branching)


def _with_bytes(code: Code, processor: Processor, beyond: int, worth: int | None) -> Taken:
    """Changes a piece in each of the ways that there are, and keeps what costs least."""
    assert processor.working is not None
    found: list[tuple[int, Taken, Code]] = []
    reasons: list[NoRoomError] = []
    allocated: list[Code] = []
    tidied(code.blocks, processor)
    for way in ways_of(code, processor.working):
        made = code.copy()
        try:
            taken = allocate(made, processor, beyond, *way)
        except NoRoomError as error:
            reasons.append(error)
            continue
        if any(_same(made, other) for other in allocated):
            continue
        allocated.append(made if worth is None else made.copy())
        if worth is not None:
            outline(made, processor, worth, WORTH * ADDRESS)
            reroll(made, processor, worth)
            outline(made, processor, worth, WORTH * ADDRESS)
        found.append((_cost(made, taken, worth or 1), taken, made))
    if not found:
        raise reasons[0]
    _, taken, made = min(found, key=lambda one: one[0])
    code.blocks = made.blocks
    return taken


def _same(one: Code, other: Code) -> bool:
    """Whether two pieces, made of one, are the same instructions."""
    return all(
        [(ins.instruction, ins.operands) for ins in a.body]
        == [(ins.instruction, ins.operands) for ins in b.body]
        for a, b in zip(one.blocks, other.blocks, strict=True)
    )


def _cost(code: Code, taken: Taken, worth: int) -> int:
    """Cycles of an operation, estimated, with what the bytes of code and of working memory are worth."""
    often, operations = executions(code), max(1, sum(1 for block in code.blocks if block.entry))
    cycles = sum(often[b.label] * ins.instruction.cycles for b in code.blocks for ins in b.body)
    rom = sum(ins.instruction.bits for ins in code.instructions()) // 8
    ram = len(taken.short) + taken.beyond + ADDRESS * Calls.of(code).deepest
    return cycles // operations + worth * (rom + WORTH * ram)


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
