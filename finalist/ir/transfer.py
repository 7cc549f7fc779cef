"""Graphs as what `pickle` takes, for programs that another process made: rows of numbered nodes.

Nodes hold their operands, so pickled as they are, one deep in a graph would take as many calls within calls.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Sequence
from typing import Any

from finalist.ir.graph import Graph, Node, Region, postorder

#: A region by the numbers of its nodes: parameters, body, free nodes, results.
_Numbers = tuple[tuple[int, ...], ...]


class _Inner:
    """The region of a loop, conditional or keyed function, whose nodes are among the rows before."""

    def __init__(self, numbers: _Numbers) -> None:
        self.numbers = numbers


def _flat(region: Region) -> tuple[Callable[..., Region], tuple[Any, ...]]:
    assert region.closed, "a region that uses what is outside of it is sent with that"
    nodes = sorted(_all(region), key=lambda node: node.serial)
    number = {node: place for place, node in enumerate(nodes)}
    rows = [_row(node, number) for node in nodes]
    about = {name: getattr(region, name) for name in type(region).__slots__ if name not in Region.__slots__}
    return _region, (type(region), about, rows, _numbers(region, number))


def _all(region: Region) -> set[Node]:
    """Every node of a region and of those within it, constants too."""
    found = {*region.params, *postorder(region.results), *region.body}
    for node in list(found):
        if isinstance(node.attr, Region):
            found |= _all(node.attr)
    return found


def _row(node: Node, number: dict[Node, int]) -> tuple[Any, ...]:
    attr = _Inner(_numbers(node.attr, number)) if isinstance(node.attr, Region) else node.attr
    return (
        node.op,
        [number[child] for child in node.inputs],
        node.type,
        attr,
        node.line,
        node.name,
        node.phase,
    )


def _numbers(region: Region, number: dict[Node, int]) -> _Numbers:
    parts = (region.params, region.body, region.free, region.results)
    return tuple(tuple(number[node] for node in part) for part in parts)


def _region(
    kind: type[Region], about: dict[str, Any], rows: Sequence[tuple[Any, ...]], own: _Numbers
) -> Region:
    """The region again, its nodes made in the order in which they were made there."""
    nodes: list[Node] = []
    for op, inputs, type_, attr, line, name, phase in rows:
        value = _filled(Region, attr.numbers, nodes) if isinstance(attr, _Inner) else attr
        operands = tuple([nodes[place] for place in inputs])
        nodes.append(Node(op, operands, type_, value, line=line, name=name, phase=phase))
    found = _filled(kind, own, nodes)
    for name, said in about.items():
        setattr(found, name, said)
    return found


def _filled(kind: type[Region], numbers: _Numbers, nodes: Sequence[Node]) -> Region:
    """A region of these nodes, the order of its body known."""
    region = kind.__new__(kind)
    parts = [tuple([nodes[place] for place in part]) for part in numbers]
    region.params, region.body, region.free, region.results = parts
    return region


for _kind in (Region, Graph):
    copyreg.pickle(_kind, _flat)
