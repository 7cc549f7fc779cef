"""Gates of circuits as nodes of a graph."""

from __future__ import annotations

from collections.abc import Sequence

from finalist.ir.builder import Builder
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.passes import ternary
from finalist.passes.circuits.circuit import LUT3, Circuit, Gate


def outputs_of(
    make: Builder, circuit: Circuit, inputs: Sequence[Node], before: int = 0, after: int = 0
) -> list[Node]:
    """What a circuit makes of words, those inputs and outputs complemented that two masks say."""
    registers = [_complemented(make, node, before >> k & 1) for k, node in enumerate(inputs)]
    for gate in circuit.gates:
        registers.append(_gate(make, gate, [registers[register] for register in gate.reads]))
    outputs = (registers[output] for output in circuit.outputs)
    return [_complemented(make, node, after >> k & 1) for k, node in enumerate(outputs)]


def _complemented(make: Builder, node: Node, complement: int) -> Node:
    return make.make(Op.NOT, (node,)) if complement else node


def _gate(make: Builder, gate: Gate, reads: list[Node]) -> Node:
    """The node for a gate on what it reads."""
    if gate.op == LUT3 and gate.truth is not None:
        return ternary.gate(make, reads, gate.truth, reads[0].width)
    if gate.op == "not":
        return make.make(Op.NOT, reads[:1])
    a, b = reads
    if gate.op == "andn":
        return make.make(Op.AND, (a, make.make(Op.NOT, (b,))))
    return make.make({"and": Op.AND, "or": Op.OR, "xor": Op.XOR}[gate.op], (a, b))
