"""Blocks from memory into vectors, a word of each in every lane, and back."""

from __future__ import annotations

from collections.abc import Callable

from finalist.ir.graph import Node, used
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.machines.native.shape import Shape
from finalist.machines.native.text.blocks import Number, Previous, ReadAhead
from finalist.machines.native.text.body import Body
from finalist.machines.native.text.dialect import Text
from finalist.machines.native.vectors.narrow import NARROW
from finalist.machines.native.vectors.permutes import zipped
from finalist.machines.native.vectors.spread import Shuffle, network, simulate


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
        self.layout = Layout(self.count, shape.lane_bits, program.block.order)
        self.swap = "vec_big" if program.block.order is ByteOrder.BIG else "vec_little"
        #: Words of a counter that differ from lane to lane: two where one is but a byte.
        self.counted = min(self.count, 2 if shape.lane_bits == 8 else 1)
        self.counter_bits = self.counted * shape.lane_bits
        self.before = Previous(self.layout.bytes, self.bytes)
        self.chain_bytes = self.before.chain_bytes

    def loads(self) -> list[str]:
        """Statements that define the kernel's parameters."""
        return self._loads(lambda at: ("in", at))

    def prepare_xor(self) -> None:
        """Nothing to do: the last operation takes no operand more."""

    def previous(self) -> list[str]:
        """The same, of each block from the one before."""
        return self._loads(self.before.place)

    def _loads(self, place: Callable[[int], tuple[str, int]]) -> list[str]:
        needed = used(self.kernel)
        lines = []
        for copy, plane in self._groups():
            names = [self.body.fresh("in") for _ in range(self.count)]
            lines += [
                f"    vec {name} = {self.swap}({_vector(*place(at))});"
                for name, at in zip(names, self._places(copy, plane), strict=True)
            ]
            more, names = shuffled(self.body, self.shape, self.network.split, names)
            lines += more
            for word, name in zip(self._words(self.kernel.params, plane), names, strict=True):
                self.body.define(word, copy, self._spread(name))
                lines += [] if word in needed else [f"    (void){name};"]
        return lines

    def counters(self) -> list[str]:
        """The same, for consecutive counters: of each all words but the last are the same in all lanes."""
        number, needed = Number(self.layout), used(self.kernel)
        heads = [self.body.fresh("head") for _ in range(self.count - self.counted)]
        order, unused = self.body.fresh("order"), dict[str, None]()
        lines = [f"    const vec {name} = {self._all(number.word(k))};" for k, name in enumerate(heads)]
        lines.append(f"    const vec {order} = {{{', '.join(map(str, self.order()))}}};")
        for copy, plane in self._groups():
            more, counted = self._counted(number, order, copy, plane)
            lines += more
            words = self._words(self.kernel.params, plane)
            for word, name in zip(words, (*heads, *counted), strict=True):
                self.body.define(word, copy, self._spread(name))
                unused |= {} if word in needed else {f"    (void){name};": None}
        return lines + list(unused)

    def numbers(self) -> list[str]:
        """Statements that define the first parameter of each group: the number of each block in the call."""
        lines = []
        for copy, plane in self._groups():
            begin, name = self._begin(copy, plane), self.body.fresh("number")
            lines.append(f"    const vec {name} = {{{', '.join(str(begin + k) for k in self.order())}}};")
            self.body.define(self._words(self.kernel.params, plane)[0], copy, self._spread(name))
        return lines

    def _begin(self, copy: int, plane: int) -> int:
        """The first block of a group."""
        return (copy * self.shape.planes + plane) * self.shape.lanes

    def _counted(self, number: Number, order: str, copy: int, plane: int) -> tuple[list[str], list[str]]:
        """Statements that make the words of a group's counters that differ, and the names of those."""
        begin = self._begin(copy, plane)
        low = f"(low + {begin})" if begin else "low"
        last = self.body.fresh("last")
        counted = f"{order} + {self._all(number.digit(self.count - 1, low))}"
        as_it_is = self.layout.order is ByteOrder.BIG or self.layout.width == 8
        lines = [f"    const vec {last} = {counted if as_it_is else f'vec_swapped({counted})'};"]
        if self.counted == 1:
            return lines, [last]
        before = self.body.fresh("before")
        carried = f"{self._all(number.digit(self.count - 2, low))} - (vec)({last} < {order})"
        return [*lines, f"    const vec {before} = {carried};"], [before, last]

    def _all(self, word: str) -> str:
        """A word in all lanes."""
        return self.body.dialect.spread(Text(word)).code

    def order(self) -> list[int]:
        """Which block of a group each lane holds."""
        lanes, count = self.shape.lanes, self.count
        memory = [[place * lanes + lane for lane in range(lanes)] for place in range(count)]
        return [element // count for element in simulate(self.network.split, memory)[0]]

    def stores(self) -> list[str]:
        """Statements that write its results."""
        return self._stored(lambda at: ([], ""))

    def xor_input(self) -> list[str]:
        """Statements that write its results XORed with the blocks at `in`."""
        return self._stored(lambda at: ([], f" ^ {_vector('in', at)}"))

    def xor_previous(self) -> list[str]:
        """Statements that write its results XORed with the blocks before those."""
        ahead = ReadAhead(self.before, self.shape.blocks * self.layout.bytes, self._read)

        def added(at: int) -> tuple[list[str], str]:
            reads, name = ahead.before(at)
            return reads, f" ^ {name}"

        return self._stored(added)

    def _read(self, at: int) -> tuple[str, str]:
        name = self.body.fresh("previous")
        return name, f"    const vec {name} = {_vector(*self.before.place(at))};"

    def _stored(self, added: Callable[[int], tuple[list[str], str]]) -> list[str]:
        """``added``: what goes before the store at an offset, and after the vector that it writes."""
        lines = []
        for copy, plane in self._groups():
            names = []
            for word in self._words(self.kernel.results, plane):
                names.append(self.body.fresh("out"))
                lines.append(f"    const vec {names[-1]} = {self._spread(self.body.full(word, copy))};")
            more, names = shuffled(self.body, self.shape, self.network.merge, names)
            lines += more
            for name, at in zip(names, self._places(copy, plane), strict=True):
                reads, xored = added(at)
                lines += [*reads, f"    vec_store(out + {at}, {self.swap}({name}){xored});"]
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


def shuffled(
    body: Body, shape: Shape, steps: tuple[tuple[Shuffle, ...], ...], names: list[str]
) -> tuple[list[str], list[str]]:
    """Statements for steps of shuffles of the vectors of these names, and the names of what they make."""
    lines = []
    for step in steps:
        following = [body.fresh("s") for _ in step]
        lines += [
            f"    const vec {name} = {_shuffle(shape, names[a], names[b], kept)};"
            for name, (a, b, kept) in zip(following, step, strict=True)
        ]
        names = following
    return lines, names


def _shuffle(shape: Shape, a: str, b: str, kept: tuple[int, ...]) -> str:
    if shape.lane_bits in NARROW:
        for name, high in (("low", False), ("high", True)):
            if kept == zipped(shape.lanes, shape.lane_bits, 1, high=high):
                return f"vec_zip_{name}({a}, {b})"
    return f"vec_shuffle({a}, {b}, {', '.join(map(str, kept))})"


def _vector(pointer: str, offset: int) -> str:
    return f"vec_load({pointer} + {offset})"
