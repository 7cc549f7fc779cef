"""What a program's operations take at the very least, so that slow schedules need no trial."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from finalist.ir.graph import Node, Region, trip_count
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.machines.native.layouts import of_kernel
from finalist.machines.native.shape import Shape
from finalist.machines.native.slices import masks
from finalist.machines.native.vectors import inversions, long_permutes, word_permutes
from finalist.machines.native.vectors.narrow import NARROW, is_row
from finalist.passes.analysis import KeyOnly

#: Operations that a core of today starts in a cycle, at most: on integers, on vectors.
SCALAR_A_CYCLE, VECTOR_A_CYCLE = 6, 4
#: What a C compiler makes part of another instruction, or of none.
_FREE = frozenset(
    {Op.SLICE, Op.EXTEND, Op.JOIN, Op.NOT, Op.LOAD, Op.RESULT, Op.TUPLE, Op.ARRAY, Op.CONST, Op.PARAM}
)


@dataclass(frozen=True, slots=True)
class Work:
    """What a program has to do: operations a byte (of all blocks of a call together), and the core cycles
    a byte that no scheduling of these operations can go below."""

    operations: float
    least_cycles: float

    @classmethod
    def of(cls, program: Program, shape: Shape, lookup: str | None = None) -> Work:
        """The work of the kernel on its words or vectors, tables read as ``lookup`` says."""
        shared = KeyOnly("key", "index")
        read = _READS.get(lookup or "", _once)

        def weight(node: Node) -> int:
            if shared(node) or (node.op in _FREE and node.op is not Op.LOAD):
                return 0
            if node.op is Op.LOOKUP or (node.op is Op.LOAD and not shared(node.inputs[1])):
                return read(node, shape)
            return node.op is not Op.LOAD

        count = _count(of_kernel(program, shape).kernel, weight)
        bytes_a_call = shape.blocks * program.block.bytes // shape.planes
        operations = count * shape.copies / bytes_a_call
        return cls(operations, operations / (SCALAR_A_CYCLE if shape.lanes == 1 else VECTOR_A_CYCLE))


def least_setup(program: Program) -> float:
    """The core cycles that the operations of a key set-up can't go below, one word at a time; what makes
    masks of bits takes eight."""
    expand = masks.with_words(program.expand)
    pairs = zip(program.expand.results, expand.results, strict=True)
    made = sum(bits.length * masks.OPERATIONS_A_BIT for bits, words in pairs if bits is not words)
    return (_count(expand, lambda node: node.op not in _FREE) + made) / SCALAR_A_CYCLE


def _once(node: Node, shape: Shape) -> int:
    """One load."""
    return 1


def _permutes(node: Node, shape: Shape) -> int:
    """A shuffle for each row of a table, and what chooses between them; or one shuffle that is it."""
    if node.op is Op.LOOKUP and is_row(node.attr):
        return 1
    inversion = inversions.of_lookup(node) if shape.lane_bits in NARROW else None
    if inversion:
        return inversions.operations(inversion)
    entries = node.inputs[0].length if node.op is Op.LOAD else len(node.attr.values)
    if shape.lane_bits == word_permutes.LANE:
        return word_permutes.operations(entries)
    if shape.lane_bits == word_permutes.HALF:
        return word_permutes.operations_of_halves(entries)
    row = 16 if shape.lane_bits in NARROW else shape.bits // long_permutes.ENTRY
    return 2 * -(-entries // row) - 1


def _gathers(node: Node, shape: Shape) -> int:
    """A load for each lane."""
    return shape.lanes


#: Operations of one read, by how tables are read; one where nothing is said here.
_READS: dict[str, Callable[[Node, Shape], int]] = {"permute": _permutes, "gather": _gathers}


def _count(region: Region, weight: Callable[[Node], int]) -> int:
    total = 0
    for node in region.body:
        if node.op is Op.LOOP:
            total += trip_count(node, 0) * _count(node.region, weight)
        elif node.op is Op.APPLY:
            total += _count(node.region, weight)
        elif node.op is not Op.WHEN:  # which may not be entered
            total += weight(node)
    return total
