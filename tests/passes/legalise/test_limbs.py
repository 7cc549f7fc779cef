"""Words in limbs: how they are cut, and what moving their bits takes."""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node
from finalist.ir.printer import format_graph
from finalist.ir.types import WordType
from finalist.passes.legalise.limbs import Cutter, bits_of, is_zero, names, sizes, split
from finalist.passes.simplify import simplify


def test_the_lowest_comes_first_and_the_highest_may_be_narrower() -> None:
    assert [sizes(bits, 32) for bits in (1, 32, 33, 64)] == [(1,), (32,), (32, 1), (32, 32)]
    assert sizes(20, 8) == (8, 8, 4)
    assert split(0xABCDE, 20, 8) == [0xDE, 0xBC, 0xA]


def test_each_limb_has_a_name() -> None:
    assert names("", 2) == ["", ""]
    assert names("x", 1) == ["x"]
    assert names("x", 2) == ["x_lo", "x_hi"]
    assert names("x_", 3) == ["x_0", "x_1", "x_2"]


class Words:
    """Three words of 8, 8 and 4 bits, and what is made of them as text."""

    def __init__(self) -> None:
        self.make = Builder(simplify)
        self.cutter = Cutter(self.make, 8)
        types = zip("abc", (8, 8, 4), strict=True)
        self.limbs = tuple(self.make.param("memory", WordType(bits), name) for name, bits in types)

    def text(self, *made: Node) -> list[str]:
        lines = format_graph(Graph("g", self.limbs, made)).splitlines()
        return [line.strip() for line in lines[1:]]


def test_constants() -> None:
    words = Words()
    assert [(n.attr, n.width) for n in words.cutter.const(0xABCDE, 20)] == [(0xDE, 8), (0xBC, 8), (0xA, 4)]
    assert words.cutter.zeros(-3) == ()
    assert is_zero(words.make.const(0, 8)) and not is_zero(words.make.const(1, 8))
    assert not is_zero(words.limbs[0]) and bits_of(words.limbs) == 20


def test_the_last_limb_is_widened() -> None:
    words = Words()
    *rest, last = words.cutter.full(words.limbs)
    assert tuple(rest) == words.limbs[:2] and words.text(last)[0].endswith("extend c : u8")
    (number,) = words.cutter.full((words.make.const(5, 4),))
    assert (number.attr, number.width) == (5, 8)


def test_fields_that_lie_in_one_word_are_slices() -> None:
    words = Words()
    assert words.text(*words.cutter.cut(words.limbs, 2, 4)) == ["v3 = slice a [2] : u4", "return v3"]
    assert words.cutter.cut(words.limbs, 8, 8) == (words.limbs[1],)


def test_fields_across_words_are_shifts() -> None:
    """Bits 3 .. 10 are the upper five of the first word and the lower three of the second."""
    words = Words()
    assert words.text(*words.cutter.cut(words.limbs, 3, 8)) == [
        "v3 = shr a 3 : u8",
        "v4 = shl b 5 : u8",
        "v5 = or v3 v4 : u8",
        "return v5",
    ]


def test_zeros_come_in_when_a_word_moves() -> None:
    words = Words()
    up = words.cutter.shifted(words.limbs, 8)
    assert (is_zero(up[0]), up[1], up[2].width) == (True, words.limbs[0], 4)
    down = words.cutter.shifted(words.limbs, -8)
    assert down[0] is words.limbs[1] and is_zero(down[2]) and down[2].width == 4
    for past in (20, -20, 25):
        assert all(map(is_zero, words.cutter.shifted(words.limbs, past)))


def test_a_rotation_takes_from_both_ends() -> None:
    words = Words()
    turned = words.cutter.rotated(words.limbs[:2], 8)
    assert turned == (words.limbs[1], words.limbs[0])
