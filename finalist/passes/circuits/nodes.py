"""Gates of circuits as nodes of a graph."""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.passes import ternary
from finalist.passes.circuits.circuit import LUT3, Gate


def gate_of(make: Builder, gate: Gate, reads: list[Node]) -> Node:
    """The node for a gate on what it reads."""
    if gate.op == LUT3 and gate.truth is not None:
        return ternary.gate(make, reads, gate.truth, reads[0].width)
    if gate.op == "not":
        return make.make(Op.NOT, reads[:1])
    a, b = reads
    if gate.op == "andn":
        return make.make(Op.AND, (a, make.make(Op.NOT, (b,))))
    return make.make({"and": Op.AND, "or": Op.OR, "xor": Op.XOR}[gate.op], (a, b))
