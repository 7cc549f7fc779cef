"""Several rounds on one unit of hardware: equal operations shared, multiplexers where operands differ.

Rounds are laid over one another operation by operation, in order. An operation goes onto one of the same
kind that no other operation of its round is on, preferably one that takes its operands already; what finds
none is added. Every operand comes later in the unit than what it needs, so that no loop can close.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Hashable, Sequence

from finalist.ir.graph import Node
from finalist.ir.ops import COMMUTATIVE, SHIFTS, Op
from finalist.machines.fpga.signals import Flag, Part, Signal

#: Operations so dear that sharing one is worth a multiplexer before it.
_DEAR = frozenset({Op.ADD, Op.SUB, Op.LOOKUP, Op.BOOL, Op.LINEAR, Op.LT, Op.EQ})

#: What `Unit` counts an operand that is there already.
_IN_COMMON = 2

#: Turns a word of the key, a constant, or bits of them into a signal; None for any other node.
Outside = Callable[[Node], Signal | None]


class Place:
    """An operation of the unit: for each operand and each turn, what it takes. ``leaves``: whether it
    makes words of the result and nothing else. ``order``: greater than that of what it needs."""

    __slots__ = ("attr", "direction", "leaves", "line", "name", "op", "operands", "order", "turns", "width")

    def __init__(self, node: Node, order: float, direction: int, *, leaves: bool) -> None:
        self.op, self.attr, self.width = node.op, node.attr, node.width
        self.name, self.line = node.name, node.line
        self.order, self.direction, self.leaves = order, direction, leaves
        self.turns: set[int] = set()
        self.operands: list[dict[int, Source]] = [{} for _ in node.inputs]


#: A place, a register of the row before, or a signal from outside of the data path.
Source = Place | Signal


class Unit:
    """One round in hardware, for all rounds that take their turn on it.

    ``inputs``: the registers' outputs. ``turn``: the number of the turn. ``turns``: how many there are.
    """

    def __init__(self, inputs: Sequence[Signal], turn: Signal, turns: int, outside: Outside) -> None:
        self.inputs = inputs
        self.turn = turn
        self.turns = turns
        self._outside = outside
        self._by_kind: dict[Hashable, list[Place]] = {}
        #: In order, and the numbers that say so.
        self._all: list[Place] = []
        self._orders: list[float] = []
        self._signals: dict[Place, Signal] = {}
        self._muxes: dict[Hashable, Signal] = {}
        self._flags: dict[frozenset[int], Signal] = {}
        self._own = set(inputs)
        self._laid = 0

    def lay(
        self,
        turn: int,
        nodes: Sequence[Node],
        places: dict[Node, int],
        direction: int = 0,
        results: Collection[Node] = (),
    ) -> dict[Node, Source]:
        """Lay a round over those before; ``places``: its inputs; ``results``: what leaves with it and goes
        into registers of its own. Returns where each node is.

        Rounds of another direction have their operations in another order: of those only dear ones are
        shared, and only with an operand in common, since each brings the ways through both together. Nor is
        a cheap operation shared that makes a result here and another round's word there: it would cost as
        much in choices, and be longer.
        """
        inner = {child for node in nodes for child in node.inputs}
        where: dict[Node, Source] = {node: self.inputs[place] for node, place in places.items()}
        for node in nodes:
            sources = [self._source(child, where) for child in node.inputs]
            leaves = node in results and node not in inner
            place, sources = self._find(node, sources, turn, direction, leaves=leaves)
            place.turns.add(turn)
            for operand, source in zip(place.operands, sources, strict=True):
                operand[turn] = source
            where[node] = place
        self._laid += 1
        return where

    def _source(self, node: Node, where: dict[Node, Source]) -> Source:
        if node in where:
            return where[node]
        signal = self._outside(node)
        assert signal is not None, f"{node} is neither in this round nor of the key"
        return signal

    def _find(
        self, node: Node, sources: list[Source], turn: int, direction: int, *, leaves: bool
    ) -> tuple[Place, list[Source]]:
        needed = [source for source in sources if isinstance(source, Place)]
        latest = max(needed, key=lambda place: place.order) if needed else None
        earliest = 0.0 if latest is None else latest.order
        amounts = [n.attr for n in node.inputs[1:] if node.op in SHIFTS and n.op is Op.CONST]
        kind = (node.op, node.attr, node.width, *amounts, *(child.width for child in node.inputs))
        best, best_score, best_sources = None, 0 if node.op in _DEAR else 1, sources
        most = sum(1 if self._is_outside(source) else _IN_COMMON for source in sources)
        for place in self._by_kind.get(kind, ()):
            if turn in place.turns or place.order <= earliest:
                continue
            apart = place.leaves != leaves and node.op not in _DEAR
            foreign = place.direction != direction
            for order in _orders(node.op, sources):
                score = self._score(place, order)
                if foreign and (score < _IN_COMMON or node.op not in _DEAR):
                    continue
                if apart and score < _IN_COMMON:
                    continue  # a choice for each operand
                if score > best_score or (best is None and score == best_score):
                    best, best_score, best_sources = place, score, order
            if best is not None and best_score == most:
                break
        if best is None:
            best = self._added(node, latest, direction, leaves=leaves)
            self._by_kind.setdefault(kind, []).append(best)
        return best, best_sources

    def _added(self, node: Node, latest: Place | None, direction: int, *, leaves: bool) -> Place:
        """A place of its own, right behind what it needs the latest; in the first round behind all."""
        earliest = 0.0 if latest is None else latest.order
        at = bisect_right(self._orders, earliest) if self._laid else len(self._all)
        if at == len(self._all):
            order = self._orders[-1] + 1 if self._orders else 1.0
        else:
            order = (earliest + self._orders[at]) / 2
            if not earliest < order < self._orders[at]:
                self._renumber()
                return self._added(node, latest, direction, leaves=leaves)
        place = Place(node, order, direction, leaves=leaves)
        self._orders.insert(at, order)
        self._all.insert(at, place)
        return place

    def _renumber(self) -> None:
        """Makes room for numbers between those of any two places."""
        self._orders = [float(number) for number in range(1, len(self._all) + 1)]
        for place, order in zip(self._all, self._orders, strict=True):
            place.order = order

    def _score(self, place: Place, sources: list[Source]) -> int:
        """How many operands the place has already, a word of the key being as good as another."""
        total = 0
        for operand, source in zip(place.operands, sources, strict=True):
            if self._is_outside(source):
                total += any(self._is_outside(other) for other in operand.values())
            else:
                total += _IN_COMMON * (source in operand.values())
        return total

    def _is_outside(self, source: Source) -> bool:
        return isinstance(source, Signal) and source not in self._own

    # -- signals ------------------------------------------------------------------------------------

    def signal(self, sources: dict[int, Source]) -> Signal:
        """What comes of sources by turn: the one that they all are, or a multiplexer."""
        signals = {turn: self._of(source) for turn, source in sources.items()}
        different = list(dict.fromkeys(signals.values()))
        if len(different) == 1:
            return different[0]
        choice = tuple(different.index(signals[t]) if t in signals else None for t in range(self.turns))
        key = (choice, *different)
        if key not in self._muxes:
            self._muxes[key] = self._mux(choice, different)
        return self._muxes[key]

    def _of(self, source: Source) -> Signal:
        if isinstance(source, Signal):
            return source
        if source not in self._signals:
            for place in self._all:
                if place not in self._signals:
                    inputs = [self.signal(operand) for operand in place.operands]
                    self._signals[place] = Signal(
                        place.op, inputs, place.width, place.attr, place.name, place.line
                    )
        return self._signals[source]

    def _mux(self, choice: Sequence[int | None], signals: Sequence[Signal]) -> Signal:
        """A multiplexer. Its select is the number of the choice: of its bits those that are bits of the turn,
        too, are taken from there, others from registers that were written with the turn."""
        bits = [self._bit(_index(choice, bit)) for bit in range((len(signals) - 1).bit_length())]
        select = bits[0] if len(bits) == 1 else Signal(Op.JOIN, bits, len(bits))
        numbers = tuple(k if k < len(signals) else None for k in range(1 << len(bits)))
        return Signal(Part.MUX, (select, *signals), signals[0].width, numbers)

    def _bit(self, values: dict[int, int]) -> Signal:
        for place in range(self.turn.width):
            if all(turn >> place & 1 == value for turn, value in values.items()):
                return Signal(Op.SLICE, (self.turn,), 1, place) if self.turn.width > 1 else self.turn
        ones = frozenset(turn for turn, value in values.items() if value)
        if ones not in self._flags:
            self._flags[ones] = Signal(Part.FLAG, (self.turn,), 1, Flag(ones))
        return self._flags[ones]


def _orders(op: Op, sources: list[Source]) -> list[list[Source]]:
    return [sources, sources[::-1]] if op in COMMUTATIVE else [sources]


def _index(choice: Sequence[int | None], bit: int) -> dict[int, int]:
    """A bit of the choice's number, for every turn that chooses."""
    return {turn: value >> bit & 1 for turn, value in enumerate(choice) if value is not None}
