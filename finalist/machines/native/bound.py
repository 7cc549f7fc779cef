"""What a program's operations take at the very least, so that slow schedules need no trial."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from finalist.ir.graph import Node, Region
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.machines.native.shape import Shape
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
    def of(cls, program: Program, shape: Shape) -> Work:
        """The work of the kernel on its words or vectors."""
        shared = KeyOnly("key", "index")
        count = _count(program.kernel, lambda node: not shared(node) and node.op not in _FREE)
        bytes_a_call = shape.blocks * program.block.bytes // shape.planes
        operations = count * shape.copies / bytes_a_call
        return cls(operations, operations / (SCALAR_A_CYCLE if shape.lanes == 1 else VECTOR_A_CYCLE))


def _count(region: Region, counted: Callable[[Node], bool]) -> int:
    total = 0
    for node in region.body:
        if node.op is Op.LOOP:
            total += _turns(node) * _count(node.region, counted)
        elif node.op is Op.WHEN:
            continue  # may not be entered
        else:
            total += counted(node)
    return total


def _turns(loop: Node) -> int:
    """Turns of a loop, 0 where that depends on data."""
    start, stop = loop.inputs[:2]
    known = start.op is Op.CONST and stop.op is Op.CONST
    return max(0, stop.attr - start.attr) if known else 0
