"""Narrow lanes: arrays of the key keep their words, and are refused where those would have to be cut."""

from __future__ import annotations

import pytest

from finalist.errors import ScheduleError
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Region, WordType
from finalist.ir.ops import Op
from finalist.language import u32, words
from finalist.passes.legalise import lanes
from tests.language.toy import toy, traced


@pytest.mark.parametrize("op", [Op.WHEN, Op.LOOP])
def test_an_array_of_the_key_is_not_carried(op: Op) -> None:
    """Also by what turns out not to change it: no definition does that, but a graph may."""
    program, make = traced(toy(lambda block, key: block, block=words(2, u32), key_bits=(64,))), Builder()
    block = [make.param("memory", WordType(32), f"x{n}") for n in range(2)]
    keys = make.param("key", program.key_types[0], "key")
    word, array, w, a = (make.param("carried", type_, "c") for type_ in (WordType(32), keys.type) * 2)
    condition = make.slice(block[0], 0, 1)
    within = Region([w, a], [make.make(Op.ADD, (w, w)), a])
    results = make.results(make.make(Op.WHEN, (condition, word, array), within))
    if op is Op.WHEN:
        region = Region([word, array], results)
        made = make.results(make.make(op, (condition, block[1], keys), region))
    else:
        region = Region([make.param("index", WordType(32), "i"), word, array], results)
        made = make.loop(make.const(0, 32), make.const(3, 32), [block[1], keys], region)
    read = make.make(Op.LOAD, (made[1], make.const(1, 32)))
    kernel = Graph("g_encrypt", [*block, keys], [made[0], make.make(Op.ADD, (read, block[0]))])
    reason = f"word=8 .* an array of 32-bit entries is given and carried through a {op.label}"
    with pytest.raises(ScheduleError, match=reason):
        lanes.run(program.with_graphs(program.expand, kernel), 8)
