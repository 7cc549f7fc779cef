"""Key schedules as loops: what is computed alike again and again becomes the turns of loops.

A key schedule has no marked rounds, and most fill the key in other steps than the cipher's rounds. So
repetition is looked for in the operations themselves, in two orders: as they stand, and each as soon as its
operands are there. Words that a turn hands on are carried; those that are needed long after stand in an
array, as do values of which each turn has one of its own. What goes into the expanded key is stored by the
turn that makes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from finalist.ir.graph import Graph, Node, every_node
from finalist.passes.loops import Piece, written
from finalist.passes.repeats import Labels, Stretch, labels, stretches
from finalist.passes.roll import OLDEST
from finalist.passes.straight import Straight
from finalist.passes.turns import Inside, Series, Turns, turns_of

#: Stretches that are looked at before one is chosen, and the fewest operations that a loop has to save.
_LOOKED_AT = 8
_LEAST = 12


def with_key_loops(key_schedule: Graph) -> Graph:
    """The key schedule with the loops that leave least to write; as it is where none leaves less."""
    straight = Straight.of(key_schedule)
    orders = (straight.nodes, straight.eager())
    made = [written(straight, _pieces(order)) for order in orders]
    best = min(made, key=length)
    return best if length(best) < length(key_schedule) else key_schedule


def length(graph: Graph) -> int:
    """Operations that are written down: those of a loop's turn once."""
    return sum(1 for _ in every_node(graph))


def _pieces(order: Sequence[Node]) -> Iterator[Piece]:
    """The nodes in their order, cut into loops and what is between."""
    sequence = labels(order)
    waiting: list[Piece | tuple[int, int]] = [(0, len(order))]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Turns):
            yield part
            continue
        start, stop = part
        found = _best(order, sequence, start, stop)
        if found is None:
            yield order[start:stop]
            continue
        first, turns = found
        last = first + len(turns.nodes) * len(turns.nodes[0])
        waiting += [(last, stop), turns, (start, first)]


def _best(order: Sequence[Node], sequence: Labels, start: int, stop: int) -> tuple[int, Turns] | None:
    """The turns that save most, and where they begin."""
    best, most = None, _LEAST
    for stretch in stretches(sequence, start, stop)[:_LOOKED_AT]:
        if stretch.saved <= most:
            break
        begin = _cut(order, stretch)
        turns = turns_of(order[begin : stretch.stop], stretch.period)
        if turns and _gain(turns) > most:
            best, most = turns, _gain(turns)
    return (_place(order, best, start), best) if best else None


def _place(order: Sequence[Node], turns: Turns, start: int) -> int:
    return order.index(turns.nodes[0][0], start)


def _cut(order: Sequence[Node], stretch: Stretch) -> int:
    """Where the first turn best begins: where few values go from one turn to the next.

    Counted in the second turn, as the first may take what none before it made.
    """
    place = {order[at]: at for at in range(stretch.start, stretch.stop)}
    first = stretch.start + (stretch.period if stretch.turns > 2 else 0)
    handed_on = [0] * (stretch.period + 1)
    last = dict.fromkeys(range(stretch.start, first + stretch.period), -1)
    for at in range(stretch.start, stretch.stop):
        for child in order[at].inputs:
            if place.get(child, stretch.stop) in last:
                last[place[child]] = at
    for made, needed in last.items():
        for cut in range(max(made + 1, first), min(needed, first + stretch.period) + 1):
            handed_on[cut - first] += 1
    spare = (stretch.stop - stretch.start) % stretch.period

    def cost(cut: int) -> int:
        return handed_on[cut] + (stretch.period if cut > spare else 0)

    return stretch.start + min(range(stretch.period), key=cost)


def _gain(turns: Turns) -> int:
    """Operations saved, those that the loop itself costs taken off."""
    count, period = len(turns.nodes), len(turns.nodes[0])
    operands = [operand for row in turns.operands for operand in row]
    carried: dict[int, int] = {}
    for one in operands:
        if isinstance(one, Inside) and one.age:
            carried[one.place] = max(one.age, carried.get(one.place, 0))
    own = {one.nodes for one in operands if isinstance(one, Series) and not one.constant}
    return (count - 1) * period - sum(carried.values()) - count * len(own)
