"""What the translation of operations to terms asks of the piece of program that they are in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from finalist.ir.graph import Node, TableData
from finalist.isa.lower.rewrites import InMemory
from finalist.isa.target.meaning import Term
from finalist.isa.target.processor import Processor
from finalist.passes.analysis import Bounds

if TYPE_CHECKING:
    from finalist.isa.lower.homes import Home


class Context(Protocol):
    """What the translation of an operation asks for."""

    processor: Processor
    bounds: Bounds

    def term(self, node: Node) -> Term:
        """The term of an operand."""

    def low(self, node: Node) -> Term:
        """The same, perhaps with something above the bits that count."""

    def is_loose(self, node: Node) -> bool:
        """Whether a word is left as it is above its bits (`finalist.isa.lower.packed_words`)."""

    def table(self, table: TableData) -> InMemory | Home:
        """Where a fixed table is."""

    def moved(self, node: Node) -> Term | None:
        """A part of a join at its place already."""
