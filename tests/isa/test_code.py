"""Code: numbers of words, and where blocks go on."""

from __future__ import annotations

from finalist.isa.code import Block, Code, Ins, successors
from finalist.isa.target.processor import Processor
from tests.processors.accumulator import PROCESSOR


def ins(name: str, *operands: int | str, processor: Processor = PROCESSOR) -> Ins:
    return Ins(processor.by_name[name][0], list(operands))


def test_a_fresh_word_has_a_number_that_nothing_else_has() -> None:
    code = Code(words=5)
    assert [code.fresh(), code.fresh(), code.words] == [5, 6, 7]


def test_where_blocks_go_on() -> None:
    """A branch may be taken or not; after a halt, and after the last one, comes nothing."""
    blocks = [
        Block("a", [ins("beq", 0, "c")]),
        Block("b", [ins("halt")]),
        Block("c"),
        Block("d", [ins("asla", 0, 0)]),
    ]
    assert successors(blocks) == {"a": ["c", "b"], "b": [], "c": ["d"], "d": []}
