"""Writing loops: a graph again, of pieces of a sequence as they stand and of iterations of loops.

What a loop carries and stores, whether it can be written and what it costs, is planned before; and before
that the writes that fill arrays are set apart from the sequence of other operations. Where such arrays
are filled entry by entry and read only when they are full, each value may be written as soon as it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from finalist.ir.builder import Builder
from finalist.ir.graph import Node, Region
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter
from finalist.ir.types import ArrayType, WordType
from finalist.passes.key_schedules.sequence import Straight
from finalist.passes.repetition.iterations import Iterations
from finalist.passes.repetition.operands import (
    FARTHEST,
    Invariant,
    Made,
    Operand,
    Series,
    constant_of,
    undefined,
)


@dataclass
class LoopPlan:
    """A loop of ``iterations``.

    ``carried``: for a position of an iteration, how far its value is carried at most; ``in_arrays``: the
    positions whose values of all iterations stand in an array, after so many from before the first one.
    ``stores``: the full arrays that the values of a position go into, those of all iterations alike, with the
    index for each iteration. ``needed``: iteration and position of what is needed after the loop.
    """

    straight: Straight
    iterations: Iterations
    carried: dict[int, int] = field(default_factory=dict)
    in_arrays: dict[int, int] = field(default_factory=dict)
    stores: dict[int, list[tuple[Node, list[int]]]] = field(default_factory=dict)
    needed: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._find_stores()
        self._find_needed()
        for operand in (one for row in self.iterations.operands for one in row):
            if isinstance(operand, Made) and operand.distance:
                self._carry(operand)
        for iteration, position in self.needed:
            if self.iterations.count - iteration > self.carried.get(position, 1):
                self.in_arrays.setdefault(position, 0)
            elif position not in self.in_arrays:
                self.carried.setdefault(position, 1)

    @property
    def possible(self) -> bool:
        """Whether all that has to stand in arrays are words."""
        template = self.iterations.template
        return all(isinstance(template[position].type, WordType) for position in self.in_arrays)

    @cached_property
    def saved(self) -> int:
        """Operations that need not be written, those that the loop itself costs taken off."""
        operands = [operand for row in self.iterations.operands for operand in row]
        own = {one.nodes for one in operands if isinstance(one, Series) and not one.constant}
        written = len(self.iterations.template) + sum(map(len, self.stores.values()))
        arrays = len(self.in_arrays) + sum(self.in_arrays.values()) + sum(map(len, own))
        read = sum(position in self.in_arrays for _, position in self.needed)
        return (self.iterations.count - 1) * written - sum(self.carried.values()) - arrays - read

    def _carry(self, operand: Made) -> None:
        """Let a value be there ``distance`` iterations later, in the first iterations one from before."""
        where = self.carried if operand.distance <= FARTHEST else self.in_arrays
        where[operand.position] = max(operand.distance, where.get(operand.position, 0))

    def _find_stores(self) -> None:
        stored = self.straight.stored
        for position in range(len(self.iterations.template)):
            where = [stored.get(nodes[position], ()) for nodes in self.iterations.nodes]
            arrays = [[full for full, _ in one] for one in where]
            if arrays[0] and all(one == arrays[0] for one in arrays):
                at = [[one[k][1] for one in where] for k in range(len(arrays[0]))]
                self.stores[position] = list(zip(arrays[0], at, strict=True))

    def _find_needed(self) -> None:
        own = {node for nodes in self.iterations.nodes for node in nodes}
        for iteration, nodes in enumerate(self.iterations.nodes):
            for position, node in enumerate(nodes):
                later = any(user not in own for user in self.straight.users.get(node, ()))
                left = node in self.straight.stored and position not in self.stores
                if later or left or node in self.straight.results:
                    self.needed.append((iteration, position))


#: Nodes as they stand, or a loop.
Piece = Sequence[Node] | LoopPlan


@dataclass(frozen=True, slots=True)
class Target:
    """Where loops are written: the builder that makes operations, the greatest value of each loop's index
    (``limits``), and what becomes of a loop's region that was just written (``within``)."""

    make: Builder
    limits: dict[Node, int]
    within: Callable[[Region], Region]


