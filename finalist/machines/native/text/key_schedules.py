"""Key schedules on the host CPU: written out, or as loops where these take no longer.

A processor does some operations at once, unless each waits for the one before. So the time is the longer of
two: all operations at so many a cycle, and the longest chain of operations one after the other.
"""

from __future__ import annotations

from finalist.errors import ScheduleError
from finalist.ir.equal import shared
from finalist.ir.graph import Graph, Node, Region, trip_count
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.types import ArrayType
from finalist.machines.lacking import check_values
from finalist.machines.native.passes.scalars.readiness import Readiness
from finalist.passes.analysis import KeyOnly
from finalist.passes.driver import on_keys, run
from finalist.passes.key_schedules.key_loops import length, with_key_loops
from finalist.schedule import Schedule

#: Key schedules of several key lengths that are equal are made loops once.
SHARED_KEYS = on_keys("equal key schedules", shared)
#: Where nothing is said, a key schedule of more operations than this becomes loops if these leave no more
#: than such a part of it to write, and take about as long as it.
_LONG, _PART, _AS_LONG = 1000, 0.6, 1.2


def with_keys(program: Program, schedule: Schedule) -> tuple[Program, Schedule]:
    """The program with its key schedule as the schedule says, and the schedule with that said.

    Raises ScheduleError where loops are asked for and nothing repeats, and for what only hardware has.
    """
    check_values(schedule, nested=True, key_schedule=("loop", "unroll"))
    if schedule.key_schedule == "unroll":
        return program, schedule
    program = run(program, (SHARED_KEYS,))
    looped = run(program, (on_keys("key schedule as loops", with_loops, bool(schedule.key_schedule)),))
    if looped.expand is not program.expand:
        return looped, schedule.over(Schedule(key_schedule="loop"))
    if schedule.key_schedule == "loop":
        raise ScheduleError(
            f"key-schedule=loop is not legal for {program.cipher}: nothing in its key schedule repeats itself"
        )
    return program, schedule


def with_loops(expand: Graph, asked: bool) -> Graph:
    """The key schedule with loops, where it repeats itself and they are ``asked`` for or worth it."""
    size = length(expand)
    if not asked and size <= _LONG:
        return expand
    looped = with_key_loops(expand)
    if asked or (length(looped) <= _PART * size and grown(expand, looped) <= _AS_LONG):
        return looped
    return expand


#: Operations that processors of today do in a cycle, of code that was not written to be independent.
A_CYCLE = 3
#: What a C compiler makes part of another instruction, or of none.
_FREE = frozenset({Op.SLICE, Op.EXTEND, Op.JOIN, Op.RESULT, Op.TUPLE, Op.ARRAY})


def grown(graph: Graph, looped: Graph) -> float:
    """How many times the cycles of a straight graph those of the same with loops are, about."""
    ready = Readiness()
    chain = max((ready.at(node) for node in graph.results), default=0)
    before, after = (max(chain, executed(one) / A_CYCLE) for one in (graph, looped))
    return after / before if before else 1.0


def executed(region: Region) -> int:
    """Operations that are executed: those of a loop in all of its iterations, with what it hands on.

    What depends on the iteration alone is part of an address, but for lookups.
    """
    addresses = KeyOnly("index")
    return sum(
        trip_count(node, 1) * (executed(node.region) + _handed_on(node) + 1)
        if node.op is Op.LOOP
        else node.op not in _FREE and (node.op is Op.LOOKUP or not addresses(node))
        for node in region.body
    )


def _handed_on(loop: Node) -> int:
    region = loop.region
    pairs = zip(region.params[1:], region.results, strict=True)
    return sum(param is not result and not isinstance(param.type, ArrayType) for param, result in pairs)
