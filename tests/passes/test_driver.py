"""The driver: plans in order, passes that are equal, what is reported of each."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from finalist.errors import GraphError
from finalist.ir.graph import Graph
from finalist.ir.program import Program
from finalist.ir.steps import watching
from finalist.passes import hoist, pack, simplify
from finalist.passes.driver import on_kernel, on_keys, run, run_once, when, whole
from finalist.passes.fuse import Fuser
from finalist.passes.pipeline import lower, passes
from finalist.passes.simplify import simplified
from tests.graphs import random_program
from tests.passes.meaning import keeps_program

PROGRAM = random_program("driver")


def same(graph: Graph, *arguments: Any, **options: Any) -> Graph:
    """The graph as it is. A second sentence.

    A second paragraph.
    """
    return graph


def test_passes_run_in_order_and_are_reported() -> None:
    plan = (whole("simplify", simplify.run), whole("pack", pack.run), on_kernel("kernel", same))
    with watching() as steps:
        after = keeps_program(lambda program: run(program, plan), PROGRAM)
    assert [step.name for step in steps] == ["simplify", "pack", "kernel"]
    assert [step.file for step in steps[:2]] == ["finalist/passes/simplify.py", "finalist/passes/pack.py"]
    assert (steps[0].before, steps[-1].after) == (PROGRAM, after)
    assert all(a.after is b.before for a, b in itertools.pairwise(steps))


def test_a_pass_on_one_graph_leaves_the_other() -> None:
    on_expand = on_keys("keys", simplified)(PROGRAM)
    assert on_expand.kernel is PROGRAM.kernel
    assert on_expand.expand is not PROGRAM.expand
    kernel = on_kernel("kernel", simplified)(PROGRAM)
    assert kernel.expand is PROGRAM.expand
    assert kernel.kernel is not PROGRAM.kernel


def test_arguments_and_options_are_handed_over() -> None:
    given: list[Any] = []

    def noting(program: Program, *arguments: Any, **options: Any) -> Program:
        given.append((arguments, options))
        return program

    assert whole("a", noting, 1, "two", three=3)(PROGRAM) is PROGRAM
    assert given == [((1, "two"), {"three": 3})]


def test_a_summary_is_the_first_sentence() -> None:
    assert on_kernel("a", same).summary == "The graph as it is"
    assert whole("a", partial(hoist.run, extended=False)).file == "finalist/passes/hoist.py"
    assert whole("hoist", hoist.run).summary.startswith("The program with key-only work in its key schedule")


def test_every_pass_says_what_it_does() -> None:
    for step in passes(32, "full"):
        assert step.summary, step.name
        assert step.file.startswith("finalist/"), step.name


def test_equal_passes() -> None:
    assert whole("a", simplify.run) == whole("a", simplify.run)
    assert whole("a", same, 1) != whole("a", same, 2)
    assert on_kernel("a", same) != on_keys("a", same)
    assert hash(on_kernel("a", same, x=1)) == hash(on_kernel("a", same, x=1))
    assert passes(32, "full") == passes(32, "full") != passes(32, "zero")
    assert Fuser(8) == Fuser(8) != Fuser(9)


def test_a_plan_is_run_once_for_a_program() -> None:
    calls: list[int] = []

    def counting(program: Program) -> Program:
        calls.append(1)
        return simplify.run(program)

    plan = (whole("counting", counting),)
    assert run_once(PROGRAM, plan) is run_once(PROGRAM, plan)
    with watching() as steps:
        run_once(PROGRAM, plan)
        run_once(PROGRAM, plan)
    assert [step.name for step in steps] == ["counting"] * 2
    assert len(calls) == 2
    run(PROGRAM, plan)
    assert len(calls) == 3


def test_a_pass_on_a_kernel_runs_once_for_all_programs_that_have_it() -> None:
    calls: list[int] = []

    def counting(graph: Graph) -> Graph:
        calls.append(1)
        return simplified(graph)

    plan = (on_kernel("counting", counting),)
    other = replace(PROGRAM, key_bits=256)
    kernels = {run(program, plan).kernel for program in (PROGRAM, other)}
    assert len(kernels) == len(calls) == 1


def test_when() -> None:
    one = whole("a", simplify.run)
    assert when(True, one, one) == (one, one)
    assert when(0, one) == ()


def test_the_passes_that_machines_share() -> None:
    with watching() as steps:
        lower(PROGRAM, 8, "zero")
    assert [step.name for step in steps] == [step.name for step in passes(8, "zero")]


def test_a_pass_that_spoils_a_graph_is_found() -> None:
    """By what all tests have: the verifier after each pass."""

    def spoiled(graph: Graph) -> Graph:
        made = simplified(graph)
        made.body = ()
        return made

    with pytest.raises(GraphError) as caught:
        run(PROGRAM, (on_kernel("spoil", spoiled),))
    assert caught.value.__notes__ == [f"after the pass spoil (test_driver.py) on {PROGRAM.cipher}"]
