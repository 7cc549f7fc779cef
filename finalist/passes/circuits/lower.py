"""Bitsliced tables become circuits: from the library where one is stored, else synthesised."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.types import WordType
from finalist.passes.circuits import library
from finalist.passes.circuits.circuit import LUT3, Circuit, Gate, table_of
from finalist.passes.circuits.shallow import MOST_INPUTS, of_depth_two
from finalist.passes.circuits.synthesise import synthesise_masked
from finalist.passes.simplify import simplify
from finalist.passes.ternary import INPUTS, cover, truth
from finalist.passes.ternary import gate as ternary_gate


def run(program: Program, *, ternary: bool = False, shallow: bool = False) -> Program:
    """Both graphs without `bool` operations, but for gates of three inputs in a kernel that may have them.

    ``shallow``: with few of these one after the other, rather than few.
    """
    kernel = with_circuits(program.kernel, ternary, shallow)
    return program.with_graphs(with_circuits(program.expand), kernel)


def with_circuits(graph: Graph, ternary: bool = False, shallow: bool = False) -> Graph:
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
        circuit, before, after = circuit_for(truths, len(inputs), ternary, shallow)
        outputs = outputs_of(rewriter.builder, circuit, inputs, before, after)
        rewriter.map.update(zip(together, outputs, strict=True))
        return rewriter.map[node]

    return rewrite(graph, Builder(simplify), visit)


@cache
def circuit_for(
    truths: tuple[int, ...], inputs: int, ternary: bool = False, shallow: bool = False
) -> tuple[Circuit, int, int]:
    """A circuit for functions given by their truth tables, output bit 0 first, and two masks (a, b).

    The circuit computes ``S[x ^ a] ^ b``; complements are free where they reach a key word. ``ternary``:
    of gates of three inputs; ``shallow``: where there is that, of few of them one after the other.
    """
    if ternary and shallow and inputs <= MOST_INPUTS:
        return of_depth_two(truths, inputs), 0, 0
    if ternary:
        return _ternary(truths, inputs)
    table = table_of(truths, inputs)
    if stored := library.find_masked(table, len(truths), shallow=shallow):
        return stored
    circuit, mask = synthesise_masked(table, inputs, len(truths))
    return circuit, 0, mask


def _ternary(truths: tuple[int, ...], inputs: int) -> tuple[Circuit, int, int]:
    stored = library.find_masked(table_of(truths, inputs), len(truths), ternary=True)
    if stored:
        return stored
    circuit, before, after = circuit_for(truths, inputs)
    return mapped(circuit), before, after


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
        return ternary_gate(make, reads, gate.truth, reads[0].width)
    if gate.op == "not":
        return make.make(Op.NOT, reads[:1])
    a, b = reads
    if gate.op == "andn":
        return make.make(Op.AND, (a, make.make(Op.NOT, (b,))))
    return make.make({"and": Op.AND, "or": Op.OR, "xor": Op.XOR}[gate.op], (a, b))


@cache
def mapped(circuit: Circuit) -> Circuit:
    """The circuit on gates of three inputs; it is not made otherwise, but several gates become one."""
    make = Builder()
    inputs = [make.param("argument", WordType(1)) for _ in range(circuit.inputs)]
    graph = Graph("circuit", inputs, outputs_of(make, circuit, inputs))
    cuts = cover(graph, lambda node: False)
    place, gates = {node: register for register, node in enumerate(inputs)}, []
    for node in (node for node in graph.body if node in cuts):
        leaves = sorted(cuts[node], key=place.__getitem__)
        a, b, c = (place[leaf] for leaf in [*leaves, *leaves[-1:] * 2][:INPUTS])
        gates.append(Gate(LUT3, a, b, c, truth(node, leaves)))
        place[node] = len(place)
    return Circuit(circuit.inputs, tuple(gates), tuple(place[output] for output in graph.results))
