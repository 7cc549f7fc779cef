"""The values of any nodes of a graph, as they are when they are made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from finalist.ir import interpreter
from finalist.ir.graph import Graph, Node, operands, postorder
from finalist.ir.interpreter import Environment, Value
from finalist.ir.ops import Op


def reachable(nodes: Iterable[Node], graph: Graph) -> set[Node]:
    """Those of the nodes that the graph's parameters are enough for.

    The others lie in loops, conditions and keyed functions, with a value in each iteration or call of these.
    """
    wanted, bad = dict.fromkeys(nodes), set[Node]()
    own = set(graph.params)
    for node in postorder(wanted):
        stray = node.op is Op.PARAM and node not in own
        if stray or any(child in bad for child in operands(node)):
            bad.add(node)
    return {node for node in wanted if node not in bad}


def values(
    graph: Graph, inputs: Sequence[Value], nodes: Iterable[Node]
) -> tuple[list[Value], dict[Node, Value]]:
    """What a graph gives, and the values of ``nodes``, which are `reachable` but need be no part of it."""
    wanted = set(nodes)
    values: dict[Node, Value] = dict(zip(graph.params, inputs, strict=True))

    class Watched(Environment):
        def __setitem__(self, node: Node, value: Value) -> None:
            super().__setitem__(node, value)
            if node in wanted:
                values[node] = np.copy(value)  # the interpreter may write into it

    extra = [node for node in wanted if node.op is not Op.CONST and node.op is not Op.PARAM]
    whole = Graph(graph.name, graph.params, [*graph.results, *extra], graph.rounds)
    found = interpreter.run(whole, inputs, Watched)[: len(graph.results)]
    constants = {node: np.array(node.attr) for node in wanted if node.op is Op.CONST}
    return found, {node: values[node] for node in wanted - constants.keys()} | constants
