"""Passes that `optimise` tries: each takes three per cent or more off the cycles of some cipher."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.graph import Graph
from finalist.isa.lower.lowerer import Conventions
from finalist.isa.pipeline import Writing
from finalist.machines.plx.ptlu import layouts
from finalist.machines.plx.resolve import resolved
from finalist.machines.registry import machine
from finalist.machines.tracing import traced
from finalist.schedule import Schedule

WRITING = Writing("critical", Conventions(short=True, prompt=True), fast=True)


def cycles(name: str, width: int | None) -> float:
    """Of encryption on 64 bits with parallel lookup, rounds written out."""
    found: Any = machine("plx:word=64,with=ptlu")
    program = traced(cipher(name), "encrypt", 128)
    full = resolved(program, Schedule(width=width, rounds="unroll", optimise="on"), found.processor)
    return float(found._compiled(program, full, WRITING).cycles_a_block)


def same(graph: Graph, *more: object) -> Graph:
    return graph


def none(graph: Graph, *more: object) -> None:
    return None


@pytest.mark.check
@pytest.mark.parametrize(
    ("taken_out", "instead", "name", "width"),
    [
        ("with_whole_bytes", same, "twofish", None),  # 503 cycles a block, with it 322
        ("with_words_in_lanes", none, "crypton-v1", None),  # 564, 496
        ("with_folded_sums", same, "twofish", 1),  # 424, 360
    ],
)
def test_each_brings_something(
    taken_out: str,
    instead: Callable[..., Graph | None],
    name: str,
    width: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_it = cycles(name, width)
    monkeypatch.setattr(layouts, taken_out, instead)
    assert cycles(name, width) > 1.03 * with_it
