"""The simulator: every instruction of every processor does what its meaning evaluates to."""

from __future__ import annotations

import random
from collections.abc import Iterator
from unittest.mock import patch

import pytest

from finalist.ir.ops import Op
from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.text import written
from finalist.isa.simulate import simulator
from finalist.isa.simulate.simulator import SimulationError, Simulator
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.meaning import Bank, evaluate, operand
from finalist.isa.target.processor import Processor
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed

KINDS = (
    "with=ptlu+extract+andn+aes32+xperm8",
    "multiplier=16",
    "word=64,with=ptlu+extract+aes32",
    "word=64,multiplier=32",
    "word=128,with=ptlu+extract+xperm8+shuffle",
)
SOURCES, TARGET, FIRST = (1, 2), 3, 0x100


def numbers(instruction: Instruction, source: random.Random) -> Iterator[dict[str, int]]:
    """Operands: a few forms, the ends of what numbers can be."""
    forms = list(instruction.forms)
    for given, _ in source.sample(forms, min(6, len(forms))):
        for end in (0, 1):
            values = dict(given)
            for o in instruction.operands:
                if o.kind == "def":
                    values[o.name] = TARGET
                elif o.kind == "imm" and not o.values:
                    low = -(1 << o.bits - 1) if o.signed else 0
                    values[o.name] = low + ((1 << o.bits) - 1) * end
            for o, register in zip(
                [o for o in instruction.operands if o.kind == "use"], SOURCES, strict=False
            ):
                values[o.name] = register
            yield values


def computing(p: Processor) -> list[Instruction]:
    """Instructions that make a word of words."""
    return [i for i in p.instructions if i.written and i.effect in ("", "read")]


@pytest.mark.parametrize("kind", KINDS)
def test_every_instruction_does_what_it_means(kind: str) -> None:
    p, source = processor(parsed(kind)), random.Random(kind)
    size, width = p.width // 8, p.width
    cases = [(i, values) for i in computing(p) for values in numbers(i, source)]
    lines = [f".place room 0x{FIRST:x} {size} {2 + len(cases)}", "go:"]
    lines += [f"load.{width} r1, {FIRST}(r0)", f"load.{width} r2, {FIRST + size}(r0)", f"loadi r9, {FIRST}"]
    for instruction, values in cases:
        lines += [written(p, instruction, values), f"addi r9, r9, {size}", f"store.{width} r3, {size}(r9)"]
    image = assemble("\n".join([*lines, "trap"]), p)
    machine = Simulator(image, p, ("go",))
    memory = machine.memory(FIRST + size * (len(cases) + 2))
    given = [source.getrandbits(width) | 1 << width - 1, source.choice((7, source.getrandbits(width)))]
    for place, value in enumerate(given):
        memory[FIRST + size * place : FIRST + size * (place + 1)] = value.to_bytes(size, "little")
    state = machine.machine()
    machine.run("go", memory, state)
    words = dict(zip(SOURCES, given, strict=True))
    for number, (instruction, values) in enumerate(cases):
        at = FIRST + size * (number + 2)
        got = int.from_bytes(memory[at : at + size], "little")
        operands = {
            o.name: words.get(values[o.name], values[o.name]) for o in instruction.operands if o.kind == "use"
        }
        (effect,) = instruction.effects({**values, **{name: operand(name) for name in operands}})
        expected = evaluate(effect.value, {**values, **operands}, width, lambda term, _: 0)
        assert got == expected, f"{written(p, instruction, values)} of {given[0]:x} {given[1]:x}"


def simulated(
    text: str, kind: str = "with=ptlu", limit: int = simulator.LIMIT
) -> tuple[Simulator, object, bytearray]:
    p = processor(parsed(kind))
    machine = Simulator(assemble(text, p), p, ("go",))
    memory, state = machine.memory(0x100), machine.machine()
    machine.run("go", memory, state, limit)
    return machine, state, memory


@pytest.mark.parametrize("order", ["little", "big"])
def test_memory_is_read_in_the_order_that_the_text_asks_for(order: str) -> None:
    head = f".order {order}\n.place a 16 4 1\n.values 0x01020304\n"
    _, _, memory = simulated(f"{head}go:\nload.8 r1, 16(r0)\nstore.8 r1, 32(r0)\ntrap")
    assert memory[16:20] == (0x01020304).to_bytes(4, order)  # type: ignore[arg-type]
    assert memory[32] == memory[16]


def test_tables_keep_what_is_written() -> None:
    text = """go:
    loadi r1, 0x25
    loadi r2, 0x7788
    ptlw.3.2.0 r1, r2
    slli r1, r1, 24
    ptlu.1.4.3 r3, r1
    store.32 r3, 16(r0)
    trap"""
    assert simulated(text)[2][16:20] == (0x7788).to_bytes(4, "little")


def test_an_access_outside_of_memory_is_an_error() -> None:
    for instruction in ("load.32 r1, 254(r0)", "store.8 r1, 256(r0)", "load.8 r1, -1(r0)"):
        with pytest.raises(SimulationError, match="an access to memory at 0x"):
            simulated(f"go:\n{instruction}\ntrap")


def test_a_program_that_does_not_end_is_an_error() -> None:
    with pytest.raises(SimulationError, match="does not end"):
        simulated("go:\nbeq r0, r0, go\ntrap", limit=1000)


def test_calls_return() -> None:
    text = "go:\ncall one\ncall one\nstore.8 r1, 16(r0)\ntrap\none:\naddi r1, r1, 1\nreturn"
    machine, state, memory = simulated(text)
    assert memory[16] == 2
    assert machine.counts(state).executed == [1, 1, 1, 1, 2, 2]  # type: ignore[arg-type]


def test_register_0_stays_0() -> None:
    assert simulated("go:\naddi r0, r0, 5\nstore.8 r0, 16(r0)\ntrap")[2][16] == 0


def test_cycles_follow_what_is_under_way_where_a_block_is_entered() -> None:
    """The product is waited for in the second block, and only where it was made just before."""
    text = "go:\nmul.lo r1, r2, r2\nbeq r0, r0, on\non:\nadd r3, r1, r1\ntrap"
    machine, state, _ = simulated(text)
    counts = machine.counts(state)  # type: ignore[arg-type]
    assert (counts.instructions, sum(counts.cycles.values())) == (4, 5)


def test_planted_faults_are_caught() -> None:
    """The comparison above sees an instruction whose C does something else than its meaning."""
    fault = patch.dict("finalist.isa.simulate.render._C", {Op.NOT: lambda a, n: f"-({a[0]})"})
    with fault, pytest.raises(AssertionError, match="not r3, r1 of "):
        test_every_instruction_does_what_it_means("multiplier=16")


def test_banks_are_told_apart_by_number() -> None:
    assert Bank(1) == Bank(1) != Bank(2)
