"""Arrays that hold words of the blocks, on lanes: vectors in memory, at places that all blocks share.

FROG adds each byte to one at a place that the key chooses. With a block a lane that is the same vector of an
array of vectors for all blocks.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from finalist.ir.graph import Graph, Node, Region, operands, origin
from finalist.ir.interpreter import run
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType
from finalist.passes.analysis import KeyOnly

Shared = Callable[[Node], bool]


def of_block(node: Node, shared: Shared) -> bool:
    """Whether it writes an array, or reads one that what depends on the block was written to."""
    return node.op is Op.STORE or (node.op is Op.LOAD and not shared(node.inputs[0]))


def array_obstacle(node: Node, lane_bits: int, shared: Shared) -> str:
    """Why such a read or write can't be done on lanes; empty if it can."""
    what = "read" if node.op is Op.LOAD else "write"
    if node.width > lane_bits:
        return f"an array of words of {node.width} bits has no form on lanes of {lane_bits} ({node.line})"
    if not shared(node.inputs[1]):
        return f"a {what} of an array of the block, at its places, has no form on vectors ({node.line})"
    return ""


SCAN = """
/* Entry i of an array of vectors: all of them are gone through, so that no address depends on i. */
#define VEC_MASK(bit) ((vec){{0}} - (uint{bits}_t)(bit))
static inline vec vec_array_read(const vec *array, uint32_t entries, uint32_t i)
{{
    vec found = {{0}};
    for (uint32_t e = 0; e < entries; e++)
        found |= array[e] & VEC_MASK(e == i);
    return found;
}}
static inline void vec_array_write(vec *array, uint32_t entries, uint32_t i, vec x)
{{
    for (uint32_t e = 0; e < entries; e++)
        array[e] ^= (array[e] ^ x) & VEC_MASK(e == i);
}}
"""


def for_scans(code: str, lane_bits: int) -> str:
    """The helpers for arrays at secret places, where the code calls them."""
    return SCAN.format(bits=lane_bits) if "vec_array_" in code else ""


def read(array: str, node: Node, place: str, *, scanned: bool) -> str:
    """The C expression of an entry, a vector; ``scanned``: found by going through all of the array."""
    length = node.inputs[0].length
    return f"vec_array_read({array}, {length}, {place})" if scanned else f"{array}[{place}]"


def write(array: str, node: Node, place: str, value: str, *, scanned: bool) -> str:
    """The C statement that overwrites one."""
    if scanned:
        return f"vec_array_write({array}, {node.length}, {place}, {value});"
    return f"{array}[{place}] = {value};"


def spread_entries(name: str, length: int, source: str, spread: Callable[[str], str]) -> str:
    """The statement that fills an array of vectors with entries that are the same for all blocks."""
    return f"for (size_t i = 0; i < {length}; i++) {name}[i] = {spread(f'{source}[i]')};"


def lane_arrays(region: Region, shared: Shared) -> set[Node]:
    """The fresh arrays, and those given, that hold a word for each block some time."""
    return {origin(node) for node in region.body if isinstance(node.type, ArrayType) and not shared(node)}


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
