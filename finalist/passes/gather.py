"""Gathering: parts of one word that each meet a part of the key meet it together, as one word.

DES's expansion hands six bits of the right half to each S-box, XORed with six bits of the round key. The
groups overlap their neighbours, but every second one does not: rotated so that none is cut in two, the
word takes two XORs with words that the key schedule puts together, in place of eight.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.analysis import KeyOnly
from finalist.passes.simplify import simplify


def run(program: Program) -> Program:
    """The program with its kernel's key additions gathered, where the key's parts are joined beforehand."""
    if program.computed:
        return program
    return program.with_graphs(program.expand, gathered(program.kernel))


@dataclass(frozen=True)
class Part:
    """An XOR of ``width`` consecutive bits of a word, from ``start`` on, with a word of the key."""

    node: Node
    start: int
    width: int
    key: Node


@dataclass(eq=False)
class Group:
    """Parts of one word that do not overlap, in order of their places from the first one's on."""

    word: Node
    parts: list[Part]
    made: Node | None = None

    def place(self, part: Part) -> int:
        """Where the part begins once the word is rotated so that the first begins at bit 0."""
        return (part.start - self.parts[0].start) % self.word.width

    def takes(self, part: Part) -> bool:
        """Whether the part lies behind all others, and ends before the first begins again."""
        last, place = self.parts[-1], self.place(part)
        return self.place(last) + last.width <= place and place + part.width <= self.word.width


def gathered(graph: Graph) -> Graph:
    """Such XORs as slices of one XOR of whole words, where two or more can share it."""
    groups = _groups(graph)
    if not groups:
        return graph

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        group = groups.get(node)
        if group is None:
            return None
        if group.made is None:
            group.made = _whole(rewriter, group)
        part = next(part for part in group.parts if part.node is node)
        return rewriter.builder.slice(group.made, group.place(part), part.width)

    return rewrite(graph, Builder(simplify), visit)


def _groups(graph: Graph) -> dict[Node, Group]:
    by_word: dict[Node, list[Part]] = {}
    for word, part in _parts(graph):
        by_word.setdefault(word, []).append(part)
    found: dict[Node, Group] = {}
    for word, parts in by_word.items():
        for group in _without_overlap(word, parts):
            if len(group.parts) > 1:
                found.update((part.node, group) for part in group.parts)
    return found


def _parts(graph: Graph) -> Iterator[tuple[Node, Part]]:
    """The XORs that could be gathered, each with the word that it takes its bits from."""
    key_only = KeyOnly()
    found = []
    for node in graph.body:
        for bits, key in (node.inputs, node.inputs[::-1]) if node.op is Op.XOR else ():
            if key_only(key) and bits.op is Op.SLICE and not key_only(bits):
                found.append((bits, node, key))
                break
    rotated = {bits.inputs[0].inputs[0] for bits, _, _ in found if _is_rotated(bits.inputs[0])}
    halves = {half.inputs[0]: half for half in rotated if half.op is Op.SLICE}
    for bits, node, key in found:
        word, start = _origin(bits, halves)
        yield word, Part(node, start, node.width, key)


def _is_rotated(word: Node) -> bool:
    return word.op is Op.ROL and word.inputs[1].op is Op.CONST


def _origin(bits: Node, halves: dict[Node, Node]) -> tuple[Node, int]:
    """The word that a slice is of, before any rotation, and where in it the slice begins.

    ``halves``: parts of words that are rotated as words of their own; a slice within one is a slice of it.
    """
    (word,), start = bits.inputs, bits.attr
    if _is_rotated(word):
        return word.inputs[0], (start - word.inputs[1].attr) % word.width
    half = halves.get(word)
    if half is not None and half.attr <= start and start + bits.width <= half.attr + half.width:
        return half, start - half.attr
    return word, start


def _without_overlap(word: Node, parts: list[Part]) -> list[Group]:
    groups: list[Group] = []
    for part in sorted(parts, key=lambda part: part.start):
        fitting = next((group for group in groups if group.takes(part)), None)
        if fitting is None:
            groups.append(Group(word, [part]))
        else:
            fitting.parts.append(part)
    return groups


def _whole(rewriter: Rewriter, group: Group) -> Node:
    """The word, rotated, XOR the parts of the key at their places."""
    make, n = rewriter.builder, group.word.width
    joined: list[Node] = []
    filled = 0
    for part in group.parts:
        gap = group.place(part) - filled
        joined += [make.const(0, gap)] if gap else []
        joined.append(rewriter.get(part.key))
        filled = group.place(part) + part.width
    joined += [make.const(0, n - filled)] if filled < n else []
    amount = make.const(n - group.parts[0].start, 8)
    word = make.make(Op.ROL, (rewriter.get(group.word), amount))
    return make.make(Op.XOR, (word, make.make(Op.JOIN, joined)))
