"""Places that move with a loop: an array that is read at a + b * iteration is read through a pointer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from finalist.ir.builder import mask
from finalist.ir.graph import Node, Region, operands
from finalist.ir.ops import CONTROL, Op

#: What keeps a multiple of the number plus an offset one, if the other operand is a constant.
_BY_CONSTANTS = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.SHL})
#: ``scale * iteration + offset``, as (scale, offset).
Affine = tuple[int, int]


@dataclass(slots=True)
class Induction:
    """What a region computes of its iteration's number.

    ``affine``: nodes that are a multiple of the number plus an offset, modulo their width. ``places``: those
    of them that only say where arrays are read or written, which need not be computed. ``counted``: whether
    anything else needs the number.
    """

    affine: dict[Node, Affine] = field(default_factory=dict)
    places: set[Node] = field(default_factory=set)
    counted: bool = False


def found_in(
    region: Region, first: int, last: int, elsewhere: Callable[[Node], bool] = lambda array: False
) -> Induction:
    """The inductions of a loop whose iterations are numbered ``first`` to ``last``.

    ``elsewhere``: whether an array is not in memory, so that no pointer reaches it.
    """
    index = region.params[0]
    found = Induction({index: (1, 0)})
    for node in region.body:
        form = _affine(node, found.affine, first, last)
        if form is not None:
            found.affine[node] = form
    wanted = _wanted(region, found.affine, first, last, elsewhere)
    for node in reversed(region.body):  # what a computed value is computed from is computed
        if node in wanted:
            wanted |= {child for child in node.inputs if child in found.affine}
    found.places = {node for node in found.affine if node not in wanted and node is not index}
    found.counted = index in wanted
    return found


def ends_of(found: Induction, region: Region) -> list[Node]:
    """What of the computed multiples something else takes."""
    computed = found.affine.keys() - found.places
    taken = [child for node in region.body if node not in found.affine for child in operands(node)]
    return list(dict.fromkeys(node for node in (*taken, *region.results) if node in computed))


def inside(form: Affine, first: int, last: int, stop: int) -> bool:
    """Whether the values of all iterations are at least 0 and less than ``stop``."""
    ends = [form[0] * iteration + form[1] for iteration in (first, last)]
    return min(ends) >= 0 and max(ends) < stop


def _affine(node: Node, known: dict[Node, Affine], first: int, last: int) -> Affine | None:
    if not node.inputs or node.inputs[0] not in known:
        return None
    scale, offset = known[node.inputs[0]]
    if node.op is Op.EXTEND or (node.op is Op.SLICE and node.attr == 0):
        narrow = min(node.width, node.inputs[0].width)
        return (scale, offset) if inside((scale, offset), first, last, mask(narrow) + 1) else None
    if node.op not in _BY_CONSTANTS or node.inputs[1].op is not Op.CONST:
        return None
    value = _signed(node.inputs[1].attr, node.width)
    if node.op is Op.ADD:
        return scale, offset + value
    if node.op is Op.SUB:
        return scale, offset - value
    if node.op is Op.MUL:
        return scale * value, offset * value
    return (scale << value, offset << value) if 0 <= value < 32 else None


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> width - 1 and width > 8 else value


def _wanted(
    region: Region,
    affine: dict[Node, Affine],
    first: int,
    last: int,
    elsewhere: Callable[[Node], bool],
) -> set[Node]:
    """Nodes whose value something needs that is no place in memory."""
    wanted = {node for node in region.results if node in affine}
    for node in region.body:
        if node in affine:
            continue
        for number, child in enumerate(node.inputs):
            place = node.op in (Op.LOAD, Op.STORE) and number == 1 and not elsewhere(node.inputs[0])
            if child in affine and not (place and inside(affine[child], first, last, node.inputs[0].length)):
                wanted.add(child)
        if node.op in CONTROL:
            wanted |= {child for child in operands(node) if child in affine}
    return wanted
