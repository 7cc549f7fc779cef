"""The critical path of a design: its cells make up the stage, and name the lines that they come from."""

from __future__ import annotations

from itertools import pairwise

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.machines.fpga.machine import MACHINE
from finalist.machines.fpga.part import virtex
from finalist.papers import fpga
from finalist.schedule import Schedule


@pytest.mark.parametrize(("name", "architecture"), [("des", "LU-1"), ("serpent", "PP-8"), ("des", "SP-2-1")])
def test_hops_are_the_longest_stage(name: str, architecture: str) -> None:
    """But for the registers at both ends."""
    schedule = Schedule(architecture=architecture)
    wanted = {"operation": "encrypt", "key_bits": cipher(name).key_bits[0], "schedule": schedule}
    estimate, hops = MACHINE.estimate(cipher(name), **wanted), MACHINE.critical_path(cipher(name), **wanted)
    arcs, whole = virtex().arcs, sum(hop.ns for hop in hops)
    ends = arcs["FF.C->Q"] + arcs["setup_after_local_LUT"]
    choice = arcs["LUT.I->O"] + virtex().filled(estimate.slices).wire(1)
    assert whole + ends - 0.5 <= max(estimate.stages) <= whole + ends + choice + 1
    assert all(hop.ns > 0 for hop in hops)


def test_a_path_goes_through_the_definition_in_order() -> None:
    """RC6's product, then the rotation by it and the round key."""
    hops = MACHINE.critical_path(
        cipher("rc6"), operation="encrypt", key_bits=128, schedule=Schedule(architecture="LU-1")
    )
    numbers = [int(hop.line.rpartition(":")[2]) for hop in hops]
    assert len(hops) > 8 and all(one <= other for one, other in pairwise(numbers))


def test_shares_are_of_lines_and_make_one() -> None:
    found = fpga.shares("rc6")
    assert sum(share.fraction for share in found) == pytest.approx(1)
    assert found == sorted(found, key=lambda share: -share.fraction)
    assert found[0].text.startswith("t = rol(")
    assert "" in {share.text for share in fpga.shares("serpent")}
