"""Entries of the key for lanes of 8 and 16 bits, kept as often as they fill a word of 32.

No vector unit loads a byte into all lanes without a shuffle, which is what such kernels have most of; a word
of 32 bits is spread by the load itself. ``vec_all(k->keys[i])`` -> ``vec_same(k->keys_same[i])``.
"""

from __future__ import annotations

from finalist.ir.graph import Graph, Node, Region, every_node
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType, storage_bits
from finalist.machines.native.vectors.narrow import NARROW
from finalist.passes.analysis import KeyOnly

#: What the name of an array ends in whose entries fill words.
SUFFIX = "_same"
WORD = 32


def repeated(kernel: Graph, lane_bits: int) -> set[Node]:
    """The arrays of the key whose entries all meet vectors, and nothing else, in lanes of these bits."""
    if lane_bits not in NARROW:
        return set()
    shared = KeyOnly("key", "counter", "index")
    arrays = {p for p in kernel.params if p.attr == "key" and _fills(p, lane_bits)}
    fit = {array for region in _regions(kernel) for array in _read(region, arrays)}
    return fit - {array for node in every_node(kernel) for array in _otherwise(node, arrays, shared)}


def fill(name: str, length: int, bits: int) -> str:
    """The C statement of the key schedule that writes an array's entries again, as words."""
    times = sum(1 << low for low in range(0, WORD, bits))
    return f"    for (size_t i = 0; i < {length}; i++) k->{name}{SUFFIX}[i] = k->{name}[i] * 0x{times:x}u;"


def _fills(array: Node, lane_bits: int) -> bool:
    return isinstance(array.type, ArrayType) and storage_bits(array.width) == lane_bits


def _regions(kernel: Graph) -> list[Region]:
    return [kernel, *(node.region for node in every_node(kernel) if isinstance(node.attr, Region))]


def _read(region: Region, arrays: set[Node]) -> set[Node]:
    """Those of which there is an entry that is the same in all lanes."""
    shared = KeyOnly("key", "counter", "index")
    loads = (node for node in region.body if node.op is Op.LOAD and shared(node.inputs[1]))
    return {node.inputs[0] for node in loads if node.inputs[0] in arrays}


def _otherwise(node: Node, arrays: set[Node], shared: KeyOnly) -> set[Node]:
    """The arrays that a node takes, or an entry of, as more than an operand of vectors."""
    if node.op is Op.LOAD and node.inputs[0] in arrays:
        return set()  # where the index depends on the block, it is read as it is
    plain = () if shared(node) or node.op not in _ON_VECTORS else node.inputs
    return {
        array
        for child in node.inputs
        for array in (child, *(child.inputs[:1] if child.op is Op.LOAD and child not in plain else ()))
        if array in arrays
    }


#: Operations that take all their operands as vectors.
_ON_VECTORS = frozenset({Op.AND, Op.OR, Op.XOR, Op.ADD, Op.SUB, Op.BOOL})
