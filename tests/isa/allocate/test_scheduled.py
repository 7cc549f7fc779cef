"""Registers after the schedule: blocks on words and the packets that they become store the same."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import pytest

from finalist.isa.allocate import scheduled
from finalist.isa.allocate.linear import Frame, Spilling
from finalist.isa.allocate.scheduled import LONG, PairsError, allocate, gets_registers_first
from finalist.isa.check import _Machine
from finalist.isa.code import Block, Code, Ins
from finalist.isa.target.processor import Processor
from finalist.machines.c6x.model import processor as c6x
from tests.processors import vliw

P = vliw.processor()
#: Where words without a register begin.
HOMES = 1024


def ins(name: str, *operands: int, condition: tuple[int, bool] | None = None) -> Ins:
    access = "in" if name == "lda32" else "out" if name == "sta32" else None
    return Ins(P.by_name[name][0], list(operands), access=access, condition=condition)


def spilling(constants: int = 2**15) -> Spilling:
    """Words to and from their homes; constants below a bound are made, the others fetched."""

    def constant(word: int, value: int) -> list[Ins]:
        return [ins("mvi", word, value)] if value < constants else []

    return Spilling(
        lambda word, home: Ins(P.by_name["lda32"][0], [word, home], note="spilled", access=("home", home)),
        lambda word, home: Ins(P.by_name["sta32"][0], [word, home], note="spilled", access=("home", home)),
        constant,
    )


def few(registers: int, reserved: int = 2) -> Processor:
    """The processor with so many registers on each side."""
    files = {name: replace(file, count=registers) for name, file in P.files.items()}
    return replace(P, files=files, reserved=reserved)


def random_block(seed: int, words: int, operations: int, first: int = 1) -> list[Ins]:
    """Loads, operations on any words that there are, and stores of the last ones and of some others."""
    rng = random.Random(seed)
    body = [ins("lda32", first + k, 4 * k) for k in range(words)]
    made = [first + k for k in range(words)]
    for _ in range(operations):
        target = rng.choice(made) if rng.random() < 0.2 else max(made) + 1
        body.append(
            ins(rng.choice(("add", "xor", "mul", "rotr")), target, rng.choice(made), rng.choice(made[-9:]))
        )
        made.append(target)
    kept = dict.fromkeys([*made[-4:], *rng.sample(made, 4)])
    return body + [ins("sta32", word, 512 + 4 * k) for k, word in enumerate(kept)]


def stored(
    packets: Sequence[Sequence[Ins]], constants: dict[int, int], homes: dict[int, int]
) -> dict[object, int]:
    """What lies where a program stores its results."""
    machine = _Machine(P, 0)
    machine.registers.update({("", word): value for word, value in constants.items()})
    machine.memory.update({((("home", home), 4, home)): value for home, value in homes.items()})
    for packet in packets:
        taken = [
            one
            for one in packet
            if one.condition is None
            or one.issue is not None
            or bool(machine.registers[("", one.condition[0])]) == one.condition[1]
        ]
        if taken:
            machine.packet(taken)
        if packet[0].issue is None:
            machine.settle()
    machine.settle()
    return {place: value for place, value in machine.memory.items() if place[0] == "out"}


def packets(block: Block) -> list[list[Ins]]:
    found: list[list[Ins]] = []
    for one in block.body:
        if one.issue is not None and one.issue.parallel:
            found[-1].append(one)
        else:
            found.append([one])
    return found


def agreed(
    blocks: list[Block],
    processor: Processor = P,
    constants: dict[int, int] | None = None,
    made: int = 2**15,
) -> tuple[Code, Frame]:
    """The code with registers, which has just stored what it stores on words, block after block."""
    words = max(word for block in blocks for one in block.body for word in (*one.read, *one.written)) + 1
    code = Code(
        blocks,
        max([words, *(w + 1 for w in constants or {})]),
        dict(constants or {}),
        dict.fromkeys(range(1, 200), "a"),
    )
    before = [[one] for block in blocks for one in replace(block, body=[_copy(i) for i in block.body]).body]
    wanted = stored(before, code.constants, {})
    frame = Frame((HOMES + 4 * k for k in count()).__next__)
    allocate(code, processor, frame, spilling(made))
    after = [packet for block in code.blocks for packet in packets(block)]
    assert stored(after, {}, frame.constants) == wanted
    return code, frame


def _copy(one: Ins) -> Ins:
    return replace(one, operands=list(one.operands))


def spilled(code: Code) -> int:
    return sum(one.note == "spilled" for one in code.instructions())


@pytest.mark.parametrize("seed", range(4))
def test_a_block_of_its_own(seed: int) -> None:
    code, _ = agreed([Block("a", random_block(seed, 6, 30))])
    assert not spilled(code)
    assert all(one.issue is not None for one in code.instructions())


@pytest.mark.parametrize("registers", [8, 6, 5])
@pytest.mark.parametrize("part", ["block", "expand"])
def test_more_words_than_registers(registers: int, part: str) -> None:
    code, frame = agreed([Block("a", random_block(7, 14, 40), part=part)], few(registers))
    assert spilled(code)
    assert all(home >= HOMES for home in frame.homes.values())


def test_a_word_written_again_is_another_one() -> None:
    body = [
        ins("lda32", 1, 0),
        ins("add", 2, 1, 1),
        ins("sta32", 2, 512),
        ins("mul", 2, 1, 2),
        ins("sta32", 2, 516),
        ins("add", 2, 2, 2),
        ins("sta32", 2, 520),
    ]
    code, _ = agreed([Block("a", body)])
    assert len({(one.files[0], one.operands[0]) for one in code.instructions() if one.written}) > 1


def two_blocks(words: int) -> list[Block]:
    """Words that live across blocks, some of which the second one writes."""
    first = [ins("lda32", k, 4 * k) for k in range(1, words + 1)]
    second = [ins("add", k, k, k % words + 1) for k in range(1, words + 1)]
    third = [ins("sta32", k, 512 + 4 * k) for k in range(1, words + 1)]
    return [Block("a", first), Block("b", second, depth=1), Block("c", third)]


@pytest.mark.parametrize(("words", "memory"), [(6, False), (24, True)])
def test_words_that_live_across_blocks(words: int, memory: bool) -> None:
    """Those that have no register are fetched where they are read, and put back where they are written."""
    code, frame = agreed(two_blocks(words))
    assert bool(frame.homes) == bool(spilled(code)) == memory
    assert frame.lasting == set(range(1, words + 1))
    if memory:
        inner = code.blocks[1].body
        assert {one.instruction.effect for one in inner if one.note == "spilled"} == {"load", "store"}


@pytest.mark.parametrize("sense", [True, False])
@pytest.mark.parametrize("value", [0, 1])
def test_conditions_of_words_of_the_block(sense: bool, value: int) -> None:
    body = [
        ins("lda32", 1, 0),
        ins("lda32", 2, 4),
        ins("mvi", 4, value),
        ins("andi", 3, 4, 1),
        ins("sta32", 1, 512, condition=(3, sense)),
        ins("sta32", 2, 516),
    ]
    code, _ = agreed([Block("a", body)])
    (tested,) = [one for one in code.instructions() if one.condition is not None]
    assert tested.issue is not None and tested.issue.condition


@pytest.mark.parametrize("words", [4, 24])
@pytest.mark.parametrize("value", [0, 1])
def test_conditions_of_words_that_live_across_blocks(words: int, value: int) -> None:
    first, second, third = two_blocks(words)
    flag = words + 1
    first.body.insert(0, ins("mvi", flag, value))
    third.body[0].condition = flag, True
    third.body[1].condition = flag, False
    agreed([first, second, third])


def test_constants_have_a_register_or_lie_in_memory() -> None:
    """Made at the beginning where an instruction can, else fetched from where the program finds them."""
    body = [ins("lda32", 1, 0), ins("xor", 2, 1, 90), ins("xor", 3, 2, 91), ins("sta32", 3, 512)]
    constants = {90: 77, 91: 2**31 + 5}
    code, frame = agreed([Block("a", body)], constants=constants, made=2**15)
    assert list(frame.constants.values()) == [2**31 + 5]
    assert [one.instruction.name for one in code.blocks[0].body if one.instruction.name == "mvi"] == ["mvi"]


def test_constants_without_a_register_lie_in_memory() -> None:
    body = [ins("lda32", 1, 0)]
    constants = {100 + k: 3 * k + 1 for k in range(40)}
    body += [ins("xor", 1, 1, word) for word in constants] + [ins("sta32", 1, 512)]
    _, frame = agreed([Block("a", body)], constants=constants)
    assert 0 < len(frame.constants) < 40
    assert all(frame.constants[frame.homes[w]] == v for w, v in constants.items() if w in frame.homes)


# -- blocks that get registers first ------------------------------------------------------------------------


def test_which_get_registers_first() -> None:
    """Those that are long and worked on once for a key."""
    one = ins("add", 1, 1, 1)
    assert gets_registers_first(Block("a", [one] * (LONG + 1), part="expand"))
    assert not gets_registers_first(Block("a", [one] * LONG, part="expand"))
    assert not gets_registers_first(Block("a", [one] * (LONG + 1), part="block"))


def test_registers_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduled, "LONG", 10)
    code, _ = agreed([Block("a", random_block(3, 6, 40), part="expand")])
    assert all(one.issue is not None for one in code.instructions())
    code, _ = agreed([Block("a", random_block(3, 14, 60), part="expand")], few(5))
    assert spilled(code)


def test_registers_first_where_no_schedule_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The block is as it was: what was tried with it is forgotten."""
    monkeypatch.setattr(scheduled, "_TRIES", 0)
    code, _ = agreed([*two_blocks(24)])
    assert spilled(code)


def test_pairs_cannot_have_registers_first(monkeypatch: pytest.MonkeyPatch) -> None:
    model = c6x("c64x")
    pair = next(i for i in model.instructions if any(o.pair for o in i.operands))
    monkeypatch.setattr(scheduled, "_TRIES", 0)
    operands = [k + 1 if o.is_register else 0 for k, o in enumerate(pair.operands)]
    code = Code([Block("some", [Ins(pair, operands)])], 99, {}, dict.fromkeys(range(1, 9), "a"))
    with pytest.raises(PairsError, match=r"^some$") as caught:
        allocate(code, model, Frame(count().__next__), spilling())
    assert caught.value.label == "some"
