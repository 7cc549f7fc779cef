"""Fresh arrays that are filled before they are read, by single writes or loops: they need no first values."""

from __future__ import annotations

import numpy as np

from finalist.ir.graph import Graph, Node, Region, operands
from finalist.ir.interpreter import run
from finalist.ir.ops import Op
from finalist.passes.analysis import KeyOnly


def overwritten(region: Region) -> set[Node]:
    """Fresh arrays whose every entry is written before any is read, so that they need no first values."""
    filling = _Filling({node: (node, set()) for node in region.body if node.op is Op.ARRAY})
    for node in region.body:
        filling.follow(node)
    return filling.done


class _Filling:
    """``versions``: of arrays that are being filled, the array and the places written so far."""

    def __init__(self, versions: dict[Node, tuple[Node, set[int]]]) -> None:
        self.versions = versions
        self.done: set[Node] = set()
        self._after: dict[tuple[Node, int], tuple[Node, set[int]]] = {}

    def follow(self, node: Node) -> None:
        """Take note of what a node does to the arrays."""
        if node.op is Op.RESULT and (node.inputs[0], node.attr) in self._after:
            self._now(node, *self._after[node.inputs[0], node.attr])
            return
        for version in [child for child in operands(node) if child in self.versions]:
            array, places = self.versions.pop(version)
            if node.op is Op.STORE and version is node.inputs[0] and node.inputs[1].op is Op.CONST:
                self._now(node, array, places | {node.inputs[1].attr % node.length})
            elif node.op is Op.LOAD and node.inputs[1].op is Op.CONST:
                if node.inputs[1].attr % version.length in places:
                    self.versions[version] = (array, places)
            elif node.op is Op.LOOP:
                self._through(node, version, array, places)

    def _now(self, version: Node, array: Node, places: set[int]) -> None:
        if len(places) == array.length:
            self.done.add(array)
        else:
            self.versions[version] = (array, places)

    def _through(self, loop: Node, version: Node, array: Node, places: set[int]) -> None:
        """What a loop writes of an array that it carries, if it reads no more than is written by then."""
        if operands(loop).count(version) != 1 or version not in loop.inputs[2:]:
            return
        place = loop.inputs[2:].index(version)
        written = _written(loop, place, places)
        if written is not None:
            self._after[loop, place] = (array, written)


def _written(loop: Node, place: int, written: set[int]) -> set[int] | None:
    """The places written when the loop is done; None if one might be read before, or it can't be told."""
    start, stop = loop.inputs[:2]
    region, known = loop.region, KeyOnly("index")
    touching = _touching(region, region.params[1 + place])
    if touching is None or any(bound.op is not Op.CONST for bound in (start, stop)):
        return None
    if not all(known(node.inputs[1]) for node in touching):
        return None
    index, written = region.params[0], set(written)
    iterations = np.arange(start.attr, stop.attr, dtype=np.uint32)
    at = run(Graph("places", [index], [node.inputs[1] for node in touching]), [iterations])
    at = [np.broadcast_to(places, iterations.shape) for places in at]
    for iteration in range(len(iterations)):
        for node, places in zip(touching, at, strict=True):
            entry = int(places[iteration]) % node.inputs[0].length
            if node.op is Op.STORE:
                written.add(entry)
            elif entry not in written:
                return None
    return written


def _touching(region: Region, array: Node) -> list[Node] | None:
    """The reads and writes of a carried array, in their order; None if anything else has to do with it."""
    found, versions = [], {array}
    for node in region.body:
        touched = versions.intersection(operands(node))
        if touched and (node.op not in (Op.LOAD, Op.STORE) or touched != {node.inputs[0]}):
            return None
        if touched:
            found.append(node)
        if touched and node.op is Op.STORE:
            versions.add(node)
    return found
