"""Loops over blocks that are software pipelined: what they compute, and the rules of the processor."""

from __future__ import annotations

import numpy as np
import pytest

from finalist.ciphers.catalogue import cipher
from finalist.errors import GraphError
from finalist.ir.execute import interpret
from finalist.ir.graph import TableData
from finalist.ir.program import Program
from finalist.isa import check
from finalist.isa.build import Plan
from finalist.isa.code import Ins
from finalist.isa.piped import PipedBuilder, copied
from finalist.isa.pipeline import Writing, compiled, prepared
from finalist.isa.schedule.modulo.loop import Loop
from finalist.isa.schedule.modulo.problem import Schedule
from finalist.isa.schedule.modulo.schedulers import quick, scheduler
from finalist.isa.schedule.modulo.stored import stored
from finalist.isa.schedule.modulo.verify import misplaced, violations
from finalist.isa.simulate.run import SimulatedProgram
from finalist.isa.target.memory import Memory
from finalist.machines.c6x.model import processor as model_processor
from finalist.machines.tracing import traced
from finalist.passes.driver import run
from finalist.passes.pipeline import rounds_as_loop
from finalist.schedule import Schedule as Choices
from tests.graphs import bytes_for, random_program
from tests.processors.vliw import processor

P = processor()


def at_least(interval: int) -> Writing:
    """A schedule of some interval or a longer one, verified."""

    def schedule(loop: Loop) -> Schedule:
        found = quick(loop, interval)
        assert violations(loop.problem, found) == []
        assert misplaced(loop.problem, found, loop.registers) == []
        return found

    return Writing(scheduler=schedule)


def made(program: Program, interval: int = 60) -> SimulatedProgram:
    result = compiled("vliw", P, program, Choices(rounds="unroll"), at_least(interval))
    simulator = result.simulator
    assert check.rules(simulator.code, list(simulator.entries.values()), P) == []
    return result


@pytest.fixture(scope="module")
def rc6() -> SimulatedProgram:
    return made(traced(cipher("rc6"), "encrypt", 128), 150)


@pytest.mark.parametrize("blocks", [1, 2, 3, 9])
def test_any_number_of_blocks(rc6: SimulatedProgram, blocks: int) -> None:
    keys, data = bytes_for(rc6.program, blocks)
    message = data.tobytes()
    whole = rc6.run(keys[0].tobytes(), message)
    wanted = interpret(rc6.program, np.repeat(keys[:1], blocks, axis=0), data)
    assert whole.output == b"".join(row.tobytes() for row in wanted)


def test_blocks_overlap(rc6: SimulatedProgram) -> None:
    """A further block takes an interval, far less than a block alone."""
    key = bytes(16)
    alone, two, three = (rc6.run(key, bytes(16 * n)).cycles for n in (1, 2, 3))
    assert three - two == two - alone
    assert 150 <= two - alone < 2 * alone / 3


def test_a_schedule_that_is_kept_is_taken(rc6: SimulatedProgram) -> None:
    seen: list[Loop] = []

    def first(loop: Loop) -> Schedule:
        seen.append(loop)
        return quick(loop, 150)

    program = rc6.program
    text = PipedBuilder(program, P, Plan(), first).text()
    again = stored(seen[0].problem, quick(seen[0], 150))
    kept = scheduler({seen[0].problem.digest: again})
    assert PipedBuilder(program, P, Plan(), kept).text() == text


def test_what_cannot_be_pipelined_is_refused() -> None:
    program = traced(cipher("rc4"), "encrypt", 128)
    with pytest.raises(GraphError, match="cannot be pipelined"):
        PipedBuilder(program, P, Plan(), quick).text()
    program = traced(cipher("rijndael"), "encrypt", 128)
    looped = run(prepared(program, 1, P, Choices()), (rounds_as_loop(None),))
    with pytest.raises(GraphError, match="only a basic block can be pipelined"):
        PipedBuilder(looped, P, Plan(), quick).text()


def piped(program: Program) -> SimulatedProgram | None:
    """None where the kernel is no basic block."""
    try:
        return made(program)
    except GraphError:
        return None


@pytest.mark.check
def test_random_programs() -> None:
    """Those whose kernels are basic blocks; of the others rounds or arrays are loops."""
    pipelined = 0
    for number in range(9):
        program = random_program(f"piped {number}")
        result = piped(program)
        if result is not None:
            keys, data = bytes_for(program, 3)
            for key, row, wanted in zip(keys, data, interpret(program, keys, data), strict=True):
                assert result.run(key.tobytes(), row.tobytes()).output == wanted.tobytes()
            pipelined += 1
    assert pipelined >= 4


P_BASES = model_processor("c62x")
#: Words of a body: with the address of the table, an index, a result.
BASE, INDEX, MADE = 1, 2, 3
HELD = [(BASE, "a"), (BASE, "b")]
BLOCK = 1 << 15


def ins(syntax: str, **operands: int) -> Ins:
    """The instruction that begins so."""
    found = next(one for one in P_BASES.instructions if one.syntax.startswith(syntax))
    return Ins(found, [operands[o.name] for o in found.operands])


def looked_up() -> Ins:
    return ins("LDW {way} *+{ra}[{rb}]", ra=BASE, rb=INDEX, rd=MADE)


@pytest.fixture
def memory() -> Memory:
    made = Memory(128)
    made.table(TableData(tuple(range(256)), 32, "t"))
    return made


def copies(memory: Memory, body: list[Ins], value: int = 128, **blocks: int) -> dict[tuple[int, str], int]:
    found = copied(body, HELD, {BASE: value}, memory, blocks)
    return {held: place.address for held, place in found.items()}


def test_each_side_looks_up_in_its_own_block(memory: Memory) -> None:
    assert copies(memory, [looked_up()], a=BLOCK) == {(BASE, "a"): BLOCK}
    copy = memory.places[-1]
    assert copy.address == BLOCK and memory.contents[copy] == tuple(range(256))


def test_without_blocks_nothing_is_copied(memory: Memory) -> None:
    assert copies(memory, [looked_up()]) == {}
    assert len(memory.places) == 1


@pytest.mark.parametrize(
    "other",
    [
        ins("ADD {way} {ra},{rb},{rd}", ra=BASE, rb=INDEX, rd=MADE),  # its value counts
        ins("LDW {way} *+{ra}({imm})", ra=BASE, imm=0, rd=MADE),  # what lies at a distance from it
        ins("STW {way} {rs},*+{ra}[{rb}]", ra=BASE, rb=INDEX, rs=MADE),  # changed in one place
        ins("LDW {way} *+{ra}[{rb}]", ra=BASE, rb=BASE, rd=MADE),  # an index, too
    ],
)
def test_what_is_not_only_looked_up_in_stays(memory: Memory, other: Ins) -> None:
    assert copies(memory, [looked_up(), other], a=BLOCK) == {}


def test_a_number_that_is_no_tables_address_stays(memory: Memory) -> None:
    assert copies(memory, [looked_up()], value=132, a=BLOCK) == {}


def test_without_room_in_the_block_nothing_is_copied(memory: Memory) -> None:
    memory.top = 2 * BLOCK - 1023
    assert copies(memory, [looked_up()], a=BLOCK) == {}
