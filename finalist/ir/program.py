"""A program: the key schedule and one operation of a cipher as two graphs that meet in the expanded key."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from finalist.ir import interpreter
from finalist.ir.graph import ArrayType, Graph

Bytes = npt.NDArray[np.uint8]


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
        """The same bytes as words of ``width`` bits where they are single bytes and fill such words."""
        each = width // 8
        if self.width > 8 or self.count % each:
            return self
        return Layout(self.count // each, width, ByteOrder.LITTLE)

    def split(self, data: Bytes) -> list[npt.NDArray[np.unsignedinteger]]:
        """Memory, shape (n, bytes), as ``count`` columns of words."""
        columns = np.ascontiguousarray(data).view(self._dtype())
        return [columns[:, k].astype(columns.dtype.newbyteorder("=")) for k in range(self.count)]

    def merge(self, words: list[npt.NDArray[np.unsignedinteger]], rows: int) -> Bytes:
        """The inverse of `split`."""
        columns = np.empty((rows, self.count), self._dtype())
        for k, word in enumerate(words):
            columns[:, k] = word
        return columns.view(np.uint8)

    def _dtype(self) -> np.dtype[np.unsignedinteger]:
        return np.dtype(f"{'<' if self.order is ByteOrder.LITTLE else '>'}u{self.width // 8}")


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

    @property
    def stateful(self) -> bool:
        """Whether blocks hand on a state.

        Then the kernel's results go on with the arrays of kind ``state`` as it leaves them, for the block
        after; any others, such as tables that passes have made, stay as they are.
        """
        return any(param.attr == "state" for param in self.kernel.params)

    @property
    def key_types(self) -> tuple[ArrayType, ...]:
        """The arrays of the expanded key."""
        types = tuple(node.type for node in self.expand.results)
        assert all(isinstance(type_, ArrayType) for type_ in types)
        return types  # type: ignore[return-value]

    @property
    def key_names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(param.name for param in self.kernel.params[self.block.count :])

    def with_graphs(self, expand: Graph, kernel: Graph) -> Program:
        """The program with other graphs."""
        return replace(self, expand=expand, kernel=kernel)


def interpret(program: Program, keys: Bytes, data: Bytes) -> Bytes:
    """Run a program on the interpreter.

    ``keys``: shape (n, key bytes) or (1, key bytes); ``data``: shape (n, block bytes). Returns (n, block
    bytes); row i is block i under key i. Of a stateful program a row of ``data`` is a message: any number
    of blocks, one after the other.
    """
    return crypt(program, expand_keys(program, keys), data)


def expand_keys(program: Program, keys: Bytes) -> list[interpreter.Value]:
    """The arrays of the expanded keys, of shape (n, entries), or (entries,) where they are all the same."""
    expanded = interpreter.run(program.expand, program.key.split(keys))
    return [value[0] if value.ndim == 2 and len(value) == 1 else value for value in expanded]


def crypt(program: Program, keys: list[interpreter.Value], data: Bytes) -> Bytes:
    """As `interpret`, under expanded keys."""
    if not program.stateful:
        words = interpreter.run(program.kernel, [*program.block.split(data), *keys])
        return program.block.merge(words, len(data))
    count, size, done = program.block.count, program.block.bytes, []
    kinds = [param.attr for param in program.kernel.params[count:]]
    for start in range(0, data.shape[1], size):
        words = interpreter.run(program.kernel, [*program.block.split(data[:, start : start + size]), *keys])
        done.append(program.block.merge(words[:count], len(data)))
        left = iter(words[count:])
        keys = [next(left) if kind == "state" else key for kind, key in zip(kinds, keys, strict=True)]
    return np.hstack(done)
