"""Tables read at constants: reads of an array while rounds become a loop, then the constants."""

from __future__ import annotations

import dataclasses
from functools import cache

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.language.definition import trace
from finalist.passes.numbers import settled
from finalist.passes.rounds.roll import rolled
from finalist.passes.subkeys import computed
from tests.passes.meaning import keeps_program


@cache
def program(shared: bool) -> Program:
    return computed(trace(cipher("twofish"), "encrypt", 128), shared=shared)


def loops(made: Program) -> list[int]:
    kernel = rolled(made.kernel, 1)
    return [node.inputs[1].attr for node in kernel.body if node.op is Op.LOOP]


@pytest.mark.check
def test_a_round_whose_constant_is_zero_is_like_the_others() -> None:
    """Of round keys that are written out, one has nothing to add where a table's entry is 0."""
    assert loops(program(shared=False)) == [15]  # and the first, whose whitening shares entries with it
    assert max(loops(program(shared=True)), default=0) < 15


def test_arrays_of_numbers_are_taken_out_again() -> None:
    before = program(shared=False)
    looped = dataclasses.replace(before, kernel=rolled(before.kernel, 1))
    assert [name for name in looped.key_names if name.startswith("numbers")] == ["numbers8"]
    after = keeps_program(settled, looped)
    assert [name for name in after.key_names if name.startswith("numbers")] == []


def test_an_entry_is_read_for_each_operation_that_wants_it() -> None:
    after = settled(program(shared=False))
    reads = [n for n in after.kernel.body if n.op is Op.LOOKUP and n.inputs[0].op is Op.CONST]
    takers = {read: sum(read in node.inputs for node in after.kernel.body) for read in reads}
    assert len(reads) == 160 and set(takers.values()) == {1}


def test_other_arrays_of_constants_stay() -> None:
    """Only one whose entries are their places is known by its contents."""
    before = program(shared=False)
    *others, numbers = before.expand.results
    attr = (*numbers.attr[:5], 6, *numbers.attr[6:])
    wrong = dataclasses.replace(
        before,
        expand=Graph(
            "expand", before.expand.params, [*others, Builder().array(attr, 8)], before.expand.rounds
        ),
    )
    assert settled(wrong) is wrong


def test_nothing_is_read_of_an_array_that_is_gone() -> None:
    after = settled(program(shared=False))
    arrays = {node.inputs[0].name for node in every_node(after.kernel) if node.op is Op.LOAD}
    assert arrays == {"key", "key1_8"}


def test_where_nothing_is_to_be_alike_what_is_read_is_a_constant() -> None:
    after = keeps_program(lambda one: settled(one, apart=False), program(shared=False))
    assert not [n for n in after.kernel.body if n.op is Op.LOOKUP and n.inputs[0].op is Op.CONST]
