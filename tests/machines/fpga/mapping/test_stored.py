"""Figures of netlists that come with the package: of designs as they are emitted today, and of no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.machines.fpga.machine import MACHINE
from finalist.machines.fpga.mapping import mapped
from finalist.papers import fpga
from finalist.schedule import Schedule
from tests.machines.fpga.toy import TOY
from tools.netlists.__main__ import compiled


def known(name: str, architecture: str, directions: str | None = None) -> mapped.Figures | None:
    schedule = Schedule(architecture=architecture, directions=directions)
    return MACHINE.known(cipher(name), operation="encrypt", key_bits=128, schedule=schedule)


@pytest.fixture(autouse=True)
def empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing was mapped on this computer."""
    monkeypatch.setattr(MACHINE, "netlists", lambda: tmp_path)


def test_a_design_of_the_study_is_known() -> None:
    """The page's first row with a netlist."""
    found = known("rijndael", "LU-1")
    assert found is not None and (found.luts, found.slices) == (4632, 3022)


def test_another_text_is_another_design() -> None:
    assert known("rijndael", "LU-1", directions="both") is None
    assert MACHINE.known(cipher(TOY), operation="encrypt", key_bits=64, schedule=Schedule()) is None


def test_another_part_has_other_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """They hang on the law of the wires."""
    hardware = compiled(("rijndael", "LU-1"))
    before = mapped.identity(hardware)
    fuller = mapped.part.virtex().filled(9000)
    monkeypatch.setattr(mapped.part, "virtex", lambda: fuller)
    assert mapped.identity(hardware) != before


@pytest.mark.check
def test_none_is_stale() -> None:
    """What is stored is of today's texts; `python -m tools.netlists` maps anew what is not there."""
    today = {mapped.identity(compiled(design)) for design in fpga.designs()}
    assert mapped.stored().keys() <= today
    assert len(mapped.stored()) >= 10
