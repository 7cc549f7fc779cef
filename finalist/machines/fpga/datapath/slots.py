"""Which register holds which word: the words between rounds, in the same places round after round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from finalist.ir.graph import Node
from finalist.machines.fpga.datapath.rounds import Rounds

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
