"""A circuit on gates of three inputs, made of one of gates of two: for tables that none is stored of."""

from __future__ import annotations

from functools import cache

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph
from finalist.ir.types import WordType
from finalist.passes import ternary
from finalist.passes.circuits.circuit import LUT3, Circuit, Gate
from finalist.passes.circuits.nodes import outputs_of


@cache
def mapped(circuit: Circuit) -> Circuit:
    """The circuit on gates of three inputs; it is not made otherwise, but several gates become one."""
    make = Builder()
    inputs = [make.param("argument", WordType(1)) for _ in range(circuit.inputs)]
    graph = Graph("circuit", inputs, outputs_of(make, circuit, inputs))
    cuts = ternary.cover(graph, lambda node: False)
    place, gates = {node: register for register, node in enumerate(inputs)}, []
    for node in (node for node in graph.body if node in cuts):
        leaves = sorted(cuts[node], key=place.__getitem__)
        a, b, c = (place[leaf] for leaf in [*leaves, *leaves[-1:] * 2][: ternary.INPUTS])
        gates.append(Gate(LUT3, a, b, c, ternary.truth(node, leaves)))
        place[node] = len(place)
    return Circuit(circuit.inputs, tuple(gates), tuple(place[output] for output in graph.results))
