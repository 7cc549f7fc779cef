"""Profiles: per cent of the cycles, by what instructions do and are for."""

from __future__ import annotations

import pytest

from finalist import api
from finalist.isa.simulate.profile import CATEGORIES, RULES, profile
from finalist.isa.simulate.run import SimulatedProgram


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


def test_parallel_lookup_takes_the_addresses_away() -> None:
    machines = ("plx", "plx:with=ptlu")
    table, parallel = (profile(compiled("blowfish", m), "work")["table_lookup"] for m in machines)
    assert parallel < table
