"""Rounds that hand an array on: rolled where one version of it goes from turn to turn, and right."""

from __future__ import annotations

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.graph import ArrayType
from finalist.ir.ops import Op
from finalist.language.definition import OPERATIONS, trace
from finalist.machines.native.passes.lanes.windows import with_windows
from finalist.passes.rounds.roll import rolled
from tests.passes.meaning import keeps_graph, operations


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("period", [None, 1, 3])
@pytest.mark.every(2)
def test_an_array_is_carried_in_place(operation: str, period: int | None) -> None:
    """Rounds of FROG read versions of the array before the last; what is left of the last round does, too."""
    kernel = with_windows(trace(cipher("frog"), operation, 128).kernel)
    after = keeps_graph(lambda graph: rolled(graph, period), kernel)
    (loop,) = operations(after, Op.LOOP)
    assert [type(param.type) for param in loop.region.params].count(ArrayType) == 1
