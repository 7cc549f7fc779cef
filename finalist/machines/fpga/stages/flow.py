"""The smallest cut of a network: Dinic's algorithm, on the few hundred words of a round."""

from __future__ import annotations

from collections import deque

#: More than any cut costs.
ENDLESS = 1 << 30


class Network:
    """Nodes 0, 1, ..; ``edge`` adds capacity from one to another."""

    def __init__(self, nodes: int) -> None:
        self._edges: list[list[int]] = [[] for _ in range(nodes)]
        self._to: list[int] = []
        self._room: list[int] = []

    def edge(self, a: int, b: int, capacity: int) -> None:
        """Room for ``capacity`` from a to b."""
        for start, end, room in ((a, b, capacity), (b, a, 0)):
            self._edges[start].append(len(self._to))
            self._to.append(end)
            self._room.append(room)

    def source_side(self, source: int, sink: int) -> set[int]:
        """The nodes on the source's side of a smallest cut."""
        while True:
            level = self._levels(source)
            if sink not in level:
                return set(level)
            at = [0] * len(self._edges)
            while self._push(source, sink, level, at):
                pass

    def _levels(self, source: int) -> dict[int, int]:
        level, queue = {source: 0}, deque([source])
        while queue:
            node = queue.popleft()
            for edge in self._edges[node]:
                if self._room[edge] and self._to[edge] not in level:
                    level[self._to[edge]] = level[node] + 1
                    queue.append(self._to[edge])
        return level

    def _push(self, source: int, sink: int, level: dict[int, int], at: list[int]) -> bool:
        """One more way through, if there is one."""
        path: list[int] = []
        node = source
        while node != sink:
            while at[node] < len(self._edges[node]):
                edge = self._edges[node][at[node]]
                if self._room[edge] and level.get(self._to[edge]) == level[node] + 1:
                    break
                at[node] += 1
            else:
                if node == source:
                    return False
                node = self._to[path.pop() ^ 1]
                at[node] += 1
                continue
            path.append(edge)
            node = self._to[edge]
        least = min(self._room[edge] for edge in path)
        for edge in path:
            self._room[edge] -= least
            self._room[edge ^ 1] += least
        return True
