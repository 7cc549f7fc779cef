"""Bit planes: words of several blocks turned so that rotations by constants cost less, or nothing.

With ``s`` planes a word of n bits of s blocks becomes s words of n bits: bit b of group q of plane j is
bit ``s*q + j`` of block b's word. A rotation is then a renaming of planes, and for those that wrap
around a rotation by whole groups; with s = n (the classic bitslice) there is one group and nothing
moves at all. Boolean operations stay what they are, so S-boxes as circuits cost the same.
(E. Biham, "A Fast New DES Implementation in Software", FSE 1997, for s = n.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from finalist.errors import ScheduleError
from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Graph, Node, reads_parameter
from finalist.ir.ops import BITWISE, Op
from finalist.ir.program import Layout, Program
from finalist.ir.types import ArrayType, WordType
from finalist.passes.analysis import KeyOnly
from finalist.passes.simplify import simplify

_MOVES = (Op.ROL, Op.ROR, Op.SHL, Op.SHR)


def run(program: Program, planes: int, *, ternary: bool = False) -> Program:
    """The program whose kernel works on ``planes`` blocks at once, each word as so many planes.

    Its block is that many blocks one after the other. Raises ScheduleError where an operation has no
    form on planes. ``ternary``: words change places in a form that takes fewer gates of three inputs.
    """
    refusal = obstacle(program, planes)
    if refusal:
        raise ScheduleError(f"planes={planes} is not legal for {program.cipher}: {refusal}")
    block = program.block
    slicer = _Slicer(program, planes, ternary)
    kernel = slicer.kernel()
    wide = Layout(block.count * planes, block.width, block.order)
    return replace(program, block=wide, kernel=kernel, expand=slicer.expand())


def obstacle(program: Program, planes: int) -> str:
    """Why the kernel can't be turned into planes; empty if it can."""
    width = program.block.width
    if planes < 2 or width % planes or planes & (planes - 1):
        return f"a word of {width} bits has 2, 4, .. {width} planes, a power of two"
    key_only = KeyOnly()
    for node in program.kernel.body:
        if key_only(node):
            continue
        moved = node.op in _MOVES and node.inputs[1].op is Op.CONST
        if node.op not in BITWISE and not moved:
            return f"{node.op.label} has no form on planes ({node.line})"
        if node.width != width:
            return f"a word of {node.width} bits beside words of {width} ({node.line})"
    return ""


