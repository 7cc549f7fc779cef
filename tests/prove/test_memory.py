"""Memory of unknown bytes that two processors go on from."""

from __future__ import annotations

from finalist.prove.evaluate import Valuation
from finalist.prove.memory import Memory
from finalist.prove.words import Words


def test_copies_change_apart() -> None:
    """Also what is read at an unknown address, after as many stores in each."""
    words = Words()
    first = Memory(words, "little", 64, aligned=True)
    index = words.symbol("index", 2)
    for at in range(4):
        first.store(1, at, words.symbol(("entry", at), 8))
    before = first.load(1, index)
    second = first.copied()
    assert second.load(1, index) == before
    for k, memory in enumerate((first, second)):
        memory.store(1, 2, 17 + k)
    inputs = {"index": 2} | {("entry", at): 0 for at in range(4)}
    valuation = Valuation(words, inputs)
    assert [valuation.word(memory.load(1, index)) for memory in (first, second)] == [17, 18]


def test_what_nothing_has_written_is_the_same_in_a_copy() -> None:
    words = Words()
    first = Memory(words, "big", 64, aligned=False)
    second = first.copied()
    assert second.load(2, 5) == first.load(2, 5) != first.load(2, 6)
