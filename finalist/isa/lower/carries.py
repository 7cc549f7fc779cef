"""Sums of several words whose carries stay in the processor's carry.

A sum of limbs has the carry of each as a comparison (`finalist.passes.legalise.arithmetic`):

    part = x + y; whole = part + carry; carry' = (part < y) | (whole < carry)

and so have differences. Such limbs, one after the other, are a chain; with them go two results that one
instruction makes, such as the halves of a product.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain as one_after_another

from finalist.ir.graph import Node, Region, operands, reads_parameter, users_of
from finalist.ir.ops import CONTROL, Op
from finalist.isa.lower.shifted import Shifts, shifts
from finalist.isa.lower.transposed import Transposed, transposed

_SUMS = frozenset({Op.ADD, Op.SUB})


@dataclass(slots=True)
class Limb:
    """One word of a sum: ``x`` and ``y`` (None for 0) and the carry in ``result``; the carry that it leaves
    is ``out``, if it has one. ``inner``: nodes that only serve that."""

    op: Op
    x: Node
    y: Node | None
    result: Node
    out: Node | None = None
    inner: list[Node] = field(default_factory=list)

    @property
    def inputs(self) -> list[Node]:
        """Its operands."""
        return [self.x] if self.y is None else [self.x, self.y]


@dataclass(slots=True)
class Chain:
    """Limbs, the lowest first; ``last``: the carry that the last one leaves, if anybody wants it."""

    limbs: list[Limb]
    last: Node | None = None

    @property
    def members(self) -> list[Node]:
        """All nodes that the limbs make."""
        found = [node for limb in self.limbs for node in (limb.result, limb.out, *limb.inner)]
        return [node for node in found if node is not None]

    @property
    def results(self) -> list[Node]:
        """What others take."""
        return [limb.result for limb in self.limbs] + ([] if self.last is None else [self.last])

    @property
    def inputs(self) -> list[Node]:
        """The operands of all limbs."""
        return [node for limb in self.limbs for node in limb.inputs]


@dataclass(slots=True)
class Pair:
    """Two results that one instruction makes of the same operands."""

    first: Node
    second: Node

    @property
    def members(self) -> list[Node]:
        """Both."""
        return [self.first, self.second]

    @property
    def results(self) -> list[Node]:
        """Both."""
        return self.members

    @property
    def inputs(self) -> list[Node]:
        """Their operands."""
        return list(self.first.inputs)


Group = Chain | Pair | Shifts | Transposed


def groups(
    region: Region, width: int, pairs: Iterable[tuple[Op, Op]], columns: bool = False
) -> dict[Node, Group]:
    """The chains and pairs of a region, by all of their members. ``width``: bits of a limb; ``columns``:
    whether words of one bit of each of others are made together."""
    finder = _Finder(region, width)
    found: dict[Node, Group] = {}
    for chain in finder.chains():
        found.update(dict.fromkeys(chain.members, chain))
    columns_ = transposed(region, width) if columns else ()
    others: Iterable[Shifts | Transposed] = one_after_another(shifts(region, width), columns_)
    for group in others:
        alone = not any(node in found for node in group.members)
        if alone and finder.ahead(group.members, group.inputs):
            finder.settle(group)
            found.update(dict.fromkeys(group.members, group))
    for pair in _pairs(region, width, pairs):
        if finder.ahead(pair.members, pair.inputs):
            finder.settle(pair)
            found.update(dict.fromkeys(pair.members, pair))
    return found


def _pairs(region: Region, width: int, pairs: Iterable[tuple[Op, Op]]) -> Iterator[Pair]:
    by_inputs: dict[tuple[Op, frozenset[Node]], Node] = {}
    for node in region.body:
        if node.op in (Op.MUL, Op.MULHI) and node.width == width:
            by_inputs.setdefault((node.op, frozenset(node.inputs)), node)
    for first, second in pairs:
        for (op, inputs), node in by_inputs.items():
            other = by_inputs.get((second, inputs))
            if op is first and other is not None:
                yield Pair(node, other)


class _Finder:
    def __init__(self, region: Region, width: int) -> None:
        self.region, self.width = region, width
        self.at = {node: place for place, node in enumerate(region.body)}
        self.users = users_of(region.body, lambda node: node.inputs)
        self.live_out = set(region.results)
        for node in region.body:
            if node.op in CONTROL or node.op is Op.APPLY:
                self.live_out.update(operands(node))

    def chains(self) -> Iterator[Chain]:
        """All of at least two limbs; none has a node of another."""
        taken: set[Node] = set()
        for node in self.region.body:
            if node.op not in _SUMS or node.width != self.width or node in taken:
                continue
            first = self._first(node)
            if first is None or taken & {first.out, *first.inner}:
                continue
            chain = self._grown(Chain([first]), taken)
            if len(chain.limbs) > 1:
                taken.update(chain.members)
                self.settle(chain)
                yield chain

    def _grown(self, chain: Chain, taken: set[Node]) -> Chain:
        """With the limbs that take the carry."""
        while True:
            out = chain.limbs[-1].out
            if out is None:
                return chain
            limb = self._next(out, chain.limbs[0].op)
            whole = None if limb is None else Chain([*chain.limbs, limb])
            if whole is None or taken & set(whole.members) or not self.ahead(whole.members, whole.inputs):
                chain.last = out
                return chain
            chain = whole

    # -- limbs ----------------------------------------------------------------------------------

    def _first(self, node: Node) -> Limb | None:
        """A sum without a carry in it, and the comparison that is its carry."""
        x, y = node.inputs
        over = self._over(node, x, y)
        if over is None or _is_carry(x) or _is_carry(y):
            return None
        return Limb(node.op, x, y, node, over)

    def _over(self, total: Node, x: Node, y: Node) -> Node | None:
        """The carry of a sum, or the borrow of a difference."""
        for user in self.users.get(total if total.op is Op.ADD else x, ()):
            if user.op is Op.LT and _carries(user, total, x, y):
                return user
        return None

    def _next(self, carry: Node, op: Op) -> Limb | None:
        """The limb that takes a carry, if nothing else does."""
        extended = self._only_user(carry)
        if extended is None or extended.op is not Op.EXTEND or extended.width != self.width:
            return None
        for whole in self.users.get(extended, ()):
            if whole.op is op and whole.width == self.width and extended in whole.inputs:
                limb = self._with_carry(whole, extended)
                if limb is not None and set(self.users[extended]) <= {whole, *limb.inner, limb.out}:
                    return limb
        return None

    def _with_carry(self, whole: Node, carry: Node) -> Limb | None:
        part, other = whole.inputs
        if other is not carry:
            part, other = other, part
        if other is not carry or part is carry or (whole.op is Op.SUB and whole.inputs[1] is not carry):
            return None
        again = self._over(whole, part, carry)
        plain = Limb(whole.op, part, None, whole, again, [carry])
        if (
            part.op is not whole.op
            or part.width != self.width
            or part in self.live_out
            or part not in self.at
        ):
            return plain
        if again is None:
            return self._top(whole, part, carry) or plain
        x, y = part.inputs
        over = self._over(part, x, y)
        both = None if over is None else self._only_user(over)
        if over is None or both is None or both is not self._only_user(again) or both.op is not Op.OR:
            return plain
        if not set(self.users[part]) <= {whole, over, again}:
            return plain
        return Limb(whole.op, x, y, whole, both, [carry, part, over, again])

    def _top(self, whole: Node, part: Node, carry: Node) -> Limb | None:
        """The last limb, whose carry nobody takes."""
        if self.users[part] != [whole] or part in self.live_out:
            return None
        x, y = part.inputs
        return Limb(whole.op, x, y, whole, None, [carry, part])

    def _only_user(self, node: Node) -> Node | None:
        users = self.users.get(node, [])
        return users[0] if len(users) == 1 and node not in self.live_out else None

    # -- places ---------------------------------------------------------------------------------

    def ahead(self, members: Sequence[Node], inputs: Sequence[Node]) -> bool:
        """Whether the operands are there where the first member stands, or can be made ahead of it."""
        start = min(self.at[node] for node in members)
        return all(self._early(node, start, frozenset(members)) for node in inputs)

    def settle(self, group: Group) -> None:
        """From now on its members, and what is made ahead for it, stand where its first member does."""
        start = min(self.at[node] for node in group.members)
        self.at.update(dict.fromkeys(group.members, start))
        for node in group.inputs:
            self._move(node, start)

    def _move(self, node: Node, start: int) -> None:
        if self.at.get(node, start) > start:
            self.at[node] = start
            for child in node.inputs:
                self._move(child, start)

    def _early(self, node: Node, start: int, members: frozenset[Node]) -> bool:
        place = self.at.get(node)
        if place is None or (place < start and node not in members):
            return True
        if node in members or not (node.op in _PURE or reads_parameter(node)):
            return False
        return all(self._early(child, start, members) for child in node.inputs)


#: What may be computed ahead of its place: neither memory nor control flow matters to it.
_PURE = frozenset(
    {Op.AND, Op.OR, Op.XOR, Op.NOT, Op.ADD, Op.SUB, Op.MUL, Op.MULHI, Op.SHL, Op.SHR, Op.ROL, Op.ROR}
    | {Op.EQ, Op.LT, Op.SELECT, Op.SLICE, Op.EXTEND, Op.LOOKUP}
)


def _is_carry(node: Node) -> bool:
    return node.op is Op.EXTEND and node.inputs[0].width == 1


def _carries(less: Node, total: Node, x: Node, y: Node) -> bool:
    """Whether a comparison says that a sum has passed its width, or a difference zero."""
    if total.op is Op.ADD:
        return less.inputs[0] is total and less.inputs[1] in (x, y)
    return less.inputs[0] is x and less.inputs[1] is y


def use_counts(group: Group) -> Mapping[Node, int]:
    """How often each operand is taken."""
    counts: dict[Node, int] = {}
    for node in group.inputs:
        counts[node] = counts.get(node, 0) + 1
    return counts
