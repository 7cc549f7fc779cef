"""Narrow lanes: arrays of the key keep their words, and are refused where those would have to be cut."""

from __future__ import annotations

import pytest

from finalist.errors import ScheduleError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Region
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.language import u32, words
from finalist.machines.native.passes.lanes import narrow as lanes
from tests.language.toy import toy, traced


@pytest.mark.parametrize("op", [Op.WHEN, Op.LOOP])
def test_an_array_of_the_key_is_not_carried(op: Op) -> None:
    """As where two change places: no definition does that, but a graph may."""
    given = toy(lambda block, keys: block, lambda key: {"K": key, "L": key}, words(2, u32), (64,))
    program, make = traced(given), Builder()
    block = [make.param("memory", WordType(32), f"x{n}") for n in range(2)]
    keys = [make.param("key", type_, name) for type_, name in zip(program.key_types, "KL", strict=True)]
    a, b = (make.param("carried", keys[0].type, "c") for _ in keys)
    if op is Op.WHEN:
        made = make.results(make.make(op, (make.slice(block[0], 0, 1), *keys), Region([a, b], [b, a])))
    else:
        turn = make.param("index", WordType(32), "i")
        made = make.loop(make.const(0, 32), make.const(3, 32), keys, Region([turn, a, b], [b, a]))
    read = make.make(Op.LOAD, (made[0], make.const(1, 32)))
    kernel = Graph("g_encrypt", [*block, *keys], [block[1], make.make(Op.ADD, (read, block[0]))])
    reason = f"word=8 .* an array of 32-bit entries is given and carried through a {op.label}"
    with pytest.raises(ScheduleError, match=reason):
        lanes.run(program.with_graphs(program.expand, kernel), 8)
