"""Programs as straight lines: what is recorded computes what the interpreter computes."""

from __future__ import annotations

import numpy as np
import pytest

from finalist.errors import FinalistError
from finalist.ir import execute
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import CONTROL, Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.ir.types import WordType
from finalist.machines.tracing import traced
from finalist.prove.recorded import Recorded, Recorder, simulated
from finalist.prove.words import NotCoveredError
from tests.graphs import bytes_for, random_program
from tests.prove.test_definition import Filled

CHECK = (pytest.mark.slow, pytest.mark.check)


def results(program: Program, recorder: Recorder, recorded: Recorded) -> np.ndarray:
    """What the recorded words make of some keys and blocks, as bytes."""
    keys, data = bytes_for(program, 20)
    values = simulated(recorder.nodes, [recorded], keys, data)
    (block,) = recorded.results
    words = [values[word] if isinstance(word, Node) else np.uint64(word) for word in block]
    return execute.merge(program.block, words, len(keys))


@pytest.mark.parametrize("part", [0, *(pytest.param(k, marks=CHECK) for k in range(1, 8))])
def test_random_programs(part: int) -> None:
    """Nothing of control or arrays is left; what depends on key or block where it may not is refused."""
    done = 0
    for seed in range(25 * part, 25 * part + 25):
        program = random_program(f"record {seed}")
        recorder = Recorder()
        try:
            recorded = recorder.record(program, 1)
        except NotCoveredError:
            continue
        done += 1
        assert not {node.op for node in recorder.nodes} & {*CONTROL, Op.STORE, Op.APPLY, Op.RESULT}
        wanted = execute.interpret(program, *bytes_for(program, 20))
        assert np.array_equal(results(program, recorder, recorded), wanted), seed
    assert done > 8


def test_a_table_that_is_filled() -> None:
    program = traced(Filled, "encrypt", 64)
    recorder = Recorder()
    recorded = recorder.record(program, 1)
    wanted = execute.interpret(program, *bytes_for(program, 20))
    assert np.array_equal(results(program, recorder, recorded), wanted)


def test_equal_operations_are_one_word() -> None:
    """Of the same program once more nothing is new; blocks after each other are at other bytes."""
    program = traced(Filled, "encrypt", 64)
    recorder = Recorder()
    first = recorder.record(program, 1)
    count = len(recorder.nodes)
    assert recorder.record(program, 1).results == first.results
    assert len(recorder.nodes) == count
    both = recorder.record(program, 2)
    assert both.results[0] == first.results[0]
    assert both.results[1] != first.results[0]


def test_iterations_that_depend_on_the_key_are_refused() -> None:
    make = Builder()
    key, block = (make.param("memory", WordType(8), name) for name in ("key", "block"))
    array = make.array_of([key])
    state = make.param("state", array.type, "S")
    index, carried = make.param("index", WordType(8), "i"), make.param("carried", WordType(8), "v")
    body = Region([index, carried], [make.make(Op.XOR, (carried, index))])
    stop = make.make(Op.LOAD, (state, make.const(0, 8)))
    (made,) = make.loop(make.const(0, 8), stop, [block], body)
    layout = Layout(1, 8, ByteOrder.LITTLE)
    expand, kernel = Graph("expand", [key], [array]), Graph("kernel", [block, state], [made])
    program = Program("own", "encrypt", 8, layout, layout, expand, kernel)
    with pytest.raises(FinalistError, match="the iterations of a loop depend on key or block"):
        Recorder().record(program, 1)