def written(straight: Straight, pieces: Iterable[Piece], target: Target) -> list[Node]:
    """The results of what does what the pieces do, one after the other; together they are the sequence."""
    return _Writer(straight, target).results(pieces)


class _Writer:
    def __init__(self, straight: Straight, target: Target) -> None:
        self.straight, self.target, self.make = straight, target, target.make
        self.rewriter = Rewriter(target.make)
        self.rewriter.map.update((node, node) for node in straight.region.free)
        #: The arrays that are being filled, by what they are when full.
        self.arrays: dict[Node, Node] = {}

    def results(self, pieces: Iterable[Piece]) -> list[Node]:
        straight = self.straight
        for full, fresh in straight.filled.items():
            self.arrays[full] = self._begun(fresh)
        before = {*straight.region.params, *straight.region.free}
        for value in straight.stored:
            if value.op is Op.CONST or value in before:
                self.store(value)
        for piece in pieces:
            if isinstance(piece, LoopPlan):
                _Loop(self, piece).write()
            else:
                for node in piece:
                    self.node(node)
        return [self.get(node) for node in straight.region.results]

    def _begun(self, fresh: Node) -> Node:
        """The array, of which nothing is filled yet."""
        if fresh.op is Op.PARAM:
            return fresh
        array = self.make.array(fresh.attr, fresh.width)
        array.name = fresh.name
        return array

    def node(self, node: Node) -> None:
        """One node as it stands, and the writes of its value."""
        if node in self.straight.filled:
            self.rewriter.map[node] = self.arrays[node]
        else:
            self.rewriter.get(node)
            self.store(node)

    def get(self, node: Node) -> Node:
        """What stands for a node of the sequence."""
        return self.rewriter.get(node)

    def store(self, value: Node) -> None:
        """Write a value where it goes."""
        for full, index in self.straight.stored.get(value, ()):
            at = self.index(full, self.make.const(index, 32))
            self.arrays[full] = self.write(self.arrays[full], at, self.get(value))

    def index(self, full: Node, offset: Node) -> Node:
        """The index in an array."""
        base = self.straight.bases.get(full)
        return offset if base is None else self.make.make(Op.ADD, (self.get(base), offset))

    def write(self, array: Node, index: Node, value: Node) -> Node:
        """One entry."""
        return self.make.make(Op.STORE, (array, index, value))


