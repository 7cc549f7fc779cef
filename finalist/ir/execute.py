"""A program carried out by the interpreter, from memory to memory; its graphs alone need no arrays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from finalist.ir import interpreter
from finalist.ir.program import ByteOrder, Layout, Program

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.unsignedinteger]


def split(layout: Layout, data: Bytes) -> list[Words]:
    """Memory, shape (n, bytes), as the layout's columns of words."""
    columns = np.ascontiguousarray(data).view(_dtype(layout))
    return [columns[:, k].astype(columns.dtype.newbyteorder("=")) for k in range(layout.count)]


def merge(layout: Layout, words: list[Words], rows: int) -> Bytes:
    """The inverse of `split`."""
    columns = np.empty((rows, layout.count), _dtype(layout))
    for k, word in enumerate(words):
        columns[:, k] = word
    return columns.view(np.uint8)


def _dtype(layout: Layout) -> np.dtype[np.unsignedinteger]:
    return np.dtype(f"{'<' if layout.order is ByteOrder.LITTLE else '>'}u{layout.width // 8}")


def interpret(program: Program, keys: Bytes, data: Bytes) -> Bytes:
    """Run a program on the interpreter.

    ``keys``: shape (n, key bytes) or (1, key bytes); ``data``: shape (n, block bytes). Returns (n, block
    bytes); row i is block i under key i. Of a stateful program a row of ``data`` is a message: any number
    of blocks, one after the other.
    """
    return crypt(program, expand_keys(program, keys), data)


def expand_keys(program: Program, keys: Bytes) -> list[interpreter.Value]:
    """The arrays of the expanded keys, of shape (n, entries), or (entries,) where they are all the same."""
    expanded = interpreter.run(program.expand, split(program.key, keys))
    return [value[0] if value.ndim == 2 and len(value) == 1 else value for value in expanded]


def crypt(program: Program, keys: list[interpreter.Value], data: Bytes) -> Bytes:
    """As `interpret`, under expanded keys."""
    if not program.stateful:
        words = interpreter.run(program.kernel, [*split(program.block, data), *keys])
        return merge(program.block, words, len(data))
    if program.counters:
        return _counted(program, keys, data)
    count, size, done = program.block.count, program.block.bytes, []
    kinds = [param.attr for param in program.kernel.params[count:]]
    for start in range(0, data.shape[1], size):
        words = interpreter.run(program.kernel, [*split(program.block, data[:, start : start + size]), *keys])
        done.append(merge(program.block, words[:count], len(data)))
        left = iter(words[count:])
        keys = [next(left) if kind == "state" else key for kind, key in zip(kinds, keys, strict=True)]
    return np.hstack(done)


def _counted(program: Program, keys: list[interpreter.Value], data: Bytes) -> Bytes:
    """The same of a kernel that gives the key stream of a block by its number."""
    layout, streams = program.block, []
    for number in range(data.shape[1] // layout.bytes):
        block = [
            np.array([0 if k else number], _dtype(layout).newbyteorder("=")) for k in range(layout.count)
        ]
        stream = interpreter.run(program.kernel, [*block, *keys])[: layout.count]
        streams.append(merge(layout, stream, len(data)))
    found: Bytes = data ^ np.hstack(streams)
    return found
