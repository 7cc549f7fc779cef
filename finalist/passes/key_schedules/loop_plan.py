"""What a loop of equal iterations carries and stores; whether it can be written, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from finalist.ir.graph import Node
from finalist.ir.types import WordType
from finalist.passes.key_schedules.straight import Straight
from finalist.passes.repetition.iterations import Iterations
from finalist.passes.repetition.operands import FARTHEST, Made, Series


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
