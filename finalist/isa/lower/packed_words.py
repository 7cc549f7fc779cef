"""Words packed in a register: how they lie there, and which have high bits undefined (any-extended).

What is taken from a tuple has the tuple's other words above it, a product its upper half. Sums, rotations and
bitwise operations in lanes leave each word to itself, so that nothing needs to be masked until something
takes the whole register: an address, a comparison, a conversion to a wider word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from finalist.ir.graph import Node, Region, is_tuple_word
from finalist.ir.ops import Op
from finalist.ir.types import TupleType, WordType
from finalist.isa.target.processor import Processor

#: Done lane by lane, whatever stands in the other lanes: with all operands, with a first operand.
_WHOLE = frozenset({Op.XOR, Op.OR, Op.ADD, Op.SUB, Op.NOT})
_FIRST = frozenset({Op.ROL, Op.ROR})
_SHIFTS = frozenset({Op.SHL, Op.SHR})


def any_extended_words(region: Region, processor: Processor) -> set[Node]:
    """The words of a graph whose high bits, above their own, are undefined."""
    found: set[Node] = set()
    size = -1
    while size < len(found):
        size = len(found)
        _spread(region, processor, found)
    return found


def _spread(region: Region, processor: Processor, found: set[Node]) -> None:
    for node in region.body:
        if node not in found and _is_loose(node, processor, found):
            found.add(node)
        if node.op is Op.LOOP or node.op is Op.WHEN:
            _spread(node.region, processor, found)
            for home, value in _carried(node):
                if value in found and _in_lanes(home, processor):
                    found.add(home)


def _carried(node: Node) -> Iterator[tuple[Node, Node]]:
    """What a loop or conditional hands on: its place, and what goes there."""
    initial = node.inputs[2 if node.op is Op.LOOP else 1 :]
    homes = node.region.params[len(node.region.params) - len(initial) :]
    for home, first, result in zip(homes, initial, node.region.results, strict=True):
        yield home, first
        yield home, result


def _home(node: Node) -> Node:
    """The place of what a loop or conditional gives."""
    region: Region = node.inputs[0].region
    homes = region.params[len(region.params) - len(region.results) :]
    return homes[int(node.attr)]


def _in_lanes(node: Node, processor: Processor) -> bool:
    return isinstance(node.type, WordType) and node.width in processor.lanes and node.width < processor.width


def _is_loose(node: Node, processor: Processor, found: set[Node]) -> bool:
    if not _in_lanes(node, processor):
        return False
    if node.op is Op.RESULT:
        return is_tuple_word(node) or _home(node) in found
    if node.op is Op.MUL:
        return True
    if node.op in _WHOLE:
        return any(child in found for child in node.inputs)
    if node.op is Op.AND:
        return all(child in found for child in node.inputs)
    if not node.inputs or node.inputs[0] not in found:
        return False
    if node.op in _FIRST:
        return processor.has(Op.ROR, node.width)
    return node.op in _SHIFTS and node.inputs[1].op is Op.CONST and processor.has(node.op, node.width)


# -- tuples --------------------------------------------------------------------------------------------

T = TypeVar("T")


def lane_bits(register: Node) -> int:
    """Bits of a tuple's words."""
    assert isinstance(register.type, TupleType)
    first = register.type.items[0]
    assert isinstance(first, WordType)
    return first.width


def in_memory_order(words: Sequence[T], ascending: bool) -> Sequence[T]:
    """The words of a tuple as they lie in memory, the first one first."""
    return words if ascending else words[::-1]


def reads(node: Node) -> bool:
    """Whether a node is a tuple of entries of one array."""
    return node.op is Op.TUPLE and all(
        word.op is Op.LOAD and word.inputs[0] is node.inputs[0].inputs[0] for word in node.inputs
    )
