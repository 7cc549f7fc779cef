"""What becomes of code whose words live in memory: bytes for them, smaller code, branches that reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from finalist.isa.allocate.memory import Taken, allocate
from finalist.isa.assembly.idioms import written_out
from finalist.isa.assembly.reach import shortened, within_reach
from finalist.isa.code import Code
from finalist.isa.shrink.outline import deepest, outline
from finalist.isa.shrink.reroll import reroll
from finalist.isa.target.memory import Memory
from finalist.isa.target.processor import Processor


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
    taken = tuple(allocate(code, processor, memory.top) for code in pieces)
    most = max(one.beyond for one in taken)
    if most:
        memory.place("beyond", 1, most)
    if worth is not None:
        reroll(pieces[-1], processor, worth)
        outline(pieces[-1], processor, worth)
    depth, branching = deepest(pieces[-1]), False
    for code in pieces:
        branching |= written_out(code, processor)
        within_reach(code, processor)
        shortened(code, processor)
    return Settled(taken, depth, branching)
