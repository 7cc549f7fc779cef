"""Reads and writes at secret places: which the code goes through whole tables for, and what else tells."""

from __future__ import annotations

from collections.abc import Iterator

from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.passes.analysis import KeyOnly
from finalist.passes.timing import Execution, Timing, addresses, secrets, timing
from finalist.schedule import Schedule

Nodes = frozenset[Node]

#: How `lookup` carries out reads and writes at secret places: `SCAN` goes through all of the table.
SCAN, PERMUTE = "scan", "permute"
_NONE: Nodes = frozenset()
#: The ways to read that `constant-time` tries: first what the cipher has without being asked.
_WAYS = (
    (Schedule(),),
    (Schedule(lookup="match"),),
    (Schedule(lookup="bitslice"), *(Schedule(lookup=PERMUTE, word=w) for w in (8, 16, 32, 64))),
    (Schedule(lookup=SCAN),),
)
#: Ways that leave reads to scalars, which with `constant-time` go through all of a table.
_PARTLY = frozenset({PERMUTE, "match", "bitslice"})


def candidates(schedule: Schedule) -> Iterator[tuple[Schedule, ...]]:
    """What `constant-time` tries where `lookup` is open: groups, the faster ones, if legal at all, first."""
    for group in ((Schedule(),),) if schedule.lookup else _WAYS:
        yield tuple(schedule.over(way) for way in group)


def labels(program: Program, schedule: Schedule) -> Timing:
    """What the program that is emitted under the schedule gives away."""
    kernel = scanned_in_kernel(program, schedule) | _permuted(program.kernel, schedule)
    return timing(program, _hiding(kernel), _hiding(scanned_in_key_schedule(program, schedule)))


def scanned_in_key_schedule(program: Program, schedule: Schedule) -> Nodes:
    """The reads and writes of the key schedule that go through all of their table or array."""
    wanted = schedule.lookup == SCAN or schedule.constant_time
    return at_secret_places(program.expand) if wanted else _NONE


def scanned_in_kernel(program: Program, schedule: Schedule) -> Nodes:
    """Those of the kernel."""
    if schedule.lookup == SCAN:
        return at_secret_places(program.kernel)
    if schedule.constant_time and schedule.lookup in _PARTLY:
        return at_secret_places(program.kernel) - _permuted(program.kernel, schedule)
    return _NONE


def at_secret_places(graph: Graph) -> Nodes:
    """Lookups, reads and writes of arrays whose place depends on key or block."""
    secret = secrets(graph)
    return frozenset(node for node in every_node(graph) if any(place in secret for place in addresses(node)))


def _permuted(kernel: Graph, schedule: Schedule) -> Nodes:
    """The reads that permutes do: of tables that are the same for all lanes, at places that are not."""
    if schedule.lookup != PERMUTE:
        return _NONE
    shared = KeyOnly("key", "index")

    def permuted(node: Node) -> bool:
        if node.op is Op.LOOKUP:
            return not shared(node.inputs[0])
        return node.op is Op.LOAD and shared(node.inputs[0]) and not shared(node.inputs[1])

    return frozenset(node for node in every_node(kernel) if permuted(node))


def _hiding(hidden: Nodes) -> Execution:
    return Execution(addresses=lambda node: () if node in hidden else addresses(node))
