"""Packing: the same bitwise operation on all parts of a word becomes one operation on the word.

A definition on bytes XORs sixteen key bytes; this pass makes that four XORs of words, with the key
bytes joined (and, being of the key alone, joined once in the key schedule).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, operands
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.analysis import KeyOnly, left_to_key_schedule
from finalist.passes.simplify import simplify


def run(program: Program) -> Program:
    """Both graphs with equal operations on all parts of a word as one on the word."""
    return program.with_graphs(packed(program.expand), _packed_kernel(program))


def to_the_end(program: Program) -> Program:
    """Both graphs packed until nothing more comes of it: words that have been packed lead to others."""
    size = None
    while size != len(program.expand.body):
        size = len(program.expand.body)
        program = run(program)
    return program


def _packed_kernel(program: Program) -> Graph:
    """Where no word of the key is joined beforehand it depends on the cipher whether those are worth it."""
    kernel = packed(program.kernel)
    if not program.computed:
        return kernel
    return min(kernel, packed(program.kernel, left_to_key_schedule(program)), key=_cost)


def _cost(graph: Graph) -> int:
    """Shifts, masks and other operations on words that a processor takes for the graph."""
    return sum(2 * len(node.inputs) - 2 if node.op is Op.JOIN else 1 for node in graph.body)


@dataclass(eq=False)
class Bundle:
    """Nodes that are, lowest first, all parts of one word.

    Either slices of ``word``, or each the XOR of the parent bundle's part with one of ``others``.
    """

    parts: tuple[Node, ...]
    word: Node | None = None
    parent: Bundle | None = None
    others: tuple[Node, ...] = ()
    packed: Node | None = field(default=None)


def packed(graph: Graph, key_only: KeyOnly | None = None) -> Graph:
    """XORs with all parts of a word, and words joined from XORs with the key, as XORs of words.

    ``key_only``: what is joined in the key schedule, and so at no cost.
    """
    key_only = key_only or KeyOnly()
    member = _derived_bundles(graph, key_only)
    if not member and not any(node.op is Op.JOIN for node in graph.body):
        return graph

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node in member:
            bundle = member[node]
            whole = _whole(rewriter, bundle)
            return rewriter.builder.slice(whole, bundle.parts.index(node) * node.width, node.width)
        if node.op is Op.JOIN:
            return _split_join(rewriter.builder, inputs, key_only)
        return None

    return rewrite(graph, Builder(simplify), visit)


# -- finding bundles --------------------------------------------------------------------------------


def _derived_bundles(graph: Graph, key_only: KeyOnly) -> dict[Node, Bundle]:
    """The XORs that can be packed, each with its bundle; in program order, so that chains are found."""
    bundle_of = _slices(graph, key_only)
    derived: dict[Node, Bundle] = {}
    slots: dict[Bundle, dict[int, tuple[Node, Node]]] = {}
    for node in graph.body:
        if node.op is not Op.XOR:
            continue
        a, b = node.inputs
        for part, other in ((a, b), (b, a)):
            parent = bundle_of.get(part)
            if parent is None or node in derived:
                continue
            slot = slots.setdefault(parent, {})
            slot.setdefault(parent.parts.index(part), (node, other))
            if len(slot) == len(parent.parts):
                _complete(parent, slots.pop(parent), bundle_of, derived)
    return derived


def _complete(
    parent: Bundle,
    slot: dict[int, tuple[Node, Node]],
    bundle_of: dict[Node, Bundle],
    derived: dict[Node, Bundle],
) -> None:
    parts = tuple(slot[place][0] for place in range(len(slot)))
    others = tuple(slot[place][1] for place in range(len(slot)))
    fresh = len(set(parts)) == len(parts) and not any(part in derived for part in parts)
    if fresh and not _depends(others, set(parts), derived):
        made = Bundle(parts, parent=parent, others=others)
        bundle_of.update(dict.fromkeys(parts, made))
        derived.update(dict.fromkeys(parts, made))


def _depends(nodes: Sequence[Node], targets: set[Node], derived: dict[Node, Bundle]) -> bool:
    """Whether any of the nodes needs one of the targets, a packed part needing all that its bundle does."""
    # Operands are made before their users; only what is as old as any packed part may need newer nodes.
    oldest = min(map(attrgetter("serial"), (*targets, *derived)))
    stack, seen = list(nodes), set()
    while stack:
        node = stack.pop()
        if node in targets:
            return True
        if node.serial >= oldest and node not in seen:
            seen.add(node)
            stack.extend(operands(node))
            bundle = derived.get(node)
            if bundle is not None and bundle.parent is not None:
                stack.extend((*bundle.others, *bundle.parent.parts))
    return False


def _slices(graph: Graph, key_only: KeyOnly) -> dict[Node, Bundle]:
    """Slices that cover a word, other than one of the key: what meets those would have to be joined."""
    by_word: dict[tuple[Node, int], dict[int, Node]] = {}
    for node in graph.body:
        if node.op is Op.SLICE and node.attr % node.width == 0 and not key_only(node):
            by_word.setdefault((node.inputs[0], node.width), {})[node.attr] = node
    found = {}
    for (word, width), slices in by_word.items():
        if len(slices) * width == word.width:
            bundle = Bundle(tuple(slices[low] for low in sorted(slices)), word=word)
            found.update(dict.fromkeys(bundle.parts, bundle))
    return found


# -- packing ----------------------------------------------------------------------------------------


def _whole(rewriter: Rewriter, bundle: Bundle) -> Node:
    """The word whose parts the bundle is, in the new graph."""
    if bundle.packed is None:
        if bundle.parent is None:
            assert bundle.word is not None
            bundle.packed = rewriter.get(bundle.word)
        else:
            make = rewriter.builder
            joined = make.make(Op.JOIN, rewriter.all(bundle.others))
            bundle.packed = make.make(Op.XOR, (_whole(rewriter, bundle.parent), joined))
    return bundle.packed


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
