"""What a loop of equal turns hands on, keeps and stores; whether it can be written, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from finalist.ir.graph import Node, WordType
from finalist.passes.key_schedules.straight import Straight
from finalist.passes.key_schedules.turns import Inside, Series, Turns
from finalist.passes.rounds.roll import OLDEST


@dataclass
class LoopPlan:
    """A loop of ``turns``.

    ``carried``: for a place of a turn, through how many turns its value is handed on; ``kept``: the places
    whose values of all turns stand in an array, after so many from before the first turn. ``stores``: the
    full arrays that the values of a place go into, those of all turns alike, with the place for each turn.
    ``needed``: turn and place of what is needed after the loop.
    """

    straight: Straight
    turns: Turns
    carried: dict[int, int] = field(default_factory=dict)
    kept: dict[int, int] = field(default_factory=dict)
    stores: dict[int, list[tuple[Node, list[int]]]] = field(default_factory=dict)
    needed: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._place_stores()
        self._find_needed()
        for operand in (one for row in self.turns.operands for one in row):
            if isinstance(operand, Inside) and operand.age:
                self._hand_on(operand.place, operand.age)
        for turn, place in self.needed:
            if self.turns.count - turn > self.carried.get(place, 1):
                self.kept.setdefault(place, 0)
            elif place not in self.kept:
                self.carried.setdefault(place, 1)

    @property
    def possible(self) -> bool:
        """Whether all that has to stand in arrays are words."""
        return all(isinstance(self.turns.template[place].type, WordType) for place in self.kept)

    @cached_property
    def saved(self) -> int:
        """Operations that need not be written, those that the loop itself costs taken off."""
        operands = [operand for row in self.turns.operands for operand in row]
        own = {one.nodes for one in operands if isinstance(one, Series) and not one.constant}
        written = len(self.turns.template) + sum(map(len, self.stores.values()))
        arrays = len(self.kept) + sum(self.kept.values()) + sum(map(len, own))
        read = sum(place in self.kept for _, place in self.needed)
        return (self.turns.count - 1) * written - sum(self.carried.values()) - arrays - read

    def _hand_on(self, place: int, age: int) -> None:
        """Let a value be there ``age`` turns later, in the first turns one from before."""
        where = self.carried if age <= OLDEST else self.kept
        where[place] = max(age, where.get(place, 0))

    def _place_stores(self) -> None:
        stored = self.straight.stored
        for place in range(len(self.turns.template)):
            where = [stored.get(nodes[place], ()) for nodes in self.turns.nodes]
            arrays = [[full for full, _ in turn] for turn in where]
            if arrays[0] and all(turn == arrays[0] for turn in arrays):
                at = [[turn[k][1] for turn in where] for k in range(len(arrays[0]))]
                self.stores[place] = list(zip(arrays[0], at, strict=True))

    def _find_needed(self) -> None:
        own = {node for nodes in self.turns.nodes for node in nodes}
        for turn, nodes in enumerate(self.turns.nodes):
            for place, node in enumerate(nodes):
                later = any(user not in own for user in self.straight.users.get(node, ()))
                left = node in self.straight.stored and place not in self.stores
                if later or left or node in self.straight.results:
                    self.needed.append((turn, place))
