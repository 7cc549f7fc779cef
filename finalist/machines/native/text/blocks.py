"""Blocks from memory into the kernel's words, and back: word by word, or a block a lane.

A layout has `loads` and `stores`. One that also has what `Direct` asks for makes the counters of counter
mode in its registers, and XORs what it stores with what lies in memory; for others drivers do both in
memory (`finalist.machines.native.text.drivers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar, runtime_checkable

from finalist.ir.graph import Graph, Node, used
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.machines.native.shape import Shape
from finalist.machines.native.text.body import Body
from finalist.machines.native.text.dialect import Text, binary, register_bits
from finalist.machines.native.vectors.lanes import Shuffle, network, simulate
from finalist.machines.native.vectors.narrow import NARROW
from finalist.machines.native.vectors.permutes import zipped
from finalist.machines.native.whole_blocks.instructions import BITS, WORDS
from finalist.machines.native.whole_blocks.registers import REGISTER

T = TypeVar("T")

#: Bytes of the counter that drivers keep in a variable, its last ones, where a block has so many.
LOW_BYTES = 8


@runtime_checkable
class Direct(Protocol):
    """What a layout may have beside `loads` and `stores`, so that modes cost it next to nothing."""

    #: The counters of one kernel call may differ in so many of their last bits.
    counter_bits: int

    def counters(self) -> list[str]:
        """Statements that define the kernel's parameters as consecutive big-endian numbers.

        `counter` points to the first one, but its last 8 bytes (if it has so many, else all) are in `low`.
        """
        ...

    def xor_stores(self, pointer: str, *, upwards: bool) -> list[str]:
        """Statements that write its results, XORed with as many bytes at ``pointer``.

        ``upwards``: in ascending order of address, else in descending order. In that ``pointer`` may lie a
        block before `out`; in both it may be `out`.
        """
        ...


def in_order(places: Sequence[T], *, upwards: bool) -> Sequence[T]:
    """What is given in ascending order of address, so or in descending order.

    A kernel writes in the order in which the next call goes on. Where it does not, AES in counter mode
    takes one and a half to two times as long on messages that the caches do not hold.
    """
    return places if upwards else places[::-1]


def load_words(body: Body, graph: Graph, params: tuple[Node, ...], layout: Layout, pointer: str) -> list[str]:
    """Statements that read the graph's words, for each copy the next ones in memory."""
    lines, needed = load_registers(body, graph, params, layout, pointer), body.read_words(graph)
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


def load_registers(
    body: Body, graph: Graph, params: tuple[Node, ...], layout: Layout, pointer: str
) -> list[str]:
    """Statements that read words which are wanted together, as a register."""
    if layout.width != BITS or layout.order is not ByteOrder.LITTLE:
        return []
    starts = {params[start : start + WORDS]: start for start in range(len(params))}
    lines = []
    for node in graph.body:
        if node.op is Op.TUPLE and node.inputs in starts:
            name = body.fresh(pointer)
            body.define(node, 0, name)
            offset = starts[node.inputs] * layout.width // 8
            lines.append(
                f"    const {body.dialect.kind(node)} {name} = load{REGISTER}({pointer} + {offset});"
            )
    return lines


def _load(layout: Layout, pointer: str, offset: int) -> str:
    if layout.width == 8:
        return f"{pointer}[{offset}]"
    return f"load{layout.width}{_order(layout)}({pointer} + {offset})"


def _store(layout: Layout, offset: int, value: str, to: str = "out") -> str:
    if layout.width == 8:
        return f"{to}[{offset}] = (uint8_t)({value});"
    return f"store{layout.width}{_order(layout)}({to} + {offset}, {value});"


def _order(layout: Layout) -> str:
    return "le" if layout.order is ByteOrder.LITTLE else "be"


@runtime_checkable
class Chained(Protocol):
    """What a layout of one block a call may have, so that a chain of blocks stays in registers."""

    def chain_begins(self) -> list[str]:
        """Statements that define variables: the block at `iv`."""
        ...

    def chain_loads(self) -> list[str]:
        """Statements that define the kernel's parameters: those variables XORed with the block at `in`."""
        ...

    def chain_stores(self) -> list[str]:
        """Statements that write the kernel's results, and keep them in the variables."""
        ...

    def chain_ends(self) -> list[str]:
        """Statements that write the variables to `iv`."""
        ...


class _Number:
    """The words of a counter block: of its last bytes from the variable `low`, of others from memory."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.step = layout.width // 8
        self.head = max(0, layout.bytes - LOW_BYTES)

    def word(self, place: int, low: str = "low") -> str:
        """The C expression of a word of the block, in its variable."""
        begin = place * self.step
        if begin < self.head:
            return _load(self.layout, "counter", begin)
        return self._ordered(self.digit(place, low))

    def digit(self, place: int, low: str = "low") -> str:
        """The same as a digit of the number: before its bytes are put in the layout's order."""
        moved = 8 * (self.layout.bytes - (place + 1) * self.step)
        digit = f"({low} >> {moved})" if moved else low
        width = self.layout.width
        if width == register_bits(width):
            return digit if width == 64 else f"(uint{width}_t){digit}"
        return f"((uint32_t){digit} & 0x{(1 << width) - 1:x}u)"

    def _ordered(self, digit: str) -> str:
        if self.layout.width == 8 or self.layout.order is ByteOrder.BIG:
            return digit
        return f"__builtin_bswap{self.layout.width}({digit})"


