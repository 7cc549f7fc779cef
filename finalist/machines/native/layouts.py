"""What belongs to each way in which blocks lie in registers: the dialect, and what the file needs."""

from __future__ import annotations

from finalist.ir.graph import every_node
from finalist.ir.program import Program
from finalist.machines.native.shape import Shape
from finalist.machines.native.slices import bits, byteslice
from finalist.machines.native.text import prelude
from finalist.machines.native.text.blocks import ScalarBlocks
from finalist.machines.native.text.body import Body
from finalist.machines.native.text.dialect import Registers, Scalar, Vector
from finalist.machines.native.vectors import logic
from finalist.machines.native.vectors.lane_blocks import LaneBlocks
from finalist.machines.native.vectors.long_lanes import LONG, LongVector
from finalist.machines.native.vectors.narrow import NARROW, NarrowVector
from finalist.machines.native.vectors.piece_blocks import PieceBlocks
from finalist.machines.native.vectors.pieces import in_pieces
from finalist.machines.native.vectors.spread import SpreadVector
from finalist.machines.native.vectors.word_permutes import LANE, WordVector
from finalist.machines.native.whole_blocks import registers
from finalist.machines.native.whole_blocks.register_blocks import RegisterBlocks
from finalist.passes.chain import chained

#: By the bits of a lane: lanes that hold whole words, and tables read by gathers or permutes.
_WIDE: dict[int, type[LongVector | WordVector]] = {LONG: LongVector, LANE: WordVector}

#: Bits of the words that a chain of bytes is read and written by.
_WORD = 64

AnyBlocks = (
    ScalarBlocks | LaneBlocks | PieceBlocks | RegisterBlocks | bits.PlaneBlocks | byteslice.SlottedBlocks
)


def of_kernel(program: Program, shape: Shape) -> Program:
    """The program whose kernel is one of this shape's; a chain of blocks is one of several steps."""
    return chained(program, shape.chain, _WORD)


def needed_macros(program: Program, shape: Shape) -> tuple[str, ...]:
    """The compiler's macros that say whether the CPU has the instructions of the program, if it has any."""
    if not shape.registers:
        return ()
    of_kernels = [(program.kernel, kernel.bits) for kernel in shape.kernels]
    parts = dict.fromkeys([*of_kernels, (program.expand, registers.REGISTER)])
    found = (macro for graph, size in parts for macro in registers.macros(every_node(graph), size))
    return tuple(dict.fromkeys(found))


def begin(program: Program, shape: Shape, functions: str) -> str:
    """What a file of this shape begins with; ``functions``: the text that it is for."""
    if shape.registers:
        return prelude.text(1, 0) + registers.prelude(shape.bits, needed_macros(program, shape))
    if shape.sliced:
        return prelude.text(1, 1) + bits.prelude(shape.lanes, program.block, functions)
    if shape.slotted:
        return prelude.text(1, 1) + byteslice.begin(shape, functions)
    text = prelude.text(shape.lanes, shape.lane_bits, functions, spread=shape.spread)
    return text + logic.needed(shape.bits, functions)


def dialect(shape: Shape, lookup: str | None = None) -> Scalar:
    """How the kernel's operations are written; ``lookup``: how tables are read."""
    if shape.registers:
        return Registers(shape.bits)
    if shape.lanes == 1:
        return Scalar()
    if shape.sliced:
        return bits.Bits(shape.lanes)
    if shape.slotted:
        return byteslice.SlottedBits(shape.lane_bits, shape.lanes)
    if shape.spread:
        return SpreadVector(shape.lane_bits, shape.lanes)
    if shape.lane_bits in NARROW:
        return NarrowVector(shape.lane_bits, shape.lanes)
    return _WIDE[shape.lane_bits](shape.lane_bits, shape.lanes, by_permute=lookup == "permute")


def on_lanes(lane_bits: int) -> type[Vector]:
    """How operations on words in lanes of so many bits are written."""
    return NarrowVector if lane_bits in NARROW else _WIDE.get(lane_bits, Vector)


def blocks_of(body: Body, program: Program, shape: Shape) -> AnyBlocks:
    """How the kernel's blocks come from memory and go there."""
    if shape.registers:
        return RegisterBlocks(body, program, shape)
    if shape.sliced:
        return bits.PlaneBlocks(body, program, shape)
    if shape.slotted:
        return byteslice.SlottedBlocks(body, program, shape)
    if shape.lanes == 1:
        return ScalarBlocks(body, program, shape)
    blocks = PieceBlocks if in_pieces(program.block.count // shape.planes) else LaneBlocks
    return blocks(body, program, shape)
