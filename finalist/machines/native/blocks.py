"""Blocks from memory into the kernel's words, and back: word by word, or a block a lane."""

from __future__ import annotations

from finalist.ir.graph import Graph, Node, used
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.machines.native.body import Body
from finalist.machines.native.lanes import Shuffle, network
from finalist.machines.native.narrow import NARROW
from finalist.machines.native.permutes import zipped
from finalist.machines.native.shape import Shape


def load_words(body: Body, graph: Graph, params: tuple[Node, ...], layout: Layout, pointer: str) -> list[str]:
    """Statements that read the graph's words, for each copy the next ones in memory."""
    lines, needed = [], used(graph)
    step = layout.width // 8
    for copy in range(body.copies):
        for place, param in enumerate(params):
            name = f"{param.name}_{copy}" if body.copies > 1 else param.name
            body.define(param, copy, name)
            if param not in needed:
                continue
            offset = copy * layout.bytes + place * step
            kind = body.dialect.type(param.width)
            lines.append(f"    const {kind} {name} = {_load(layout, pointer, offset)};")
    return lines


def _load(layout: Layout, pointer: str, offset: int) -> str:
    if layout.width == 8:
        return f"{pointer}[{offset}]"
    return f"load{layout.width}{_order(layout)}({pointer} + {offset})"


def _store(layout: Layout, offset: int, value: str) -> str:
    if layout.width == 8:
        return f"out[{offset}] = (uint8_t)({value});"
    return f"store{layout.width}{_order(layout)}(out + {offset}, {value});"


def _order(layout: Layout) -> str:
    return "le" if layout.order is ByteOrder.LITTLE else "be"


class ScalarBlocks:
    """One block after the other, word by word."""

    def __init__(self, body: Body, program: Program, shape: Shape) -> None:
        self.body = body
        self.kernel = program.kernel
        self.layout = program.block

    def loads(self) -> list[str]:
        """Statements that define the kernel's parameters."""
        words = self.kernel.params[: self.layout.count]
        return load_words(self.body, self.kernel, words, self.layout, "in")

    def stores(self) -> list[str]:
        """Statements that write its results."""
        step = self.layout.width // 8
        return [
            "    "
            + _store(self.layout, copy * self.layout.bytes + place * step, self.body.text(word, copy).code)
            for copy in range(self.body.copies)
            for place, word in enumerate(self.kernel.results[: self.layout.count])
        ]


class LaneBlocks:
    """A word of every block in each vector; blocks that share a lane lie ``lanes`` blocks apart."""

    def __init__(self, body: Body, program: Program, shape: Shape) -> None:
        self.body = body
        self.kernel = program.kernel
        self.shape = shape
        #: Words of one block, and what turns blocks into vectors of them.
        self.count = program.block.count // shape.planes
        self.network = network(self.count, shape.lanes, shape.lane_bits)
        self.bytes = shape.lanes * shape.lane_bits // 8
        self.swap = "vec_big" if program.block.order is ByteOrder.BIG else "vec_little"

    def loads(self) -> list[str]:
        """Statements that define the kernel's parameters."""
        needed = used(self.kernel)
        lines = []
        for copy, plane in self._groups():
            names = [self.body.fresh("in") for _ in range(self.count)]
            lines += [
                f"    vec {name} = {self.swap}(vec_load(in + {at}));"
                for name, at in zip(names, self._places(copy, plane), strict=True)
            ]
            more, names = self._shuffled(self.network.split, names)
            lines += more
            for word, name in zip(self._words(self.kernel.params, plane), names, strict=True):
                self.body.define(word, copy, self._spread(name))
                lines += [] if word in needed else [f"    (void){name};"]
        return lines

    def stores(self) -> list[str]:
        """Statements that write its results."""
        lines = []
        for copy, plane in self._groups():
            names = []
            for word in self._words(self.kernel.results, plane):
                names.append(self.body.fresh("out"))
                lines.append(f"    const vec {names[-1]} = {self._spread(self._full(word, copy))};")
            more, names = self._shuffled(self.network.merge, names)
            lines += more
            lines += [
                f"    vec_store(out + {at}, {self.swap}({name}));"
                for name, at in zip(names, self._places(copy, plane), strict=True)
            ]
        return lines

    def _groups(self) -> list[tuple[int, int]]:
        return [(copy, plane) for copy in range(self.shape.copies) for plane in range(self.shape.planes)]

    def _places(self, copy: int, plane: int) -> list[int]:
        first = (copy * self.shape.planes + plane) * self.count * self.bytes
        return [first + number * self.bytes for number in range(self.count)]

    def _words(self, nodes: tuple[Node, ...], plane: int) -> tuple[Node, ...]:
        return nodes[plane * self.count : (plane + 1) * self.count]

    def _spread(self, text: str) -> str:
        return f"vec_spread({text})" if self.shape.spread else text

    def _full(self, word: Node, copy: int) -> str:
        """A result as a vector, also where it is the same in all lanes."""
        text = self.body.text(word, copy)
        same = self.body.shared(word) or word.op is Op.CONST
        return (self.body.dialect.spread(text) if same else text).code

    def _shuffled(
        self, steps: tuple[tuple[Shuffle, ...], ...], names: list[str]
    ) -> tuple[list[str], list[str]]:
        lines = []
        for step in steps:
            following = [self.body.fresh("s") for _ in step]
            lines += [
                f"    const vec {name} = {self._shuffle(names[a], names[b], kept)};"
                for name, (a, b, kept) in zip(following, step, strict=True)
            ]
            names = following
        return lines, names

    def _shuffle(self, a: str, b: str, kept: tuple[int, ...]) -> str:
        if self.shape.lane_bits in NARROW:
            for name, high in (("low", False), ("high", True)):
                if kept == zipped(self.shape.lanes, self.shape.lane_bits, 1, high=high):
                    return f"vec_zip_{name}({a}, {b})"
        return f"vec_shuffle({a}, {b}, {', '.join(map(str, kept))})"
