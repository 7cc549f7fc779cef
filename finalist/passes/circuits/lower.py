"""Bitsliced tables become circuits: from the library where one is stored, else synthesised."""

from __future__ import annotations

from functools import cache

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.circuits import library
from finalist.passes.circuits.circuit import Circuit, table_of
from finalist.passes.circuits.mapped import mapped
from finalist.passes.circuits.nodes import outputs_of
from finalist.passes.circuits.synthesise import synthesise_masked
from finalist.passes.simplify import simplify


def run(program: Program, *, ternary: bool = False) -> Program:
    """Both graphs without `bool` operations, but for gates of three inputs in a kernel that may have them."""
    return program.with_graphs(with_circuits(program.expand), with_circuits(program.kernel, ternary))


def with_circuits(graph: Graph, ternary: bool = False) -> Graph:
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
        truths = tuple(other.attr for other in together)
        circuit, before, after = circuit_for(truths, len(inputs), ternary)
        outputs = outputs_of(rewriter.builder, circuit, inputs, before, after)
        rewriter.map.update(zip(together, outputs, strict=True))
        return rewriter.map[node]

    return rewrite(graph, Builder(simplify), visit)


@cache
def circuit_for(truths: tuple[int, ...], inputs: int, ternary: bool = False) -> tuple[Circuit, int, int]:
    """A circuit for functions given by their truth tables, output bit 0 first, and two masks (a, b).

    The circuit computes ``S[x ^ a] ^ b``; complements are free where they reach a key word. ``ternary``:
    of gates of three inputs.
    """
    if ternary:
        return _ternary(truths, inputs)
    table = table_of(truths, inputs)
    stored = library.find_masked(table, len(truths))
    if stored:
        return stored
    circuit, mask = synthesise_masked(table, inputs, len(truths))
    return circuit, 0, mask


def _ternary(truths: tuple[int, ...], inputs: int) -> tuple[Circuit, int, int]:
    stored = library.find_masked(table_of(truths, inputs), len(truths), ternary=True)
    if stored:
        return stored
    circuit, before, after = circuit_for(truths, inputs)
    return mapped(circuit), before, after
