"""Arrays that hold words of the blocks, on lanes: vectors in memory, at places that all blocks share.

FROG adds each byte to one at a place that the key chooses. With a block a lane that is the same vector of an
array of vectors for all blocks.
"""

from __future__ import annotations

from collections.abc import Callable

from finalist.ir.graph import Node, Region, origin
from finalist.ir.ops import Op
from finalist.ir.types import ArrayType

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
