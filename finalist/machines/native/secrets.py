"""Reads and writes at secret places: which the code goes through whole tables for, and what else tells."""

from __future__ import annotations

from collections.abc import Iterator

from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import Op
from finalist.passes.analysis import KeyOnly
from finalist.passes.timing import PLAIN, Execution, addresses, secrets
from finalist.schedule import Schedule

#: How `lookup` carries out reads and writes at secret places: `SCAN` goes through all of the table.
SCAN = "scan"
PERMUTE = "permute"
#: The ways to read that `constant-time` tries; the first is what the cipher has without being asked.
_WAYS = (Schedule(), Schedule(lookup=PERMUTE, word=8), Schedule(lookup="bitslice"), Schedule(lookup=SCAN))
_NO_ADDRESS = Execution(addresses=lambda node: ())


def _permutes() -> Execution:
    """Tables of the code and of the expanded key are read in registers, at places that differ between lanes.

    What is the same for all lanes is scalar code, and other arrays lie in memory.
    """
    shared = KeyOnly("key", "index")

    def beside(node: Node) -> tuple[Node, ...]:
        read = node.op is Op.LOOKUP or (node.op is Op.LOAD and shared(node.inputs[0]))
        return () if read and not shared(node.inputs[-1]) else addresses(node)

    return Execution(addresses=beside)


def execution(schedule: Schedule) -> tuple[Execution, Execution]:
    """What kernel and key schedule give away under the schedule, operation by operation."""
    kernel = {SCAN: _NO_ADDRESS, PERMUTE: _permutes()}.get(schedule.lookup or "", PLAIN)
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
    for way in (Schedule(),) if schedule.lookup else _WAYS:
        yield schedule.over(way)
