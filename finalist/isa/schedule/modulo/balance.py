"""Unit load of a loop's body, balanced: instructions of the units that bind, by others on units with room.

``ROTL x, 5`` on a multiplier -> ``SHL x, 5`` to a pair of registers and ``ADD`` of both, as long as the
resource bound of the loop falls by it. The other instructions are the cheapest cover of the same term on a
processor that lacks those of the binding units, so that any instruction with a meaning can be replaced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations

from finalist.errors import GraphError
from finalist.isa.code import Block, Code, Ins
from finalist.isa.lower import merged
from finalist.isa.lower.select import Selector
from finalist.isa.schedule.modulo.body import body_of
from finalist.isa.target.meaning import Term, constant, register
from finalist.isa.target.processor import Processor

#: Units, one of which an instruction needs.
Kind = frozenset[str]
#: An instruction and its numbers: all of one class are replaced in one way.
Class = tuple[object, ...]


def balanced(body: Sequence[Ins], processor: Processor, fresh: Callable[[], int]) -> list[Ins]:
    """The body with the lowest resource bound that replacing single instructions gives.

    ``fresh``: makes the number of a further word. Of several alike, as many as needed are replaced, spread
    evenly over the body.
    """
    return _Balance(body, processor, fresh).run()


def binding(body: Sequence[Ins], processor: Processor) -> Kind:
    """The units that bind a body: none of its loops is shorter than what they take."""
    one = _Balance(body, processor, int)
    return one.bound(one.load)[1]


class _NoCoverError(Exception):
    """A cover needs a constant in a register, which would have to be held through the loop."""


@dataclass
class _Members:
    """Instructions of a class, by index; how many of them are ``replaced``, ``without`` which units, and by
    such units on what kinds the others are, None where there are none."""

    indices: list[int]
    kind: Kind
    replaced: int = 0
    without: Kind = frozenset()
    others: dict[Kind, Counter[Kind] | None] = field(default_factory=dict)

    def is_replaced(self, position: int) -> bool:
        """Whether the member at a position is among those replaced, which are spread evenly."""
        count, all_of_them = self.replaced, len(self.indices)
        return (position + 1) * count // all_of_them > position * count // all_of_them


class _Balance:
    def __init__(self, body: Sequence[Ins], processor: Processor, fresh: Callable[[], int]) -> None:
        self.body, self.processor, self.fresh = body, processor, fresh
        kinds = self._kinds(body)
        self.load = Counter(kinds)
        self._processors: dict[Kind, Processor] = {}
        self.classes: dict[Class, _Members] = {}
        for index, (ins, kind) in enumerate(zip(body, kinds, strict=True)):
            if _is_replaceable(ins):
                self.classes.setdefault(_class(ins), _Members([], kind)).indices.append(index)

    def run(self) -> list[Ins]:
        while self._step():
            pass
        chosen = {
            index: members.without
            for members in self.classes.values()
            for position, index in enumerate(members.indices)
            if members.is_replaced(position)
        }
        found: list[Ins] = []
        for index, ins in enumerate(self.body):
            found += self._cover(ins, chosen[index]) if index in chosen else [ins]
        return found

    def _step(self) -> bool:
        """Replaces one instruction; whether that lowers the bound."""
        bound, binding = self.bound(self.load)
        best = None
        for members in self.classes.values():
            others = self._others(members, binding)
            if others is not None:
                load = self.load - Counter([members.kind]) + others
                lower = self.bound(load)[0]
                if lower < bound and (best is None or lower < best[0]):
                    best = lower, members, load
        if best is None:
            return False
        _, members, self.load = best
        members.replaced += 1
        return True

    def _others(self, members: _Members, binding: Kind) -> Counter[Kind] | None:
        """On what kinds of units the instructions are that stand for one of a class; None without any."""
        if members.replaced == len(members.indices) or not members.kind <= binding:
            return None
        if not members.replaced:
            members.without = binding
        if members.without not in members.others:
            members.others[members.without] = self._kinds_without(members)
        return members.others[members.without]

    def _kinds_without(self, members: _Members) -> Counter[Kind] | None:
        try:
            return Counter(self._kinds(self._cover(self.body[members.indices[0]], members.without)))
        except (GraphError, _NoCoverError):
            return None

    def bound(self, load: Counter[Kind]) -> tuple[Fraction, Kind]:
        """The resource bound, not rounded, and the units that bind."""
        kinds = [kind for kind in load if kind]
        unions = {frozenset[str]().union(*some) for count in (1, 2, 3) for some in combinations(kinds, count)}
        loads = ((self._share(union, load), union) for union in sorted(unions, key=sorted))
        return max(loads, key=lambda one: (one[0], -len(one[1])), default=(Fraction(0), frozenset()))

    def _share(self, units: Kind, load: Counter[Kind]) -> Fraction:
        inside = sum(count for kind, count in load.items() if kind and kind <= units)
        return Fraction(inside, sum(self.processor.unit_count(unit) for unit in units))

    def _kinds(self, body: Sequence[Ins]) -> list[Kind]:
        problem = body_of(body, self.processor, dict.fromkeys(self.processor.files, 1)).problem
        return [
            frozenset(choice.resources[0] for choice in operation.choices if choice.resources)
            for operation in problem.operations
        ]

    def _cover(self, ins: Ins, without: Kind) -> list[Ins]:
        """Other instructions for one. Raises GraphError, _NoCoverError where there are none."""
        (effect,) = ins.instruction.effects(dict(_values(ins)))
        found: list[Ins] = []
        if without not in self._processors:
            self._processors[without] = _lacking(self.processor, without)
        selector = Selector(self._processors[without], self.fresh, found.append, _refuse)
        selector.value(effect.value, ins.written[0])
        block = Block("", found)
        for one in found:
            one.phase, one.note = ins.phase, ins.note
        merged.merge(Code([block]), self.processor, set(), set())
        return block.body


def _is_replaceable(ins: Ins) -> bool:
    """Whether an instruction makes one word of others, and nothing else."""
    one = ins.instruction
    plain = one.flow is None and not one.effect and ins.condition is None
    return plain and len(one.written) == 1 and not ins.in_place


def _class(ins: Ins) -> Class:
    numbers = (x for x, o in zip(ins.operands, ins.instruction.operands, strict=True) if o.kind == "imm")
    return ins.instruction, *numbers


def _values(ins: Ins) -> Iterator[tuple[str, Term | int]]:
    for o, x in zip(ins.instruction.operands, ins.operands, strict=True):
        if o.read:
            yield o.name, register(int(x))
        elif o.kind == "imm":
            yield o.name, int(x) if o.values else constant(int(x))


def _refuse(value: int) -> int:
    raise _NoCoverError


def _lacking(processor: Processor, units: Kind) -> Processor:
    """The processor without instructions that can be issued on these units alone."""
    others = (one for one in processor.instructions if {way.unit for way in one.ways} - units)
    return replace(processor, instructions=tuple(others))
