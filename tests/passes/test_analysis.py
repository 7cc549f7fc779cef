"""What rounds hand on to one another, and bounds of remainders."""

from __future__ import annotations

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.machines.tracing import traced
from finalist.passes.analysis import Bounds, KeyOnly, greatest, handed_on
from finalist.passes.pipeline import lower


def nothing(node: Node) -> bool:
    """No word is left out."""
    return False


def words(make: Builder, count: int) -> list[Node]:
    return [make.param("memory", WordType(32), f"p{k}") for k in range(count)]


def three_rounds(kept: int) -> Graph:
    """A word that each round makes of the one before it and of the first ``kept`` words of the block."""
    make = Builder()
    block = words(make, 4)
    state = block[0]
    for phase in (1, 2, 3):
        make.phase = phase
        for word in block[:kept]:
            state = make.make(Op.ADD, [make.make(Op.ROL, [state, make.const(phase, 8)]), word])
    return Graph("g", block, [state], ((1, 3),))


@pytest.mark.parametrize("kept", [1, 2, 4])
def test_words_that_a_later_round_needs(kept: int) -> None:
    """The state, and the words of the block that all rounds take; what is needed in one alone is not."""
    assert handed_on(three_rounds(kept), nothing) == kept + 1


def test_words_that_do_not_count() -> None:
    graph = three_rounds(4)
    assert handed_on(graph, lambda node: node in graph.params[1:]) == 2


def test_the_last_round_hands_nothing_on() -> None:
    """What comes after it does not matter, nor what comes before the first."""
    make = Builder()
    block = words(make, 4)
    make.phase = 1
    state = make.make(Op.ADD, block[:2])
    make.phase = 2
    last = make.make(Op.ADD, [state, make.make(Op.ADD, block[2:])])
    assert handed_on(Graph("g", block, [last], ((1, 1),)), nothing) == 0
    assert handed_on(Graph("g", block, [last]), nothing) == 0
    assert handed_on(Graph("g", block, [last], ((1, 2),)), nothing) == 3


def test_parts_of_a_word_are_the_word() -> None:
    """Four bytes taken in one round and used in the next are one word, not four."""
    make = Builder()
    (x,) = words(make, 1)
    make.phase = 1
    y = make.make(Op.NOT, [x])
    parts = [make.extend(make.slice(y, low, 8), 32) for low in range(0, 32, 8)]
    make.phase = 2
    total = parts[0]
    for part in parts[1:]:
        total = make.make(Op.ADD, [total, part])
    assert handed_on(Graph("g", [x], [total], ((1, 2),)), nothing) == 1


@pytest.mark.parametrize(("name", "words"), [("rc6", 4), ("des", 2), ("blowfish", 2)])
def test_rounds_of_ciphers(name: str, words: int) -> None:
    """As many words as the state has; the key is read where it is needed."""
    definition = cipher(name)
    kernel = lower(traced(definition, "encrypt", definition.usual_key_bits())).kernel
    assert handed_on(kernel, KeyOnly()) == words


@pytest.mark.parametrize(("divisor", "bound"), [(10, 9), (1, 0), (0, 255), (1000, 255)])
def test_bounds_of_remainders(divisor: int, bound: int) -> None:
    """Below the divisor, and not above the word; modulo zero the word itself."""
    make = Builder()
    x = make.extend(make.param("memory", WordType(8), "x"), 32)
    assert greatest(make.make(Op.REM, [x, make.const(divisor, 32)])) == bound
    assert greatest(make.make(Op.REM, [x, make.param("memory", WordType(32), "d")])) == 255


@pytest.mark.parametrize(("low", "width", "bound"), [(0, 8, 200), (3, 8, 25), (0, 7, 127), (7, 2, 1)])
def test_bounds_of_parts(low: int, width: int, bound: int) -> None:
    """Of a word of at most 200: what is left above the part's place, where all of that is in the part."""
    make = Builder()
    word = make.make(Op.REM, [make.param("memory", WordType(32), "x"), make.const(201, 32)])
    assert greatest(make.slice(word, low, width)) == bound


def test_bounds_of_long_sums_are_found_at_once() -> None:
    """Each operand has as many below it: looked at one by one they would be a billion."""
    make = Builder()
    word = make.param("memory", WordType(32), "w")
    for _ in range(30):
        word = make.make(
            Op.ADD, [make.make(Op.XOR, [word, make.make(Op.ROL, (word, make.const(1, 8)))]), word]
        )
    assert Bounds().greatest(word, depth=60) == 2**32 - 1


@pytest.mark.parametrize(
    ("op", "amount", "bound"), [(Op.SHL, 4, 3200), (Op.SHL, 30, 2**32 - 1), (Op.SHR, 4, 12)]
)
def test_bounds_of_shifts(op: Op, amount: int, bound: int) -> None:
    """Of a word of at most 200; of nothing but the word where the amount is one, too."""
    make = Builder()
    word = make.make(Op.REM, [make.param("memory", WordType(32), "x"), make.const(201, 32)])
    assert greatest(make.make(op, (word, make.const(amount, 8)))) == bound
    by_word = make.make(op, (word, make.param("memory", WordType(8), "n")))
    assert greatest(by_word) == (200 if op is Op.SHR else 2**32 - 1)


@pytest.mark.parametrize(
    ("op", "parts", "bound"),
    [
        (Op.ADD, (3, 5), 2**3 + 2**5 - 2),
        (Op.ADD, (31, 32), 2**32 - 1),
        (Op.ADD, (32, 1), 2**32 - 1),
        (Op.MUL, (3, 5), 7 * 31),
        (Op.MUL, (17, 17), 2**32 - 1),
        (Op.XOR, (3, 5), 31),
        (Op.OR, (32, 5), 2**32 - 1),
        (Op.AND, (9, 32), 511),
    ],
)
def test_bounds_of_what_words_make(op: Op, parts: tuple[int, ...], bound: int) -> None:
    make = Builder()
    word = make.param("memory", WordType(32), "w")
    found = [make.make(Op.SHR, (word, make.const(32 - bits, 8))) if bits < 32 else word for bits in parts]
    assert greatest(make.make(op, found)) == bound
