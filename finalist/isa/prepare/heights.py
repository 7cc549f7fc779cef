"""Chains of one associative operation as trees in which what arrives last enters last.

``((t0 ^ t1) ^ t2) ^ key -> ((key ^ t0) ^ t1) ^ t2``, where ``t2`` is the lookup that can be issued last: the
critical path through the chain is one operation. (Tree-height reduction: J.-L. Baer, D. P. Bovet,
"Compilation of Arithmetic Expressions for Parallel Computations", IFIP 1968; two operands that arrive first
are combined first, as D. A. Huffman combines weights, 1952.)
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, operands, postorder
from finalist.ir.ops import Op
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.isa.target.processor import Processor
from finalist.passes.simplify import simplify

_ASSOCIATIVE = frozenset({Op.XOR, Op.ADD, Op.OR})
#: Reads of tables, whether they are fixed or depend on the key.
_LOOKUPS = frozenset({Op.LOOKUP, Op.LOAD})
#: Widths change without an instruction, constants are immediate operands.
_FREE = frozenset({Op.CONST, Op.PARAM, Op.SLICE, Op.EXTEND})


@dataclass(frozen=True, slots=True)
class Latencies:
    """Cycles from operands to results: of ``lookups``, from their index, of which ``ports`` are issued a
    cycle, and of ``products``; of rotations two, of all other operations one."""

    lookups: int = 1
    products: int = 1
    ports: int = 1


def latencies_of(processor: Processor) -> Latencies:
    """The latencies of a processor: a lookup is a load behind what extracts its index, a product of words
    one of halves, a sum, a shift, and a sum."""
    loads = [form[0] for form in processor.by_root.get((Op.LOAD, 0), ())]
    products = [form[0] for form in processor.by_root.get((Op.MUL, 0), ())]
    units = {unit for one in loads for way in one.ways for unit in way.resources[:1]}
    return Latencies(
        1 + max((one.latency for one in loads), default=0),
        3 + max((one.latency for one in products), default=0),
        sum(processor.unit_count(unit) for unit in units) or processor.issue,
    )


def with_low_trees(graph: Graph, latencies: Latencies) -> Graph:
    """The graph with each chain of sums, or of XORs, as the tree of least height for when its operands
    arrive; what others need as well stays a part of its own.

    Where lookups take more cycles to be issued than the critical path has, those of a chain are taken to be
    issued one after the other.
    """
    lookups = sum(node.op in _LOOKUPS for node in graph.body)
    low, height = _with_trees(graph, latencies, stagger=0)
    if height * latencies.ports >= lookups:
        return low
    return _with_trees(graph, latencies, stagger=1)[0]


def _with_trees(graph: Graph, latencies: Latencies, stagger: int) -> tuple[Graph, int]:
    """The graph with low trees, and its height in cycles. ``stagger``: cycles between lookups of a chain."""
    chains = _Chains(graph)
    arrivals = _Arrivals(latencies, stagger)

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op not in _ASSOCIATIVE or chains.is_inner(node):
            return None
        parts = arrivals.staggered(rewriter.all(chains.leaves(node)))
        heapify(parts)
        while len(parts) > 1:
            (a_at, k, a), (b_at, _, b) = heappop(parts), heappop(parts)
            heappush(parts, (max(a_at, b_at) + 1, k, rewriter.builder.make(node.op, (a, b))))
        return arrivals.end(parts[0][2])

    made = rewrite(graph, Builder(simplify), visit)
    return made, max(map(arrivals.of, made.results), default=0)


class _Chains:
    """Which operations of a graph are alike and used by one another alone."""

    def __init__(self, graph: Graph) -> None:
        self.uses = Counter(child for node in graph.body for child in operands(node))
        self.uses.update(graph.results)
        self.users = {child: node for node in graph.body for child in node.inputs}

    def is_inner(self, node: Node) -> bool:
        """Whether a node is in a chain, and not its end."""
        user = self.users.get(node)
        return user is not None and self.uses[node] == 1 and (user.op, user.type) == (node.op, node.type)

    def leaves(self, node: Node) -> list[Node]:
        """The operands of a chain, by its end."""
        found: list[Node] = []
        for child in node.inputs:
            found += self.leaves(child) if child.op is node.op and self.is_inner(child) else [child]
        return found


class _Arrivals:
    """The earliest cycles of nodes as far as dependences go, and which chain they depend on last."""

    def __init__(self, latencies: Latencies, stagger: int) -> None:
        self.latencies, self.stagger = latencies, stagger
        self.known: dict[Node, int] = {}
        self.last: dict[Node, int] = {}
        self.chains = 0

    def staggered(self, nodes: list[Node]) -> list[tuple[int, int, Node]]:
        """When each arrives; of lookups that could be issued in one cycle those first whose index is there
        first."""
        order = sorted(nodes, key=lambda node: (self.of(node), self.last[node]))
        seen: Counter[int] = Counter()
        found = []
        for place, node in enumerate(order):
            arrives = self.of(node)
            found.append((arrives + self.stagger * seen[arrives], place, node))
            seen[arrives] += node.op in _LOOKUPS
        return found

    def end(self, node: Node) -> Node:
        """The node, noted as the end of a chain."""
        self.of(node)
        self.chains += 1
        self.last[node] = self.chains
        return node

    def of(self, node: Node) -> int:
        """When a node's result is there."""
        for one in postorder([node], self.known):
            self.known[one] = self._arrival(one)
            self.last[one] = max((self.last[child] for child in operands(one)), default=0)
        return self.known[node]

    def _arrival(self, node: Node) -> int:
        ready = max((self.known[child] for child in operands(node)), default=0)
        if node.op in _FREE or (node.op is Op.LOAD and not ready):
            return ready
        if node.op in _LOOKUPS:
            return ready + self.latencies.lookups
        if node.op is Op.MUL:
            return ready + self.latencies.products
        return ready + 1 + (node.op in (Op.ROL, Op.ROR))


def with_shared_sums(graph: Graph) -> Graph:
    """The graph with a + 2b as (a + b) + b where a + b is there; for machines that add and shift apart."""
    sums = {frozenset(node.inputs) for node in graph.body if node.op is Op.ADD}
    shifts = [
        n for n in graph.body if n.op is Op.SHL and n.inputs[1].op is Op.CONST and n.inputs[1].attr == 1
    ]
    uses: dict[Node, int] = {}
    for node in graph.body:
        for child in node.inputs:
            uses[child] = uses.get(child, 0) + 1
    single = {shift for shift in shifts if uses.get(shift) == 1}

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op is not Op.ADD:
            return None
        for other, double in (node.inputs, node.inputs[::-1]):
            if double in single and frozenset({other, double.inputs[0]}) in sums:
                a, b = rewriter.get(other), rewriter.get(double.inputs[0])
                return rewriter.builder.make(Op.ADD, (rewriter.builder.make(Op.ADD, (a, b)), b))
        return None

    return rewrite(graph, Builder(simplify), visit)
