"""Where arrays and fixed tables can lie other than in main memory, such as in banks of a processor's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from finalist.ir.graph import Node, Region, TableData
from finalist.ir.ops import Op
from finalist.isa.lower.context import Context
from finalist.isa.target.meaning import Term
from finalist.isa.target.memory import Place

if TYPE_CHECKING:
    from finalist.isa.lower.lowerer import Lowerer

#: A fixed table, or a parameter of the kernel.
What = TableData | Node


class Home(Protocol):
    """Where an array lies: how its entries are read and written. It can be compared and hashed.

    ``bits``: of an index, those that count; contents repeat above them.
    """

    def read(self, context: Context, index: Node, bits: int, width: int) -> Term:
        """An entry of ``width`` bits, with zeros above it."""

    def read_moved(self, context: Context, index: Node, bits: int, up: int) -> Term | None:
        """An entry of a byte, so many bytes higher, with zeros below; None where that is not possible."""

    def write(self, context: Context, index: Node, bits: int, value: Term) -> Term:
        """The effect of overwriting an entry."""

    def fill(self, to: Lowerer, place: Place) -> None:
        """Code that brings the contents from memory, before the first block."""

    def save(self, to: Lowerer, place: Place) -> None:
        """Code that brings them back, after the last block."""


Homes = Mapping[What, Home]


def joined_bytes(region: Region) -> dict[Node, int]:
    """Bytes read from arrays that nothing but a join of bytes takes, and how many bytes up they go."""
    joins = [node for node in region.body if node.op is Op.JOIN]
    found = {
        part: place
        for join in joins
        if all(part.width == 8 for part in join.inputs)
        for place, part in enumerate(join.inputs)
        if part.op is Op.LOAD
    }
    uses = Counter(child for node in region.body for child in node.inputs)
    return {part: place for part, place in found.items() if uses[part] == 1 and part not in region.results}
