"""Programs whose code uses no word of more than 32 bits: `word=32`."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.errors import ScheduleError
from finalist.language import BIG, LITTLE
from finalist.language.definition import OPERATIONS
from finalist.machines.native.machine import MACHINE
from finalist.passes.legalise import widest
from finalist.schedule import Schedule, parse_schedule, schedule_of
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.marks import needs_compiler
from tests.wide import wide_cipher

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.py"))
SPECK = next(path for path in EXAMPLES if path.stem == "speck")
CHOICES: list[dict[str, Any]] = [
    {"blocks": 2, "skew": 5},
    {"blocks": 1, "rounds": "loop"},
    {"blocks": 1, "keyed_tables": "zero", "fuse": 0},
    {"blocks": 1, "keyed_tables": "minimal", "fuse": 64},
]


def functions(text: str) -> str:
    """The code of key schedule and kernel, without what every file begins with."""
    return text[text.rindex("_expand_key(const uint8_t *key") :].partition("size_t blocks")[0]


@needs_compiler
@pytest.mark.parametrize("choices", CHOICES, ids=str)
@pytest.mark.check
def test_wide_words(choices: dict[str, Any]) -> None:
    order, operation = [(LITTLE, "encrypt"), (BIG, "decrypt")][CHOICES.index(choices) % 2]
    definition = wide_cipher(order)
    program: Any = compile_cipher(definition, "native", operation, 192, word=32, **choices)
    program.flags = ("-O0", "-march=native", "-Wno-psabi", "-Werror")
    assert widest(program.program) == 32
    source = random.Random(32)
    key, data = source.randbytes(24), source.randbytes(16 * 41)
    assert (
        program.run(key, data).output
        == compile_cipher(definition, "interpreter", operation, 192).run(key, data).output
    )


@needs_compiler
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.every(4)
def test_examples(path: Path, operation: str) -> None:
    definition = find_cipher(path)
    for bits in definition.key_bits:
        program = compile_cipher(path, "native", operation, bits, word=32)
        assert check_known_answers(program, vectors_of(definition)) > 0
        assert not re.search(r"uint64_t|ull", functions(program.text))
        wide = compile_cipher(path, "native", operation, bits)
        assert re.search(r"uint64_t", functions(wide.text))


@pytest.mark.check
def test_what_is_chosen_is_said() -> None:
    """In the schedule, where the cipher has wide words; the text's own command makes the text again."""
    assert compile_cipher(SPECK, "native").schedule.word == 64
    assert compile_cipher("rc6", "native").schedule.word is None
    program = compile_cipher(SPECK, "native", word=32)
    assert program.schedule.word == 32
    choices = re.search(r"--key-bits 128 (.*)", program.text)
    assert choices and "-s word=32" in choices[1]
    again = parse_schedule(choices[1].replace("-s ", "").split())
    assert compile_cipher(SPECK, "native", schedule=again).text == program.text
    same = compile_cipher(SPECK, "native", word=64).text
    assert same == compile_cipher(SPECK, "native").text


def test_it_is_verified() -> None:
    assert Schedule(word=32) in MACHINE.variants


@pytest.mark.parametrize(
    ("name", "word", "reason"),
    [
        ("rc6", 32, r"word=32 is not legal for rc6: it has no word of more than 32 bits"),
        ("rijndael", 64, r"word=64 is not legal for rijndael: it has no word of more than 32 bits"),
        (SPECK, 40, r"word=40: this machine has 8, 16, 32, 64"),
        ("rc6", 7, r"word=7: accepted is 8 to 64"),
        ("rc6", 65, r"word=65: accepted is 8 to 64"),
        ("rc6", 0, r"word=0: accepted is a positive integer"),
        ("rc6", "wide", r"word=wide: accepted is a positive integer"),
    ],
)
def test_refusals(name: str | Path, word: Any, reason: str) -> None:
    with pytest.raises(ScheduleError, match=reason):
        compile_cipher(name, "native", word=word)


@needs_compiler
@pytest.mark.parametrize("operation", OPERATIONS)
def test_vectors_have_carries(operation: str) -> None:
    """A sum over two words compares, which lanes do, too."""
    program: Any = compile_cipher(SPECK, "native", operation, schedule=schedule_of(word=32, width=128))
    assert program.shape.lane_bits == 32 and program.shape.lanes == 4
    source = random.Random(33)
    key, data = source.randbytes(16), source.randbytes(16 * 41)
    same = compile_cipher(SPECK, "interpreter", operation)
    assert program.run(key, data).output == same.run(key, data).output
