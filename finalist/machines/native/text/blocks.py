"""Blocks from memory into the kernel's words, and back; here word by word.

A layout has `loads` and `stores`. One that also has what `Direct` asks for makes the counters of counter
mode in its registers, and XORs what it stores with what lies in memory; for others drivers do both in
memory (`finalist.machines.native.text.drivers`).

The block before each, which chains are undone by, lies at `chain`, and for others in the input. Blocks are
written in ascending order of address, and in place what a store overwrites is read first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from finalist.ir.graph import Graph, Node, used
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.machines.native.shape import Shape
from finalist.machines.native.text.body import Body
from finalist.machines.native.text.dialect import Text, binary, register_bits
from finalist.machines.native.whole_blocks.instructions import BITS, WORDS
from finalist.machines.native.whole_blocks.registers import REGISTER

#: Bytes of the counter that drivers keep in a variable, its last ones, where a block has so many.
LOW_BYTES = 8


@runtime_checkable
class Direct(Protocol):
    """What a layout may have beside `loads` and `stores`, so that modes cost it next to nothing."""

    #: The counters of one kernel call may differ in so many of their last bits.
    counter_bits: int
    #: Bytes at `chain` for kernels that take the block before each block: that of the first one, then, where
    #: these are more than a block, what `in` begins with.
    chain_bytes: int

    def counters(self) -> list[str]:
        """Statements that define the kernel's parameters as consecutive big-endian numbers.

        `counter` points to the first one, but its last 8 bytes (if it has so many, else all) are in `low`.
        """

    def prepare_xor(self) -> None:
        """Called before the kernel is written, if its results will be XORed with something."""

    def previous(self) -> list[str]:
        """Statements that define the kernel's parameters as the blocks before those at `in`."""

    def xor_input(self) -> list[str]:
        """Statements that write its results XORed with the blocks at `in`, in ascending order of address."""

    def xor_previous(self) -> list[str]:
        """The same with the blocks before those, which in place are read before they are overwritten."""


class Numbered(Protocol):
    """What a layout has that stream ciphers are laid out in whose blocks are known by their numbers."""

    def numbers(self) -> list[str]:
        """Statements that define the kernel's first parameter: the number of each block in the call."""


def load_words(body: Body, graph: Graph, params: tuple[Node, ...], layout: Layout, pointer: str) -> list[str]:
    """Statements that read the graph's words, for each copy the next ones in memory."""
    registers = load_registers(body, graph, params, layout, pointer)
    return registers + _load_each(body, graph, params, layout, lambda at: (pointer, at))


def _load_each(
    body: Body,
    graph: Graph,
    params: tuple[Node, ...],
    layout: Layout,
    place: Callable[[int], tuple[str, int]],
) -> list[str]:
    """Statements that read the words from where ``place`` says, by their offset, that they lie."""
    lines, needed, step = [], body.read_words(graph), layout.width // 8
    for copy in range(body.copies):
        for number, param in enumerate(params):
            name = f"{param.name}_{copy}" if body.copies > 1 else param.name
            body.define(param, copy, name)
            if param not in needed:
                continue
            offset = copy * layout.bytes + number * step
            kind = body.dialect.type(param.width)
            lines.append(f"    const {kind} {name} = {_load(layout, *place(offset))};")
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

    def chain_loads(self) -> list[str]:
        """Statements that define the kernel's parameters: those variables XORed with the block at `in`."""

    def chain_stores(self) -> list[str]:
        """Statements that write the kernel's results, and keep them in the variables."""

    def chain_ends(self) -> list[str]:
        """Statements that write the variables to `iv`."""


class Number:
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
        self.before = Previous(self.layout.bytes, self.layout.width // 8)
        self.chain_bytes = self.before.chain_bytes

    def loads(self) -> list[str]:
        """Statements that define the kernel's parameters."""
        return load_words(self.body, self.kernel, self._params(), self.layout, "in")

    def prepare_xor(self) -> None:
        """Nothing to do: the last operation takes no operand more."""

    def previous(self) -> list[str]:
        """The same, of each block from the one before."""
        return _load_each(self.body, self.kernel, self._params(), self.layout, self.before.place)

    def counters(self) -> list[str]:
        """The same, for consecutive counters."""
        number, needed, lines = Number(self.layout), used(self.kernel), []
        for copy in range(self.body.copies):
            low = f"(low + {copy})" if copy else "low"
            for place, param in enumerate(self._params()):
                name = self._named(param, copy)
                if param in needed:
                    kind = self.body.dialect.type(param.width)
                    lines.append(f"    const {kind} {name} = {number.word(place, low)};")
        return lines

    def numbers(self) -> list[str]:
        """Statements that define its first parameter: the number of each block in the call."""
        first = self._params()[0]
        kind = self.body.dialect.type(first.width)
        return [f"    const {kind} {self._named(first, copy)} = {copy};" for copy in range(self.body.copies)]

    def stores(self) -> list[str]:
        """Statements that write its results."""
        return [f"    {_store(self.layout, at, text.code)}" for at, text in self._results()]

    def xor_input(self) -> list[str]:
        """Statements that write its results XORed with the blocks at `in`."""
        return [self._xored(at, text, _load(self.layout, "in", at)) for at, text in self._results()]

    def xor_previous(self) -> list[str]:
        """Statements that write its results XORed with the blocks before those."""
        ahead = ReadAhead(self.before, self.body.copies * self.layout.bytes, self._read)
        lines = []
        for at, text in self._results():
            reads, name = ahead.before(at)
            lines += [*reads, self._xored(at, text, name)]
        return lines

    def _read(self, at: int) -> tuple[str, str]:
        name, kind = self.body.fresh("before"), self.body.dialect.type(self.layout.width)
        return name, f"    const {kind} {name} = {_load(self.layout, *self.before.place(at))};"

    def _xored(self, at: int, text: Text, added: str) -> str:
        return f"    {_store(self.layout, at, binary('^', text, Text(added)).code)}"

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


@dataclass(frozen=True, slots=True)
class Previous:
    """Where they lie. ``block``: bytes of a block; ``unit``: of what is read and written at once."""

    block: int
    unit: int

    @property
    def chain_bytes(self) -> int:
        """Bytes at `chain`: the block before the first one, and what is read together with it."""
        return -(-self.block // self.unit) * self.unit

    def place(self, at: int) -> tuple[str, int]:
        """Pointer and offset of what stands a block before `in` + ``at``."""
        return ("chain", at) if at < self.chain_bytes else ("in", at - self.block)


class ReadAhead:
    """Reads in time. ``total``: bytes of a call; ``read``: declares a name for what lies before an offset."""

    def __init__(self, previous: Previous, total: int, read: Callable[[int], tuple[str, str]]) -> None:
        self._unit, self._read = previous.unit, read
        self._lag = previous.chain_bytes // previous.unit
        self._names: list[str] = []
        self._units = total // previous.unit

    def before(self, at: int) -> tuple[list[str], str]:
        """Statements that go before the store at an offset, and the name of what that is XORed with."""
        return list(self._missing(at // self._unit + self._lag)), self._names[at // self._unit]

    def _missing(self, last: int) -> Iterator[str]:
        for unit in range(len(self._names), min(last + 1, self._units)):
            name, statement = self._read(unit * self._unit)
            self._names.append(name)
            yield statement
