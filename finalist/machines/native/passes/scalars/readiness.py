"""Sums in the order in which their terms are ready: what comes last is added last.

``(a + late) + b`` takes two additions after ``late`` is there, ``(a + b) + late`` one. In code that runs one
step after the other, as key schedules do, such waits are what the time goes to. (Tree-height reduction: J.-L.
Baer, D. P. Bovet, "Compilation of Arithmetic Expressions for Parallel Computations", IFIP 1968.)

A sum with a key word that is multiplied by a constant, or shifted left, and added to a key word again is made
``c x + (c k + m)`` of ``c (x + k) + m``: as many operations in the kernel, whose last term is the key
schedule's work, but the product waits for the sum no longer.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, operands, users_of
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.passes import hoist
from finalist.passes.analysis import KeyOnly
from finalist.passes.simplify import simplify

#: Operations that may be done in any order.
_SUMS = frozenset({Op.ADD, Op.XOR})
#: Cycles after which a result is there, where that is not one.
CYCLES = {
    Op.MUL: 3,
    Op.MULHI: 4,
    Op.LOOKUP: 5,
    Op.LOAD: 4,
    Op.SLICE: 0,
    Op.EXTEND: 0,
    Op.CONST: 0,
    Op.PARAM: 0,
}


def by_readiness(graph: Graph) -> Graph:
    """The graph with the terms of sums added as they are there; no more operations than before."""
    users = _users(graph)
    inner = {n for n in graph.body if n.op in _SUMS and len(users.get(n, ())) == 1 and users[n][0].op is n.op}
    if not inner:
        return graph
    ready = Readiness()

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        if node.op not in _SUMS or node in inner or not any(child in inner for child in node.inputs):
            return None
        terms = rewriter.all(_terms(node, inner))
        return _sum(rewriter.builder, node.op, terms, ready)

    return rewrite(graph, Builder(), visit)


def _users(graph: Graph) -> dict[Node, list[Node]]:
    found = users_of(graph.body)
    for node in graph.results:
        found.setdefault(node, []).extend([node, node])
    return found


def _terms(node: Node, inner: set[Node]) -> list[Node]:
    return [term for child in node.inputs for term in (_terms(child, inner) if child in inner else [child])]


def _sum(make: Builder, op: Op, terms: Iterable[Node], ready: Readiness) -> Node:
    """The two terms that are ready first are added first, and their sum is a term again."""
    number = itertools.count()
    waiting = [(ready.at(term), next(number), term) for term in terms]
    heapq.heapify(waiting)
    while len(waiting) > 1:
        (_, _, a), (_, _, b) = heapq.heappop(waiting), heapq.heappop(waiting)
        total = make.make(op, (a, b))
        heapq.heappush(waiting, (ready.at(total), next(number), total))
    return waiting[0][2]


class Readiness:
    """When each node's value is there, in cycles, on a computer that does all it can at once."""

    def __init__(self) -> None:
        self._known: dict[Node, int] = {}

    def at(self, node: Node) -> int:
        """The cycle in which the value of a node is there."""
        stack = [node]
        while stack:
            one = stack[-1]
            waiting = [child for child in operands(one) if child not in self._known]
            if waiting:
                stack.extend(waiting)
            else:
                before = max((self._known[child] for child in operands(one)), default=0)
                self._known[one] = before + CYCLES.get(one.op, 1)
                stack.pop()
        return self._known[node]


def run(program: Program) -> Program:
    """The program with such sums taken apart, and what is of the key alone in the key schedule."""
    kernel = program.kernel
    key_only = KeyOnly()
    if not any(_parts(factor, added, key_only) for node in kernel.body for factor, added in _sums(node)):
        return program
    return hoist.run(program.with_graphs(program.expand, _taken_apart(kernel)))


def _taken_apart(kernel: Graph) -> Graph:
    make, key_only = Builder(simplify), KeyOnly()

    def visit(rewriter: Rewriter, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        for factor, added in _sums(node, inputs):
            parts = _parts(factor, added, key_only)
            if parts is not None:
                word, key = (make.make(factor.op, (part, factor.inputs[1])) for part in parts)
                return make.make(Op.ADD, (word, make.make(Op.ADD, (key, added))))
        return None

    return rewrite(kernel, make, visit)


def _sums(node: Node, inputs: tuple[Node, ...] = ()) -> tuple[tuple[Node, ...], ...]:
    """The terms of a sum, either one first."""
    inputs = inputs or node.inputs
    return (inputs, inputs[::-1]) if node.op is Op.ADD else ()


def _parts(factor: Node, added: Node, key_only: KeyOnly) -> tuple[Node, ...] | None:
    """Of a multiple of a sum that a key word is added to, the word and the key word in that sum."""
    scaled = factor.op in (Op.SHL, Op.MUL) and factor.inputs[1].op is Op.CONST and not key_only(factor)
    if not scaled or not key_only(added):
        return None
    return next((terms for terms in _sums(factor.inputs[0]) if key_only(terms[1])), None)
