"""Key schedules as loops: what is computed alike again and again becomes the iterations of loops.

A key schedule has no marked rounds, and most fill the key in other steps than the cipher's rounds. So
repetition is looked for in the operations themselves, in two orders: as they stand, and each as soon as its
operands are there. Words that an iteration hands on are carried; those that are needed long after stand in
an array, as do values of which each iteration has one of its own. What goes into the expanded key is stored
by the iteration that makes it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, every_node
from finalist.ir.ops import CONTROL, Op
from finalist.passes.analysis import Ranges
from finalist.passes.key_schedules.loops import LoopPlan, Piece, Target, written
from finalist.passes.key_schedules.sequence import FIXED, Straight
from finalist.passes.repetition.iterations import Labels, Stretch, iterations_of, kind, labels, stretches

#: Stretches that are looked at before one is chosen, and the fewest operations that a loop has to save.
_LOOKED_AT = 8
_LEAST = 12
#: Operations on arrays, or with regions: each is like no other.
_SINGLE = FIXED | {Op.APPLY}


def with_key_loops(key_schedule: Graph, nested: bool = False) -> Graph:
    """The key schedule with the loops that leave least to write; as it is where none leaves less.

    ``nested``: loops are looked for in the iterations of loops, too, and loads from constant indices are
    alike, as of round keys that a pass changes. With two rounds of three steps::

        f(k); s(0); s(1); s(2); f(k); s(3); s(4); s(5)
        ->  for i in 0 .. 2: f(k);  for j in 0 .. 3: s(3 * i + j)
    """
    results = _looped(key_schedule, _target(nested), nested)
    looped = Graph(key_schedule.name, key_schedule.params, results, key_schedule.rounds)
    return looped if length(looped) < length(key_schedule) else key_schedule


def _target(nested: bool) -> Target:
    """Where loops are written, with loops in them or without."""

    def within(region: Region) -> Region:
        looped = Region(region.params, _looped(region, target, nested))
        return looped if length(looped) < length(region) else region

    target = Target(Builder(), {}, within if nested else lambda region: region)
    return target


def _looped(region: Region, target: Target, nested: bool) -> list[Node]:
    """The results of the region, with loops for what is done again and again."""
    straight = Straight.of(region, Ranges(target.limits))
    own = _kind_or_load if nested else _kind
    orders = (straight.nodes, straight.eager())
    kinds = (lambda node: (straight.goes_to(node), own(node)), own)
    cut = [list(_pieces(straight, order, labels(map(kind, order)))) for order in orders for kind in kinds]
    return written(straight, max(cut, key=_saved), target)


def length(graph: Region) -> int:
    """Operations that are written down: those of a loop's iteration once."""
    return sum(1 for _ in every_node(graph))


def _kind(node: Node) -> Hashable:
    single = node.op in _SINGLE or (node.op is Op.RESULT and node.inputs[0].op in CONTROL)
    return node if single else kind(node)


def _kind_or_load(node: Node) -> Hashable:
    """As `_kind`; loads from constant indices are alike, too."""
    return kind(node) if node.op is Op.LOAD and node.inputs[1].op is Op.CONST else _kind(node)


def _saved(pieces: Iterable[Piece]) -> int:
    """Operations that need not be written."""
    return sum(piece.saved for piece in pieces if isinstance(piece, LoopPlan))


def _pieces(straight: Straight, order: Sequence[Node], sequence: Labels) -> Iterator[Piece]:
    """The nodes in their order, cut into loops and what is between."""
    positions = {node: position for position, node in enumerate(order)}
    waiting: list[LoopPlan | tuple[int, int]] = [(0, len(order))]
    while waiting:
        part = waiting.pop()
        if isinstance(part, LoopPlan):
            yield part
            continue
        start, stop = part
        best = _best(straight, order, stretches(sequence, start, stop))
        if best is None:
            yield order[start:stop]
            continue
        first, last = positions[best.iterations.nodes[0][0]], positions[best.iterations.template[-1]]
        waiting += [(last + 1, stop), best, (start, first)]


def _best(straight: Straight, order: Sequence[Node], found: Sequence[Stretch]) -> LoopPlan | None:
    """The loop that saves most."""
    best, most = None, _LEAST
    for stretch in found[:_LOOKED_AT]:
        if stretch.saved <= most:
            break
        iterations = iterations_of(order[_cut(order, stretch) : stretch.stop], stretch.period)
        plan = LoopPlan(straight, iterations) if iterations else None
        if plan and plan.possible and plan.saved > most:
            best, most = plan, plan.saved
    return best


def _cut(order: Sequence[Node], stretch: Stretch) -> int:
    """Where the first iteration best begins: where few values go from one iteration to the next.

    A cut that leaves less than an iteration at both ends loses one, and has to be worth that.
    """
    handed_on = _handed_on(order, stretch)
    spare = (stretch.stop - stretch.start) % stretch.period

    def cost(cut: int) -> int:
        return handed_on[cut] * stretch.iterations + (stretch.period if cut > spare else 0)

    return stretch.start + min(range(stretch.period), key=cost)


def _handed_on(order: Sequence[Node], stretch: Stretch) -> list[int]:
    """For each position of an iteration, how many values that are made before it in the stretch are needed
    after it.

    Counted in the second iteration where there are more, as the first may take what none before it made.
    """
    first = stretch.start + (stretch.period if stretch.iterations > 2 else 0)
    end = first + stretch.period
    made = {order[at]: at for at in range(stretch.start, end)}
    needed: dict[int, int] = {}
    for at in range(stretch.start, stretch.stop):
        needed |= {made[child]: at for child in order[at].inputs if child in made}
    counts = [0] * stretch.period
    for position, last in needed.items():
        for cut in range(max(position + 1, first), min(last + 1, end)):
            counts[cut - first] += 1
    return counts
