"""Shifts and rotations by one bit of several words, whose bits go from word to word in the carry.

out = x << 1 | before >> 7,  next = y << 1 | x >> 7     ->     asl, rol, rol, ...
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from finalist.ir.graph import Node, Region, users_of
from finalist.ir.ops import Op


@dataclass(slots=True)
class Shifts:
    """``results``, each of the word at its place in ``words`` moved by one bit, ``left`` or right, with the
    bit that the word before has lost; that of the first is of ``before``, if it gets one."""

    left: bool
    words: list[Node]
    before: Node | None
    results: list[Node]
    inner: list[Node]

    @property
    def members(self) -> list[Node]:
        """All nodes that are made."""
        return [*self.results, *self.inner]

    @property
    def inputs(self) -> list[Node]:
        """The operands."""
        return self.words if self.before is None else [self.before, *self.words]


def shifts(region: Region, width: int) -> Iterator[Shifts]:
    """Those of a region of at least two words, none with a node of another."""
    users = users_of(region.body, lambda node: node.inputs)
    live_out = set(region.results)
    for left in (True, False):
        joints = dict(_joints(region, width, left, users, live_out))
        into = {before: node for node, (_, before, _) in joints.items()}
        taken: set[Node] = set()
        for first in joints:
            chain = _from(first, joints, into) if first not in taken else []
            if len(chain) > 1:
                taken.update(chain)
                yield Shifts(
                    left,
                    [joints[node][0] for node in chain],
                    joints[chain[0]][1],
                    chain,
                    [part for node in chain for part in joints[node][2]],
                )


Joint = tuple[Node, Node, tuple[Node, ...]]


def _joints(
    region: Region, width: int, left: bool, users: dict[Node, list[Node]], live_out: set[Node]
) -> Iterator[tuple[Node, Joint]]:
    """Words that are one moved by one bit, with a bit of another: which ones, and what only serves that."""
    here, there = (Op.SHL, Op.SHR) if left else (Op.SHR, Op.SHL)
    for node in region.body:
        if node.op not in (Op.OR, Op.XOR, Op.ADD) or node.width != width or len(node.inputs) != 2:
            continue
        for a, b in (node.inputs, node.inputs[::-1]):
            alone = all(len(users[part]) == 1 and part not in live_out for part in (a, b))
            if alone and _is_shift(a, here, 1) and _is_shift(b, there, width - 1):
                yield node, (a.inputs[0], b.inputs[0], (a, b))


def _is_shift(node: Node, op: Op, amount: int) -> bool:
    return node.op is op and node.inputs[1].op is Op.CONST and node.inputs[1].attr == amount


def _from(first: Node, joints: dict[Node, Joint], into: dict[Node, Node]) -> list[Node]:
    """A chain that a joint is in, from where it begins; of a ring from this joint."""
    results = {word: node for node, (word, _, _) in joints.items()}
    start, seen = first, {first}
    while (before := results.get(joints[start][1])) is not None and before not in seen:
        start = before
        seen.add(start)
    if results.get(joints[start][1]) is not None:
        start = first
    chain = [start]
    while (after := into.get(joints[chain[-1]][0])) is not None and after not in chain:
        chain.append(after)
    return chain
