"""Profiles: per cent of the cycles, by what instructions do and are for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from finalist import api
from finalist.isa.assembly.assembler import assemble
from finalist.isa.assembly.decoder import Decoder
from finalist.isa.simulate.profile import CATEGORIES, RULES, _taker, profile
from finalist.isa.simulate.run import SimulatedProgram
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed

RISC = processor(parsed(""))


def compiled(name: str, machine: str = "plx") -> SimulatedProgram:
    program = api.compile(name, machine)
    assert isinstance(program, SimulatedProgram)
    return program


@pytest.mark.parametrize("rule", RULES)
def test_all_cycles_are_somewhere(rule: str) -> None:
    found = profile(compiled("rc4"), rule)
    assert tuple(found) == CATEGORIES
    assert sum(found.values()) == pytest.approx(100)


def test_a_cipher_without_tables_has_no_lookups() -> None:
    found = profile(compiled("rc6"), "work")
    assert found["table_lookup"] == 0
    for category in ("multiplication", "logical", "arithmetic", "fixed_shift_rotate", "variable_rotate"):
        assert found[category] > 0, category


def test_rules_move_masks_and_addresses() -> None:
    work, masks, by_class = (profile(compiled("blowfish"), rule) for rule in RULES)
    assert work["table_lookup"] > masks["table_lookup"] > by_class["table_lookup"]
    assert work["logical"] < masks["logical"]
    assert masks["arithmetic"] < by_class["arithmetic"]


#: What is loaded, and what is done with it: its category, at the first instruction that reads it.
TAKEN = {
    "load.32 r1, 0(r9)\nxor r2, r1, r3\nadd r4, r1, r1": "logical",
    "load.32 r1, 0(r9)\nadd r2, r3, r3\nmul.lo r2, r3, r1": "multiplication",
    "load.32 r1, 0(r9)\nload.32 r2, 4(r1)\nxor r4, r1, r2": "table_lookup",
    "load.32 r1, 0(r9)\nload.32 r1, 4(r9)\nxor r4, r1, r2": "other",  # it is overwritten
    "load.32 r1, 0(r9)\nhere:\nbne r4, r0, here\nxor r4, r1, r2": "other",  # not in this basic block
    "load.32 r1, 0(r9)\nslli r2, r1, 3": "fixed_shift_rotate",
    "load.32 r1, 0(r9)\nsub r2, r3, r1": "arithmetic",
    "load.32 r1, 0(r9)\nadd r2, r3, r3": "other",
}


@pytest.mark.parametrize("text", TAKEN)
def test_what_takes_a_word(text: str) -> None:
    code = Decoder(RISC).all(assemble(text, RISC).words)
    program: Any = SimpleNamespace(simulator=SimpleNamespace(code=code))
    assert _taker(program, 0, code[0]) == TAKEN[text]


def test_parallel_lookup_takes_the_addresses_away() -> None:
    machines = ("plx", "plx:with=ptlu")
    table, parallel = (profile(compiled("blowfish", m), "work")["table_lookup"] for m in machines)
    assert parallel < table
