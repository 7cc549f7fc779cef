"""Gates of three inputs: all of them, as the gates of two inputs that they stand for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from finalist.prove.evaluate import Valuation
from finalist.prove.ternary import gate
from finalist.prove.words import Words


def test_all_functions_of_three_bits() -> None:
    """Of different bits, and of one that is there twice, as itself and complemented."""
    words = Words()
    a, b, c = (words.symbol(name, 1)[0] for name in "abc")
    for bits in ((a, b, c), (a, b ^ 1, c), (a, a, c), (a, b, a ^ 1), (a, 1, c), (0, b, c)):
        for table in range(256):
            found = gate(words.store, table, bits)
            for point in range(8):
                given = {name: point >> k & 1 for k, name in enumerate("abc")}
                at = Valuation(words, given)
                index = sum(at.bit(bit) << k for k, bit in enumerate(bits))
                assert at.bit(found) == table >> index & 1


def test_functions_of_two_bits() -> None:
    words = Words()
    a, b = (words.symbol(name, 1)[0] for name in "ab")
    for table in range(16):
        found = gate(words.store, table, (a, b))
        for point in range(4):
            at = Valuation(words, {"a": point & 1, "b": point >> 1})
            assert at.bit(found) == table >> point & 1


#: Of three values what circuits make of them by gates of two inputs.
CIRCUITS: dict[str, Callable[[Words, int, int, int], int]] = {
    "an AND of an XOR": lambda w, a, b, c: w.store.both(w.store.xor(a, b), c),
    "an OR of an AND": lambda w, a, b, c: w.store.either(w.store.both(a, b), c),
    "an XOR of an AND with a complement": lambda w, a, b, c: w.store.xor(w.store.both(a ^ 1, b), c),
    "a choice": lambda w, a, b, c: w.store.choose(c, a, b),
    "a majority": lambda w, a, b, c: w.store.majority(a, b, c),
    "a borrow": lambda w, a, b, c: w.store.majority(a ^ 1, b, c),
    "no borrow": lambda w, a, b, c: w.store.majority(a, b, c ^ 1) ^ 1,
}


@pytest.mark.parametrize("name", CIRCUITS)
def test_the_bits_of_circuits(name: str) -> None:
    words = Words()
    a, b, c = (words.symbol(name, 1)[0] for name in "abc")
    made = CIRCUITS[name](words, a, b, c)
    points = [Valuation(words, {n: p >> k & 1 for k, n in enumerate("abc")}).bit(made) for p in range(8)]
    table = sum(value << point for point, value in enumerate(points))
    assert gate(words.store, table, (a, b, c)) == made
    assert gate(words.store, table ^ 1, (a, b, c)) != made
