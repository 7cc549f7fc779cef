"""The verifier: what every graph keeps between passes; run after each pass in the tests."""

from __future__ import annotations

from collections.abc import Sequence

from finalist.errors import GraphError
from finalist.ir.builder import infer
from finalist.ir.graph import Graph, Node, Region, TableData, operands, origin
from finalist.ir.ops import CONTROL, READING, Op
from finalist.ir.types import ArrayType, WordType


def verify(graph: Graph) -> None:
    """Raise GraphError, naming the node and its source line, unless the graph is well formed."""
    _verify_region(graph, set())


def _verify_region(region: Region, outer: set[Node]) -> None:
    known = outer | set(region.params)
    for node in region.body:
        for child in operands(node):
            if child.op is Op.CONST:
                _verify_node(child)
            elif child not in known:
                raise GraphError(f"{node!r} ({node.line}) uses {child!r} before it is made")
        _verify_node(node)
        if node.op in CONTROL:
            _verify_region(node.region, known)
            _verify_carried(node)
        if node.op is Op.APPLY:
            _verify_keyed(node)
        known.add(node)
    for result in region.results:
        if result.op is Op.CONST:
            _verify_node(result)
        elif result not in known:
            raise GraphError(f"the result {result!r} ({result.line}) is never made")
    _verify_arrays(region)


def _verify_node(node: Node) -> None:
    check = _CHECKS.get(node.op)
    if node.op.arity not in (None, len(node.inputs)):
        raise GraphError(f"{node!r} ({node.line}): {node.op.label} takes {node.op.arity} operands")
    if check and not all(isinstance(child.type, WordType) for child in node.inputs):
        raise GraphError(f"{node!r} ({node.line}): {node.op.label} takes words")
    fits = check(node) if check else infer(node.op, node.inputs, node.attr) == node.type
    if not fits:
        raise GraphError(f"{node!r} ({node.line}): operands {list(node.inputs)} do not fit")


def _verify_keyed(node: Node) -> None:
    if not node.region.closed:
        raise GraphError(f"{node!r} ({node.line}): its region uses values from outside")
    _verify_region(node.region, set())


def _verify_carried(node: Node) -> None:
    """Arrays are carried in place: what comes out is a version of what went in at that place."""
    region = node.region
    params = region.params[len(region.params) - len(region.results) :]
    for param, result in zip(params, region.results, strict=True):
        if isinstance(param.type, ArrayType) and origin(result) is not param:
            raise GraphError(f"{node!r} ({node.line}): a carried array becomes another one")


def _verify_arrays(region: Region) -> None:
    overwritten: set[Node] = set()
    for node in region.body:
        for child in node.inputs:
            if isinstance(child.type, ArrayType) and node.op not in READING:
                if child in overwritten:
                    raise GraphError(f"{node!r} ({node.line}): an array version is overwritten twice")
                overwritten.add(child)
    for result in region.results:
        if result in overwritten:
            raise GraphError(f"{result!r} ({result.line}): a result is an array version that is overwritten")


def _linear(node: Node) -> bool:
    return len(node.inputs) == len(node.attr) and all(
        len(matrix) == child.width and _within(matrix, node.width)
        for matrix, child in zip(node.attr, node.inputs, strict=True)
    )


def _lookup(node: Node) -> bool:
    table = node.attr
    return (
        isinstance(table, TableData)
        and len(table.values) == 1 << node.inputs[0].width
        and _within(table.values, table.width)
        and table.width == node.width
    )


def _bool(node: Node) -> bool:
    same = bool(node.inputs) and all(child.type == node.type for child in node.inputs)
    return same and 0 <= node.attr < 1 << (1 << len(node.inputs))


def _apply(node: Node) -> bool:
    return [c.type for c in node.inputs] == [p.type for p in node.region.params] and (
        node.type == node.region.results[0].type
    )


def _array(node: Node) -> bool:
    return len(node.attr) == node.length and _within(node.attr, node.width)


def _within(values: Sequence[int], width: int) -> bool:
    """Whether all are words of ``width`` bits."""
    return not values or (min(values) >= 0 and max(values) < 1 << width)


_CHECKS = {
    Op.CONST: lambda node: 0 <= node.attr < 1 << node.width,
    Op.SLICE: lambda node: 0 <= node.attr and node.attr + node.width <= node.inputs[0].width,
    Op.EXTEND: lambda node: node.inputs[0].width <= node.width,
    Op.LINEAR: _linear,
    Op.LOOKUP: _lookup,
    Op.BOOL: _bool,
    Op.APPLY: _apply,
    Op.ARRAY: _array,
}
