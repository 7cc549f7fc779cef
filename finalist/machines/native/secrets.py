"""Reads and writes at secret places: which the code goes through whole tables for, and what else tells."""

from __future__ import annotations

from collections.abc import Iterator

from finalist.ir.graph import Graph, Node, every_node
from finalist.passes.timing import PLAIN, Execution, addresses, secrets
from finalist.schedule import Schedule

#: How `lookup` carries out reads and writes at secret places: `SCAN` goes through all of the table.
SCAN = "scan"
#: The ways to read that `constant-time` tries; None is what the cipher has without being asked.
_WAYS = (None, SCAN)
_NO_ADDRESS = Execution(addresses=lambda node: ())


def execution(schedule: Schedule) -> Execution:
    """What programs under the schedule give away, operation by operation."""
    return _NO_ADDRESS if schedule.lookup == SCAN else PLAIN


def scanned(graph: Graph, schedule: Schedule) -> frozenset[Node]:
    """The reads and writes that go through all of their table or array under this schedule."""
    return at_secret_places(graph) if schedule.lookup == SCAN else frozenset()


def at_secret_places(graph: Graph) -> frozenset[Node]:
    """Lookups, reads and writes of arrays whose place depends on key or block."""
    secret = secrets(graph)
    return frozenset(node for node in every_node(graph) if any(place in secret for place in addresses(node)))


def candidates(schedule: Schedule) -> Iterator[Schedule]:
    """What `constant-time` tries: where `lookup` is open each way to read, the fastest first."""
    for way in [schedule.lookup] if schedule.lookup else _WAYS:
        yield schedule.over(Schedule(lookup=way))
