"""Words each of which has one bit of every word of a list, as rows of bits become columns.

    bit 7 of a, b, c, ... in one word, bit 6 of them in another    ->    asl a, rol, asl b, rol, ...; store;
                                                                         asl a, rol, asl b, rol, ...; store

One after the other takes the same instructions, which can be a subroutine: the bits that are lost are those
that come next. DES's initial permutation is this, and so is its inverse.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from finalist.ir.graph import Node, Region, users_of
from finalist.ir.ops import Op
from finalist.ir.types import WordType

#: For each bit of a word, the lowest first, the word that it is of and its place there; None for 0.
Wires = tuple[tuple[Node, int] | None, ...]


@dataclass(slots=True)
class Transposed:
    """``words``, that from which the highest bits of the ``results`` are first; the first of these has their
    highest bits, the last their lowest. ``inner``: nodes that only serve that."""

    words: list[Node]
    results: list[Node]
    inner: list[Node]

    @property
    def members(self) -> list[Node]:
        """All nodes that are made."""
        return [*self.results, *self.inner]

    @property
    def inputs(self) -> list[Node]:
        """The operands."""
        return self.words


def transposed(region: Region, width: int) -> Iterator[Transposed]:
    """Those of a region that are whole: as many results as a word has bits."""
    known: dict[Node, Wires] = {}
    found: dict[tuple[Node, ...], dict[int, Node]] = {}
    for node in region.body:
        if isinstance(node.type, WordType) and node.width == width:
            known[node] = _wires(node, known, width)
            column = _column(known[node])
            if column is not None:
                found.setdefault(column[0], {})[column[1]] = node
    users = users_of(region.body, lambda node: node.inputs)
    for words, results in found.items():
        if len(results) == width:
            rows = [results[place] for place in reversed(range(width))]
            inner = _inner(rows, set(words), set(region.results), users)
            if inner is not None:
                yield Transposed(list(words), rows, inner)


def _wires(node: Node, known: Mapping[Node, Wires], width: int) -> Wires:
    itself: Wires = tuple((node, place) for place in range(width))
    if node.op in (Op.OR, Op.XOR):
        one, other = (known.get(child, _of_leaf(child, width)) for child in node.inputs)
        alone = not any(x and y for x, y in zip(one, other, strict=True))
        return tuple(x or y for x, y in zip(one, other, strict=True)) if alone else itself
    if node.op not in (Op.AND, Op.SHL, Op.SHR) or node.inputs[1].op is not Op.CONST:
        return itself
    word, number = node.inputs[0], int(node.inputs[1].attr)
    one = known.get(word, _of_leaf(word, width))
    if node.op is Op.AND:
        return tuple(x if number >> place & 1 else None for place, x in enumerate(one))
    none = (None,) * min(number, width)
    return (*none, *one)[:width] if node.op is Op.SHL else (*one[number:], *none)


def _of_leaf(node: Node, width: int) -> Wires:
    return tuple((node, place) for place in range(width))


def _column(wires: Wires) -> tuple[tuple[Node, ...], int] | None:
    """The words, that of the highest bit first, and the place of all bits in them, if that is one."""
    places = {wire[1] for wire in wires if wire}
    words = tuple(wire[0] for wire in reversed(wires) if wire)
    whole = None not in wires and len(places) == 1 and len(set(words)) == len(words)
    return (words, places.pop()) if whole else None


def _inner(
    results: list[Node], words: set[Node], live_out: set[Node], users: Mapping[Node, list[Node]]
) -> list[Node] | None:
    """What only serves the results; None where something of it serves others, too."""
    found: dict[Node, None] = {}
    open_ = [child for node in results for child in node.inputs]
    while open_:
        node = open_.pop()
        if node in words or node.op is Op.CONST or node in found:
            continue
        found[node] = None
        open_ += node.inputs
    made = {*results, *found}
    alone = not live_out & set(found) and all(set(users[node]) <= made for node in found)
    return list(found) if alone else None
