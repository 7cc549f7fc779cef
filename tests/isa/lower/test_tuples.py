"""Tuples of words in one register: random exchanges and operations, simulated against the interpreter."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from finalist.ir.builder import Builder
from finalist.ir.execute import interpret
from finalist.ir.graph import Graph, Node
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.ir.types import ArrayType, WordType
from finalist.isa.build import Plan, build
from finalist.isa.simulate.run import SimulatedProgram
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed
from finalist.schedule import Schedule

WORD, COUNT = WordType(32), 8
KINDS = [("word=64", 2), ("word=128", 4), ("word=64,with=xperm8", 2), ("word=128,with=shuffle", 4)]
Make = Callable[[Builder, list[Node], Node, int], list[Node]]


def simulated(kind: str, order: ByteOrder, make_words: Make, lanes: int) -> tuple[SimulatedProgram, Program]:
    """A program on eight words, and an array of the key that holds the key's words."""
    make = Builder()
    block = [make.param("memory", WORD, f"p{k}") for k in range(COUNT)]
    key = [make.param("memory", WORD, f"k{k}") for k in range(COUNT)]
    param = make.param("key", ArrayType(COUNT, 32), "K")
    array = make.array([0] * COUNT, 32)
    for place, word in enumerate(key):
        array = make.make(Op.STORE, (array, make.const(place, 32), word))
    kernel = Graph("kernel", [*block, param], make_words(make, block, param, lanes))
    layout = Layout(COUNT, 32, order)
    program = Program("tuples", "encrypt", 256, layout, layout, Graph("expand", key, [array]), kernel)
    p = processor(parsed(kind))
    return SimulatedProgram(program, Schedule(blocks=1), p, build(program, p, Plan())), program


def agrees(kind: str, order: ByteOrder, make_words: Make, lanes: int) -> str:
    """The text of a program that has done as the interpreter does."""
    made, program = simulated(kind, order, make_words, lanes)
    source = np.random.default_rng(5)
    keys, data = (source.integers(0, 256, (1, 4 * COUNT), dtype=np.uint8) for _ in range(2))
    expected = interpret(program, keys, data)[0].tobytes()
    assert made.run(keys.tobytes(), data.tobytes()).output == expected
    return made.text.partition(".part block")[2]


def register(make: Builder, words: list[Node]) -> list[Node]:
    """The words of a tuple of these."""
    whole = make.make(Op.TUPLE, words)
    return [make.make(Op.RESULT, (whole,), k) for k in range(len(words))]


@pytest.mark.parametrize(("kind", "lanes"), KINDS)
@pytest.mark.parametrize("order", ByteOrder)
def test_random_tuples(kind: str, lanes: int, order: ByteOrder) -> None:
    for seed in range(2):
        source = random.Random(f"{kind} {order} {seed}")

        def words(make: Builder, block: list[Node], key: Node, lanes: int) -> list[Node]:
            pool = [*block, make.const(0, 32), make.const(0x1234567, 32)]
            for _ in range(6):
                chosen = [source.choice(pool[-2 * lanes :]) for _ in range(lanes)]  # noqa: B023
                own = register(make, chosen)
                op = source.choice((Op.XOR, Op.ADD, Op.SUB, Op.AND, Op.ROL))  # noqa: B023
                others = [make.const(9, 8)] * lanes if op is Op.ROL else register(make, pool[-lanes:])
                pool += register(make, [make.make(op, pair) for pair in zip(own, others, strict=True)])
            return pool[-COUNT:]

        agrees(kind, order, words, lanes)


def wide(make: Builder, block: list[Node], key: Node, lanes: int) -> list[Node]:
    """Everything as it lies in memory: words, entries of the key, results."""
    results: list[Node] = []
    for first in range(0, COUNT, lanes):
        places = list(range(first, first + lanes))
        own = register(make, [block[place] for place in places])
        entries = [make.make(Op.LOAD, (key, make.const(place, 32))) for place in places]
        pairs = zip(own, register(make, entries), strict=True)
        results += register(make, [make.make(Op.XOR, pair) for pair in pairs])
    return results


@pytest.mark.parametrize(("kind", "lanes"), KINDS[:2])
def test_what_lies_side_by_side_is_read_together(kind: str, lanes: int) -> None:
    text = agrees(kind, ByteOrder.LITTLE, wide, lanes)
    body = text.partition(".part next")[0]
    assert body.count("load.") == 2 * COUNT // lanes
    assert body.count("store.") == body.count("xor") == COUNT // lanes
    assert "load.32" not in body