class ScalarBlocks:
    """One block after the other, word by word."""

    def __init__(self, body: Body, program: Program, shape: Shape) -> None:
        self.body = body
        self.kernel = program.kernel
        self.layout = program.block
        self.counter_bits = 8 * min(LOW_BYTES, self.layout.bytes)

    def loads(self) -> list[str]:
        """Statements that define the kernel's parameters."""
        return load_words(self.body, self.kernel, self._params(), self.layout, "in")

    def counters(self) -> list[str]:
        """The same, for consecutive counters."""
        number, needed, lines = _Number(self.layout), used(self.kernel), []
        for copy in range(self.body.copies):
            low = f"(low + {copy})" if copy else "low"
            for place, param in enumerate(self._params()):
                name = self._named(param, copy)
                if param in needed:
                    kind = self.body.dialect.type(param.width)
                    lines.append(f"    const {kind} {name} = {number.word(place, low)};")
        return lines

    def stores(self) -> list[str]:
        """Statements that write its results."""
        return [f"    {_store(self.layout, at, text.code)}" for at, text in self._results()]

    def xor_stores(self, pointer: str, *, upwards: bool) -> list[str]:
        """Statements that write its results XORed with memory."""
        return [
            f"    {_store(self.layout, at, binary('^', text, Text(_load(self.layout, pointer, at))).code)}"
            for at, text in in_order(self._results(), upwards=upwards)
        ]

    def chain_begins(self) -> list[str]:
        """Statements that define variables: the block at `iv`."""
        kind = self.body.dialect.type(self.layout.width)
        return [f"    {kind} {name} = {_load(self.layout, 'iv', at)};" for at, name in self._links()]

    def chain_loads(self) -> list[str]:
        """Statements that define the kernel's parameters: those variables XORed with the block at `in`."""
        lines = []
        for param, (at, link) in zip(self._params(), self._links(), strict=True):
            kind = self.body.dialect.type(param.width)
            given = _load(self.layout, "in", at)
            lines.append(f"    const {kind} {self._named(param, 0)} = {link} ^ {given};")
        return lines

    def chain_stores(self) -> list[str]:
        """Statements that write the kernel's results, and keep them in the variables."""
        results = self._results()
        links = [name for _, name in self._links()]
        kept = [f"    {link} = {text.code};" for link, (_, text) in zip(links, results, strict=True)]
        stored = zip(links, results, strict=True)
        return kept + [f"    {_store(self.layout, at, link)}" for link, (at, _) in stored]

    def chain_ends(self) -> list[str]:
        """Statements that write the variables to `iv`."""
        return ["    " + _store(self.layout, at, name, to="iv") for at, name in self._links()]

    def _links(self) -> list[tuple[int, str]]:
        """Of each word of a block its place in memory, and the variable of the chain."""
        step = self.layout.width // 8
        return [(place * step, f"chain{place}") for place in range(self.layout.count)]

    def _params(self) -> tuple[Node, ...]:
        return self.kernel.params[: self.layout.count]

    def _named(self, param: Node, copy: int) -> str:
        name = f"{param.name}_{copy}" if self.body.copies > 1 else param.name
        self.body.define(param, copy, name)
        return name

    def _results(self) -> list[tuple[int, Text]]:
        """The places of all words in memory, and the words."""
        step = self.layout.width // 8
        return [
            (copy * self.layout.bytes + place * step, self.body.text(word, copy))
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
        self.layout = Layout(self.count, shape.lane_bits, program.block.order)
        self.swap = "vec_big" if program.block.order is ByteOrder.BIG else "vec_little"
        #: Words of a counter that differ from lane to lane: two where one is but a byte.
        self.counted = min(self.count, 2 if shape.lane_bits == 8 else 1)
        self.counter_bits = self.counted * shape.lane_bits

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

    def counters(self) -> list[str]:
        """The same, for consecutive counters: of each all words but the last are the same in all lanes."""
        number, needed = _Number(self.layout), used(self.kernel)
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

    def _counted(self, number: _Number, order: str, copy: int, plane: int) -> tuple[list[str], list[str]]:
        """Statements that make the words of a group's counters that differ, and the names of those."""
        begin = (copy * self.shape.planes + plane) * self.shape.lanes
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
        return self._stored("{}", upwards=True)

    def xor_stores(self, pointer: str, *, upwards: bool) -> list[str]:
        """Statements that write its results XORed with memory."""
        return self._stored(f"{{}} ^ vec_load({pointer} + {{}})", upwards=upwards)

    def _stored(self, form: str, *, upwards: bool) -> list[str]:
        lines = []
        for copy, plane in in_order(self._groups(), upwards=upwards):
            names = []
            for word in self._words(self.kernel.results, plane):
                names.append(self.body.fresh("out"))
                lines.append(f"    const vec {names[-1]} = {self._spread(self.body.full(word, copy))};")
            more, names = self._shuffled(self.network.merge, names)
            lines += more
            stored = list(zip(names, self._places(copy, plane), strict=True))
            lines += [
                f"    vec_store(out + {at}, {form.format(f'{self.swap}({name})', at)});"
                for name, at in in_order(stored, upwards=upwards)
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
