"""The card: its opcodes, vectors under schedules, what programs take, time, and what is refused."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import cast

import pytest

from finalist import api
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.errors import ScheduleError, UnknownNameError
from finalist.ir.graph import Region
from finalist.isa.lower.subroutines import Found, Subroutine
from finalist.machines.hc05.machine import _fewest
from finalist.machines.hc05.model import instructions, opcodes, parsed
from finalist.machines.hc05.program import CardProgram
from finalist.machines.registry import machine as find_machine
from finalist.schedule import Schedule
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.language.toy import run, toy

#: A program is built for a minute or two where the computer is busy.
pytestmark = pytest.mark.timeout(900)

#: What programs have no use for: interrupts, the pin, the half carry, single bits, jumps by tables.
UNUSED = {
    "RTI",
    "SWI",
    "WAIT",
    "CLI",
    "SEI",
    "RSP",
    "BRN",
    "BHCC",
    "BHCS",
    "BMC",
    "BMS",
    "BIL",
    "BIH",
    "TSTA",
    "TSTX",
}


def compiled(
    name: str, operation: str = "encrypt", machine: str = "hc05", **choices: str | int
) -> CardProgram:
    program = api.compile(name, machine, operation, **choices)  # type: ignore[arg-type]
    assert isinstance(program, CardProgram)
    return program


def test_every_opcode_is_modelled_or_left_out_knowingly() -> None:
    known = {one.code >> one.bits - 8 for one in instructions()}
    for code in opcodes():
        name = str(code["mnemonic"])
        left = (
            name in UNUSED
            or name in ("TST", "JMP", "JSR")
            or name.startswith(("BRSET", "BRCLR", "BSET", "BCLR"))
        )
        assert (int(str(code["opcode"]), 16) in known) or left, code


def test_lengths_are_those_of_the_opcodes() -> None:
    lengths = {int(str(code["opcode"]), 16): code["bytes"] for code in opcodes()}
    assert all(lengths[one.code >> one.bits - 8] == one.bits // 8 for one in instructions())


@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("rijndael", {}),
        ("rijndael", {"optimise": "size", "map_tables": 0, "subkeys": "computed"}),
        pytest.param("twofish", {"optimise": "size", "directions": "both"}, marks=pytest.mark.check),
        pytest.param("des", {"rounds": 1}, marks=pytest.mark.check),
        pytest.param("crypton-v1", {"rounds": 2}, marks=pytest.mark.check),
    ],
)
def test_vectors(name: str, choices: dict[str, str | int]) -> None:
    program = compiled(name, **choices)
    own = [row for row in vectors_of(find_cipher(name)) if len(row.key) * 8 == program.key_bits]
    assert check_known_answers(program, own[:6])


@pytest.mark.parametrize("choice", ["speed", "size"])
def test_the_block_is_written_where_it_is_read(choice: str) -> None:
    """What becomes of the block's first byte is there before its last use."""
    product = toy(lambda block, keys: [block[0] * keys[0], *block[1:]])
    program = api.compile(product, "hc05", schedule=Schedule(optimise=choice))
    source = random.Random(1)
    for _ in range(8):
        key, data = source.randbytes(16), source.randbytes(16)
        assert program.run(key, data).output == run(product, key, data)


def test_constant_time_programs_take_the_same_cycles() -> None:
    program = compiled("rijndael", rounds=1, constant_time=True)
    assert program.timing == "constant-time"
    draw = random.Random(1)
    taken = {
        program.run(draw.randbytes(16), draw.randbytes(16)).figures["cycles a block"] for _ in range(300)
    }
    assert len(taken) == 1


def test_branches_on_data_are_labelled() -> None:
    program = compiled("rijndael", rounds=1, map_tables=0)
    assert program.timing == "data-dependent time"
    draw = random.Random(1)
    taken = {program.run(draw.randbytes(16), draw.randbytes(16)).figures["cycles a block"] for _ in range(50)}
    assert len(taken) > 1


def test_what_a_program_takes() -> None:
    memory = compiled("rijndael", rounds=1).memory
    assert memory.key == 176 and memory.ram <= 40 and memory.tables == 768


@pytest.mark.parametrize("budget", ["ram=16", "key=100", "rom=500"])
def test_budgets(budget: str) -> None:
    with pytest.raises(ScheduleError, match=f"{budget} has less"):
        compiled("rijndael", machine=f"hc05:{budget}", rounds=1)


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"optimise": "on"}, "accepted: size, speed"),
        ({"byte_worth": 5}, "optimise=size"),
        ({"rounds": "nested"}, "rounds=nested"),
        ({"keyed_tables": "full"}, "no keyed function"),
        ({"width": 8}, "no such choice"),
    ],
)
def test_refused(choices: dict[str, str | int], said: str) -> None:
    with pytest.raises(ScheduleError, match=said):
        compiled("rijndael", **choices)


def test_parameters() -> None:
    assert str(parsed("ram=64,rom=1024")) == "ram=64,rom=1024"
    for wrong in ("ram=x", "size=3", "rom=99999999"):
        with pytest.raises(UnknownNameError, match="accepted"):
            find_machine(f"hc05:{wrong}")


def costing(*costs: float, gain: float = 0.0) -> tuple[CardProgram, int]:
    """What is kept of programs that cost so much, the last with no subroutine, and how many are made."""
    made: list[CardProgram] = []

    def text(found: Found) -> CardProgram:
        assert len(found.subroutines) == len(costs) - 1 - len(made)
        program = SimpleNamespace(cycles_a_block=costs[len(made)], memory=SimpleNamespace(worth=0))
        made.append(cast(CardProgram, program))
        return made[-1]

    region = Region((), ())
    best = _fewest(text, Found([Subroutine(region, gain=gain) for _ in costs[1:]]), 3)
    return best, len(made)


@pytest.mark.parametrize(
    ("costs", "least", "made"),
    [
        ((5, 4, 3), 3, 3),
        ((5, 6, 1), 5, 2),  # what comes after one that costs more is not looked at
        ((5, 5), 5, 2),
        ((7,), 7, 1),
    ],
)
def test_subroutines_found_last_are_left_out_while_that_costs_less(
    costs: tuple[float, ...], least: float, made: int
) -> None:
    best, count = costing(*costs)
    assert best.cycles_a_block == least
    assert count == made


def test_but_not_those_that_gain_much_for_sure() -> None:
    assert costing(50, 1, gain=5.1)[1] == 1
    assert costing(50, 1, gain=5)[1] == 2
