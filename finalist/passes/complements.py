"""Complements travel forward to the next round key, where they cost nothing.

Every value is kept as ``x ^ c`` with the constant c apart. Linear operations (XOR, rotations, shifts)
pass c on; AND and OR of complemented words take the form of one gate without the complement (De
Morgan); an XOR with a key word adds c to the key word, in the key schedule. So circuits for S-boxes may
complement inputs and outputs freely.
"""

from __future__ import annotations

from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Graph, Node
from finalist.ir.memoized import memoized
from finalist.ir.ops import CONTROL, SHIFTS, Op
from finalist.ir.program import Program
from finalist.passes.analysis import KeyOnly
from finalist.passes.simplify import simplify


def run(program: Program) -> Program:
    """The kernel with its complements moved to where they meet the key; run `hoist` afterwards."""
    moved = _moved(program.kernel)
    return program if moved is program.kernel else program.with_graphs(program.expand, moved)


@memoized
def _moved(kernel: Graph) -> Graph:
    if any(node.op in CONTROL or node.op is Op.STORE for node in kernel.body):
        return kernel
    if not any(node.op is Op.NOT or _with_constant(node) for node in kernel.body):
        return kernel
    return _Mover(kernel).graph()


def _with_constant(node: Node) -> bool:
    return node.op is Op.XOR and any(child.op is Op.CONST for child in node.inputs)


class _Mover:
    def __init__(self, graph: Graph) -> None:
        self.old = graph
        self.make = Builder(simplify)
        self.key_only = KeyOnly()
        #: For each old node the new word and the constant to be XORed to it.
        self.known: dict[Node, tuple[Node, int]] = {}

    def graph(self) -> Graph:
        for node in self.old.body:
            self.make.phase, self.make.line = node.phase, node.line
            self.known[node] = self._split(node)
            new = self.known[node][0]
            if node.name and not new.name and new.op not in (Op.CONST, Op.PARAM):
                new.name = node.name
        results = [self._whole(node) for node in self.old.results]
        return Graph(self.old.name, self.old.params, results, self.old.rounds)

    def _get(self, node: Node) -> tuple[Node, int]:
        return self.known.get(node, (node, 0))  # parameters and constants stand for themselves

    def _whole(self, node: Node) -> Node:
        word, constant = self._get(node)
        if constant == 0:
            return word
        return self.make.make(Op.XOR, (word, self.make.const(constant, word.width)))

    def _split(self, node: Node) -> tuple[Node, int]:
        if node.op is Op.NOT:
            word, constant = self._get(node.inputs[0])
            return word, constant ^ mask(node.width)
        if node.op is Op.XOR:
            return self._xor(node)
        if node.op in (Op.AND, Op.OR):
            return self._gate(node)
        if node.op is Op.BOOL:
            return self._function(node), 0
        if node.op in SHIFTS and node.inputs[1].op is Op.CONST:
            return self._moved(node)
        inputs = [self._whole(child) for child in node.inputs]
        return self.make.make(node.op, inputs, node.attr, type_=node.type), 0

    def _xor(self, node: Node) -> tuple[Node, int]:
        (a, ca), (b, cb) = (self._get(child) for child in node.inputs)
        constant = ca ^ cb
        for key, other in ((a, b), (b, a)):
            if self.key_only(key) and not self.key_only(other) and constant:
                keyed = self.make.make(Op.XOR, (key, self.make.const(constant, key.width)))
                return self.make.make(Op.XOR, (other, keyed)), 0
        return self.make.make(Op.XOR, (a, b)), constant

    def _gate(self, node: Node) -> tuple[Node, int]:
        """a & b and a | b with either operand complemented: one gate, perhaps complemented."""
        full = mask(node.width)
        (a, ca), (b, cb) = (self._pure(child) for child in node.inputs)
        outside = full if node.op is Op.OR else 0
        if outside:  # a | b = ~(~a & ~b)
            ca, cb = ca ^ full, cb ^ full
        if ca and cb:
            return self.make.make(Op.OR, (a, b)), outside ^ full
        if cb:
            return self.make.make(Op.AND, (a, self.make.make(Op.NOT, (b,)))), outside
        if ca:
            return self.make.make(Op.AND, (b, self.make.make(Op.NOT, (a,)))), outside
        return self.make.make(Op.AND, (a, b)), outside

    def _function(self, node: Node) -> Node:
        """A truth table takes its operands complemented as well as not."""
        words, constants = zip(*map(self._pure, node.inputs), strict=True)
        complemented = sum(1 << place for place, constant in enumerate(constants) if constant)
        rows = range(1 << len(words))
        truth = sum((node.attr >> (row ^ complemented) & 1) << row for row in rows)
        return self.make.make(Op.BOOL, words, truth, type_=node.type)

    def _pure(self, node: Node) -> tuple[Node, int]:
        """A word complemented whole or not at all."""
        word, constant = self._get(node)
        return (word, constant) if constant in (0, mask(node.width)) else (self._whole(node), 0)

    def _moved(self, node: Node) -> tuple[Node, int]:
        word, constant = self._get(node.inputs[0])
        width, amount = node.width, node.inputs[1].attr
        moved = self.make.make(node.op, (word, node.inputs[1]))
        if node.op is Op.SHL:
            return moved, (constant << amount) & mask(width)
        if node.op is Op.SHR:
            return moved, constant >> amount
        left = amount % width if node.op is Op.ROL else -amount % width
        return moved, ((constant << left) | (constant >> (width - left))) & mask(width)
