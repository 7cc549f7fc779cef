"""Whether words, or blocks, fill a register side by side."""

from __future__ import annotations

from finalist.ir.program import Program
from finalist.isa.target.processor import Processor

#: Bits of the words that stand side by side in a wider register.
LANE = 32


def words_fill(traced: Program, processor: Processor) -> bool:
    """Whether the words of a block can stand side by side."""
    lanes = processor.width // LANE
    return _has_lanes(traced, processor) and traced.block.packed().count % lanes == 0


def blocks_fill(traced: Program, blocks: int, processor: Processor) -> bool:
    """Whether so many blocks can stand side by side, a block in each lane."""
    return _has_lanes(traced, processor) and blocks % (processor.width // LANE) == 0


def _has_lanes(traced: Program, processor: Processor) -> bool:
    words = traced.block.packed().width == LANE and not traced.stateful
    return words and processor.width > LANE