class _Loop:
    """One loop."""

    def __init__(self, writer: _Writer, plan: LoopPlan) -> None:
        self.writer, self.make, self.plan = writer, writer.make, plan
        self.iterations, self.in_arrays, self.stores = plan.iterations, plan.in_arrays, plan.stores
        self.index = self.make.param("index", WordType(32), "i")
        #: Arrays of a value for each iteration.
        self.fetched: dict[tuple[Node, ...], Node] = {}
        template = self.iterations.template
        words = [(at, distance) for at, far in plan.carried.items() for distance in range(1, far + 1)]
        self.words = {key: self.make.param("carried", template[key[0]].type, "c") for key in words}
        self.histories = {at: self.make.param("carried", self._array_type(at), "h") for at in self.in_arrays}
        fulls = dict.fromkeys(full for stores in self.stores.values() for full, _ in stores)
        self.filled = {full: self.make.param("carried", full.type, "k") for full in fulls}

    # -- the loop -------------------------------------------------------------------------------

    def write(self) -> None:
        """Make the loop, and what stands for its values afterwards."""
        make = self.make
        make.phase = self.iterations.template[0].phase
        params = [self.index, *self.words.values(), *self.histories.values(), *self.filled.values()]
        before = [
            *(self._initial(key) for key in self.words),
            *(self._history(position) for position in self.in_arrays),
            *(self.writer.arrays[full] for full in self.filled),
        ]
        inside = self._body()
        after = [
            *(inside[at] if distance == 1 else self.words[at, distance - 1] for at, distance in self.words),
            *self.histories.values(),
            *self.filled.values(),
        ]
        bounds = make.const(0, 32), make.const(self.iterations.count, 32)
        target = self.writer.target
        target.limits[self.index] = self.iterations.count - 1
        self._afterwards(make.loop(*bounds, before, target.within(Region(params, after))))

    def _array_type(self, position: int) -> ArrayType:
        iterations = self.iterations
        return ArrayType(iterations.count + self.in_arrays[position], iterations.template[position].width)

    def _initial(self, key: tuple[int, int]) -> Node:
        node = self.iterations.initial.get(key)
        return undefined(self.make, self.words[key].type) if node is None else self.writer.get(node)

    def _history(self, position: int) -> Node:
        """The array of a position's values, with those from before the first iteration."""
        width, before = self._array_type(position).width, self.in_arrays[position]
        given = [self.iterations.initial.get((position, before - at)) for at in range(before)]
        return self._array([*given, *[None] * self.iterations.count], width)

    def _array(self, values: Sequence[Node | None], width: int) -> Node:
        """A fresh array of nodes of the sequence; what is left open is zero."""
        constants = [node.attr if node is not None and node.op is Op.CONST else 0 for node in values]
        array = self.make.array(constants, width)
        for index, node in enumerate(values):
            if node is not None and node.op is not Op.CONST:
                array = self.writer.write(array, self.make.const(index, 32), self.writer.get(node))
        return array

    def _body(self) -> list[Node]:
        """The operations of an iteration, made anew for the loop's body."""
        inside: list[Node] = []
        for position, node in enumerate(self.iterations.template):
            self.make.line = node.line
            inputs = [self._operand(operand, inside) for operand in self.iterations.operands[position]]
            made = self.make.make(node.op, inputs, node.attr, type_=node.type)
            made.name = made.name or node.name
            inside.append(made)
            for full, indices in self.stores.get(position, ()):
                at = self.writer.index(full, constant_of(self.make, indices, 32, self.index))
                self.filled[full] = self.writer.write(self.filled[full], at, made)
        for position, before in self.in_arrays.items():
            at = self._later(before)
            self.histories[position] = self.writer.write(self.histories[position], at, inside[position])
        return inside

    def _later(self, iterations: int) -> Node:
        """The iteration's number and some more."""
        if not iterations:
            return self.index
        return self.make.make(Op.ADD, (self.index, self.make.const(iterations, 32)))

    def _operand(self, operand: Operand, inside: list[Node]) -> Node:
        if isinstance(operand, Invariant):
            return self.writer.get(operand.node)
        if isinstance(operand, Series):
            return self._series(operand)
        position, distance = operand.position, operand.distance
        if not distance:
            return inside[position]
        if distance <= FARTHEST:
            return self.words[position, distance]
        at = self._later(self.in_arrays[position] - distance)
        return self.make.make(Op.LOAD, (self.histories[position], at))

    def _series(self, series: Series) -> Node:
        """The iteration's constant, or its value out of an array of one for each."""
        width = series.nodes[0].width
        if series.constant:
            return constant_of(self.make, series.values, width, self.index)
        array = self.fetched.get(series.nodes)
        if array is None:
            array = self.fetched[series.nodes] = self._array(series.nodes, width)
        return self.make.make(Op.LOAD, (array, self.index))

    def _afterwards(self, results: Sequence[Node]) -> None:
        """What stands for the loop's values from here on."""
        words = dict(zip(self.words, results, strict=False))
        histories = dict(zip(self.in_arrays, results[len(words) :], strict=False))
        self.writer.arrays |= zip(self.filled, results[len(words) + len(histories) :], strict=True)
        for iteration, position in self.plan.needed:
            node = self.iterations.nodes[iteration][position]
            if position in histories:
                at = self.make.const(iteration + self.in_arrays[position], 32)
                value = self.make.make(Op.LOAD, (histories[position], at))
            else:
                value = words[position, self.iterations.count - iteration]
            self.writer.rewriter.map[node] = value
            if position not in self.stores:
                self.writer.store(node)