@pytest.mark.parametrize(("kind", "lanes"), KINDS[:2])
def test_what_lies_the_other_way_round_is_not(kind: str, lanes: int) -> None:
    """Of words with the first byte on top, the first word is the topmost of a wide one."""
    assert "load.32" in agrees(kind, ByteOrder.BIG, wide, lanes)


def turned(make: Builder, block: list[Node], key: Node, lanes: int) -> list[Node]:
    own = register(make, block[:lanes])
    return [*register(make, own[1:] + own[:1]), *block[lanes:]]


@pytest.mark.parametrize(("kind", "lanes"), KINDS[:2])
def test_words_in_turn_are_a_rotation(kind: str, lanes: int) -> None:
    text = agrees(kind, ByteOrder.LITTLE, turned, lanes)
    assert text.count("rotri") == 1
    assert "and" not in text


def exchanged(make: Builder, block: list[Node], key: Node, lanes: int) -> list[Node]:
    own = register(make, block[:4])
    return [*register(make, [own[0], own[3], own[2], own[1]]), *block[4:]]


def test_a_shuffle_exchanges_words() -> None:
    without = agrees("word=128", ByteOrder.LITTLE, exchanged, 4)
    assert (without.count("rotri"), without.count("and r")) == (1, 1)
    shuffled = agrees("word=128,with=shuffle", ByteOrder.LITTLE, exchanged, 4)
    assert (shuffled.count("rotri"), shuffled.count("shuffle")) == (0, 1)


def of_bytes(places: list[int | None], lanes: int) -> Make:
    """Bytes of the first register at other places; None for zeros."""

    def words(make: Builder, block: list[Node], key: Node, _: int) -> list[Node]:
        own, zero = register(make, block[:lanes]), make.const(0, 8)
        parts = [zero if p is None else make.slice(own[p // 4], 8 * (p % 4), 8) for p in places]
        joined = [make.make(Op.JOIN, parts[k : k + 4]) for k in range(0, 4 * lanes, 4)]
        return [*register(make, joined), *block[lanes:]]

    return words


@pytest.mark.parametrize(("kind", "lanes"), KINDS)
@pytest.mark.every(2)
def test_bytes_in_any_order(kind: str, lanes: int) -> None:
    for seed in range(4):
        source = random.Random(f"{kind} {seed}")
        pool: list[int | None] = [*range(4 * lanes), None, None]
        some = [source.choice(pool) for _ in range(4 * lanes)]
        up = source.randrange(4 * lanes)
        turned_ = [(k + up) % (4 * lanes) if source.random() < 0.8 else k for k in range(4 * lanes)]
        for places in (some, turned_, [*turned_[: 2 * lanes], *[None] * (2 * lanes)]):
            agrees(kind, ByteOrder.LITTLE, of_bytes(places, lanes), lanes)


@pytest.mark.parametrize(("kind", "lanes"), KINDS[:2])
def test_bytes_are_traded_by_one_mask(kind: str, lanes: int) -> None:
    """Those with an odd number for those below them in pairs: two shifts, a mask, three sums."""
    places: list[int | None] = [k ^ 3 if k & 1 != k >> 1 & 1 else k for k in range(4 * lanes)]
    text = agrees(kind, ByteOrder.LITTLE, of_bytes(places, lanes), lanes).partition(".part next")[0]
    assert [text.count(f"    {name} ") for name in ("xor", "and", "slli", "srli", "or")] == [3, 1, 1, 1, 0]


def alone(make: Builder, block: list[Node], key: Node, lanes: int) -> list[Node]:
    """Words that products have left in registers of their own."""
    products = [make.make(Op.MUL, (block[k], block[k + 1])) for k in range(lanes)]
    return [*register(make, products), *block[lanes:]]


def test_words_in_registers_are_put_together_in_memory() -> None:
    """Four stores and a load for three masks, shifts and sums; of two words it is as many."""
    text = agrees("word=128", ByteOrder.LITTLE, alone, 4).partition(".part next")[0]
    assert [text.count(f"    {name} ") for name in ("slli", "and", "or")] == [0, 0, 0]
    assert text.count("store.32") == 4 + 4  # what is left of the block are words
    agrees("word=128", ByteOrder.BIG, alone, 4)
    assert "slli" in agrees("word=64", ByteOrder.LITTLE, alone, 2)
