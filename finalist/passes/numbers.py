"""Tables read at constants by a key schedule that is computed round by round: kept as reads, so that rounds
stay alike.

    q[9] ^ k    ->    q[numbers[9]] ^ k    ->    in the loop of rounds    q[2 * r + 9] ^ k

An entry that is a constant of its own would change from round to round, and where it is 0 leave a round
without an operation that all others have. ``numbers`` is an array of the expanded key whose entries are their
places: passes take it for part of the key. `settled` takes it out again when rounds are loops.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.types import ArrayType, Type
from finalist.passes.simplify import simplify

#: Bits of the widest index.
_WIDEST = 8


@dataclass
class Numbers:
    """The arrays of a kernel, by bits of an entry."""

    make: Builder
    arrays: dict[int, Node] = field(default_factory=dict)

    def visit(self, rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        """A lookup at a constant, with the constant read."""
        if node.op is not Op.LOOKUP or inputs[0].op is not Op.CONST or inputs[0].width > _WIDEST:
            return None
        place, width = inputs[0], inputs[0].width
        if width not in self.arrays:
            self.arrays[width] = self.make.param("key", ArrayType(1 << width, width), f"numbers{width}")
        number = self.make.make(Op.LOAD, (self.arrays[width], self.make.const(place.attr, 32)))
        return self.make.make(Op.LOOKUP, (number,), node.attr)

    def filled(self) -> list[Node]:
        """What a key schedule gives for them."""
        return [self.make.array(range(1 << width), width) for width in self.arrays]


def settled(program: Program, apart: bool = True) -> Program:
    """The program with the places themselves for what is read of such arrays, and without these.

    ``apart``: whether a table is still read at a constant, outside of loops as inside, so that one is like
    the other; and once more for each operation that wants the entry, as where an index is a word. Else what
    is read there is a constant.
    """
    results = program.expand.results
    gone = {p for p, result in zip(program.key_params, results, strict=True) if _is_of_numbers(result)}
    if not gone:
        return program
    make = Builder(_but_for_lookups if apart else simplify)
    kernel = rewrite(program.kernel, make, _Settling(gone, apart).visit)
    return _without(program, kernel, gone)


@dataclass(frozen=True)
class _Settling:
    gone: Set[Node]
    apart: bool

    def visit(self, rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        """The place for a read of it; what takes a lookup there has one of its own."""
        if node.op is Op.LOAD and node.inputs[0] in self.gone:
            return _low(rewriter.builder, inputs[1], node.width)
        read = [self.apart and _is_at_number(child, self.gone) for child in node.inputs]
        if not any(read):
            return None
        again = [_again(new) if here else new for new, here in zip(inputs, read, strict=True)]
        return rewriter.builder.raw(node.op, tuple(again), node.attr, node.type)


def _without(program: Program, kernel: Graph, gone: Set[Node]) -> Program:
    """The program with this kernel, and without some arrays of the key."""
    count, expand = program.block.count, program.expand
    kept = [
        (p, result) for p, result in zip(program.key_params, expand.results, strict=True) if p not in gone
    ]
    params = (*kernel.params[:count], *(param for param, _ in kept))
    return program.with_graphs(
        Graph(expand.name, expand.params, [result for _, result in kept], expand.rounds),
        Graph(kernel.name, params, kernel.results, kernel.rounds),
    )


def _but_for_lookups(
    make: Builder, op: Op, inputs: tuple[Node, ...], attr: object, type_: Type
) -> Node | None:
    return None if op is Op.LOOKUP else simplify(make, op, inputs, attr, type_)


def _low(make: Builder, place: Node, width: int) -> Node:
    """The low bits of a multiple of a loop's index plus an offset, worked out on no more than those."""
    if place.width <= width:
        return make.extend(place, width)
    if place.op in (Op.ADD, Op.SUB, Op.MUL):
        return make.make(place.op, [_low(make, child, width) for child in place.inputs])
    if place.op is Op.SHL:
        return make.make(Op.SHL, (_low(make, place.inputs[0], width), place.inputs[1]))
    return make.slice(place, 0, width)


def _is_at_number(node: Node, arrays: Set[Node]) -> bool:
    """Whether a node is a lookup at what is read of such an array."""
    index = node.inputs[0] if node.op is Op.LOOKUP else node
    return index is not node and index.op is Op.LOAD and index.inputs[0] in arrays


def _again(node: Node) -> Node:
    """The same operation once more."""
    return Node(node.op, node.inputs, node.type, node.attr, line=node.line, phase=node.phase)


def _is_of_numbers(array: Node) -> bool:
    return array.op is Op.ARRAY and tuple(array.attr) == tuple(range(array.length))
