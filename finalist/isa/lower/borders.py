"""What goes into equal stretches, and what comes out of them.

Where each stretch takes other entries of the key, they may be read by an index, which then is all that goes
in: entry 2 and 0 in one, 3 and 1 in another are ``key[2 + i]`` and ``key[i]``. Nor does a word go in that is
another one plus the same number each time, as of two constants that follow one another.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from finalist.ir.builder import Builder
from finalist.ir.graph import Node, Region
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.isa.lower.stretches import Body, Stretch, is_fixed
from finalist.isa.prepare.key_in_line import Entry, can_be

#: The kind of a parameter that is an index of the key.
INDEX = "index of the key"
#: Entries of the key, at least, that an index pays for.
_ENTRIES = 3


@dataclass(slots=True)
class Borders:
    """For each word that goes in what it is in each stretch; the numbers of the operations that come out.

    ``entries``: of those read by an index what they are in each; ``first``: the index in each. ``sums``: of
    words that are one that goes in plus a number that one, and the number.
    """

    inputs: list[tuple[Node, ...]]
    outputs: list[int]
    entries: list[tuple[Node, ...]] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    sums: dict[tuple[Node, ...], tuple[tuple[Node, ...], int]] = field(default_factory=dict)


def borders(
    bodies: Sequence[Body],
    stretches: Sequence[Stretch],
    length: int,
    key: Callable[[Node], Hashable],
    anywhere: bool = False,
) -> Borders:
    """Those of some stretches that are the same for so long; ``key``: what must be alike of a node;
    ``anywhere``: whether the key's entries can lie as one likes."""
    ranges = [(bodies[p.body], p.start) for p in stretches]
    lead, start = ranges[0]
    inputs: dict[tuple[Node, ...], None] = {}
    outputs: list[int] = []
    for k in range(length):
        for number, (back, _) in enumerate(lead.taking[start + k]):
            child = lead.operands[start + k][number]
            if not 0 < back <= k and isinstance(child.type, WordType):
                children = tuple(body.operands[at + k][number] for body, at in ranges)
                if children not in inputs and not _all_constant(children) and not _one_entry(children, key):
                    inputs[children] = None
        if any(body.last[at + k] >= at + length for body, at in ranges):
            outputs.append(k)
    found = Borders(list(inputs), outputs)
    _with_index(found, anywhere)
    _with_sums(found)
    return found


def _with_index(found: Borders, anywhere: bool) -> None:
    """Entries of the key by an index where they are in line in all stretches, or can be."""
    entries = [children for children in found.inputs if all(map(_is_of_key, children))]
    if len(entries) < _ENTRIES:
        return
    at = [[entry_of(node) for node in children] for children in entries]
    if anywhere:
        if not can_be(list(zip(*at, strict=True))):
            return
        first = [0] * len(at[0])
    elif len({name for column in at for name, _ in column}) > 1:
        return
    else:
        away = [[place - column[0][1] for _, place in column] for column in at]
        if any(one != away[0] for one in away):
            return
        first = [distance - min(away[0]) for distance in away[0]]
    found.inputs = [children for children in found.inputs if children not in entries]
    found.entries, found.first = entries, first


def _with_sums(found: Borders) -> None:
    """Words that differ from another one by the same number in all stretches are made of it."""
    kept: list[tuple[Node, ...]] = []
    for children in found.inputs:
        apart = ((other, _apart(other, children)) for other in kept)
        sums = [(other, number) for other, number in apart if number is not None]
        if sums:
            found.sums[children] = sums[0]
        else:
            kept.append(children)
    found.inputs = kept


def _apart(ones: Sequence[Node], others: Sequence[Node]) -> int | None:
    """By what number, if it is one, words are more than others."""
    found = set()
    for one, other in zip(ones, others, strict=True):
        (a, low), (b, high) = _sum(one), _sum(other)
        if a is not b or one.width != other.width:
            return None
        found.add((high - low) % (1 << one.width))
    return found.pop() if len(found) == 1 else None


def _sum(node: Node) -> tuple[Node | None, int]:
    """A word, none of a constant, and a number that is added to it."""
    if node.op is Op.CONST:
        return None, int(node.attr)
    if node.op is Op.ADD and node.inputs[1].op is Op.CONST:
        return node.inputs[0], int(node.inputs[1].attr)
    return node, 0


def _is_of_key(node: Node) -> bool:
    return is_fixed(node) and node.inputs[0].attr == "key"


def entry_of(node: Node) -> Entry:
    """The array's name, and the place in it."""
    array = node.inputs[0]
    return array.name, int(node.inputs[1].attr) % array.length


def _all_constant(nodes: Sequence[Node]) -> bool:
    return all(node.op is Op.CONST and node.attr == nodes[0].attr for node in nodes)


def _one_entry(nodes: Sequence[Node], key: Callable[[Node], Hashable]) -> bool:
    """Whether all are one entry of the key: a subroutine reads it itself."""
    return all(map(is_fixed, nodes)) and len({key(node) for node in nodes}) == 1


def region_of(bodies: Sequence[Body], stretches: Sequence[Stretch], length: int, found: Borders) -> Region:
    """The nodes of the first stretch anew, with parameters for what goes in; an index comes last."""
    make = Builder()
    params = {words: make.param("argument", words[0].type, words[0].name) for words in found.inputs}
    given: dict[tuple[Node, ...], Node] = dict(params)
    index = [make.param(INDEX, WordType(8), "index")] if found.entries else []
    for words in found.entries:
        least = entry_of(words[0])[1] - found.first[0]
        at = make.make(Op.ADD, (index[0], make.const(least, 8)))
        given[words] = make.make(Op.LOAD, (words[0].inputs[0], at))
    for words, (base, number) in found.sums.items():
        given[words] = make.make(Op.ADD, (params[base], make.const(number, words[0].width)))
    ranges = [(bodies[p.body], p.start) for p in stretches]
    lead, start = ranges[0]
    new: dict[Node, Node] = {}
    made = []
    for k in range(length):
        operands = []
        for number, child in enumerate(lead.operands[start + k]):
            known = new.get(child)
            if known is None:
                children = tuple(body.operands[at + k][number] for body, at in ranges)
                known = given.get(children, child)
            operands.append(known)
        node = lead.nodes[start + k]
        new[node] = Node(node.op, tuple(operands), node.type, node.attr, line=node.line, phase=node.phase)
        made.append(new[node])
    return Region((*params.values(), *index), [made[k] for k in found.outputs])
