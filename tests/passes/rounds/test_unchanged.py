"""Rounds as loops are what they were: which, of how many iterations, with what handed on."""

from __future__ import annotations

import pytest

from finalist.ir.printer import fingerprint_of
from finalist.machines.native.passes.rounds.nested import nested, with_inner_rounds
from finalist.passes.rounds.roll import natural_period, rolled
from finalist.passes.simplify import simplified
from tests.graphs import Seeded
from tests.language.toy import traced
from tests.machines.native.passes.rounds.test_nested import of_rounds
from tests.passes.test_random import iterated
from tests.unchanged import unchanged

pytestmark = pytest.mark.digest


def test_rounds_as_loops() -> None:
    made: dict[str, object] = {}
    for seed in range(60):
        graph = iterated(Seeded(seed))
        made[f"{seed} period"] = natural_period(graph), natural_period(simplified(graph))
        for period in (None, 1, 2):
            made[f"{seed} {period}"] = rolled(graph, period)
            made[f"{seed} {period} simplified"] = rolled(simplified(graph), period)
    unchanged("rounds-loops", made)


def test_rounds_within_rounds() -> None:
    made: dict[str, object] = {}
    for iterations, outer, period in ((8, 4, 1), (8, 4, 2), (4, 2, 1), (5, 3, None), (2, 4, 1)):
        kernel = with_inner_rounds(traced(of_rounds(iterations, outer)).kernel)
        case = f"{iterations} {outer} {period}"
        made[f"{case} inner"] = fingerprint_of(kernel), kernel.rounds
        made[f"{case} nested"] = fingerprint_of(nested(kernel, period))
    unchanged("rounds-nested", made)
