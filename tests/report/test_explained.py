"""Stages of a program: sizes as they are counted elsewhere, and no gap from the definition to the text."""

from __future__ import annotations

import itertools
from itertools import pairwise

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.ir.printer import fingerprint, format_graph
from finalist.ir.program import Program
from finalist.language.definition import trace
from finalist.machines.registry import machine, machine_names
from finalist.machines.tracing import traced
from finalist.report.counts import counted
from finalist.report.explained import TRACED, Stage, stages
from finalist.report.path import critical_path
from finalist.schedule import Schedule
from tests.catalogue import USUAL

MACHINES = (*machine_names(), "plx:word=64,with=ptlu")


def of(name: str, kind: str = "native", schedule: Schedule | None = None, bits: int = 128) -> list[Stage]:
    return stages(machine(kind), cipher(name), "encrypt", bits, schedule or Schedule(width=1))[1]


def same(one: Program, other: Program) -> bool:
    return fingerprint(one) == fingerprint(other)


def test_sizes() -> None:
    found = of("rijndael")
    first, last = found[0], found[-1]
    assert (first.name, last.name) == (TRACED, "key schedule as loops")
    for stage in (first, last):
        assert stage.size.kernel == counted(stage.program.kernel).total
        assert stage.size.key_schedule == counted(stage.program.expand).total
        assert stage.size.critical_path == critical_path(stage.program.kernel)
        assert (stage.size.blocks, stage.size.expanded_key) == (1, 176)
    assert (first.size.tables, last.size.tables) == (256, 256 + 4 * 1024)


@pytest.mark.check
def test_every_stage_has_a_name_of_its_own() -> None:
    for kind in machine_names():
        names = [stage.name for stage in of("rijndael", kind, Schedule())]
        assert len(set(names)) == len(names), kind


def test_what_changed_is_what_reads_otherwise() -> None:
    found = of("rc6")
    assert {stage.changed for stage in found} == {True, False}
    for before, after in pairwise(found):
        texts = [
            (format_graph(one.program.expand), format_graph(one.program.kernel)) for one in (before, after)
        ]
        assert after.changed == (texts[0] != texts[1]), after.name


def test_arrays_that_begin_with_values_are_tables() -> None:
    """Blowfish's four S-boxes and its P-array, which its key schedule fills anew."""
    assert of("blowfish")[0].size.tables == 4 * (4 * 256 + 18)


def test_an_instruction_is_an_operation() -> None:
    """Ten of AES and an addition of the first round key, each of which waits for the one before."""
    last = of("rijndael", schedule=Schedule(lookup="match", width=128))[-1]
    assert (last.size.kernel, last.size.critical_path) == (11, 11)


@pytest.mark.check
def test_blocks_of_a_call() -> None:
    found = of("serpent", schedule=Schedule(width=128, planes=8))
    assert (found[0].size.blocks, found[-1].size.blocks) == (1, 8)
    assert of("rc6", "plx", Schedule(blocks=3))[-1].size.blocks == 3


@pytest.mark.check
def test_alternatives_are_counted_and_left_out() -> None:
    task = (cipher("rijndael"), "encrypt", 128, Schedule())
    made, found, others = stages(machine("plx:word=64,with=ptlu"), *task)
    assert made.schedule.width == 64
    assert "superwords" in {stage.name for stage in found}
    assert others > 1
    _, _, none = stages(machine("interpreter"), *task)
    assert none == 0


@pytest.mark.check
def test_of_both_directions_those_of_the_operation_are_shown() -> None:
    task, both = (cipher("rc6"), "decrypt", 128), Schedule(directions="both")
    _, found, others = stages(machine("fpga"), *task, both)
    assert [one.name for one in found] == [one.name for one in stages(machine("fpga"), *task, Schedule())[1]]
    assert same(found[0].program, traced(*task))
    assert others >= len(found) - 1


def test_a_second_time_it_is_the_same() -> None:
    """What passes made before is memoized, and reported all the same."""
    first, second = (of("des", bits=64) for _ in range(2))
    assert [(one.name, one.size) for one in first] == [(one.name, one.size) for one in second]


def test_without_passes_there_is_what_was_traced() -> None:
    made, found, others = stages(machine("interpreter"), cipher("rijndael"), "encrypt", 128, Schedule())
    assert [one.name for one in found] == [TRACED]
    assert (found[0].program, others) == (made.program, 0)


def test_refusals_are_the_machines() -> None:
    with pytest.raises(ScheduleError, match="width=3"):
        of("rc6", schedule=Schedule(width=3))


#: Machines whose programs take long to make: on these a few ciphers.
SLOW = ("c62x", "c64x", "hc05")
FEW = ("rijndael", "des")


#: Each cipher on every second machine, the few on all, in alternate directions.
PAIRS = [
    (name, kind)
    for number, name in enumerate(USUAL)
    for column, kind in enumerate(MACHINES)
    if name in FEW or (kind not in SLOW and (number + column) % 2 == 0)
]


@pytest.mark.parametrize(
    ("name", "kind", "operation"),
    [
        (*pair, operation)
        for pair, operation in zip(PAIRS, itertools.cycle(("encrypt", "decrypt")), strict=False)
    ],
)
@pytest.mark.check
def test_no_pass_is_hidden(name: str, kind: str, operation: str) -> None:
    """The steps lead from the definition to the program that is written, where there is one."""
    definition = cipher(name)
    bits = definition.usual_key_bits()
    try:
        made, found, _ = stages(machine(kind), definition, operation, bits, Schedule())
    except ScheduleError:
        assert kind in ("fpga", "hc05"), "a machine with software and memory takes every cipher"
        return
    assert same(found[0].program, trace(definition, operation, bits))
    assert found[-1].program == made.program
    assert (len(found) == 1) == (kind == "interpreter")


@pytest.mark.parametrize("schedule", machine("native").variants, ids=str)  # type: ignore[attr-defined]
@pytest.mark.parametrize("name", ["rijndael", "mars", "serpent"])
@pytest.mark.check
def test_no_pass_is_hidden_in_any_layout(name: str, schedule: Schedule) -> None:
    try:
        made, found, _ = stages(machine("native"), cipher(name), "encrypt", 128, schedule)
    except ScheduleError:
        return
    assert same(found[0].program, traced(cipher(name), "encrypt", 128))
    assert found[-1].program == made.program
