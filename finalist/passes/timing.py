"""Whether a program's time depends on secrets: a label from where secret values go, not from a stopwatch.

Secret is whatever depends on the key or the block. Constants and the turns of loops are public.
"""

from __future__ import annotations

from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.passes.analysis import KeyOnly

#: From harmless to worst: no secret address or branch; secret addresses; secret branches or loop bounds.
CONSTANT, TABLE, BRANCH = "constant-time", "table", "data-dependent timing"


def timing(program: Program) -> str:
    """The worse label of key schedule and kernel, as they stand: of what is emitted, not of the cipher."""
    labels = {timing_of(program.expand), timing_of(program.kernel)}
    return next((label for label in (BRANCH, TABLE) if label in labels), CONSTANT)


def timing_of(graph: Graph) -> str:
    """`CONSTANT`, `TABLE` or `BRANCH`."""
    public = KeyOnly("index")
    nodes = list(every_node(graph))
    if any(not public(child) for node in nodes for child in _decisions(node)):
        return BRANCH
    if any(not public(child) for node in nodes for child in _addresses(node)):
        return TABLE
    return CONSTANT


def _decisions(node: Node) -> tuple[Node, ...]:
    """What the node branches on."""
    return node.inputs[: {Op.WHEN: 1, Op.LOOP: 2}.get(node.op, 0)]


def _addresses(node: Node) -> tuple[Node, ...]:
    """What the node computes an address from."""
    if node.op is Op.LOOKUP:
        return node.inputs[:1]
    return node.inputs[1:2] if node.op in (Op.LOAD, Op.STORE) else ()
