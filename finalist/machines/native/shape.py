"""How the blocks of one kernel call lie in the CPU's registers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """How the kernel's blocks lie: ``copies`` vectors side by side, each of ``lanes`` lanes.

    A lane holds a word of a block or, cut into ``planes`` bit planes, of as many blocks; ``spread`` is the
    layout of `finalist.machines.native.vectors.spread`. With ``registers`` a lane holds a block whole, as
    `finalist.machines.native.whole_blocks.registers` has it; ``slotted``, a bit of each of its bytes, as
    `finalist.machines.native.slices.byteslice` has it.
    """

    copies: int
    lanes: int
    lane_bits: int
    planes: int = 1
    spread: bool = False
    registers: bool = False
    slotted: bool = False

    @property
    def sliced(self) -> bool:
        """Whether a lane is one bit of a block."""
        return self.lane_bits == 1

    @property
    def blocks(self) -> int:
        """Blocks a call."""
        return self.copies * self.lanes * self.planes

    @property
    def bits(self) -> int:
        """Bits of a vector; of one lane, the word of a block, where there are none."""
        return self.lanes * self.lane_bits