class _Slicer:
    def __init__(self, program: Program, planes: int, ternary: bool) -> None:
        self.program = program
        self.planes = planes
        self.exchange = _merged if ternary else _exchange
        self.width = program.block.width
        self.make = Builder(simplify)
        self.key_only = KeyOnly()
        self.known: dict[Node, list[Node]] = {}
        #: For each key array that is read at fixed places, the array of its words' planes.
        self.arrays: dict[Node, Node] = {}

    def kernel(self) -> Graph:
        old, count = self.program.kernel, self.program.block.count
        words = old.params[:count]
        params = [
            [self.make.param("memory", WordType(self.width), f"{p.name}_{b}") for p in words]
            for b in range(self.planes)
        ]
        for place, word in enumerate(words):
            self.known[word] = transpose(self.make, [block[place] for block in params], self.exchange)
        for node in old.body:
            if not self.key_only(node):
                self.make.phase, self.make.line = node.phase, node.line
                self.known[node] = self._planes_of(node)
        self.make.phase = max((n.phase for n in old.body), default=0)
        outputs = [transpose(self.make, self._get(result), self.exchange) for result in old.results]
        results = [output[b] for b in range(self.planes) for output in outputs]
        flat = [param for block in params for param in block]
        keys = (*old.params[count:], *self.arrays.values())
        return Graph(old.name, (*flat, *keys), results, old.rounds)

    def expand(self) -> Graph:
        """The key schedule that also fills the arrays of planes, each in a loop."""
        old, make = self.program.expand, self.make
        by_param = dict(zip(self.program.key_params, old.results, strict=True))
        make.phase = max((node.phase for node in old.body), default=0)
        filled = [self._filled(by_param[param], planes) for param, planes in self.arrays.items()]
        return Graph(old.name, old.params, (*old.results, *filled), old.rounds)

    def _filled(self, words: Node, planes: Node) -> Node:
        make, bits = self.make, self.planes.bit_length() - 1

        def entry(place: Node) -> Node:
            word = make.make(Op.LOAD, (words, make.make(Op.SHR, (place, make.const(bits, 8)))))
            return self._spread(word, make.make(Op.AND, (place, make.const(self.planes - 1, 32))))

        return make.filled(planes.length, planes.width, entry)

    def _get(self, node: Node) -> list[Node]:
        """The planes of an operand; those of a key word are the same in all blocks."""
        if node not in self.known:
            self.known[node] = self._of_key(node)
        return self.known[node]

    def _of_key(self, node: Node) -> list[Node]:
        make = self.make
        if not reads_parameter(node):
            return [self._spread(node, make.const(j, 8)) for j in range(self.planes)]
        words = node.inputs[0]
        if words not in self.arrays:
            entries = ArrayType(words.length * self.planes, words.width)
            self.arrays[words] = make.param("key", entries, f"{words.name}_planes")
        first = node.inputs[1].attr % words.length * self.planes
        places = (make.const(first + j, 32) for j in range(self.planes))
        return [make.make(Op.LOAD, (self.arrays[words], place)) for place in places]

    def _spread(self, node: Node, plane: Node) -> Node:
        """Each bit of the plane repeated through its group: bit times (2^s - 1)."""
        make, width = self.make, self.width
        lowest = sum(1 << low for low in range(0, width, self.planes))
        bits = make.make(Op.SHR, (node, plane))
        chosen = make.make(Op.AND, (bits, make.const(lowest, width)))
        return make.make(Op.MUL, (chosen, make.const(mask(self.planes), width)))

    def _planes_of(self, node: Node) -> list[Node]:
        operands = [self._get(child) for child in node.inputs[: 1 if node.op in _MOVES else None]]
        if node.op in _MOVES:
            return self._moved(node, operands[0])
        return [self.make.make(node.op, parts, node.attr) for parts in zip(*operands, strict=True)]

    def _moved(self, node: Node, source: list[Node]) -> list[Node]:
        """Planes renamed; those that pass the top come from a group further down."""
        amount = node.inputs[1].attr
        left = amount if node.op in (Op.ROL, Op.SHL) else -amount
        move = {Op.ROR: Op.ROL, Op.SHR: Op.SHL}.get(node.op, node.op)
        made = []
        for plane in range(self.planes):
            origin = (plane - left) % self.planes
            groups = (left + origin - plane) // self.planes
            made.append(self._by_groups(source[origin], move, groups))
        return made

    def _by_groups(self, word: Node, move: Op, groups: int) -> Node:
        distance = groups * self.planes
        if move is Op.ROL:
            distance %= self.width
        elif distance < 0:
            move, distance = Op.SHR, -distance
        return self.make.make(move, (word, self.make.const(distance, 8)))


#: Makes two words from two: the upper half groups of one have changed places with the lower of the other.
Exchange = Callable[[Builder, Node, Node, int, int], tuple[Node, Node]]


def transpose(make: Builder, words: list[Node], exchange: Exchange) -> list[Node]:
    """Bit b of group q of word j = bit j of group q of ``words[b]``; its own inverse.

    s words in groups of s bits: log2(s) stages of exchanges of half groups.
    """
    count, width = len(words), words[0].width
    words = list(words)
    half = count // 2
    while half:
        keep = sum(mask(half) << low for low in range(0, width, 2 * half))
        for low in range(count):
            if not low & half:
                words[low], words[low + half] = exchange(make, words[low], words[low + half], half, keep)
        half //= 2
    return words


def _exchange(make: Builder, a: Node, b: Node, distance: int, keep: int) -> tuple[Node, Node]:
    """The upper half groups of ``a`` against the lower ones of ``b``."""
    amount, chosen = make.const(distance, 8), make.const(keep, a.width)
    down = make.make(Op.SHR, (a, amount))
    change = make.make(Op.AND, (make.make(Op.XOR, (down, b)), chosen))
    up = make.make(Op.SHL, (change, amount))
    return make.make(Op.XOR, (a, up)), make.make(Op.XOR, (b, change))


def _merged(make: Builder, a: Node, b: Node, distance: int, keep: int) -> tuple[Node, Node]:
    """The same, each word merged with the other where a mask says so: one gate of three inputs."""
    amount = make.const(distance, 8)
    up, down = make.make(Op.SHL, (b, amount)), make.make(Op.SHR, (a, amount))
    return _choice(make, keep << distance, up, a), _choice(make, keep, down, b)


def _choice(make: Builder, chosen: int, a: Node, b: Node) -> Node:
    differing = make.make(Op.AND, (make.make(Op.XOR, (a, b)), make.const(chosen, a.width)))
    return make.make(Op.XOR, (b, differing))
