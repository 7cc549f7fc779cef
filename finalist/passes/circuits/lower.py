"""Bitsliced tables become circuits: from the library where one is kept, else synthesised."""

from __future__ import annotations

from functools import cache

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.circuits import library
from finalist.passes.circuits.circuit import LUT3, Circuit, Gate
from finalist.passes.circuits.synthesise import synthesise_masked
from finalist.passes.simplify import simplify


def run(program: Program) -> Program:
    """Both graphs without `bool` operations."""
    return program.with_graphs(with_circuits(program.expand), with_circuits(program.kernel))


def with_circuits(graph: Graph) -> Graph:
    """Each set of boolean functions of the same words becomes one circuit of gates."""
    groups: dict[tuple[Node, ...], list[Node]] = {}
    for node in every_node(graph):
        if node.op is Op.BOOL:
            groups.setdefault(node.inputs, []).append(node)

    if not groups:
        return graph

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is not Op.BOOL:
            return None
        together = groups[node.inputs]
        circuit = circuit_for(tuple(other.attr for other in together), len(inputs))
        outputs = _gates(rewriter.builder, circuit, inputs)
        rewriter.map.update(zip(together, outputs, strict=True))
        return rewriter.map[node]

    return rewrite(graph, Builder(simplify), visit)


@cache
def circuit_for(truths: tuple[int, ...], inputs: int) -> tuple[Circuit, int, int]:
    """A circuit for functions given by their truth tables, output bit 0 first, and two masks (a, b).

    The circuit computes ``S[x ^ a] ^ b``; complements are free where they reach a key word.
    """
    table = tuple(
        sum((truth >> x & 1) << bit for bit, truth in enumerate(truths)) for x in range(1 << inputs)
    )
    kept = library.find_masked(table, len(truths))
    if kept:
        return kept
    circuit, mask = synthesise_masked(table, inputs, len(truths))
    return circuit, 0, mask


def _gates(make: Builder, found: tuple[Circuit, int, int], inputs: tuple[Node, ...]) -> list[Node]:
    circuit, before, after = found
    registers = [_complemented(make, node, before >> k & 1) for k, node in enumerate(inputs)]
    for gate in circuit.gates:
        registers.append(_gate(make, gate, [registers[register] for register in gate.reads]))
    outputs = (registers[output] for output in circuit.outputs)
    return [_complemented(make, node, after >> k & 1) for k, node in enumerate(outputs)]


def _complemented(make: Builder, node: Node, turn: int) -> Node:
    return make.make(Op.NOT, (node,)) if turn else node


def _gate(make: Builder, gate: Gate, reads: list[Node]) -> Node:
    if gate.op == LUT3:
        return make.make(Op.BOOL, tuple(reads), gate.truth)
    a, b = reads
    if gate.op == "not":
        return make.make(Op.NOT, (a,))
    if gate.op == "andn":
        return make.make(Op.AND, (a, make.make(Op.NOT, (b,))))
    return make.make({"and": Op.AND, "or": Op.OR, "xor": Op.XOR}[gate.op], (a, b))
