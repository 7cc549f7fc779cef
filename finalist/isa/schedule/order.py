"""The order of instructions inside a block.

``levels``: as hand-written code for a superscalar machine is: within each round, what depends on nothing
first, then what depends on that alone, and so on. ``critical``: a list schedule over the whole block, for a
machine's units, those first that the most is waiting for (Graham 1966). Both hold back where registers run
out, and then take what frees one.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from finalist.isa.code import ZERO, Block, Ins
from finalist.isa.schedule.dependences import of_waiting
from finalist.isa.target.processor import Processor


def arrange(block: Block, processor: Processor, how: str, room: int, leaving: set[int]) -> None:
    """Puts the block's instructions in order.

    ``room``: registers for the words that live inside of the block; ``leaving``: words alive at its end.
    """
    body = block.body
    if len(body) < 3:
        return
    tail = [body.pop()] if body[-1].instruction.flow is not None else []
    last = {word for ins in tail for word in ins.read} | leaving
    graph = _Dependences(body)
    keys = _levels(body, graph) if how == "levels" else _critical(body, graph)
    scheduler = _List(body, graph, keys, processor if how == "critical" else None, room, last)
    block.body = [body[place] for place in scheduler.run()] + tail


class _Dependences:
    """``after[k]``: what follows instruction k, and how many cycles later; ``count``: what it waits for."""

    def __init__(self, body: Sequence[Ins]) -> None:
        self.after: list[dict[int, int]] = [{} for _ in body]
        self.count = [0] * len(body)
        for edge in of_waiting(body):
            after = self.after[edge.source]
            if edge.source != edge.target:
                self.count[edge.target] += edge.target not in after
                after[edge.target] = max(edge.distance, after.get(edge.target, 0))


def _levels(body: Sequence[Ins], graph: _Dependences) -> list[tuple[int, ...]]:
    """Round, level inside of the round, place."""
    window, level = 0, [0] * len(body)
    windows = []
    for ins in body:
        window = max(window, ins.phase)
        windows.append(window)
    for place in range(len(body)):
        for then, cycles in graph.after[place].items():
            if windows[then] == windows[place]:
                level[then] = max(level[then], level[place] + cycles)
    _late_loads(body, graph, windows, level)
    return [(windows[k], level[k], k) for k in range(len(body))]


def _late_loads(body: Sequence[Ins], graph: _Dependences, windows: Sequence[int], level: list[int]) -> None:
    """What is read at a fixed place is read one level before it is used, not with the first."""
    for place, ins in enumerate(body):
        if ins.instruction.effect == "load" and not graph.count[place]:
            users = [level[then] for then in graph.after[place] if windows[then] == windows[place]]
            level[place] = max(0, min(users, default=1) - 1)


def _critical(body: Sequence[Ins], graph: _Dependences) -> list[tuple[int, ...]]:
    """The longest way to the end, longest first."""
    height = [0] * len(body)
    for place in reversed(range(len(body))):
        for then, cycles in graph.after[place].items():
            height[place] = max(height[place], height[then] + cycles)
    return [(-height[k], k) for k in range(len(body))]


class _List:
    """A list scheduler. Without a processor there are no cycles: what is ready goes by its key alone."""

    def __init__(
        self,
        body: Sequence[Ins],
        graph: _Dependences,
        keys: Sequence[tuple[int, ...]],
        processor: Processor | None,
        room: int,
        leaving: set[int],
    ) -> None:
        self.body, self.graph, self.keys, self.processor, self.room = body, graph, keys, processor, room
        self.waiting = list(graph.count)
        self.earliest = [0] * len(body)
        self.uses: dict[int, int] = dict.fromkeys(leaving, 1)
        for ins in body:
            for word in set(ins.read):
                self.uses[word] = self.uses.get(word, 0) + 1
        self.local = {word for ins in body for word in ins.written if word != ZERO}
        self.live: set[int] = set()
        self.ready = [(keys[k], k) for k in range(len(body)) if not self.waiting[k]]
        heapq.heapify(self.ready)
        self.cycle = 0
        self.used: dict[str, int] = {}

    def run(self) -> list[int]:
        order = []
        while self.ready:
            place = self._next()
            order.append(place)
            self._done(place)
        return order

    def _next(self) -> int:
        if len(self.live) >= self.room:
            best = min(self.ready, key=lambda item: (self._growth(item[1]), item[1]))
            self.ready.remove(best)
            heapq.heapify(self.ready)
            return best[1]
        if self.processor is None:
            return heapq.heappop(self.ready)[1]
        while True:
            kept: list[tuple[tuple[int, ...], int]] = []
            while self.ready:
                item = heapq.heappop(self.ready)
                if self.earliest[item[1]] <= self.cycle and self._free(item[1]):
                    for other in kept:
                        heapq.heappush(self.ready, other)
                    self._take(item[1])
                    return item[1]
                kept.append(item)
            self.ready = kept
            heapq.heapify(self.ready)
            self.cycle += 1
            self.used = {}

    def _free(self, place: int) -> bool:
        assert self.processor is not None
        unit = self.body[place].instruction.unit
        return self.used.get("", 0) < self.processor.issue and self.used.get(
            unit, 0
        ) < self.processor.unit_count(unit)

    def _take(self, place: int) -> None:
        for unit in ("", self.body[place].instruction.unit):
            self.used[unit] = self.used.get(unit, 0) + 1

    def _growth(self, place: int) -> int:
        """How many registers more are taken after this instruction."""
        ins = self.body[place]
        ends = sum(1 for word in set(ins.read) if word in self.live and self.uses[word] == 1)
        starts = sum(1 for word in ins.written if word in self.local and word not in self.live)
        return starts - ends

    def _done(self, place: int) -> None:
        ins = self.body[place]
        for word in set(ins.read):
            self.uses[word] -= 1
            if not self.uses[word]:
                self.live.discard(word)
        self.live.update(word for word in ins.written if word != ZERO and self.uses.get(word, 0))
        for then, cycles in self.graph.after[place].items():
            self.waiting[then] -= 1
            self.earliest[then] = max(self.earliest[then], self.cycle + cycles)
            if not self.waiting[then]:
                heapq.heappush(self.ready, (self.keys[then], then))
