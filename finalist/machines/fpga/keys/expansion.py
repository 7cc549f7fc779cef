"""A key schedule as steps that one piece of hardware takes one after the other.

A key schedule has no marked rounds. What repeats itself in its operations is looked for, in two orders: as
they stand, and each as soon as its operands are there; each time that it comes again is a step. What comes
before and after is a step each. Operations count as alike here whatever their tables and constants: a step
may take another S-box than the one before.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from finalist.errors import ScheduleError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, postorder
from finalist.ir.ops import CONTROL, SHIFTS, Op
from finalist.ir.program import Program
from finalist.ir.rewrite import Rewriter, rewrite
from finalist.machines.fpga.datapath.lower import expanded
from finalist.machines.fpga.datapath.slots import Rounds
from finalist.machines.fpga.wiring import is_wiring
from finalist.passes.analysis import stored
from finalist.passes.lanes import nibbles
from finalist.passes.repetition.iterations import Labels, Stretch, labels, stretches
from finalist.passes.simplify import simplify

#: A stretch has to save so many operations.
_LEAST = 3
#: What repeats itself within steps of more tables of logic is looked for as well.
_LARGE = 4096
#: A word of an expanded key: the number of the program, of the array, and the entry.
Place = tuple[int, int, int]
_ARRAYS = frozenset({Op.LOAD, Op.STORE, Op.ARRAY, Op.WINDOW})


@dataclass(frozen=True)
class Steps:
    """``graph``: from the key's words to ``graph.results``, without arrays; ``made``: the step of each of its
    operations but for those that only pick bits of the key; ``count``: how many steps there are."""

    graph: Graph
    made: dict[Node, int]
    count: int

    @cached_property
    def last(self) -> dict[Node, int]:
        """The last step that takes each of them."""
        found: dict[Node, int] = {}
        for node in self.made:
            for child in node.inputs:
                found[child] = max(found.get(child, 0), self.made[node])
        return found

    @property
    def rounds(self) -> Rounds:
        """The steps as rounds, which hand words on to one another."""
        order = [node for node in self.graph.body if node in self.made]
        segments = tuple(tuple(n for n in order if self.made[n] == k) for k in range(self.count))
        live = tuple(
            tuple(n for n in order if self.made[n] < b <= self.last.get(n, -1)) for b in range(self.count + 1)
        )
        return Rounds((), segments, (), live, self.made)

    @property
    def cost(self) -> int:
        """Tables of logic for the largest steps of each kind, and bits of registers, roughly."""
        logic: dict[Hashable, list[int]] = {}
        change = [0] * (self.count + 2)
        for node, step in self.made.items():
            logic.setdefault(_kind(node), [0] * self.count)[step] += _size(node)
            change[step + 1] += node.width
            change[max(step, self.last.get(node, -1)) + 1] -= node.width
        kept = max(np.cumsum(change), default=0)
        return sum(max(sizes) for sizes in logic.values()) + int(kept)


def steps_of(programs: Sequence[Program], places: Sequence[Place], *, compute: bool) -> Steps:
    """The steps that make these words of the expanded keys.

    ``compute``: tables that are networks of small ones, as those. Raises ScheduleError where the key schedule
    needs memory or data-dependent control.
    """
    graph = straight(programs, places)
    if compute:
        graph = nibbles.logic_of(graph)
    graph = expanded(rewrite(graph, Builder(simplify)))
    ways = list(_ways(graph))
    return min(ways, key=lambda steps: steps.cost)


def straight(programs: Sequence[Program], places: Sequence[Place]) -> Graph:
    """The key schedules from the key's words to those of the expanded keys, without arrays: one graph, in
    which equal words are one. Raises what `steps_of` raises."""
    make, first = Builder(simplify), programs[0].expand
    rewriters, entries = [], []
    for program in programs:
        rewriters.append(Rewriter(make))
        rewriters[-1].map.update(zip(program.expand.params, first.params, strict=True))
        entries.append([_entries(program, array) for array in program.expand.results])
    words = [rewriters[which].get(entries[which][array][n]) for which, array, n in places]
    graph = Graph(first.name, first.params, words)
    for node in graph.body:
        if node.op in CONTROL or node.op in _ARRAYS or node.op in (Op.APPLY, Op.REM):
            raise _refused(programs[0], node)
    return graph


def _entries(program: Program, array: Node) -> list[Node]:
    """What stands at each place of an array in the end."""
    written, array = stored(array)
    if array.op is not Op.ARRAY:
        raise _refused(program, array)
    make = Builder()
    return [written.get(n) or make.const(value, array.width) for n, value in enumerate(array.attr)]


def _refused(program: Program, node: Node) -> ScheduleError:
    what = "data-dependent control" if node.op in CONTROL else f"memory ({node.op.label})"
    what = "a remainder" if node.op is Op.REM else what
    return ScheduleError(
        f"key-schedule=chip is not legal for {program.cipher}: its key schedule needs {what}"
        f" ({node.line or 'an array'}); accepted: key-schedule=load"
    )


# -- where one step ends and the next begins ---------------------------------------------------------


def _ways(graph: Graph) -> Iterator[Steps]:
    """The whole as one step; and with what repeats itself as steps, in either order."""
    of_key = _wires_of_key(graph)
    yield _made(graph, of_key, {})
    own = set(graph.body)
    for order in (graph.body, postorder(graph.results)):
        work = [node for node in order if node in own and not is_free(node)]
        cuts = _cuts(work, labels(map(_kind, work)), _sources(graph))
        yield _made(graph, of_key, {node: _index(cuts, place) for place, node in enumerate(work)})


def is_free(node: Node) -> bool:
    """Whether it only picks or moves bits."""
    return is_wiring(node.op, node.attr) or (node.op in SHIFTS and node.inputs[1].op is Op.CONST)


def _wires_of_key(graph: Graph) -> set[Node]:
    """What only picks bits of the key."""
    found = set(graph.params)
    for node in graph.body:
        if is_free(node) and all(child in found or child.op is Op.CONST for child in node.inputs):
            found.add(node)
    return found


def _made(graph: Graph, of_key: set[Node], step: dict[Node, int]) -> Steps:
    """The step of each operation; what is free is made as late as it is needed."""
    ready: dict[Node, int] = {}
    for node in graph.body:
        ready[node] = step.get(node, max((ready.get(child, 0) for child in node.inputs), default=0))
    needed = {node: ready[node] for node in graph.results if node in ready}
    made: dict[Node, int] = {}
    for node in reversed(graph.body):
        if node not in of_key:
            made[node] = ready[node] if node in step or not step else needed.get(node, ready[node])
            for child in node.inputs:
                needed[child] = min(needed.get(child, made[node]), made[node])
    return Steps(graph, made, max(made.values(), default=0) + 1)


def _index(cuts: Sequence[int], place: int) -> int:
    return int(np.searchsorted(cuts, place, side="right"))


def _kind(node: Node) -> Hashable:
    return node.op, node.width, tuple(child.width for child in node.inputs)


def _size(node: Node) -> int:
    """Tables of four inputs, roughly."""
    if is_free(node):
        return 0
    return node.width << max(0, node.inputs[0].width - 4) if node.op is Op.LOOKUP else node.width


def _sources(graph: Graph) -> dict[Node, frozenset[Node]]:
    """For each node the operations that it takes words of, through what is free."""
    through: dict[Node, frozenset[Node]] = {}
    found: dict[Node, frozenset[Node]] = {}
    for node in graph.body:
        taken = frozenset().union(*(through.get(child, frozenset()) for child in node.inputs))
        found[node] = taken
        through[node] = taken if is_free(node) else frozenset({node})
    return found


def _cuts(work: Sequence[Node], sequence: Labels, sources: dict[Node, frozenset[Node]]) -> list[int]:
    """The places before which a step begins, but for the first."""
    cuts: set[int] = set()
    waiting = [(0, len(work), 1)]
    while waiting:
        start, stop, largest = waiting.pop()
        found = stretches(sequence, start, stop) if stop - start > largest else []
        if not found or found[0].saved < _LEAST:
            continue
        best = found[0]
        first = best.start + _first_iteration(work, best, sources)
        iterations = [*range(first, best.stop - best.period + 1, best.period)]
        end = iterations[-1] + best.period
        cuts.update((*iterations, end))
        largest = max(largest, best.period)
        waiting += [(start, first, largest), (end, stop, largest)]
        if sum(_size(node) for node in work[first : first + best.period]) > _LARGE:
            waiting += [(at, at + best.period, 1) for at in iterations]
    return sorted(cut for cut in cuts if 0 < cut < len(work))


def _first_iteration(work: Sequence[Node], stretch: Stretch, sources: dict[Node, frozenset[Node]]) -> int:
    """Where in a stretch the first iteration best begins: where the fewest bits go from one to the next."""
    period = stretch.period
    start = stretch.start + (period if stretch.iterations > 2 else 0)
    window = {work[at]: at for at in range(start, min(len(work), start + 2 * period))}
    return min(range(period), key=lambda cut: _crossing(work, window, sources, start + cut, period))


def _crossing(
    work: Sequence[Node], window: dict[Node, int], sources: dict[Node, frozenset[Node]], cut: int, period: int
) -> int:
    later = range(cut, min(len(work), cut + period))
    taken = {node for at in later for node in sources[work[at]] if window.get(node, cut) < cut}
    return sum(node.width for node in taken)
