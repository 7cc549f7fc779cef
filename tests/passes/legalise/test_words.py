"""Operations on wide words, one by one, on limbs of 32, 16 and 8 bits."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from finalist.errors import ScheduleError
from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Graph, Node, Region, TableData, every_node
from finalist.ir.ops import COMPARISONS, SAME_WIDTH, SHIFTS, Op
from finalist.ir.types import WordType
from finalist.passes.legalise import legalised, walk
from finalist.passes.legalise.arithmetic import Arithmetic
from finalist.passes.legalise.pages import MOST
from tests.passes.legalise.narrow import LIMBS, WORDS, assert_narrow, crossed, cut, edges, keeps, params

BINARY = sorted(SAME_WIDTH | COMPARISONS, key=lambda op: op.label)
MOVES = sorted(SHIFTS, key=lambda op: op.label)
#: Limbs and words: each that is wider, and for narrow limbs a few more.
CUTS = [(width, bits) for width in LIMBS for bits in (*WORDS, 9, 15, 17, 24, 31, 32) if bits > width]


def binary(op: Op, bits: int) -> Graph:
    make = Builder()
    a, b = params(make, bits, bits)
    return Graph("g", [a, b], [make.make(op, [a, b])])


@pytest.mark.parametrize(("width", "bits"), CUTS)
@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.label)
@pytest.mark.every(2)
def test_two_operands(op: Op, width: int, bits: int) -> None:
    numbers = edges(bits, width), bits
    keeps(binary(op, bits), width, crossed(numbers, numbers))


@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.label)
def test_two_operands_all_values(op: Op) -> None:
    """Of nine bits: one limb, and one bit."""
    everything = range(1 << 9), 9
    keeps(binary(op, 9), 8, crossed(everything, everything))


@pytest.mark.parametrize(("width", "bits"), CUTS[::3])
@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.label)
@pytest.mark.every(13)
def test_a_constant_operand(op: Op, width: int, bits: int) -> None:
    """Where limbs of it are zero, what they would do falls away, and nothing else."""
    make = Builder()
    (a,) = params(make, bits)
    long = op is Op.REM  # a division, bit by bit
    numbers = edges(bits, width, extra=2)[:: 4 if long else 1]
    pairs = [[a, make.const(n, bits)] for n in numbers]
    results = [make.make(op, pair) for forward in pairs for pair in (forward, forward[::-1])]
    keeps(Graph("g", [a], results), width, crossed((edges(bits, width), bits)))


@pytest.mark.parametrize(("width", "bits"), CUTS)
def test_not_select_and_functions_of_bits(width: int, bits: int) -> None:
    make = Builder()
    a, b, c = params(make, bits, bits, 1)
    results = [
        make.make(Op.NOT, [a]),
        make.make(Op.SELECT, [c, a, b]),
        *(make.make(Op.BOOL, [a, b], truth) for truth in range(16)),
        make.make(Op.BOOL, [a, b, a], 0b11001010),
    ]
    numbers = edges(bits, width), bits
    keeps(Graph("g", [a, b, c], results), width, crossed(numbers, numbers, ([0, 1], 1)))


# -- moves --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "bits"), CUTS)
@pytest.mark.parametrize("op", MOVES, ids=lambda op: op.label)
@pytest.mark.every(2)
def test_moves_by_constants(op: Op, width: int, bits: int) -> None:
    make = Builder()
    (a,) = params(make, bits)
    amounts = [*(make.const(n, 8) for n in range(2 * bits + 2)), make.const(255, 8)]
    amounts += [make.const(n, 64) for n in (0, 3, bits, 1 << 32, (1 << 32) + 5, mask(64))]
    graph = Graph("g", [a], [make.make(op, [a, amount]) for amount in amounts])
    keeps(graph, width, crossed((edges(bits, width), bits)))


def amounts_for(bits: int, width: int, of: int) -> list[int]:
    """Amounts of ``of`` bits around a limb and a word, and huge ones."""
    near = [k * width + d for k in range(5) for d in (-1, 0, 1)]
    near += [k * bits + d for k in range(4) for d in (-1, 0, 1)]
    huge = [mask(of), mask(of) - 1, 1 << (of - 1), (1 << 32) + 3, (1 << 16) + bits, (1 << 8) + 1, 1 << 63]
    return sorted({n & mask(of) for n in (*near, *huge, *range(0, 70, 9)) if n >= 0})


@pytest.mark.parametrize(("width", "bits"), [*CUTS, (8, 8), (32, 32), (32, 24), (16, 9), (8, 1), (16, 5)])
@pytest.mark.parametrize("op", MOVES, ids=lambda op: op.label)
@pytest.mark.every(3)
def test_moves_by_words(op: Op, width: int, bits: int) -> None:
    for of in (1, 3, 5, 6, 7, 8, 32, 40, 64):
        make = Builder()
        a, amount = params(make, bits, of)
        graph = Graph("g", [a, amount], [make.make(op, [a, amount])])
        keeps(graph, width, crossed((edges(bits, width, 4), bits), (amounts_for(bits, width, of), of)))


def test_an_amount_known_to_be_small_is_not_compared() -> None:
    make = Builder()
    a, b = params(make, 64, 64)
    low = make.make(Op.AND, [b, make.const(63, 64)])
    after = legalised(Graph("g", [a, b], [make.make(Op.SHL, [a, low])]))
    assert not any(node.op is Op.LT for node in after.body)


@pytest.mark.parametrize("moved", [1, 8, 31, 32, 33, 40, 63])
def test_rotations_are_shifts_of_whole_limbs(moved: int) -> None:
    """No masks, no joins; by 32 nothing but other names."""
    make = Builder()
    (a,) = params(make, 64)
    after = legalised(Graph("g", [a], [make.make(Op.ROL, [a, make.const(moved, 8)])]))
    counts = [node.op for node in after.body]
    assert sorted(set(counts), key=lambda op: op.label) == ([] if moved == 32 else [Op.OR, Op.SHL, Op.SHR])
    assert len(counts) == (0 if moved == 32 else 6)


# -- widths -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "bits"), CUTS)
def test_slices(width: int, bits: int) -> None:
    make = Builder()
    (a,) = params(make, bits)
    places = sorted({0, 1, width - 1, width, width + 1, bits - 1, bits - 8, bits // 2, 2 * width, 5})
    ends = sorted({*places, bits})
    pairs = [(low, high) for low in places for high in ends if 0 <= low < high <= bits]
    graph = Graph("g", [a], [make.slice(a, low, high - low) for low, high in pairs])
    keeps(graph, width, crossed((edges(bits, width), bits)))


@pytest.mark.parametrize("width", LIMBS)
def test_extensions(width: int) -> None:
    make = Builder()
    given = params(make, 1, 7, 8, 9, 16, 20, 32, 33, 63)
    results = [make.extend(a, bits) for a in given for bits in (*WORDS, 24, 16) if bits > a.width]
    source = random.Random(width)
    values = [np.array([mask(a.width), 1, source.getrandbits(a.width)], "u8") for a in given]
    keeps(Graph("g", given, results), width, values)


@pytest.mark.parametrize("width", LIMBS)
@pytest.mark.parametrize("seed", range(12))
def test_joins(width: int, seed: int) -> None:
    """Parts of any width, constants among them, also whole words of many limbs."""
    source, make = random.Random(f"{width} {seed}"), Builder()
    given = params(make, *(source.choice((1, 4, 8, 13, 16, 24, 31, 32, 33, 48)) for _ in range(9)))
    results = []
    for _ in range(20):
        parts, room = [], 64
        while room and (len(parts) < 2 or source.random() < 0.8):
            part = source.choice([a for a in given if a.width <= room] or [make.const(1, room)])
            part = part if source.random() < 0.8 else make.const(source.choice((0, 1)), part.width)
            parts.append(part)
            room -= part.width
        results.append(make.make(Op.JOIN, parts))
    values = [
        np.array([source.getrandbits(a.width) for _ in range(6)] + [mask(a.width)], "u8") for a in given
    ]
    keeps(Graph("g", given, results), width, values)


def test_bytes_of_a_word_are_slices_of_limbs() -> None:
    make = Builder()
    (a,) = params(make, 64)
    whole = make.make(Op.JOIN, [make.slice(a, low, 8) for low in range(0, 64, 8)])
    after = legalised(Graph("g", [a], [whole]))
    assert after.results == after.params


# -- functions ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", LIMBS)
@pytest.mark.parametrize("bits", [*WORDS, 9])
def test_tables(width: int, bits: int) -> None:
    make, source = Builder(), random.Random(bits)
    x, y = params(make, 8, 3)
    large = TableData(tuple(source.getrandbits(bits) for _ in range(256)), bits, "LARGE")
    low = TableData(tuple(source.getrandbits(5) for _ in range(8)), bits, "LOW")
    graph = Graph("g", [x, y], [make.make(Op.LOOKUP, [x], large), make.make(Op.LOOKUP, [y], low)])
    after = keeps(graph, width, crossed((range(256), 8), (range(8), 3)))
    names = [node.attr.name for node in after.body if node.attr and node.attr.name.startswith("LARGE")]
    pair = ["LARGE_lo", "LARGE_hi"]
    count = len(cut(np.zeros(1), bits, width))
    wanted = {1: ["LARGE"], 2: pair}.get(count, [f"LARGE_{k}" for k in range(count)])
    assert sorted(names) == sorted(wanted)
    assert sum(1 for node in after.body if node.attr and node.attr.name.startswith("LOW")) == 1


@pytest.mark.parametrize(("width", "bits"), CUTS)
def test_linear_maps(width: int, bits: int) -> None:
    make, source, results = Builder(), random.Random(bits), []
    a, b = params(make, bits, 20)
    for result in (1, 8, 32, 33, 64):
        matrices = [tuple(source.getrandbits(result) for _ in range(n)) for n in (bits, 20)]
        results.append(make.linear(matrices, [a, b], result))
    graph = Graph("g", [a, b], results)
    keeps(graph, width, crossed((edges(bits, width), bits), (edges(20, width), 20)))


def keyed(make: Builder, bits: int, index: int) -> Region:
    """A function of ``index`` bits and two captured words, one of them wide."""
    x, c, d = (make.param("argument", WordType(n), name) for n, name in ((index, "x"), (bits, "c"), (8, "d")))
    wide = make.make(Op.ADD, [make.make(Op.MUL, [c, make.extend(x, bits)]), make.extend(d, bits)])
    return Region([x, c, d], [make.make(Op.ROL, [wide, x])])


@pytest.mark.parametrize(("width", "bits"), CUTS)
def test_keyed_functions(width: int, bits: int) -> None:
    make = Builder()
    x, c, d = params(make, 8, bits, 8)
    region = keyed(make, bits, 8)
    graph = Graph("g", [x, c, d], [make.apply(region, [x, c, d]), make.apply(region, [d, c, d])])
    values = crossed((range(0, 256, 5), 8), (edges(bits, width, 2), bits), ([0, 1, 255], 8))
    after = keeps(graph, width, values)
    functions = {node.attr for node in after.body if node.op is Op.APPLY}
    assert len(functions) == len(cut(np.zeros(1), bits, width)), "equal functions stay equal"


def test_limbs_of_a_keyed_function_that_are_constant() -> None:
    make = Builder()
    x, c = params(make, 8, 8)
    inner = [make.param("argument", WordType(8), name) for name in "xc"]
    region = Region(inner, [make.extend(make.make(Op.XOR, inner), 64)])
    graph = Graph("g", [x, c], [make.apply(region, [x, c])])
    after = keeps(graph, 32, crossed((range(0, 256, 3), 8), (range(0, 256, 5), 8)))
    assert [node.op for node in after.body] == [Op.APPLY]


def test_keyed_functions_of_what_becomes_known() -> None:
    """A function used within another, on bits that turn out to be zero: nothing is left of the use."""
    make = Builder()
    x, c = params(make, 8, 64)
    (y, z) = (make.param("argument", WordType(8), name) for name in "yz")
    inner = Region([y], [make.make(Op.XOR, [y, make.const(5, 8)])])
    above = make.slice(make.make(Op.SHR, [make.extend(z, 64), make.const(1, 8)]), 32, 8)
    outer = Region([z], [make.make(Op.ADD, [z, make.apply(inner, [above])])])
    graph = Graph("g", [x, c], [make.apply(outer, [x]), make.apply(inner, [make.const(3, 8)])])
    after = keeps(graph, 32, crossed((range(256), 8), ([0], 64)))
    assert [node.op for node in every_node(after)] == [Op.APPLY, Op.ADD]


@pytest.mark.parametrize("bits", [5, 8, 20])
@pytest.mark.parametrize("index", [9, 10, 12])
@pytest.mark.every(3)
def test_tables_of_several_pages(bits: int, index: int) -> None:
    """With a page that is the same throughout, and one like another."""
    make = Builder()
    x, y = params(make, index, index + 3)
    entries = [k * 0x9E3779B97F4A7C15 >> 20 & mask(bits) for k in range(1 << index)]
    entries[256:512] = [7] * 256
    table = TableData(tuple(entries), bits, "T")
    uses = [
        make.make(Op.LOOKUP, [one], table) for one in (x, make.slice(y, 2, index), make.const(300, index))
    ]
    graph = Graph("g", [x, y], uses)
    keeps(graph, 8, crossed((range(1 << index), index), ([0, 5, mask(index + 3)], index + 3)))


# -- refusals -----------------------------------------------------------------------------------------


def refused_lookup(make: Builder, x: Node) -> Node:
    return make.make(Op.LOOKUP, [x], TableData(tuple(range(1 << 14)), 14, "T"))


def refused_function(make: Builder, x: Node) -> Node:
    return make.apply(keyed(make, 16, 14), [x, make.const(3, 16), make.const(3, 8)])


@pytest.mark.parametrize("what", [refused_lookup, refused_function])
def test_an_index_much_wider_than_a_limb_is_refused(what: Callable[[Builder, Node], Node]) -> None:
    make = Builder()
    make.line = "there.py:5"
    (x,) = params(make, 14)
    graph = Graph("g", [x], [what(make, x)])
    reason = r"word=8 is not legal for g: the index of this (lookup|apply) has 14 bits \(there.py:5\)"
    with pytest.raises(ScheduleError, match=reason):
        legalised(graph, 8, MOST)
    keeps(graph, 16, crossed((range(512), 14)))


@pytest.mark.parametrize("width", [0, 1, 24, 31, 33, 128])
def test_other_limbs_are_refused(width: int) -> None:
    with pytest.raises(ScheduleError, match=f"word={width}: accepted: 8, 16, 32, 64"):
        legalised(binary(Op.ADD, 64), width)


# -- the checker --------------------------------------------------------------------------------------


def no_carry(self: Arithmetic, x: Node, y: Node) -> tuple[Node, Node]:
    return self.make.make(Op.ADD, (x, y)), self.make.const(0, 1)


def no_borrow(self: Arithmetic, x: Node, y: Node) -> tuple[Node, Node]:
    return self.make.make(Op.SUB, (x, y)), self.make.const(0, 1)


def never(self: Arithmetic, amount: Any, bound: int) -> Node:
    return self.make.const(0, 1)


def unbounded(self: Arithmetic, word: Any, modulus: int) -> Node:
    return self.extended(word[0], self.width)


def lowest_alone(walk: Any, node: Node, inputs: list[Any]) -> tuple[Node, ...]:
    return (walk.make.make(node.op, (inputs[0][0], inputs[1][0])),)


METHODS: list[tuple[Op, str, Callable[..., Any]]] = [
    (Op.ADD, "_sum", no_carry),
    (Op.MULHI, "_sum", no_carry),
    (Op.SUB, "_difference", no_borrow),
    (Op.SHL, "_at_least", never),
    (Op.ROR, "modulo", unbounded),
]


def found(op: Op, width: int) -> None:
    """The tests above find what is wrong with the operation."""
    graph, bits = binary(op, 48), 48
    amounts = op in SHIFTS
    second = (amounts_for(bits, width, 48) if amounts else edges(bits, width)), bits
    with pytest.raises(AssertionError, match="result 0, row"):
        keeps(graph, width, crossed((edges(bits, width), bits), second))


@pytest.mark.parametrize("width", LIMBS)
@pytest.mark.parametrize(("op", "method", "wrong"), METHODS, ids=lambda value: getattr(value, "label", ""))
def test_planted_faults_are_found(
    op: Op, method: str, wrong: Callable[..., Any], width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Arithmetic, method, wrong)
    found(op, width)


@pytest.mark.parametrize("width", LIMBS)
@pytest.mark.parametrize("op", [Op.EQ, Op.LT], ids=lambda op: op.label)
def test_comparisons_of_one_limb_are_found(op: Op, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(walk._WIDE, op, lowest_alone)
    found(op, width)


@pytest.mark.parametrize("wide", [64, 33])
def test_words_left_wide_are_found(wide: int) -> None:
    """A parameter, a constant, an entry of an array."""
    make = Builder()
    (a,) = params(make, 32)
    for node in (
        make.extend(a, wide),
        make.make(Op.SHL, [a, make.const(1, wide)]),
        make.slice(make.make(Op.LOAD, [make.array([1], wide), a]), 0, 32),
    ):
        with pytest.raises(AssertionError, match=r"u(64|33)"):
            assert_narrow(Graph("g", [a], [node]), 32)
