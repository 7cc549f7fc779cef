"""Which operations are one box of a diagram."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache

from finalist.ir.graph import Node

#: Of each operation what its group is known by.
Groups = dict[Node, tuple[Hashable, ...]]
#: Of each operation, in order, those that it takes values of.
Sources = Mapping[Node, Sequence[Node]]


def by_line(node: Node) -> str:
    """The line of the definition that made it."""
    return node.line or node.op.label


def by_function(node: Node) -> str:
    """The function of the definition that made it."""
    file, _, number = node.line.rpartition(":")
    return f"{file}:{_functions(file).get(int(number), 0)}" if file else node.op.label


def by_file(node: Node) -> str:
    """The file of the definition, or of another that it is built from."""
    return node.line.rpartition(":")[0] or node.op.label


@cache
def _functions(file: str) -> Mapping[int, int]:
    """For each line of a file the first line of the innermost function that it is in."""
    tree = ast.parse("".join(linecache.getlines(file)))
    defined = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
    return {line: one.lineno for one in defined for line in range(one.lineno, (one.end_lineno or 0) + 1)}


def grouped(sources: Sources, key: Callable[[Node], str]) -> Groups:
    """Operations of one key together, but such that no group waits for itself through another."""
    again = _begun_again(sources, key)
    groups: Groups = {node: (key(node), number) for node, number in again.items()}
    circular = _circular(sources, groups)
    if not circular:
        return groups
    depth = _depth(sources, key)
    return {node: (*group, depth[node]) if group in circular else group for node, group in groups.items()}


def _begun_again(sources: Sources, key: Callable[[Node], str]) -> dict[Node, int]:
    """How often an operation's key was left and begun again on a way to it, at most."""
    passed: dict[Node, dict[str, int]] = {}
    number: dict[Node, int] = {}
    for node, taken in sources.items():
        name, before = key(node), dict[str, int]()
        number[node] = 0
        for source in taken:
            for other, times in passed[source].items():
                before[other] = max(before.get(other, 0), times)
            if name in passed[source]:
                left = key(source) != name
                number[node] = max(number[node], passed[source][name] + left)
        before[name] = number[node] = max(number[node], before.get(name, 0))
        passed[node] = before
    return number


def _depth(sources: Sources, key: Callable[[Node], str]) -> dict[Node, int]:
    """How often the key changes on a way to an operation, at most: groups of a key and a depth wait for none
    of a greater one."""
    found: dict[Node, int] = {}
    for node, taken in sources.items():
        found[node] = max((found[one] + (key(one) != key(node)) for one in taken), default=0)
    return found


def in_order(sources: Sources, groups: Groups) -> dict[Hashable, list[Node]]:
    """The operations of each group; each group after those that it waits for, else as the program is."""
    members: dict[Hashable, list[Node]] = {}
    for node in sources:
        members.setdefault(groups[node], []).append(node)
    waits, found = _waits(sources, groups), dict[Hashable, list[Node]]()
    while len(found) < len(members):
        ready = next(group for group in members if group not in found and waits[group] <= found.keys())
        found[ready] = members[ready]
    return found


def _circular(sources: Sources, groups: Groups) -> set[Hashable]:
    """The groups that wait for themselves, through others, and such as lie between them."""
    waits = _waits(sources, groups)
    left = set(waits)
    while left:
        waited = {other for group in left for other in waits[group]}
        free = {group for group in left if not waits[group] & left or group not in waited}
        if not free:
            break
        left -= free
    return left


def _waits(sources: Sources, groups: Groups) -> dict[Hashable, set[Hashable]]:
    """Of each group the others that it takes values of."""
    found: dict[Hashable, set[Hashable]] = {group: set() for group in groups.values()}
    for node, taken in sources.items():
        found[groups[node]] |= {groups[one] for one in taken} - {groups[node]}
    return found
