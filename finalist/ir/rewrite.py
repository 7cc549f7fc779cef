"""Rewriting: a graph is never changed, a pass builds a new one node by node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, operands, postorder
from finalist.ir.ops import CONTROL, Op

#: Gives the replacement of a node whose new inputs are known, or None to make it as it was.
Visit = Callable[["Rewriter", Node, tuple[Node, ...]], Node | None]


class Rewriter:
    """Maps the nodes of one graph to those of another, made by ``builder``.

    ``order``: in which order the nodes of an inner region are made (default: as they stand).
    """

    def __init__(
        self,
        builder: Builder,
        visit: Visit | None = None,
        order: Callable[[Region], Iterable[Node]] = lambda region: region.body,
    ) -> None:
        self.builder = builder
        self.visit = visit
        self.order = order
        self.map: dict[Node, Node] = {}
        self._lists: dict[Node, list[Node]] = {}

    def get(self, node: Node) -> Node:
        """The new node for an old one; makes it (and what it needs) if it is not there yet."""
        known = self.map.get(node)
        if known is not None:
            return known
        if all(child in self.map for child in operands(node)):  # the common case, in program order
            self._remake(node)
            return self.map[node]
        for needed in postorder([node], self.map):
            if needed not in self.map:  # a visit may have made it meanwhile
                self._remake(needed)
        return self.map[node]

    def get_here(self, node: Node) -> Node:
        """As `get`, but what is made is of the builder's round, not of the one that it was of."""
        for needed in postorder([node], self.map):
            if needed not in self.map:
                self.map[needed] = self._new(needed)
        return self.map[node]

    def all(self, nodes: Iterable[Node]) -> list[Node]:
        """`get` for each."""
        return [self.get(node) for node in nodes]

    def _remake(self, node: Node) -> None:
        builder = self.builder
        phase, line = builder.phase, builder.line
        builder.phase, builder.line = node.phase, node.line
        new = self._new(node)
        if node.name and not new.name and new.op is not Op.CONST:
            new.name = node.name
        self.map[node] = new
        builder.phase, builder.line = phase, line

    def _new(self, node: Node) -> Node:
        if node.op is Op.PARAM:
            return node
        if node.op is Op.RESULT and node.inputs[0] in self._lists:
            return self._lists[node.inputs[0]][node.attr]
        inputs = tuple(self.map[child] for child in node.inputs)
        better = self.visit(self, node, inputs) if self.visit else None
        if better is not None:
            return better
        if node.op in CONTROL:
            return self._control(node, inputs)
        return self.builder.make(node.op, inputs, node.attr, type_=node.type)

    def _control(self, node: Node, inputs: tuple[Node, ...]) -> Node:
        """A loop or conditional; what it carries unchanged is not carried any more."""
        skip = 2 if node.op is Op.LOOP else 1
        region, fixed, initial = node.region, inputs[:skip], inputs[skip:]
        lead = len(region.params) - len(initial)
        params = [self.remake_param(p) for p in region.params[:lead]]
        self.map.update(zip(region.params[:lead], params, strict=True))
        carried = self._carried(region, region.params[lead:], initial)
        for inner in self.order(region):
            self.get(inner)
        results = dict(zip(carried, self.all(region.results[k] for k in carried), strict=True))
        self._leave_out(carried, results, initial)
        new = Region([*params, *carried.values()], list(results.values()))
        made = self.builder.make(node.op, (*fixed, *(initial[k] for k in carried)), new)
        values = dict(zip(carried, self.builder.results(made), strict=True))
        self._lists[node] = [values.get(k, value) for k, value in enumerate(initial)]
        return made

    def _carried(self, region: Region, params: Sequence[Node], initial: Sequence[Node]) -> dict[int, Node]:
        """New parameters for what is carried and changed, by its place; others become their first value."""
        made = {k: self.remake_param(p) for k, p in enumerate(params) if region.results[k] is not p}
        self.map.update((param, made.get(k, initial[k])) for k, param in enumerate(params))
        return made

    def _leave_out(self, carried: dict[int, Node], results: dict[int, Node], initial: Sequence[Node]) -> None:
        """Drop, of what is carried and what it becomes, what the region, as it now is, does not change."""
        while same := [k for k in results if results[k] in (carried[k], initial[k])]:
            mapping = {carried.pop(k): initial[k] for k in same}
            for k in same:
                del results[k]
            rest = substitute(list(results.values()), mapping, self.builder)
            results.update(zip(results, rest, strict=True))

    def gives(self, node: Node, values: list[Node]) -> None:
        """For a visit that remakes a loop or conditional otherwise: the values that the old one had."""
        self._lists[node] = values

    def within(self) -> Rewriter:
        """One that knows what this one has made, for one of several copies of a region."""
        inner = Rewriter(self.builder, self.visit, self.order)
        inner.map, inner._lists = dict(self.map), dict(self._lists)
        return inner

    def remake_param(self, param: Node) -> Node:
        """A fresh parameter like this one."""
        return self.builder.param(param.attr, param.type, param.name)


def rewrite(graph: Graph, builder: Builder, visit: Visit | None = None, more: Iterable[Node] = ()) -> Graph:
    """The graph rebuilt by ``builder``, each node offered to ``visit`` first; ``more``: new parameters."""
    rewriter = Rewriter(builder, visit)
    for node in graph.body:
        rewriter.get(node)
    return Graph(graph.name, (*graph.params, *more), rewriter.all(graph.results), graph.rounds)


def substitute(nodes: Sequence[Node], mapping: Mapping[Node, Node], builder: Builder) -> list[Node]:
    """The nodes with the mapped ones replaced below them; what does not depend on those stays as it is."""
    if not mapping:
        return list(nodes)
    rewriter = Rewriter(builder)
    rewriter.map.update(mapping)
    touched = set(mapping)
    for node in postorder(nodes):
        if node in touched:
            continue
        if any(child in touched for child in operands(node)):
            touched.add(node)
        else:
            rewriter.map[node] = node
            if node.op in CONTROL:
                rewriter._lists[node] = builder.results(node)
    return rewriter.all(nodes)


def inline(region: Region, arguments: Sequence[Node], builder: Builder) -> Node:
    """The result of a closed region on these arguments, its nodes made anew; keyed functions within, too."""
    rewriter = Rewriter(builder)
    rewriter.map.update(zip(region.params, arguments, strict=True))
    phase = builder.phase
    for node in region.body:
        rewriter.all(child for child in node.inputs if child.op is Op.CONST)
        if node.op is Op.APPLY:
            rewriter.map[node] = inline(node.region, [rewriter.map[child] for child in node.inputs], builder)
        else:
            rewriter.map[node] = rewriter._new(node)
    builder.phase = phase
    return rewriter.get(region.results[0])
