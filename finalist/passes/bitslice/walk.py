"""From a kernel on words to one on bits.

Moves are renamings of bits; what computes with words becomes gates. A word of the block is cut into its
bits where it comes in, and put together where it goes out. A word of the key is cut where it is read; a
lookup stays one (of a word put together from bits) until `sboxes` makes gates of it, so that rounds can
be compared, and made a loop, while they are small.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, reduce
from operator import and_, or_

from finalist.errors import ScheduleError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData
from finalist.ir.memoized import memoized
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.passes import xors
from finalist.passes.analysis import KeyOnly
from finalist.passes.bitslice import sboxes
from finalist.passes.bitslice.ripple import Bits, Ripple
from finalist.passes.circuits.circuit import table_of
from finalist.passes.circuits.diagrams import MAX_INPUTS
from finalist.passes.simplify import simplify


def run(program: Program, choice: str = "lookup=bitslice", *, ternary: bool = False) -> Program:
    """The program with its kernel on bits; ``ternary``: gates of three inputs are to come of its lookups.

    Raises ScheduleError, naming the ``choice`` that asked for bits, where an operation has no form on them.
    """
    check(program, choice)
    return program.with_graphs(program.expand, _on_bits(program.kernel, program.block.count, ternary))


@memoized
def _on_bits(kernel: Graph, count: int, ternary: bool) -> Graph:
    return _Walk(kernel, count, ternary).kernel()


def check(program: Program, choice: str) -> None:
    """Raise ScheduleError, naming the ``choice`` that asked for bits, where there is an `obstacle`."""
    refusal = obstacle(program)
    if refusal:
        raise ScheduleError(f"{choice} is not legal for {program.cipher}: {refusal}")


def obstacle(program: Program) -> str:
    """Why the kernel can't become gates on bits; empty if it can."""
    key_only = KeyOnly()
    if program.stateful:
        return "its blocks hand a state on"
    reasons = (_refusal(node, key_only) for node in program.kernel.body if not key_only(node))
    return next(filter(None, reasons), "")


def _refusal(node: Node, key_only: KeyOnly) -> str:
    """Why a node has no form on bits; empty if it has."""
    if node.op is Op.LOAD:
        return f"a load at a place that depends on the block has no form on bits ({node.line})"
    if node.op is Op.LOOKUP and node.inputs[0].width > MAX_INPUTS:
        return f"a table of {len(node.attr.values)} entries has no circuit ({node.line})"
    if node.op is Op.MUL and not any(child.op is Op.CONST for child in node.inputs):
        return f"a product of words has no form on bits ({node.line})"
    if node.op not in _FORMS:
        return f"{node.op.label} has no form on bits ({node.line})"
    return ""


