"""Cycles on simulated machines: of programs that reproduce vectors, on machines that count."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from finalist.cli import app
from finalist.measure.arguments import MeasurementError
from finalist.measure.cycles import cycles


def test_a_machine_that_counts_none() -> None:
    with pytest.raises(MeasurementError, match="interpreter counts no cycles; accepted: a simulated machine"):
        cycles("rc6", "interpreter")


def test_the_command_lays_machines_side_by_side() -> None:
    arguments = ["cycles", "rc4", "--machine", "plx", "--machine", "plx:with=ptlu"]
    found = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    assert found["rc4"]["plx"] > found["rc4"]["plx:with=ptlu"] == cycles("rc4", "plx:with=ptlu")
    shown = CliRunner().invoke(app, arguments).stdout
    assert "faster" in shown
    assert f"{found['rc4']['plx'] / found['rc4']['plx:with=ptlu']:.2f}" in shown
