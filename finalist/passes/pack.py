"""Packing: the same bitwise operation on all parts of a word becomes one operation on the word.

A definition on bytes XORs sixteen key bytes; this pass makes that four XORs of words, with the key
bytes joined (and, being of the key alone, joined once in the key schedule).
"""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.analysis import KeyOnly, depends
from finalist.passes.simplify import simplify

#: One group: the word, and for each of its parts, lowest first, the XOR that takes the part.
Group = tuple[Node, tuple[Node, ...]]


def run(program: Program) -> Program:
    """Both graphs packed."""
    return program.with_graphs(packed(program.expand), packed(program.kernel))


def packed(graph: Graph) -> Graph:
    """XORs with all parts of a word, and words joined from XORs with the key, as XORs of words."""
    member: dict[Node, Group] = {}
    for word, parts in _groups(graph):
        if not any(part in member for part in parts):
            member |= dict.fromkeys(parts, (word, parts))
    key_only = KeyOnly()

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node in member:
            return _pack(rewriter, node, *member[node])
        if node.op is Op.JOIN:
            return _split_join(rewriter.builder, inputs, key_only)
        return None

    return rewrite(graph, Builder(simplify), visit)


def _groups(graph: Graph) -> list[Group]:
    """The complete groups whose words to be joined do not need the group's own results."""
    slots: dict[tuple[Node, int], dict[int, Node]] = {}
    for node in graph.body:
        if node.op is Op.XOR:
            for child in node.inputs:
                if child.op is Op.SLICE and child.attr % child.width == 0:
                    slots.setdefault((child.inputs[0], child.width), {}).setdefault(child.attr, node)
    groups = []
    for (word, width), by_low in slots.items():
        parts = tuple(by_low[low] for low in sorted(by_low))
        if len(parts) * width == word.width and len(set(parts)) == len(parts):
            others = [_other(part, word) for part in parts]
            if not depends(others, set(parts)):
                groups.append((word, parts))
    return groups


def _other(part: Node, word: Node) -> Node:
    """The operand that is not the part of the word."""
    a, b = part.inputs
    return b if a.op is Op.SLICE and a.inputs[0] is word else a


def _pack(rewriter: Rewriter, node: Node, word: Node, parts: tuple[Node, ...]) -> Node:
    make = rewriter.builder
    others = make.make(Op.JOIN, rewriter.all(_other(part, word) for part in parts))
    whole = make.make(Op.XOR, (rewriter.get(word), others))
    return make.slice(whole, parts.index(node) * node.width, node.width)


def _split_join(make: Builder, parts: tuple[Node, ...], key_only: KeyOnly) -> Node | None:
    """A word joined from XORs with the key: the XOR of a word without and a word of the key."""
    if not all(part.op is Op.XOR for part in parts):
        return None
    keys = [next((c for c in part.inputs if key_only(c)), None) for part in parts]
    if any(key is None for key in keys):
        return None
    plain = [p.inputs[1] if p.inputs[0] is k else p.inputs[0] for p, k in zip(parts, keys, strict=True)]
    joined = make.make(Op.JOIN, [key for key in keys if key is not None])
    return make.make(Op.XOR, (make.make(Op.JOIN, plain), joined))
