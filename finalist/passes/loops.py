"""Writing loops: a graph again, of pieces of a sequence as they stand and of turns of loops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from finalist.ir.builder import Builder
from finalist.ir.graph import ArrayType, Graph, Node, Region, WordType
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter
from finalist.passes.roll import OLDEST, nothing, of_turn
from finalist.passes.straight import Straight
from finalist.passes.turns import Inside, Same, Series, Turns

#: Nodes as they stand, or turns of a loop.
Piece = Sequence[Node] | Turns


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
            if isinstance(piece, Turns):
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


@dataclass
class _Loop:
    """One loop. ``carried``: for a place of a turn, through how many turns its value is handed on; ``kept``:
    the places whose values of all turns stand in an array, after so many from before the first turn."""

    writer: _Writer
    turns: Turns
    carried: dict[int, int] = field(default_factory=dict)
    kept: dict[int, int] = field(default_factory=dict)
    #: Where values of a place go, of all turns alike: full arrays, and the place for each turn.
    stores: dict[int, list[tuple[Node, list[int]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.make = self.writer.make
        self.count = len(self.turns.nodes)
        self._place_stores()
        self.needed = self._needed_after()
        for operand in (one for row in self.turns.operands for one in row):
            if isinstance(operand, Inside) and operand.age:
                self._hand_on(operand.place, operand.age, operand.age)
        for turn, place in self.needed:
            if place not in self.kept:
                self._hand_on(place, self.count - turn, 0)

    def _hand_on(self, place: int, age: int, before: int) -> None:
        """Let a value be there ``age`` turns later, ``before`` of them from before the first turn."""
        if age <= OLDEST:
            self.carried[place] = max(age, self.carried.get(place, 0))
        else:
            self.kept[place] = max(before, self.kept.get(place, 0))

    def _place_stores(self) -> None:
        stored = self.writer.straight.stored
        for place in range(len(self.turns.nodes[0])):
            where = [stored.get(nodes[place], ()) for nodes in self.turns.nodes]
            arrays = [[full for full, _ in turn] for turn in where]
            if arrays[0] and all(turn == arrays[0] for turn in arrays):
                at = [[turn[k][1] for turn in where] for k in range(len(arrays[0]))]
                self.stores[place] = list(zip(arrays[0], at, strict=True))

    def _needed_after(self) -> list[tuple[int, int]]:
        """Turn and place of the values that something else than the turns needs."""
        straight, own = self.writer.straight, {node for nodes in self.turns.nodes for node in nodes}
        return [
            (turn, place)
            for turn, nodes in enumerate(self.turns.nodes)
            for place, node in enumerate(nodes)
            if node in straight.results
            or (node in straight.stored and place not in self.stores)
            or any(user not in own for user in straight.users.get(node, ()))
        ]

    # -- the loop -------------------------------------------------------------------------------

    def write(self) -> None:
        """Make the loop, and what stands for its values afterwards."""
        make, template = self.make, self.turns.nodes[-1]
        make.phase = template[0].phase
        index = make.param("index", WordType(32), "i")
        words = [(place, age) for place, oldest in self.carried.items() for age in range(1, oldest + 1)]
        self.index, self.fetched = index, dict[tuple[Node, ...], Node]()
        self.words = {key: make.param("carried", template[key[0]].type, "c") for key in words}
        self.histories = {place: self._array(self._kept_type(place), "h") for place in self.kept}
        fulls = list(dict.fromkeys(full for stores in self.stores.values() for full, _ in stores))
        self.filled = {full: self._array(full.type, "k") for full in fulls}
        params = [*self.words.values(), *self.histories.values(), *self.filled.values()]
        before = [
            *(self._initial(key) for key in words),
            *(self._history(place) for place in self.kept),
            *(self.writer.arrays[full] for full in fulls),
        ]
        inside = self._turn()
        after = [
            *(inside[place] if age == 1 else self.words[place, age - 1] for place, age in words),
            *(self.histories.values()),
            *(self.filled.values()),
        ]
        results = make.loop(
            make.const(0, 32), make.const(self.count, 32), before, Region([index, *params], after)
        )
        self._afterwards(dict(zip(words, results, strict=False)), results[len(words) :])

    def _array(self, type_: object, name: str) -> Node:
        assert isinstance(type_, ArrayType)
        return self.make.param("carried", type_, name)

    def _kept_type(self, place: int) -> ArrayType:
        return ArrayType(self.count + self.kept[place], self.turns.nodes[0][place].width)

    def _initial(self, key: tuple[int, int]) -> Node:
        node = self.turns.initial.get(key)
        return nothing(self.make, self.words[key].type) if node is None else self.writer.get(node)

    def _history(self, place: int) -> Node:
        """The array that keeps a place's values, with those from before the first turn."""
        type_, before = self._kept_type(place), self.kept[place]
        array = self.make.array([0] * type_.length, type_.width)
        for age in range(before, 0, -1):
            node = self.turns.initial.get((place, age))
            if node is not None:
                at = self.make.const(before - age, 32)
                array = self.writer.write(array, at, self.writer.get(node))
        return array

    def _turn(self) -> list[Node]:
        """The operations of a turn, made anew for the loop's body."""
        inside: list[Node] = []
        for place, node in enumerate(self.turns.nodes[-1]):
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
            array = self.make.array([0] * self.count, width)
            for turn, node in enumerate(series.nodes):
                array = self.writer.write(array, self.make.const(turn, 32), self.writer.get(node))
            self.fetched[series.nodes] = array
        return self.make.make(Op.LOAD, (array, self.index))

    def _afterwards(self, words: dict[tuple[int, int], Node], arrays: Sequence[Node]) -> None:
        histories = dict(zip(self.kept, arrays, strict=False))
        self.writer.arrays |= zip(self.filled, arrays[len(self.kept) :], strict=True)
        for turn, place in self.needed:
            node = self.turns.nodes[turn][place]
            if place in self.kept:
                at = self.make.const(turn + self.kept[place], 32)
                value = self.make.make(Op.LOAD, (histories[place], at))
            else:
                value = words[place, self.count - turn]
            self.writer.rewriter.map[node] = value
            if place not in self.stores:
                self.writer.store(node)
