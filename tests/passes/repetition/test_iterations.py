"""Equal iterations of a sequence: how many, from where on, and what their operands are."""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.passes.repetition.iterations import Iterations, Stretch, iterations_of, labels, stretches
from finalist.passes.repetition.operands import Invariant, Made, Series

make = Builder()
KEY = [make.param("memory", WordType(32), f"k{n}") for n in range(9)]


def rounds(count: int, odd: tuple[int, ...] = (), exchanged: tuple[int, ...] = ()) -> list[Node]:
    """a = rol(a, 5); a = a ^ k[j]: in ``odd`` rounds a is another word, in others both change places."""
    a, found = KEY[8], []
    for j in range(count):
        word = KEY[7] if j in odd else a
        turned = make.make(Op.ROL, (word, make.const(5, 8)))
        pair = (KEY[j % 8], turned) if j in exchanged else (turned, KEY[j % 8])
        a = make.raw(Op.XOR, pair, None, WordType(32))
        found += [turned, a]
    return found


def found(nodes: list[Node], period: int = 2) -> Iterations:
    made = iterations_of(nodes, period)
    assert made is not None
    return made


def test_what_operands_are() -> None:
    nodes = rounds(5)
    made = found(nodes)
    assert made.count == 5
    assert made.nodes == tuple(tuple(nodes[2 * k : 2 * k + 2]) for k in range(5))
    assert made.template == tuple(nodes[8:])
    amount = make.const(5, 8)
    assert made.operands == (
        (Made(1, 1), Series((amount,) * 5, constant=True)),
        (Made(0, 0), Series(tuple(KEY[:5]), constant=False)),
    )
    assert made.initial == {(1, 1): KEY[8]}


def test_operands_that_change_places_are_as_in_the_last_iteration() -> None:
    made = found(rounds(5, exchanged=(1, 3)))
    assert made.count == 5 and made.operands[1][0] == Made(0, 0)
    assert found(rounds(5, exchanged=(4,))).operands[1][1] == Made(0, 0)


def test_iterations_before_the_first_that_fits_are_left_out() -> None:
    made = found(rounds(6, odd=(2,)))
    assert made.count == 4
    assert made.initial == {(1, 1): KEY[7]}


def test_last_iterations_that_are_unlike_are_left_out() -> None:
    """Two at most, if that makes more iterations of the others."""
    assert found(rounds(8, odd=(7,))).nodes[0][0].inputs[0] is KEY[8]
    assert found(rounds(8, odd=(7,))).count == 7
    assert found(rounds(9, odd=(7, 8))).count == 7


def test_what_is_too_short_is_none() -> None:
    assert iterations_of(rounds(1), 2) is None
    assert iterations_of([], 2) is None
    assert found(rounds(2)).count == 2


def test_a_series_that_repeats_itself_is_there_once() -> None:
    nodes, a = [], KEY[8]
    for j in range(6):
        a = make.make(Op.ADD, (a, KEY[j % 2]))
        nodes.append(a)
    assert found(nodes, 1).operands[0][1] == Series((KEY[0], KEY[1]), constant=False)


def test_an_invariant() -> None:
    nodes, a = [], KEY[8]
    for _ in range(4):
        a = make.make(Op.ADD, (a, KEY[3]))
        nodes.append(a)
    assert found(nodes, 1).operands == ((Made(0, 1), Invariant(KEY[3])),)


def test_the_longest_of_each_period() -> None:
    """Three times ``abc`` with two more of them, then ``xx``."""
    sequence = labels("-abcabcabcab=xx")
    best, *others = stretches(sequence, 0, len(sequence))
    assert best == Stretch(3, 1, 12)
    assert (best.iterations, best.saved) == (3, 6)
    assert others == [Stretch(1, 13, 15)]
    assert stretches(sequence, 0, len(sequence), 2) == [best]
    assert stretches(sequence, 8, len(sequence)) == others


def test_which_iteration_a_position_is_in() -> None:
    stretch = Stretch(3, 1, 12)
    assert [stretch.iteration(at) for at in (0, 1, 3, 4, 9, 10, 11, 40)] == [-1, 0, 0, 1, 2, 3, 3, 3]
