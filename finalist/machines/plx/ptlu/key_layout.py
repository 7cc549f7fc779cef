"""The expanded key as registers take it: in the order of lanes, or each entry as often as there are lanes.

In that order wide reads need no words exchanged.
"""

from __future__ import annotations

from collections.abc import Sequence

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.ir.types import ArrayType, WordType
from finalist.machines.plx.ptlu.builder import WideBuilder
from finalist.passes.simplify import simplify

#: Of the entries of a group, lowest lane first, the place that each has in the array.
Order = tuple[int, ...]
#: Stands for all groups.
_ALL = -1
#: The longest array that is put in order entry by entry.
_LONGEST = 256


def with_ordered_keys(program: Program, ascending: bool) -> Program:
    """The program whose arrays lie as its registers read them, where all reads of a group do so in one order.

    A group: aligned entries as many as a register has. Where loops read an array, all groups have the order
    of the loop. ``ascending``: whether of words in memory the first is in the lowest lane of a register.
    """
    count = program.block.count
    expand, kernel = program.expand, program.kernel
    for number, param in enumerate(kernel.params[count:]):
        orders = _orders_of(param, kernel)
        if not orders:
            continue
        size = len(next(iter(orders.values())))
        target = tuple(range(size)) if ascending else tuple(reversed(range(size)))
        if any(order != target for order in orders.values()):
            expand = _ordered(expand, number, orders, target)
            kernel = _renumbered(kernel, param, target)
    return program.with_graphs(expand, kernel)


def _orders_of(array: Node, kernel: Graph) -> dict[int, Order]:
    """For groups, by their first place, the order in which registers take their entries; for all that are not
    named the one under -1. Nothing if there are other reads, or two orders for a group."""
    if not isinstance(array.type, ArrayType) or array.attr == "state" or array.length > _LONGEST:
        return {}
    reads = {n for n in every_node(kernel) if array in n.inputs}
    groups = [
        n.inputs for n in every_node(kernel) if n.op is Op.TUPLE and all(child in reads for child in n.inputs)
    ]
    orders: dict[int, set[Order | None]] = {}
    for group in groups:
        base, _, offset = affine(group[0].inputs[1])
        first = offset // len(group) * len(group) if base is None else _ALL
        orders.setdefault(first, set()).add(_order(group))
    every = set().union(*orders.values())
    if _ALL in orders and len(every) == 1:
        orders = {_ALL: every}
    taken = {child for group in groups for child in group}
    alone = taken == reads and (_ALL not in orders or len(orders) == 1)
    found = {first: own.pop() for first, own in orders.items() if len(own) == 1}
    whole = {first: order for first, order in found.items() if order is not None}
    return whole if alone and len(whole) == len(orders) else {}


def _order(reads: Sequence[Node]) -> Order | None:
    """The places of reads within an aligned group of as many entries."""
    size = len(reads)
    indices = [affine(node.inputs[1]) for node in reads]
    base, scale, offset = indices[0]
    if any(index[:2] != (base, scale) for index in indices) or scale % size:
        return None
    first = offset // size * size
    places = tuple(index[2] - first for index in indices)
    return places if sorted(places) == list(range(size)) else None


def affine(index: Node) -> tuple[Node | None, int, int]:
    """A place as ``scale * node + offset``: (node, scale, offset)."""
    if index.op is Op.CONST:
        return None, 0, int(index.attr)
    if len(index.inputs) == 2 and index.inputs[1].op is Op.CONST:
        base, scale, offset = affine(index.inputs[0])
        value = int(index.inputs[1].attr)
        if index.op is Op.ADD:
            return base, scale, offset + value
        if index.op is Op.MUL:
            return base, scale * value, offset * value
        if index.op is Op.SHL:
            return base, scale << value, offset << value
    return index, 1, 0


def is_key(node: Node) -> bool:
    """Whether a node is a word of 32 bits of the key at a fixed place."""
    fixed = node.op is Op.LOAD and node.type == WordType(32) and node.inputs[1].op is Op.CONST
    return fixed and node.inputs[0].op is Op.PARAM


def _ordered(expand: Graph, number: int, orders: dict[int, Order], target: Order) -> Graph:
    """The key schedule with the array's entries exchanged."""
    make = Builder(simplify)
    rewriter = Rewriter(make)
    results = rewriter.all(expand.results)
    old = results[number]
    new = make.array([0] * old.length, old.width)
    size = len(target)
    for place in range(old.length // size * size):
        lane = target.index(place % size)
        order = orders.get(place // size * size, orders.get(_ALL, target))
        entry = make.make(Op.LOAD, (old, make.const(place // size * size + order[lane], 32)))
        new = make.make(Op.STORE, (new, make.const(place, 32), entry))
    results[number] = new
    return Graph(expand.name, expand.params, results, expand.rounds)


def _renumbered(kernel: Graph, array: Node, target: Order) -> Graph:
    """The kernel with each lane reading its new place."""
    make = Builder()

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is not Op.TUPLE or not all(
            child.op is Op.LOAD and child.inputs[0] is array for child in node.inputs
        ):
            return None
        size = len(inputs)
        base, scale, offset = affine(inputs[0].inputs[1])
        first = offset // size * size
        words = []
        for lane in range(size):
            place = make.const(first + target[lane], 32)
            if base is not None:
                place = make.make(Op.ADD, (make.make(Op.MUL, (base, make.const(scale, base.width))), place))
            words.append(make.make(Op.LOAD, (inputs[0].inputs[0], place)))
        return make.make(Op.TUPLE, words)

    return rewrite(kernel, make, visit)


class RepeatedKeys:
    """Entries of the key in all lanes of a register, for layouts with a block in each lane.

    ``ascending``: whether of words in memory the first is in the lowest lane of a register."""

    def __init__(self, wide: WideBuilder, ascending: bool) -> None:
        self.wide, self.ascending = wide, ascending
        #: By array the entries that are read, in the order of their first reading.
        self._read: dict[Node, list[int]] = {}
        self._made: dict[Node, Node] = {}

    def register(self, entry: Node) -> Node:
        """A register of nothing but an entry at a fixed place."""
        array, place = entry.inputs[0], int(entry.inputs[1].attr)
        make, lanes = self.wide.make, self.wide.lanes
        read = self._read.setdefault(array, [])
        if place not in read:
            read.append(place)
        if array not in self._made:
            type_ = ArrayType(array.length * lanes, array.width)
            self._made[array] = make.param("key", type_, f"{array.name}_repeated")
        first = read.index(place) * lanes
        places = [first + (k if self.ascending else lanes - 1 - k) for k in range(lanes)]
        return self.wide.register(
            [make.make(Op.LOAD, (self._made[array], make.const(k, 32))) for k in places]
        )

    def arrays(self) -> list[Node]:
        """The parameters that a kernel has for them."""
        return list(self._made.values())

    def expanded(self, expand: Graph, arrays: Sequence[Node]) -> Graph:
        """The key schedule that makes them too. ``arrays``: the parameters that its results were so far."""
        make, lanes = Builder(simplify), self.wide.lanes
        results = Rewriter(make).all(expand.results)
        for array, new in self._made.items():
            source, copies = results[list(arrays).index(array)], make.array([0] * new.length, new.width)
            for number, place in enumerate(self._read[array]):
                entry = make.make(Op.LOAD, (source, make.const(place, 32)))
                for k in range(lanes):
                    copies = make.make(Op.STORE, (copies, make.const(number * lanes + k, 32), entry))
            results.append(copies)
        return Graph(expand.name, expand.params, results, expand.rounds)
