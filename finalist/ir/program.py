"""A program: the key schedule and one operation of a cipher as two graphs that meet in the expanded key."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from finalist.ir.graph import Graph, Node
from finalist.ir.types import ArrayType, storage_bits


class ByteOrder(enum.Enum):
    """How a word lies in memory."""

    LITTLE = "little"
    BIG = "big"


@dataclass(frozen=True, slots=True)
class Layout:
    """``count`` words of ``width`` bits, each in memory in ``order``."""

    count: int
    width: int
    order: ByteOrder

    @property
    def bytes(self) -> int:
        """Bytes in memory."""
        return self.count * self.width // 8

    def packed(self, width: int = 32) -> Layout:
        """The same bytes as words of ``width`` bits where they are single bytes and fill such words.

        Words of 24 or 48 bits, which no machine has in memory, are bytes for that.
        """
        each = width // 8
        if self.width & (self.width - 1):
            return Layout(self.bytes, 8, ByteOrder.LITTLE).packed(width)
        if self.width > 8 or self.count % each:
            return self
        return Layout(self.count // each, width, ByteOrder.LITTLE)


@dataclass(frozen=True, slots=True)
class Counter:
    """A word of the expanded key that goes on by ``step`` with each block, modulo 2^bits.

    It is entry ``entry`` of the arrays of these names, its lowest bits in the first.
    """

    arrays: tuple[str, ...]
    entry: int
    bits: int
    step: int


@dataclass(frozen=True, slots=True)
class Program:
    """``expand``: key words to arrays. ``kernel``: block words and those arrays to block words.

    The results of ``expand`` are, one for one, the parameters of ``kernel`` after the block's words.
    """

    cipher: str
    operation: str
    key_bits: int
    block: Layout
    key: Layout
    expand: Graph
    kernel: Graph
    #: The file of a user's definition; empty for a built-in cipher.
    source: str = ""
    #: Whether round keys are computed where they are used: then no work on the key moves to the key schedule.
    computed: bool = False
    #: Of a stream cipher whose kernel knows each block's state by its number (`finalist.passes.counters`):
    #: what is one step higher for the block after. The arrays that they are in are then of kind ``counter``.
    counters: tuple[Counter, ...] = ()

    @property
    def stateful(self) -> bool:
        """Whether blocks hand on a state.

        Then the kernel's results go on with the arrays of kind ``state`` as it leaves them, for the block
        after, unless `counters` says what becomes of them; any others, such as tables that passes have made,
        stay as they are.
        """
        return bool(self.counters) or any(param.attr == "state" for param in self.kernel.params)

    @property
    def key_types(self) -> tuple[ArrayType, ...]:
        """The arrays of the expanded key."""
        types = tuple(node.type for node in self.expand.results)
        assert all(isinstance(type_, ArrayType) for type_ in types)
        return types  # type: ignore[return-value]

    @property
    def expanded_bytes(self) -> int:
        """Bytes of the expanded key."""
        return sum(type_.length * storage_bits(type_.width) // 8 for type_ in self.key_types)

    @property
    def key_params(self) -> tuple[Node, ...]:
        """The kernel's parameters for them."""
        return self.kernel.params[self.block.count :]

    @property
    def key_names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(param.name for param in self.key_params)

    def with_graphs(self, expand: Graph, kernel: Graph) -> Program:
        """The program with other graphs."""
        return replace(self, expand=expand, kernel=kernel)
