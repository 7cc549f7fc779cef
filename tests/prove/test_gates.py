"""Truth tables of bits of a store, held to their values; what is the same function is the same bit."""

from __future__ import annotations

import random

import pytest

from finalist.prove import gates
from finalist.prove.evaluate import Valuation
from finalist.prove.words import Words


@pytest.mark.parametrize("seed", range(60))
def test_a_table_of_sums(seed: int) -> None:
    """Of sums of inputs, products and functions, complemented, known, or the same."""
    draw, words = random.Random(seed), Words()
    x = words.symbol("x", 6)
    table = words.lookup(draw.sample(range(16), 16), x[:4], 4, "table")
    assert not isinstance(table, int)
    pool = [*x, *table, words.store.both(x[0], x[5]), 0, 1]
    bits = []
    for _ in range(draw.randrange(1, 6)):
        bits.append(words.store.total(draw.choices(pool, k=draw.randrange(1, 4))) ^ draw.getrandbits(1))
    truth = draw.getrandbits(1 << len(bits))
    made = gates.table(words, truth, bits)
    for point in range(64):
        row = Valuation(words, {"x": point})
        assert row.bit(made) == truth >> sum(row.bit(bit) << k for k, bit in enumerate(bits)) & 1


def test_an_xor_with_a_key_in_a_table_is_the_table_of_the_xor() -> None:
    words = Words()
    x, k = words.symbol("x", 2), words.symbol("k", 1)
    store = words.store
    wanted = store.both(store.xor(x[0], k[0]), x[1])
    truth = sum(((p ^ p >> 1) & p >> 2 & 1) << p for p in range(8))
    assert gates.table(words, truth, [x[0], k[0], x[1]]) == wanted


def test_a_majority_is_that_of_a_carry() -> None:
    words = Words()
    a, b, c = words.symbol("x", 3)
    wanted = words.store.majority(a, b ^ 1, c)
    assert gates.table(words, 0xB2, [a, b, c]) == wanted


def test_a_circuit_of_an_s_box_is_the_s_box() -> None:
    """Put together of tables of three bits and choices between them, in another order."""
    words, draw = Words(), random.Random(3)
    x = words.symbol("x", 5)
    entries = [draw.getrandbits(1) for _ in range(32)]
    wanted = words.lookup(entries, x, 1, "box")
    truth = sum(bit << k for k, bit in enumerate(entries))
    parts = [gates.table(words, truth >> 8 * k & 255, x[:3]) for k in range(4)]
    low, high = (gates.table(words, 0xCA, [*parts[k : k + 2], x[3]]) for k in (0, 2))
    assert (gates.table(words, 0xCA, [low, high, x[4]]),) == wanted
