"""From a kernel on bytes to one on words that have a bit of each of a pack's bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from finalist.errors import ScheduleError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Matrix, Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter
from finalist.ir.types import WordType
from finalist.machines.native.passes.byteslice import keys, parts, sums
from finalist.machines.native.passes.byteslice.moves import NONE, Move, completed, sums_of
from finalist.machines.native.passes.byteslice.packs import COPY, GIVEN, SUM, Kind, Pack, Packs
from finalist.machines.native.passes.byteslice.parts import BYTE, Parts
from finalist.passes import hoist
from finalist.passes.analysis import KeyOnly
from finalist.passes.bitslice import sboxes
from finalist.passes.bitslice.ripple import Ripple
from finalist.passes.linear_forms import Form
from finalist.passes.simplify import simplify

#: Bytes side by side: those of a block.
SLOTS = 16
Planes = list[Node]


def obstacle(program: Program) -> str:
    """Why the bits of a kernel's bytes can't lie side by side; empty if they can."""
    if program.stateful:
        return "its blocks hand a state on"
    if program.block.width != BYTE or program.block.count != SLOTS:
        return f"its block is {program.block.count} words of {program.block.width} bits"
    return parts.obstacle(program.kernel, program.block.count)


def run(program: Program, choice: str, *, period: int = 0) -> Program:
    """The program with its kernel on words of a bit of each byte, which are its results, too.

    `with_blocks` puts the block together from them. ``period``: how many rounds are to be an iteration of a
    loop; 0 for none. Raises ScheduleError, naming the ``choice`` that asked for it, where an operation has
    no such form.
    """
    refusal = obstacle(program)
    if refusal:
        raise ScheduleError(f"{choice} is not legal for {program.cipher}: {refusal}")
    return hoist.run(program.with_graphs(program.expand, _Walk(program, period).kernel()))


def with_blocks(kernel: Graph) -> Graph:
    """The kernel whose results are the bytes of which its words have the bits."""
    make = Builder()
    make.phase = max((node.phase for node in kernel.body), default=0)
    words = kernel.results
    results = [
        sboxes.side_by_side(make, [make.raw(Op.SLICE, (word,), slot, WordType(1)) for word in words])
        for slot in range(SLOTS)
    ]
    return Graph(kernel.name, kernel.params, results, kernel.rounds)


class _Walk:
    """The nodes of one kernel, pack by pack."""

    def __init__(self, program: Program, period: int) -> None:
        self.old = program.kernel
        self.count = program.block.count
        self.make = Builder(simplify)
        self.math = Ripple(self.make, SLOTS)
        self.key_only = KeyOnly()
        self.parts = Parts(self.old, self.count)
        self.packs = Packs(self.parts, SLOTS, period=period)
        self.planes: dict[Pack, Planes] = {}
        #: What is left of a word where every computed byte is 0, or what its planes have for 0.
        self.rest = Rewriter(self.make)
        self.keys: dict[tuple[Node, ...], Planes] = {}

    def kernel(self) -> Graph:
        """The new kernel; its results are eight words."""
        old, make = self.old, self.make
        for param in old.params[self.count :]:
            self.rest.map[param] = param
        for node in (*self.parts.given, *self.parts.computed):
            self.rest.map[node] = make.const(_turned(node)[1], BYTE)
        for pack in self.packs.all:
            first = min(pack.nodes, key=lambda node: node.phase)
            make.phase, make.line = first.phase, first.line
            self.planes[pack] = _PLANES.get(pack.kind, _Walk._computed)(self, pack)
        make.phase = max((node.phase for node in old.body), default=0)
        results = self._sums([self.parts.form(node) for node in old.results], self.rest.all(old.results))
        return Graph(old.name, old.params, results, old.rounds)

    def _given(self, pack: Pack) -> Planes:
        bits = ([self.make.slice(byte, j, 1) for byte in pack.nodes] for j in range(BYTE))
        return [sboxes.side_by_side(self.make, word) for word in bits]

    def _copied(self, pack: Pack) -> Planes:
        given = self.packs.all[0]
        move = tuple(NONE if node is None else given.slots.index(node) for node in pack.slots)
        return [self._moved(word, completed(move)) for word in self.planes[given]]

    def _summed(self, pack: Pack) -> Planes:
        return self._operand(pack, 0)

    def _computed(self, pack: Pack) -> Planes:
        operands = [self._operand(pack, number) for number in range(len(pack.nodes[0].inputs))]
        return _FORMS[pack.kind[0]](self, pack.kind, operands)

    def _operand(self, pack: Pack, number: int) -> Planes:
        forms = [None if node is None else self.parts.forms[node][number] for node in pack.slots]
        return self._sums(forms, [None if node is None else self._rest(node, number) for node in pack.slots])

    def _rest(self, node: Node, number: int) -> Node:
        """What is left of an operand, or of a sum, for bytes of 0."""
        if self.parts.is_sum(node):
            return self.make.make(node.op, self.rest.all(node.inputs), node.attr, type_=node.type)
        turn = self.make.const(_turned(node)[0], BYTE)
        return self.make.make(Op.XOR, (self.rest.get(node.inputs[number]), turn))

    # -- sums -----------------------------------------------------------------------------------

    def _sums(self, forms: Sequence[Form | None], rests: Sequence[Node | None]) -> Planes:
        """The sum of a form's bytes and the rest, in each slot that is not None."""
        places = [None if form is None else [self._placed(item) for item in form.items()] for form in forms]
        wanted = sums_of(places, BYTE)
        packs = list(dict.fromkeys(pack for slot in places if slot for pack, _, _ in slot))
        first = {pack: BYTE * number for number, pack in enumerate(packs)}
        totals = (frozenset((first[pack] + j, move) for pack, j, move in total) for total in wanted)
        plan = sums.plan(tuple(totals), BYTE * len(packs))
        words = [word for pack in packs for word in self.planes[pack]]
        for a, (b, move) in plan.steps:
            words.append(self.math.xor(words[a], self._moved(words[b], move)))
        return [
            self._total(words, total, rest) for total, rest in zip(plan.sums, self._rests(rests), strict=True)
        ]

    def _placed(self, item: tuple[Node, Matrix]) -> tuple[Pack, int, Matrix]:
        source, matrix = item
        return *self.packs.place[source], matrix

    def _moved(self, word: Node, move: Move) -> Node:
        columns = tuple(sum(1 << to for to, at in enumerate(move) if at == k) for k in range(len(move)))
        return self.make.linear([columns], [word], len(move))

    def _total(self, words: Sequence[Node], total: sums.Sum, rest: Node) -> Node:
        """A sum, what was there first first: nothing waits for the key."""
        made = rest
        for number, move in sorted(total):
            made = self.math.xor(made, self._moved(words[number], move))
        return made

    def _rests(self, rests: Sequence[Node | None]) -> Planes:
        """The words of bytes that are the same in all blocks; constants are told slot by slot."""
        make = self.make
        if all(rest is None or rest.op is Op.CONST for rest in rests):
            return [
                self._constant([None if rest is None else rest.attr >> j & 1 for rest in rests])
                for j in range(BYTE)
            ]
        slots = tuple(make.const(0, BYTE) if rest is None else rest for rest in rests)
        if slots not in self.keys:
            self.keys[slots] = keys.planes(make, slots)
        return self.keys[slots]

    def _constant(self, bits: Sequence[int | None]) -> Node:
        """A constant; where all bits that count are ones, so are those that don't."""
        if set(bits) <= {None, 1} and 1 in bits:
            return self.math.bit(1)
        return self.make.const(sum(1 << slot for slot, bit in enumerate(bits) if bit), len(bits))

    # -- forms ----------------------------------------------------------------------------------

    def _lookup(self, kind: Kind, operands: list[Planes]) -> Planes:
        """The circuit of a table; `_turned` has seen to what is complemented."""
        a, b = sboxes.masks(kind[1])
        return sboxes.gates(self.make, sboxes.complemented(kind[1], a, b), operands[0])

    def _bitwise(self, kind: Kind, operands: list[Planes]) -> Planes:
        op, _ = kind
        assert op is not None  # only the block's own bytes have none
        return [self.make.make(op, bits) for bits in zip(*operands, strict=True)]

    def _add(self, kind: Kind, operands: list[Planes]) -> Planes:
        return self.math.add(*operands)

    def _sub(self, kind: Kind, operands: list[Planes]) -> Planes:
        return self.math.sub(*operands)


def _turned(node: Node) -> tuple[int, int]:
    """What a lookup's operand is XORed with, and what its result has to be, for the smallest circuit."""
    return sboxes.masks(node.attr) if node.op is Op.LOOKUP else (0, 0)


_PLANES: dict[Kind, Callable[[_Walk, Pack], Planes]] = {
    GIVEN: _Walk._given,
    COPY: _Walk._copied,
    SUM: _Walk._summed,
}
_FORMS: dict[Op | None, Callable[[_Walk, Kind, list[Planes]], Planes]] = {
    Op.LOOKUP: _Walk._lookup,
    Op.AND: _Walk._bitwise,
    Op.OR: _Walk._bitwise,
    Op.ADD: _Walk._add,
    Op.SUB: _Walk._sub,
}
