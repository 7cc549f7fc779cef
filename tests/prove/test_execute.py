"""Instructions on unknown words: condition codes are what they were where they were written, whenever they
are read, and cost nothing where they are not."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from finalist.ir.ops import Op
from finalist.isa.assembly.assembler import assemble
from finalist.isa.target.processor import Processor
from finalist.prove.bits import Word
from finalist.prove.evaluate import Valuation
from finalist.prove.execute import Execution
from finalist.prove.words import Words
from tests.prove.programs import made


@pytest.fixture
def processor() -> Processor:
    """One with condition codes."""
    return made("hc05", "rijndael")[1].processor


def program(*lines: str) -> str:
    return "\n ".join(["f:", *lines, "stop\n"])


def carried_out(text: str, processor: Processor, words: Words) -> Execution:
    """After a program from bytes 64, 65 and 66 that are symbols a, b and c."""
    run = Execution(assemble(text, processor), processor, words, 256)
    for place, name in zip(range(64, 67), "abc", strict=True):
        run.memory.store(1, place, words.symbol(name, 8))
    run.run("f")
    return run


def test_a_carry_is_of_the_words_that_were_there(processor: Processor) -> None:
    """Before it is read, its operands change: the accumulator, and the byte in memory."""
    words = Words()
    text = program("lda *64", "add *65", "sta *70", "clr *65", "lda *66", "adc #0", "sta *71")
    run = carried_out(text, processor, words)
    source = random.Random(1)
    for _ in range(20):
        a, b, c = (source.choice((source.getrandbits(8), 0, 255)) for _ in range(3))
        value = Valuation(words, {"a": a, "b": b, "c": c})
        assert value.word(run.memory.byte(70)) == a + b & 255
        assert value.word(run.memory.byte(71)) == c + (a + b >> 8) & 255
        assert value.word(run.memory.byte(65)) == 0


def test_what_nothing_reads_is_not_computed(processor: Processor, monkeypatch: pytest.MonkeyPatch) -> None:
    words, counted = Words(), Counter[Op]()
    apply = words.apply

    def noted(op: Op, values: Sequence[Word], width: int) -> Word:
        counted[op] += 1
        return apply(op, values, width)

    monkeypatch.setattr(words, "apply", noted)
    carried_out(program("lda *64", "add *65", "eor *66", "sta *70"), processor, words)
    assert counted == {Op.ADD: 1, Op.XOR: 1}
