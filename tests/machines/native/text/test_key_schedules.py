"""Which key schedules become loops: those that are asked to, and those that gain by it."""

from __future__ import annotations

from pathlib import Path

import pytest

import finalist
from finalist.errors import ScheduleError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region, every_node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.text.key_schedules import executed, grown
from finalist.passes.key_schedules.key_loops import with_key_loops
from finalist.schedule import Schedule
from tests.graphs import Seeded, inputs_for
from tests.machines.native.harness import compare
from tests.marks import needs_compiler
from tests.repetitive import Repetitive


def compiled(name: str, key_schedule: str | None = None) -> NativeProgram:
    program = finalist.compile(
        name, "native", schedule=Schedule(blocks=1, width=1, key_schedule=key_schedule)
    )
    assert isinstance(program, NativeProgram)
    return program


def written(program: NativeProgram) -> int:
    return sum(1 for _ in every_node(program.program.expand))


def test_by_default_where_much_text_goes_and_little_time_comes() -> None:
    """LOKI97 repeats one function 48 times; the turns of SAFER+ do too little for what a loop costs."""
    assert compiled("loki97").schedule.key_schedule == "loop"
    assert written(compiled("loki97")) * 3 < written(compiled("loki97", key_schedule="unroll"))
    assert compiled("safer-plus").schedule.key_schedule is None


def test_what_is_asked_for_is_followed() -> None:
    for name in ("safer-plus", "rijndael"):
        looped, straight = (compiled(name, key_schedule=how) for how in ("loop", "unroll"))
        assert (looped.schedule.key_schedule, straight.schedule.key_schedule) == ("loop", "unroll")
        assert any(node.op is Op.LOOP for node in looped.program.expand.body)
        assert not any(node.op is Op.LOOP for node in straight.program.expand.body)
        assert looped.program.kernel is straight.program.kernel or looped.text != straight.text


def test_loops_are_refused_where_nothing_repeats() -> None:
    with pytest.raises(ScheduleError, match="key-schedule=loop is not legal for magenta: nothing in its key"):
        compiled("magenta", key_schedule="loop")
    with pytest.raises(ScheduleError, match="key-schedule=2: accepted: loop, unroll"):
        finalist.compile("rc6", key_schedule="2")


@needs_compiler
def test_random_ones_do_the_same_in_c(tmp_path: Path) -> None:
    graphs = [with_key_loops(Repetitive(Seeded(seed), 8 + seed % 9, seed % 3).graph()) for seed in range(24)]
    assert sum(any(node.op is Op.LOOP for node in graph.body) for graph in graphs) >= 8
    values = [inputs_for(graph, 3, seed) for seed, graph in enumerate(graphs)]
    compare(graphs, values, tmp_path)


U32 = WordType(32)


def words(make: Builder, count: int) -> list[Node]:
    return [make.param("memory", U32, f"x{n}") for n in range(count)]


def looped(turns: int) -> Graph:
    make = Builder()
    (k,) = words(make, 1)
    index, carried = make.param("index", U32, "i"), make.param("carried", U32, "c")
    sum_ = make.make(Op.ADD, (make.make(Op.XOR, (carried, k)), make.make(Op.ADD, (index, k))))
    place = make.make(Op.MUL, (index, make.const(3, 32)))
    region = Region([index, carried], [make.make(Op.ADD, (sum_, place))])
    return Graph("g", [k], make.loop(make.const(0, 32), make.const(turns, 32), [k], region))


@pytest.mark.parametrize("turns", [0, 1, 7])
def test_a_loop_is_executed_turn_by_turn(turns: int) -> None:
    """Four operations, one word handed on, the end of the turn; the place is part of an address."""
    assert executed(looped(turns)) == turns * 6


def chain(steps: int, wide: int) -> Graph:
    """``wide`` chains side by side."""
    make = Builder()
    given = words(make, wide)
    ends = list(given)
    for step in range(steps):
        ends = [make.make(Op.XOR, (end, make.const(step + 1, 32))) for end in ends]
    return Graph("g", given, ends)


def test_work_beside_a_long_chain_costs_nothing() -> None:
    assert grown(chain(90, 1), chain(90, 2)) == 1
    assert grown(chain(10, 9), chain(10, 18)) == 2