class _Walk:
    """The nodes of one kernel, of blocks of ``count`` words, as lists of bits."""

    def __init__(self, kernel: Graph, count: int, ternary: bool) -> None:
        self.old = kernel
        self.ternary = ternary
        self.count = count
        self.make = Builder(simplify)
        self.math = Ripple(self.make)
        self.key_only = KeyOnly()
        self.known: dict[Node, Bits] = {}
        self.functions = _functions(self.old)

    def kernel(self) -> Graph:
        """The kernel on bits."""
        old, make = self.old, self.make
        for word in old.params[: self.count]:
            self.bits(word)  # before all rounds, so that the first is like the others
        for node in old.body:
            if not self.key_only(node) and node not in self.known:
                make.phase, make.line = node.phase, node.line
                self.known[node] = _FORMS[node.op](self, node)
        make.phase = max((node.phase for node in old.body), default=0)
        results = [sboxes.side_by_side(make, self.bits(node)) for node in old.results]
        return Graph(old.name, old.params, results, old.rounds)

    def bits(self, node: Node) -> Bits:
        """The bits of an operand; those of the block's and key's words are cut where they are needed."""
        if node not in self.known:
            self.known[node] = sboxes.bits_of(self.make, node)
        return self.known[node]

    # -- forms ----------------------------------------------------------------------------------

    def bitwise(self, node: Node) -> Bits:
        """The same operation on each bit."""
        places = zip(*map(self.bits, node.inputs), strict=True)
        return [self.make.make(node.op, parts, node.attr) for parts in places]

    def multiple(self, node: Node) -> Bits:
        """A product with a constant."""
        word, constant = node.inputs
        if constant.op is not Op.CONST:
            word, constant = constant, word
        return self.math.multiple(self.bits(word), constant.attr)

    def moved(self, node: Node) -> Bits:
        """A shift or rotation, by a constant or a word."""
        word, amount = node.inputs
        bits = self.bits(word)
        if amount.op is not Op.CONST:
            return self.math.moved(node.op, bits, self.bits(amount))
        left = amount.attr if node.op in (Op.SHL, Op.ROL) else -amount.attr
        return (self.math.shifted if node.op in (Op.SHL, Op.SHR) else self.math.rotated)(bits, left)

    def linear(self, node: Node) -> Bits:
        """A matrix as XORs."""
        bits = [bit for child in node.inputs for bit in self.bits(child)]
        plan = xors.sums_of_rows(xors.rows_of(node.attr, node.width), len(bits))
        for a, b in plan.steps:
            bits.append(self.math.xor(bits[a], bits[b]))
        return [self.math.bit(0) if output is None else bits[output] for output in plan.outputs]

    def lookup(self, node: Node) -> Bits:
        """A lookup of the word put together from the bits, and the bits of what is found.

        What comes in and goes out is complemented where the circuit is smaller so.
        """
        return self._looked_up(node.attr, self.bits(node.inputs[0]))

    def functions_of(self, node: Node) -> Bits:
        """Boolean functions of the same words: for each of their bits one lookup, for all at once."""
        together = self.functions[node.inputs]
        table = TableData(table_of([other.attr for other in together], len(node.inputs)), len(together), "F")
        places = zip(*map(self.bits, node.inputs), strict=True)
        found = [self._looked_up(table, list(bits)) for bits in places]
        for other, bits in zip(together, zip(*found, strict=True), strict=True):
            self.known[other] = list(bits)
        return self.known[node]

    def _looked_up(self, table: TableData, bits: Bits) -> Bits:
        a, b = sboxes.masks(table, self.ternary)
        table = sboxes.complemented(table, a, b)
        bits = [self._complemented(bit, a >> place & 1) for place, bit in enumerate(bits)]
        word = self.make.make(Op.LOOKUP, (sboxes.side_by_side(self.make, bits),), table)
        found = (self._found(word, place) for place in range(table.width))
        return [self.math.xor(bit, self.math.bit(b >> place & 1)) for place, bit in enumerate(found)]

    def _complemented(self, bit: Node, complement: int) -> Node:
        """A bit complemented, in the key's part of it if it has one: that costs nothing."""
        if not complement:
            return bit
        if bit.op is Op.XOR:
            for key, other in (bit.inputs, bit.inputs[::-1]):
                if self.key_only(key):
                    return self.math.xor(other, self.math.inverted(key))
        return self.math.inverted(bit)

    def _found(self, word: Node, place: int) -> Node:
        """A bit of what a lookup finds, or the constant that it is in all entries."""
        varying, ones = _varying(word.attr) if word.op is Op.LOOKUP else (-1, 0)
        return self.make.slice(word, place, 1) if varying >> place & 1 else self.math.bit(ones >> place & 1)


@lru_cache(maxsize=64)
def _varying(table: TableData) -> tuple[int, int]:
    """The bits that entries of a table differ in, and those that all of them have."""
    some, every = reduce(or_, table.values), reduce(and_, table.values)
    return some & ~every, every


def _functions(graph: Graph) -> dict[tuple[Node, ...], list[Node]]:
    """The boolean functions of the same words."""
    groups: dict[tuple[Node, ...], list[Node]] = {}
    for node in graph.body:
        if node.op is Op.BOOL:
            groups.setdefault(node.inputs, []).append(node)
    return groups


Form = Callable[[_Walk, Node], Bits]


def _two(operation: Callable[[Ripple, Bits, Bits], Bits]) -> Form:
    return lambda walk, node: operation(walk.math, *map(walk.bits, node.inputs))


def _decision(operation: Callable[[Ripple, Bits, Bits], Node]) -> Form:
    return lambda walk, node: [operation(walk.math, *map(walk.bits, node.inputs))]


def _select(walk: _Walk, node: Node) -> Bits:
    (condition,), a, b = map(walk.bits, node.inputs)
    return [walk.math.choice(condition, x, y) for x, y in zip(a, b, strict=True)]


_FORMS: dict[Op, Form] = {
    **dict.fromkeys((Op.AND, Op.OR, Op.XOR, Op.NOT), _Walk.bitwise),
    Op.ADD: _two(Ripple.add),
    Op.SUB: _two(Ripple.sub),
    Op.MUL: _Walk.multiple,
    **dict.fromkeys((Op.SHL, Op.SHR, Op.ROL, Op.ROR), _Walk.moved),
    Op.EQ: _decision(Ripple.equal),
    Op.LT: _decision(Ripple.less),
    Op.SELECT: _select,
    Op.SLICE: lambda walk, node: walk.bits(node.inputs[0])[node.attr : node.attr + node.width],
    Op.JOIN: lambda walk, node: [bit for child in node.inputs for bit in walk.bits(child)],
    Op.EXTEND: lambda walk, node: [
        *walk.bits(node.inputs[0]),
        *walk.math.const(0, node.width - node.inputs[0].width),
    ],
    Op.BOOL: _Walk.functions_of,
    Op.LOOKUP: _Walk.lookup,
    Op.LINEAR: _Walk.linear,
}
