"""Which register holds which word: the words between rounds, in the same places round after round.

A kernel is taken apart into rounds first: what each computes, and which words go from one to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from finalist.errors import ScheduleError
from finalist.ir.graph import Graph, Node
from finalist.ir.memoized import memoized
from finalist.ir.ops import Op
from finalist.machines.fpga.wiring import is_wiring
from finalist.passes.analysis import KeyOnly, users

Places = dict[Node, int]


@dataclass(slots=True)
class Slots:
    """The registers of one row: their widths and names, and who is where at each boundary that they serve."""

    widths: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def add(self, node: Node) -> int:
        """A new place for such a word."""
        self.widths.append(node.width)
        self.names.append(node.name)
        return len(self.widths) - 1


def assign(rounds: Rounds, size: int) -> tuple[list[Slots], list[Places]]:
    """Rows of registers for ``size`` rounds in hardware, and the place of each live word at each boundary.

    Boundary b has row b mod ``size``; the last one, where results leave, a row of its own (the last).
    In the middle of a cipher a word's place is its rank in order of making. At the ends, where words come
    from elsewhere, it is that of the word that is used in its stead in the middle.
    """
    count = len(rounds.segments)
    rows = [Slots() for _ in range(size + 1)]
    places: list[Places] = [{} for _ in range(count + 1)]
    models = [_model(rounds, row, size) for row in range(size)]
    for row, model in enumerate(models):
        places[model] = {node: rows[row].add(node) for node in rounds.live[model]}
    for boundary in reversed(range(count)):
        model = models[boundary % size]
        if boundary != model:
            places[boundary] = _like(rounds, boundary, model, places, rows[boundary % size])
    places[count] = {node: rows[size].add(node) for node in rounds.live[count]}
    return rows, places


def together(rounds: Sequence[Rounds], size: int) -> tuple[list[Slots], list[list[Places]]]:
    """`assign` for each, in rows of registers that they share: places of one width, in their order."""
    rows, first = assign(rounds[0], size)
    found = [first]
    for other in rounds[1:]:
        own, places = assign(other, size)
        moved = [_into(row, mine) for row, mine in zip(rows, own, strict=True)]
        last = len(places) - 1
        found.append(
            [
                {node: moved[size if b == last else b % size][place] for node, place in at.items()}
                for b, at in enumerate(places)
            ]
        )
    return rows, found


def _into(row: Slots, own: Slots) -> list[int]:
    """For each place of one row that of another which it can be; places that there are none for are added."""
    taken: set[int] = set()
    moved = []
    for width, name in zip(own.widths, own.names, strict=True):
        free = (at for at, there in enumerate(row.widths) if there == width and at not in taken)
        place = next(free, len(row.widths))
        if place == len(row.widths):
            row.widths.append(width)
            row.names.append(name)
        taken.add(place)
        moved.append(place)
    return moved


def _model(rounds: Rounds, row: int, size: int) -> int:
    """The boundary in the middle of those that a row serves."""
    served = range(row, len(rounds.segments), size)
    return served[len(served) // 2]


def _like(rounds: Rounds, boundary: int, model: int, places: list[Places], row: Slots) -> Places:
    """Places at a boundary as at the model."""
    here, there = rounds.live[boundary], rounds.live[model]
    by_rank = [_origin(rounds, n, boundary) for n in here] == [_origin(rounds, n, model) for n in there]
    if by_rank and all(rounds.made[node] >= 0 for node in here):
        return {node: places[model][other] for node, other in zip(here, there, strict=True)}
    found = _by_use(rounds, boundary, model, places[model])
    _by_passing(rounds, boundary, model, places, found)
    for node in here:
        if node not in found:
            found[node] = _free(row, node, set(found.values()))
    return found


def _origin(rounds: Rounds, node: Node, boundary: int) -> tuple[object, ...]:
    return boundary - rounds.made[node], node.op, node.width, node.attr


def _by_use(rounds: Rounds, boundary: int, model: int, known: Places) -> Places:
    """A word is where that word is which the same operation of the model's round takes."""
    found: Places = {}
    live = set(rounds.live[boundary])
    for node, other in zip(rounds.segments[boundary], rounds.segments[model], strict=False):
        if node.op is not other.op or len(node.inputs) != len(other.inputs):
            break
        for child, twin in zip(node.inputs, other.inputs, strict=True):
            place = known.get(twin, -1)
            fits = place >= 0 and child.width == twin.width
            if fits and child in live and child not in found and place not in found.values():
                found[child] = place
    return found


def _by_passing(rounds: Rounds, boundary: int, model: int, places: list[Places], found: Places) -> None:
    """A word that only passes through is where the word is which arrives at the same place after."""
    if boundary + 1 >= len(rounds.segments) or model + 1 >= len(rounds.segments):
        return
    after, model_after = places[boundary + 1], places[model + 1]
    arriving = {place: node for node, place in model_after.items()}
    for node in rounds.live[boundary]:
        twin = arriving.get(after.get(node, -1))
        place = -1 if twin is None else places[model].get(twin, -1)
        fits = place >= 0 and twin is not None and twin.width == node.width
        if fits and node not in found and place not in found.values():
            found[node] = place


def _free(row: Slots, node: Node, taken: set[int]) -> int:
    for place, width in enumerate(row.widths):
        if width == node.width and place not in taken:
            return place
    return row.add(node)


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
