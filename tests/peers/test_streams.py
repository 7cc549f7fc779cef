"""Stream ciphers beside those of others: messages that go on with a key stream."""

from __future__ import annotations

from typing import Any

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.peers import grid, python
from finalist.peers.field import Field
from finalist.peers.grid import Cell, Grid
from finalist.peers.ours import Programs
from tests.marks import needs_compiler


@pytest.mark.parametrize("package", python.packages(), ids=lambda package: package.library)
def test_stream_ciphers_of_packages_go_on_with_their_key_stream(package: python.Package) -> None:
    """They have no modes; Finalist's neither."""
    if "rc4" in package.ciphers:
        work, target = package.open("rc4", "ecb", bytes(range(16)), False), package.target(32)
        assert work is not None and package.open("rc4", "ctr", bytes(range(16)), False) is None
        both = python.Opened(package, "rc4", "ecb")(bytes(range(16)), bytes(64))
        for part in (both[:32], both[32:]):
            made = work(bytes(32), target)
            assert (made if isinstance(made, bytes) else bytes(target[:32])) == part


@needs_compiler
def test_runs_on_streams_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """No two calls do the same, so that of short runs the least would be the one with most luck."""
    told: list[int] = []
    real = grid.clock.measure_bulk

    def measured(*arguments: Any, least_bytes: int, seconds: float) -> Any:
        told.append(least_bytes)
        return real(*arguments, least_bytes=least_bytes, seconds=seconds)

    monkeypatch.setattr(grid.clock, "measure_bulk", measured)
    for name, bits in (("rc4", 128), ("des", 64)):
        Grid(Field(cipher(name), bits, None)).entries(Cell(name, bits, "C", "ECB", 64))[0].measurer(
            seconds=1e-3
        )
    assert told == [1 << 16, 1]


@needs_compiler
def test_a_stream_is_compared_by_the_program_that_serves_all_lengths() -> None:
    programs = Programs(cipher("rc4"), 128)
    one, many = (programs.serving("encrypt", "ecb", size, size == 1).program for size in (1, 1 << 16))
    assert one is many and one.schedule.blocks == 8
