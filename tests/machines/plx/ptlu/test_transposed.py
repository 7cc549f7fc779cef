"""Rows and columns of words and of bytes, against exchanging them by hand."""

from __future__ import annotations

import numpy as np
import pytest

from finalist.ir import interpreter
from finalist.ir.graph import Graph, Node
from finalist.ir.types import WordType
from finalist.machines.plx.ptlu.builder import WideBuilder
from finalist.machines.plx.ptlu.transposed import crossed, exchanged, exchanges, with_columns

WORD = WordType(32)


def run(words: list[Node], results: list[Node], values: np.ndarray) -> np.ndarray:
    """Of words with these values, one each, what the results are."""
    found = interpreter.run(Graph("rows", words, results), [row[None] for row in values])
    return np.array([int(np.asarray(one).ravel()[0]) for one in found], np.uint32)


@pytest.mark.parametrize("lanes", [2, 4])
def test_words(lanes: int) -> None:
    wide = WideBuilder(lanes)
    words = [wide.make.param("memory", WORD, f"p{k}") for k in range(lanes * lanes)]
    rows = [wide.register(words[k : k + lanes]) for k in range(0, len(words), lanes)]
    values = np.random.default_rng(1).integers(0, 1 << 32, len(words), dtype=np.uint32)
    results = [word for row in crossed(wide, rows) for word in wide.words(row)]
    assert np.array_equal(run(words, results, values), values.reshape(lanes, lanes).T.ravel())


@pytest.mark.parametrize("lanes", [2, 4])
def test_bytes(lanes: int) -> None:
    wide = WideBuilder(lanes)
    words = [wide.make.param("memory", WORD, f"p{k}") for k in range(lanes)]
    values = np.random.default_rng(2).integers(0, 1 << 32, lanes, dtype=np.uint32)
    results = list(wide.words(with_columns(wide, wide.register(words))))
    expected = values.view(np.uint8).reshape(lanes, 4).T.ravel().view(np.uint32)
    assert np.array_equal(run(words, results, values), expected)


@pytest.mark.parametrize(("lanes", "count"), [(2, 2), (4, 2)])
def test_exchanges_of_bits(lanes: int, count: int) -> None:
    """Each takes a byte half of its way; no more than two are needed."""
    pairs = exchanges(lanes)
    assert len(pairs) == count
    for lane in range(lanes):
        for number in range(4):
            place = lane * 4 + number
            for one, other in pairs:
                place = exchanged(place, one, other)
            assert place == number * lanes + lane
