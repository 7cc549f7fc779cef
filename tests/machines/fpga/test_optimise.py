"""Designs made for speed, or for size: right, and by what they are made for never worse than others."""

from __future__ import annotations

import pytest

from finalist import api
from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.machines.fpga.machine import MACHINE
from finalist.machines.fpga.model.estimate import Estimate
from finalist.schedule import Schedule
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.machines.fpga.simulators import LANGUAGES
from tests.machines.fpga.toy import TOY


def estimate(name: str, architecture: str, optimise: str | None = None) -> Estimate:
    schedule = Schedule(architecture=architecture, optimise=optimise)
    bits = cipher(name).key_bits[0]
    return MACHINE.estimate(cipher(name), operation="encrypt", key_bits=bits, schedule=schedule)


@pytest.mark.parametrize(
    ("name", "architecture"),
    [("serpent", "LU-1"), ("serpent", "PP-8"), ("des", "LU-2"), ("des", "SP-4-1"), ("rc6", "SP-5-2")],
)
def test_none_is_worse_by_what_it_is_made_for(name: str, architecture: str) -> None:
    plain = estimate(name, architecture)
    assert estimate(name, architecture, "speed").mhz >= plain.mhz
    assert estimate(name, architecture, "size").slices <= plain.slices


def test_what_chooses_round_keys_no_longer_binds() -> None:
    """Serpent's eight rounds take turns on 1024 bits of round keys."""
    assert estimate("serpent", "PP-8", "speed").mhz > 1.4 * estimate("serpent", "PP-8").mhz


def test_less_is_kept_in_registers_where_size_counts() -> None:
    assert estimate("rc6", "SP-5-2", "size").slices < 0.95 * estimate("rc6", "SP-5-2").slices


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["des", pytest.param("serpent", marks=pytest.mark.check)])
def test_copies_of_the_turn_are_registers(name: str, language: str) -> None:
    """Both languages keep them apart, and the design reproduces vectors."""
    program = api.compile(name, "fpga", architecture="LU-1", optimise="speed", language=language)
    assert "keep" in program.text and "_copy1" in program.text
    rows = [row for row in vectors_of(cipher(name)) if len(row.key) * 8 == program.key_bits]
    assert check_known_answers(program, rows[:2]) == 2


@pytest.mark.check
@pytest.mark.parametrize("optimise", ["speed", "size"])
@pytest.mark.parametrize("choices", [{"directions": "both"}, {"key_schedule": "chip"}])
def test_with_both_directions_and_with_keys_on_the_chip(choices: dict[str, str], optimise: str) -> None:
    program = api.compile("des", "fpga", architecture="LU-1", optimise=optimise, **choices)
    rows = list(vectors_of(cipher("des")))
    assert check_known_answers(program, [rows[0], rows[-1]]) == 2


@pytest.mark.parametrize("optimise", ["on", "off"])
def test_other_values_are_refused(optimise: str) -> None:
    with pytest.raises(ScheduleError, match=rf"^optimise={optimise}: accepted: size .*speed"):
        api.compile(TOY, "fpga", optimise=optimise)
