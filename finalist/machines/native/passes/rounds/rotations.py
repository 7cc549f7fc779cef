"""Words kept rotated, where most that is made of them is a rotation.

A round function that reads its word rotated does the same rotation in each round. The sum of words, each
rotated alike, is their sum rotated; and a table's entries can be rotated beforehand. So all words that are
added up with one another are kept as the round function wants them, and turned back where something else
takes them (the halves of DES are kept so in all quick programs of it).
"""

from __future__ import annotations

from collections import Counter

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData, operands
from finalist.ir.ops import CONTROL, Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes.simplify import simplify

#: Bits of the words that processors rotate.
_WIDTHS = (32, 64)


def with_rotated_words(graph: Graph) -> Graph:
    """The graph with fewer rotations, or as it was."""
    if any(node.op in CONTROL for node in graph.body):
        return graph
    amounts: dict[Node, int] = {}
    turning = {node.inputs[0] for node in graph.body if rotation(node)}
    for group in sums_of_words(graph):
        amount = 0 if group.isdisjoint(turning) else _best(graph, group)
        amounts |= dict.fromkeys(group, amount) if amount else {}
    return _rotated(graph, amounts) if amounts else graph


# -- which, and by how much ----------------------------------------------------------------------------


def sums_of_words(graph: Graph) -> list[set[Node]]:
    """Words that are added up with one another, or to entries of the same tables: sums, and such entries."""
    homes: dict[Node, set[Node]] = {}
    of_table: dict[TableData, Node] = {}
    for node in graph.body:
        if node.op is Op.XOR and node.width in _WIDTHS:
            added = [child for child in node.inputs if child.op in (Op.XOR, Op.LOOKUP)]
            added += [of_table.setdefault(child.attr, child) for child in added if child.op is Op.LOOKUP]
            groups = {id(group): group for group in (homes.get(child, {child}) for child in added)}
            largest = max(groups.values(), key=len, default=set[Node]())
            largest.update({node}, *(group for group in groups.values() if group is not largest))
            homes.update(dict.fromkeys(largest if len(groups) > 1 else {node}, largest))
            homes.update(dict.fromkeys(added, largest))
    return list({id(group): group for group in homes.values()}.values())


def _best(graph: Graph, group: set[Node]) -> int:
    """By how many bits to the left its words are best kept rotated; 0 for not at all."""
    tables = {node.attr for node in group if node.op is Op.LOOKUP}
    amounts: Counter[int] = Counter()
    turned: set[Node] = {node for node in graph.results if node in group}
    for node in graph.body:
        if node.op is Op.LOOKUP and node not in group and node.attr in tables:
            return 0  # a table that is wanted as it is, too
        if node in group and node.op is Op.XOR:
            turned |= {child for child in node.inputs if child not in group}
        if node not in group:
            amount = rotation(node)
            if amount and node.inputs[0] in group:
                amounts[amount] += 1
            else:
                turned |= {child for child in operands(node) if child in group}
    best, times = max(amounts.items(), key=lambda item: item[1], default=(0, 0))
    return best if times > len(turned) else 0


def rotation(node: Node) -> int:
    """By how many bits to the left a node rotates; 0 for what is no such rotation."""
    if node.op not in (Op.ROL, Op.ROR) or node.inputs[1].op is not Op.CONST:
        return 0
    amount: int = node.inputs[1].attr
    return (amount if node.op is Op.ROL else -amount) % node.width


# -- rotated ---------------------------------------------------------------------------------------------


def _rotated(graph: Graph, amounts: dict[Node, int]) -> Graph:
    make = Builder(simplify)
    kept: dict[Node, Node] = {}

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        amount, turned = amounts.get(node), rotation(node)
        if turned and node.inputs[0] in kept:
            return _turned(make, kept[node.inputs[0]], turned - amounts[node.inputs[0]])
        if amount is None:
            return None
        if node.op is Op.LOOKUP:
            kept[node] = make.make(Op.LOOKUP, inputs, _rotated_table(node.attr, amount))
        else:
            kept[node] = make.make(Op.XOR, [word(rewriter, child, amount) for child in node.inputs])
        return _turned(make, kept[node], -amount)

    def word(rewriter: Rewriter, child: Node, amount: int) -> Node:
        return kept[child] if child in kept else _turned(make, rewriter.get(child), amount)

    return rewrite(graph, make, visit)


def _turned(make: Builder, word: Node, amount: int) -> Node:
    by = amount % word.width
    return make.make(Op.ROL, (word, make.const(by, 8))) if by else word


def _rotated_table(table: TableData, amount: int) -> TableData:
    n = table.width
    values = tuple((value << amount | value >> n - amount) & (1 << n) - 1 for value in table.values)
    return TableData(values, n, table.name, table.note)
