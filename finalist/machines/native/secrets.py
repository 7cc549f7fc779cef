"""Reads and writes at secret places: which the code goes through whole tables for, and what else tells."""

from __future__ import annotations

from collections.abc import Iterator

from finalist.ir.graph import Graph, Node, every_node, origin
from finalist.ir.ops import Op
from finalist.passes.timing import PLAIN, Execution, addresses, secrets
from finalist.schedule import Schedule

#: How `lookup` carries out reads and writes at secret places: `SCAN` goes through all of the table.
SCAN = "scan"
#: The ways to read that `constant-time` tries; None is what the cipher has without being asked.
_WAYS = (None, SCAN)
#: Tables that permutes read, of the code and of the expanded key, lie in registers; other arrays in memory.
PERMUTE = "permute"


def _addresses_beside_permutes(node: Node) -> tuple[Node, ...]:
    read = node.op is Op.LOOKUP or (node.op is Op.LOAD and origin(node.inputs[0]).op is Op.PARAM)
    return () if read else addresses(node)


_NO_ADDRESS = Execution(addresses=lambda node: ())
_PERMUTES = Execution(addresses=_addresses_beside_permutes)


def execution(schedule: Schedule) -> tuple[Execution, Execution]:
    """What kernel and key schedule give away under the schedule, operation by operation."""
    kernel = {SCAN: _NO_ADDRESS, PERMUTE: _PERMUTES}.get(schedule.lookup or "", PLAIN)
    return kernel, _NO_ADDRESS if _scans_key_schedule(schedule) else PLAIN


def _scans_key_schedule(schedule: Schedule) -> bool:
    """Where constant time is asked for, whatever the kernel does: a key schedule is run once."""
    return schedule.lookup == SCAN or bool(schedule.constant_time)


def scanned(graph: Graph, schedule: Schedule) -> frozenset[Node]:
    """The reads and writes of a kernel that go through all of their table or array under this schedule."""
    return at_secret_places(graph) if schedule.lookup == SCAN else frozenset()


def scanned_in_key_schedule(graph: Graph, schedule: Schedule) -> frozenset[Node]:
    """The same of a key schedule."""
    return at_secret_places(graph) if _scans_key_schedule(schedule) else frozenset()


def at_secret_places(graph: Graph) -> frozenset[Node]:
    """Lookups, reads and writes of arrays whose place depends on key or block."""
    secret = secrets(graph)
    return frozenset(node for node in every_node(graph) if any(place in secret for place in addresses(node)))


def candidates(schedule: Schedule) -> Iterator[Schedule]:
    """What `constant-time` tries: where `lookup` is open each way to read, the fastest first."""
    for way in [schedule.lookup] if schedule.lookup else _WAYS:
        yield schedule.over(Schedule(lookup=way))
