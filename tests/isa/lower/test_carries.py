"""Chains of limbs and pairs of halves, found in graphs that legalisation made."""

from __future__ import annotations

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, Region
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.isa.lower.carries import Chain, Pair, groups
from finalist.passes.legalise import legalised


def found(*ops: Op, width: int = 32) -> tuple[Graph, list[Chain | Pair]]:
    """The groups of a graph that does these operations on two words."""
    make = Builder()
    a, b = (make.param("memory", WordType(width), name) for name in "ab")
    total: Node = a
    for op in ops:
        total = make.make(op, (total, b))
    graph = legalised(Graph("sums", (a, b), (total,), ()), 8)
    return graph, list({id(g): g for g in groups(graph, 8, [(Op.MUL, Op.MULHI)]).values()}.values())


def test_a_sum_is_one_chain() -> None:
    graph, (chain,) = found(Op.ADD)
    assert isinstance(chain, Chain)
    assert [limb.result for limb in chain.limbs] == list(graph.results)
    assert chain.last is None
    assert set(chain.members) == set(graph.body)


def test_a_difference_is_one_chain() -> None:
    graph, (chain,) = found(Op.SUB, width=24)
    assert isinstance(chain, Chain) and len(chain.limbs) == 3
    assert set(chain.members) == set(graph.body)


def test_sums_of_sums_are_several() -> None:
    _, chains = found(Op.ADD, Op.XOR, Op.SUB, Op.XOR, Op.ADD)
    assert [len(chain.limbs) for chain in chains if isinstance(chain, Chain)] == [4, 4, 4]


def test_a_short_last_limb_takes_the_carry_as_a_word() -> None:
    _, (chain,) = found(Op.ADD, width=20)
    assert isinstance(chain, Chain)
    assert len(chain.limbs) == 2 and chain.last is not None


def test_halves_of_products_are_pairs() -> None:
    graph, all_ = found(Op.MUL, width=16)
    pairs = [group for group in all_ if isinstance(group, Pair)]
    high = [node for node in graph.body if node.op is Op.MULHI]
    assert [pair.second for pair in pairs] == high and len(high) == 1


def test_a_carry_that_others_take_ends_a_chain() -> None:
    """It would have to be a word anyway."""
    make = Builder()
    x, y, z = (make.param("memory", WordType(8), name) for name in "xyz")
    low = make.make(Op.ADD, (x, y))
    over = make.make(Op.LT, (low, y))
    high = make.make(Op.ADD, (z, make.extend(over, 8)))
    assert groups(Graph("one", (x, y, z), (low, high), ()), 8, [])
    assert not groups(Graph("one", (x, y, z), (low, high, over), ()), 8, [])


def test_a_comparison_that_is_no_carry_is_none() -> None:
    make = Builder()
    x, y, z = (make.param("memory", WordType(8), name) for name in "xyz")
    low = make.make(Op.ADD, (x, y))
    less = make.make(Op.LT, (y, low))
    high = make.make(Op.ADD, (z, make.extend(less, 8)))
    assert not groups(Graph("none", (x, y, z), (low, high), ()), 8, [])


def test_what_is_made_between_the_limbs_may_be_made_before() -> None:
    """Arithmetic on words that are there; not what the chain itself makes."""
    make = Builder()
    x, y, u, v = (make.param("memory", WordType(8), name) for name in "xyuv")
    low = make.make(Op.ADD, (x, y))
    carry = make.extend(make.make(Op.LT, (low, y)), 8)
    for between, fits in ((make.make(Op.XOR, (u, v)), True), (make.make(Op.XOR, (u, low)), False)):
        high = make.make(Op.ADD, (make.make(Op.ADD, (v, between)), carry))
        found = groups(Graph("sum", (x, y, u, v), (low, between, high), ()), 8, [])
        chains = {id(group) for group in found.values() if isinstance(group, Chain) and len(group.limbs) == 2}
        assert bool(chains) is fits


def test_a_carry_that_another_operation_takes_is_no_limb_s() -> None:
    make = Builder()
    x, y, z = (make.param("memory", WordType(8), name) for name in "xyz")
    low = make.make(Op.ADD, (x, y))
    carry = make.extend(make.make(Op.LT, (low, y)), 8)
    for op in (Op.XOR, Op.SUB, Op.MUL):
        high = make.make(op, (z, carry))
        assert not groups(Graph("none", (x, y, z), (low, high), ()), 8, [])


def test_a_sum_made_outside_of_a_region_is_no_limb_of_its_own() -> None:
    """In a loop a carry is added to it: it is a word that is there, not the first half of a limb."""
    make = Builder()
    b, c, d = (make.param("memory", WordType(8), name) for name in "bcd")
    outside = make.make(Op.ADD, (c, d))
    index, word = make.param("index", WordType(8), "i"), make.param("carried", WordType(8), "w")
    low = make.make(Op.ADD, (word, b))
    carry = make.extend(make.make(Op.LT, (low, word)), 8)
    high = make.make(Op.ADD, (outside, carry))
    region = Region([index, word], [make.make(Op.XOR, (low, high))])
    chains = {id(group): group for group in groups(region, 8, []).values()}.values()
    (chain,) = (chain for chain in chains if isinstance(chain, Chain))
    assert [limb.result for limb in chain.limbs] == [low, high]
    assert outside not in chain.members and outside in chain.inputs
