"""Programs as straight-line code: control flow and indices of arrays are known, so that what is carried out
is a list of operations on words, the same for all keys and blocks.

Several programs are recorded together. Equal operations on equal words are one word, whichever program
made it first; what is made of constants alone is one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from finalist.ir import interpreter
from finalist.ir.execute import split
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.program import Layout, Program
from finalist.ir.types import WordType
from finalist.prove.walk import Inlining, described, entry, operands
from finalist.prove.words import NotCoveredError

#: A word: a number, or the node that makes it, whose inputs are such nodes and constants.
Value = int | Node
#: Words that are recorded before it is given up.
MOST = 400_000
#: Entries of an array that is written at an index that is not known.
ENTRIES = 256


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a program makes of a key and blocks; ``results``: the words of each block."""

    program: Program
    key: tuple[Node, ...]
    blocks: tuple[tuple[Node, ...], ...]
    results: tuple[tuple[Value, ...], ...]


class Recorder(Inlining):
    """Records programs; ``check`` is called before each operation, and may raise."""

    def __init__(self, check: Callable[[], None] = lambda: None) -> None:
        super().__init__(check)
        #: All words in the order in which they were made, each after those that it is made of.
        self.nodes: list[Node] = []
        self._known: dict[tuple[Any, ...], Node] = {}
        self._params: dict[tuple[Any, ...], Node] = {}
        self.special |= {
            Op.LOAD: self._load,
            Op.STORE: self._store,
            Op.WINDOW: self._window,
        }

    def record(self, program: Program, count: int) -> Recorded:
        """A program on one key and so many blocks. Raises NotCoveredError."""
        key = self._memory("key", program.key, 0)
        arrays = self.inside(program.expand, key)
        blocks, results = [], []
        for number in range(count):
            block = self._memory("data", program.block, number * program.block.bytes)
            made = self.inside(program.kernel, [*block, *arrays])
            blocks.append(block)
            results.append(tuple(made[: program.block.count]))
        return Recorded(program, key, tuple(blocks), tuple(results))

    def _memory(self, name: str, layout: Layout, start: int) -> tuple[Node, ...]:
        """The words of a layout from a byte on, one node for all programs that have such words there."""
        found, size = [], layout.width // 8
        for at in range(start, start + layout.bytes, size):
            about = name, layout.width, layout.order, at
            if about not in self._params:
                self._params[about] = Node(Op.PARAM, (), WordType(layout.width), "memory")
            found.append(self._params[about])
        return tuple(found)

    # -- words ----------------------------------------------------------------------------------

    def word(self, node: Node, env: Mapping[Node, Any]) -> Value:
        widths = [child.width for child in node.inputs]
        return self._word(node.op, operands(node, env), widths, node.attr, node.width, node.line)

    def _word(
        self, op: Op, values: Sequence[Value], widths: Sequence[int], attr: Any, width: int, line: str
    ) -> Value:
        key = op, attr, width, *values, *widths
        found = self._known.get(key)
        if found is not None:
            return found
        inputs = tuple(_node(value, size) for value, size in zip(values, widths, strict=True))
        made = Node(op, inputs, WordType(width), attr, line=line)
        if all(isinstance(value, int) for value in values):
            return interpreter.fold(made)
        return self._noted(key, made)

    def _noted(self, key: tuple[Any, ...], made: Node) -> Node:
        if len(self.nodes) > MOST:
            raise NotCoveredError(f"more than {MOST} operations")
        self._known[key] = made
        self.nodes.append(made)
        return made

    def selected(self, condition: Value, a: Value, b: Value, width: int, line: str) -> Value:
        if isinstance(condition, int):
            return a if condition else b
        if a is b or (isinstance(a, int) and a == b):
            return a
        return self._word(Op.SELECT, (condition, a, b), (1, width, width), None, width, line)

    # -- arrays ---------------------------------------------------------------------------------

    def _load(self, node: Node, env: Mapping[Node, Any]) -> Value:
        array, index = operands(node, env)
        if isinstance(index, int):
            known: Value = entry(array, index)
            return known
        whole = self._whole(array, node.inputs[0])
        key = Op.LOAD, whole, index
        found = self._known.get(key)
        return found or self._noted(key, Node(Op.LOAD, (whole, index), node.type, line=node.line))

    def _whole(self, array: Sequence[Value], of: Node) -> Node:
        """An array as one node, whose inputs are its entries."""
        key = Op.ARRAY, of.type, *array
        found = self._known.get(key)
        if found is None:
            entries = tuple(_node(one, of.width) for one in array)
            found = self._noted(key, Node(Op.ARRAY, entries, of.type, line=of.line))
        return found

    def _store(self, node: Node, env: Mapping[Node, Any]) -> tuple[Value, ...]:
        array, index, value = operands(node, env)
        entries, length = list(array), len(array)
        if isinstance(index, int):
            entries[index % length] = value
            return tuple(entries)
        if length > ENTRIES:
            raise NotCoveredError(f"{described(node)}: which of {length} entries depends on key or block")
        width, size = node.inputs[1].width, node.inputs[2].width
        if length >> width == 0:
            index = self._word(Op.REM, (index, length), (width, width), None, width, node.line)
        for k, old in enumerate(entries[: 1 << width]):
            here = self._word(Op.EQ, (index, k), (width, width), None, 1, node.line)
            entries[k] = self.selected(here, value, old, size, node.line)
        return tuple(entries)

    def _window(self, node: Node, env: Mapping[Node, Any]) -> tuple[Value, ...]:
        array, start = operands(node, env)
        if not isinstance(start, int):
            raise NotCoveredError(f"{described(node)}: the start of a window depends on key or block")
        return tuple(entry(array, start + k) for k in range(node.attr))


def _node(value: Value, width: int) -> Node:
    return Node(Op.CONST, (), WordType(width), value) if isinstance(value, int) else value


# -- on many inputs at once --------------------------------------------------------------------------


def simulated(
    nodes: Sequence[Node], recorded: Sequence[Recorded], keys: Any, data: Any
) -> interpreter.Environment:
    """All words, as the interpreter has them; ``keys`` and ``data``: bytes, a row for each key, with the
    blocks of it side by side."""
    env = interpreter.Environment({})
    for one in recorded:
        env.update(zip(one.key, split(one.program.key, keys), strict=True))
        size = one.program.block.bytes
        for number, block in enumerate(one.blocks):
            own = data[:, number * size : number * size + size]
            env.update(zip(block, split(one.program.block, own), strict=True))
    with np.errstate(over="ignore"):
        for node in nodes:
            env[node] = interpreter.carried_out(node, env)
    return env
