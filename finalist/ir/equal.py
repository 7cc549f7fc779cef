"""Graphs that are equal node for node, as one: passes whose results are memoized make them once for all.

The kernels of some ciphers are the same under all key lengths, each traced anew.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from finalist.ir.graph import Graph, Node, Region
from finalist.ir.memoized import memoized
from finalist.ir.ops import Op


def shared(graph: Graph) -> Graph:
    """The first of the graphs that were given of late and are equal to this one, down to the order of nodes,
    names, phases and source lines: no pass tells them apart."""
    return _first(_Form(_form_of(graph), graph))


@dataclass(frozen=True, slots=True)
class _Form:
    """``content``: what equal graphs have in common."""

    content: Hashable
    graph: Graph = field(compare=False)


@memoized
def _first(form: _Form) -> Graph:
    return form.graph


def _form_of(graph: Graph) -> Hashable:
    numbers: dict[Node, int] = {}
    return graph.name, graph.rounds, _of_region(graph, numbers)


def _of_region(region: Region, numbers: dict[Node, int]) -> Hashable:
    """Parameters, nodes and results; all operands as ``numbers`` in the order of the text."""
    params = tuple([_of_node(node, numbers) for node in region.params])
    body = tuple([_of_node(node, numbers) for node in region.body])
    made = sorted(range(len(region.body)), key=lambda place: region.body[place].serial)
    return params, body, tuple(made), tuple([_operand(node, numbers) for node in region.results])


def _of_node(node: Node, numbers: dict[Node, int]) -> Hashable:
    attr = _of_region(node.attr, numbers) if isinstance(node.attr, Region) else node.attr
    inputs = tuple([_operand(child, numbers) for child in node.inputs])
    numbers[node] = len(numbers)
    return node.op, node.type, attr, inputs, node.name, node.phase, node.line


def _operand(node: Node, numbers: dict[Node, int]) -> Hashable:
    return ("const", node.attr, node.width) if node.op is Op.CONST else numbers[node]
