"""Writing loops: a graph again, of pieces of a sequence as they stand and of turns of loops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from finalist.ir.builder import Builder
from finalist.ir.graph import ArrayType, Graph, Node, Region, WordType
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter
from finalist.passes.key_schedules.loop_plan import LoopPlan
from finalist.passes.key_schedules.straight import Straight
from finalist.passes.key_schedules.turns import Inside, Same, Series
from finalist.passes.rounds.roll import OLDEST, nothing, of_turn

#: Nodes as they stand, or a loop.
Piece = Sequence[Node] | LoopPlan


def written(straight: Straight, pieces: Iterable[Piece]) -> Graph:
    """The graph that does what the pieces do, one after the other; together they are the sequence."""
    return _Writer(straight).graph(pieces)


class _Writer:
    def __init__(self, straight: Straight) -> None:
        self.straight = straight
        self.make = Builder()
        self.rewriter = Rewriter(self.make)
        #: The arrays that are being filled, by what they are when full.
        self.arrays: dict[Node, Node] = {}

    def graph(self, pieces: Iterable[Piece]) -> Graph:
        straight, graph = self.straight, self.straight.graph
        for full, fresh in straight.filled.items():
            self.arrays[full] = self.make.array(fresh.attr, fresh.width)
            self.arrays[full].name = fresh.name
        for value in straight.stored:
            if value.op in (Op.CONST, Op.PARAM):
                self.store(value)
        for piece in pieces:
            if isinstance(piece, LoopPlan):
                _Loop(self, piece).write()
            else:
                for node in piece:
                    self.node(node)
        results = [self.get(node) for node in graph.results]
        return Graph(graph.name, graph.params, results, graph.rounds)

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
        for full, place in self.straight.stored.get(value, ()):
            self.arrays[full] = self.write(self.arrays[full], self.make.const(place, 32), self.get(value))

    def write(self, array: Node, place: Node, value: Node) -> Node:
        """One entry."""
        return self.make.make(Op.STORE, (array, place, value))


class _Loop:
    """One loop."""

    def __init__(self, writer: _Writer, plan: LoopPlan) -> None:
        self.writer, self.make, self.plan = writer, writer.make, plan
        self.turns, self.kept, self.stores = plan.turns, plan.kept, plan.stores
        self.index = self.make.param("index", WordType(32), "i")
        #: Arrays of a value for each turn.
        self.fetched: dict[tuple[Node, ...], Node] = {}
        template = self.turns.template
        words = [(place, age) for place, oldest in plan.carried.items() for age in range(1, oldest + 1)]
        self.words = {key: self.make.param("carried", template[key[0]].type, "c") for key in words}
        self.histories = {
            place: self.make.param("carried", self._kept_type(place), "h") for place in self.kept
        }
        fulls = dict.fromkeys(full for stores in self.stores.values() for full, _ in stores)
        self.filled = {full: self.make.param("carried", full.type, "k") for full in fulls}

    # -- the loop -------------------------------------------------------------------------------

    def write(self) -> None:
        """Make the loop, and what stands for its values afterwards."""
        make = self.make
        make.phase = self.turns.template[0].phase
        params = [self.index, *self.words.values(), *self.histories.values(), *self.filled.values()]
        before = [
            *(self._initial(key) for key in self.words),
            *(self._history(place) for place in self.kept),
            *(self.writer.arrays[full] for full in self.filled),
        ]
        inside = self._turn()
        after = [
            *(inside[place] if age == 1 else self.words[place, age - 1] for place, age in self.words),
            *self.histories.values(),
            *self.filled.values(),
        ]
        bounds = make.const(0, 32), make.const(self.turns.count, 32)
        self._afterwards(make.loop(*bounds, before, Region(params, after)))

    def _kept_type(self, place: int) -> ArrayType:
        return ArrayType(self.turns.count + self.kept[place], self.turns.template[place].width)

    def _initial(self, key: tuple[int, int]) -> Node:
        node = self.turns.initial.get(key)
        return nothing(self.make, self.words[key].type) if node is None else self.writer.get(node)

    def _history(self, place: int) -> Node:
        """The array that keeps a place's values, with those from before the first turn."""
        type_, before = self._kept_type(place), self.kept[place]
        given = [self.turns.initial.get((place, before - at)) for at in range(before)]
        return self._array([*given, *[None] * self.turns.count], type_.width)

    def _array(self, values: Sequence[Node | None], width: int) -> Node:
        """A fresh array of nodes of the sequence; what is left open is zero."""
        constants = [node.attr if node is not None and node.op is Op.CONST else 0 for node in values]
        array = self.make.array(constants, width)
        for place, node in enumerate(values):
            if node is not None and node.op is not Op.CONST:
                array = self.writer.write(array, self.make.const(place, 32), self.writer.get(node))
        return array

    def _turn(self) -> list[Node]:
        """The operations of a turn, made anew for the loop's body."""
        inside: list[Node] = []
        for place, node in enumerate(self.turns.template):
            self.make.line = node.line
            inputs = [self._operand(operand, inside) for operand in self.turns.operands[place]]
            made = self.make.make(node.op, inputs, node.attr, type_=node.type)
            made.name = made.name or node.name
            inside.append(made)
            for full, places in self.stores.get(place, ()):
                at = of_turn(self.make, places, 32, self.index)
                self.filled[full] = self.writer.write(self.filled[full], at, made)
        for place, before in self.kept.items():
            at = self._later(before)
            self.histories[place] = self.writer.write(self.histories[place], at, inside[place])
        return inside

    def _later(self, places: int) -> Node:
        """The turn's number and some more."""
        if not places:
            return self.index
        return self.make.make(Op.ADD, (self.index, self.make.const(places, 32)))

    def _operand(self, operand: Inside | Same | Series, inside: list[Node]) -> Node:
        if isinstance(operand, Same):
            return self.writer.get(operand.node)
        if isinstance(operand, Series):
            return self._series(operand)
        if not operand.age:
            return inside[operand.place]
        if operand.age <= OLDEST:
            return self.words[operand.place, operand.age]
        at = self._later(self.kept[operand.place] - operand.age)
        return self.make.make(Op.LOAD, (self.histories[operand.place], at))

    def _series(self, series: Series) -> Node:
        """The turn's constant, or its value out of an array of one for each turn."""
        width = series.nodes[0].width
        if series.constant:
            return of_turn(self.make, [node.attr for node in series.nodes], width, self.index)
        array = self.fetched.get(series.nodes)
        if array is None:
            array = self.fetched[series.nodes] = self._array(series.nodes, width)
        return self.make.make(Op.LOAD, (array, self.index))

    def _afterwards(self, results: Sequence[Node]) -> None:
        """What stands for the loop's values from here on."""
        words = dict(zip(self.words, results, strict=False))
        histories = dict(zip(self.kept, results[len(words) :], strict=False))
        self.writer.arrays |= zip(self.filled, results[len(words) + len(histories) :], strict=True)
        for turn, place in self.plan.needed:
            node = self.turns.nodes[turn][place]
            if place in histories:
                at = self.make.const(turn + self.kept[place], 32)
                value = self.make.make(Op.LOAD, (histories[place], at))
            else:
                value = words[place, self.turns.count - turn]
            self.writer.rewriter.map[node] = value
            if place not in self.stores:
                self.writer.store(node)
