"""A kernel taken apart into rounds: what each computes, and which words go from one to the next."""

from __future__ import annotations

from dataclasses import dataclass

from finalist.errors import ScheduleError
from finalist.ir.graph import Graph, Node
from finalist.ir.memoized import memoized
from finalist.ir.ops import Op
from finalist.machines.fpga.wiring import is_wiring
from finalist.passes.analysis import KeyOnly, users

#: A piece before the first or after the last round is itself a round if it does one's work: substitution.
_SUBSTITUTES = frozenset({Op.LOOKUP, Op.BOOL})


@dataclass(frozen=True, slots=True)
class Rounds:
    """``segments[r]``: the nodes of round r, in order; ``first`` and ``last`` what comes before and after.

    ``live[b]``: the words of the block that pass from round b - 1 (b = 0: from ``first``) to later ones, in
    the order of their making.
    """

    first: tuple[Node, ...]
    segments: tuple[tuple[Node, ...], ...]
    last: tuple[Node, ...]
    live: tuple[tuple[Node, ...], ...]
    #: For each node of the block's computation, the round that makes it; -1 for ``first``.
    made: dict[Node, int]


@memoized
def split(kernel: Graph, cipher: str) -> Rounds:
    """The kernel by rounds, which all architectures share. Raises ScheduleError where the definition marks
    none."""
    if not kernel.rounds:
        raise ScheduleError(f"{cipher} has no rounds: its definition marks none with rounds()")
    key_only = KeyOnly()
    body = [node for node in kernel.body if not key_only(node)]
    phase = _phases(kernel, body)
    bounds = _bounds(kernel, body, phase)
    made = {node: sum(1 for bound in bounds if bound <= phase[node]) - 1 for node in body}
    made |= {param: -1 for param in kernel.params if not key_only(param)}
    count = len(bounds) - 1
    live = _live(kernel, body, made, count)
    for until in (bounds[0], max(phase.values()) + 1):
        early = _parts_at_first(body, made, until)
        alike = _live(kernel, body, early, count)
        if _widths(alike[0]) == _widths(alike[count // 2]) != _widths(live[0]):
            made, live = early, alike
    segments = tuple(tuple(n for n in body if made[n] == r) for r in range(count))
    first = tuple(node for node in body if made[node] < 0)
    last = tuple(node for node in body if made[node] >= count)
    return Rounds(first, segments, last, live, made)


def _parts_at_first(body: list[Node], made: dict[Node, int], until: int) -> dict[Node, int]:
    """With parts of words that ``first`` makes taken there, where the definition takes them before ``until``.

    Bytes or halves of a block, that is, which rounds keep apart.
    """
    early = dict(made)
    for node in body:
        part = is_wiring(node.op, node.attr) and len(node.inputs) == 1
        if part and node.phase < until and early[node.inputs[0]] < 0:
            early[node] = -1
    return early


def _widths(live: tuple[Node, ...]) -> list[int]:
    return sorted(node.width for node in live)


def _phases(kernel: Graph, body: list[Node]) -> dict[Node, int]:
    """When each node is made: as late as possible for parts of words."""
    latest: dict[Node, int] = {}
    after = max((node.phase for node in body), default=0) + 1
    for node in kernel.results:
        latest[node] = after
    phase: dict[Node, int] = {}
    shared = {child for child, found in users(kernel).items() if len(found) > 1}
    for node in reversed(body):
        needed = latest.get(node, after)
        phase[node] = needed if _is_part(node, shared) else min(node.phase, needed)
        for child in node.inputs:
            latest[child] = min(latest.get(child, after), phase[node])
    return phase


def _is_part(node: Node, shared: set[Node]) -> bool:
    """Whether it only picks bits of a word: it is made where it is needed, and registers hold whole words."""
    if node.op is Op.ROL:
        return node.inputs[1].op is Op.CONST and node.inputs[0] in shared
    return is_wiring(node.op, node.attr) and len(node.inputs) == 1


def _bounds(kernel: Graph, body: list[Node], phase: dict[Node, int]) -> list[int]:
    """The first phase of each round, and of what comes after them."""
    starts = [first + r for first, count in kernel.rounds for r in range(count)]
    end = kernel.rounds[-1][0] + kernel.rounds[-1][1]
    bounds = [*starts, end]
    if any(node.op in _SUBSTITUTES and phase[node] < starts[0] for node in body):
        bounds = [-1, *bounds]
    if any(node.op in _SUBSTITUTES and phase[node] >= end for node in body):
        bounds = [*bounds, max(phase.values()) + 1]
    return bounds


def _live(kernel: Graph, body: list[Node], made: dict[Node, int], count: int) -> tuple[tuple[Node, ...], ...]:
    used: dict[Node, int] = {}
    for node in body:
        for child in node.inputs:
            if child in made:
                used[child] = max(used.get(child, -1), made[node])
    used |= {node: count for node in kernel.results if node in made}
    nodes = [*(param for param in kernel.params if param in made), *body]
    return tuple(tuple(n for n in nodes if made[n] < b <= used.get(n, -1)) for b in range(count + 1))
