"""Equal graphs are one; what differs in anything that a pass may look at is not."""

from __future__ import annotations

from finalist.ciphers.catalogue import cipher
from finalist.ir.builder import Builder
from finalist.ir.equal import shared
from finalist.ir.graph import Graph
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.language.definition import trace


def sums(name: str = "sum", constant: int = 1, phase: int = 0, *, late: bool = False) -> Graph:
    """``(a + constant, b ^ constant)``, the XOR made first if that is ``late``."""
    make = Builder()
    a, b = (make.param("memory", WordType(32), letter) for letter in "ab")
    make.phase = phase
    orders = ((Op.ADD, a), (Op.XOR, b))
    made = {op: make.make(op, (word, make.const(constant, 32))) for op, word in orders[:: -1 if late else 1]}
    made[Op.ADD].name = name
    return Graph("sums", (a, b), (made[Op.ADD], made[Op.XOR]))


def test_the_first_of_equal_graphs_stands_for_all() -> None:
    first = sums()
    assert shared(first) is first
    assert shared(sums()) is first


def test_any_difference_is_one() -> None:
    first = shared(sums())
    for other in (sums("other"), sums(constant=2), sums(phase=1), sums(late=True)):
        assert shared(other) is not first
        assert shared(other) is other


def test_a_kernel_that_all_key_lengths_have() -> None:
    definition = cipher("loki97")
    kernels = [shared(trace(definition, "encrypt", bits).kernel) for bits in definition.key_bits]
    assert len(set(kernels)) == 1


def test_kernels_of_other_numbers_of_rounds() -> None:
    definition = cipher("rijndael")
    kernels = [shared(trace(definition, "encrypt", bits).kernel) for bits in definition.key_bits]
    assert len(set(kernels)) == len(kernels)


def test_regions_are_compared() -> None:
    definition = cipher("twofish")  # keyed functions are regions
    first, second = (shared(trace(definition, "encrypt", 128).kernel) for _ in range(2))
    assert first is second
    assert shared(trace(definition, "encrypt", 192).kernel) is not first
