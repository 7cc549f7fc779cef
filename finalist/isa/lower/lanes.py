"""Tuples of words in the graph: which nodes are their words, how these lie in a register and in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.types import TupleType, WordType

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
