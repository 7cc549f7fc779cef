"""A bit of each byte of a block side by side, as C: vectors, all sizes, every vector unit, refusals."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest

from finalist.api import compile as compile_cipher
from finalist.ciphers import rijndael
from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.ir.execute import interpret
from finalist.language import Cipher, rounds, u8, words
from finalist.machines.native.machine import MACHINE
from finalist.machines.native.run import NativeProgram
from finalist.passes.timing import CONSTANT
from finalist.toolchain import compiler
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.language.toy import toy, traced
from tests.machines.native.buffers import UNTOUCHED, with_what_follows
from tests.marks import needs_compiler

pytestmark = needs_compiler
WIDTHS = [width for width in (128, 256, 512) if width <= max(128, compiler.vector_bits())]
WIDEST = WIDTHS[-1]
BLOCKS = WIDEST // 16
KEY = bytes(16)
FLAGS = ("-O1", "-Wall", "-Wextra", "-Werror")


def compiled(definition: str | type[Cipher], *flags: str, **choices: Any) -> NativeProgram:
    """The program, compiled without much optimisation: these tests time nothing."""
    program = compile_cipher(definition, "native", **({"lookup": "bitslice", "width": WIDEST} | choices))
    assert isinstance(program, NativeProgram)
    program.flags = (*FLAGS, *(flags or ("-march=native",)))
    return program


def small() -> type[Cipher]:
    """Rounds of half the bytes through S-boxes, sums, moves, a key."""
    S = rijndael.S

    def encrypt(state, key):
        left, right = state[:8], state[8:]
        for _ in rounds(6):
            found = [S[b ^ k] for b, k in zip(right, key[:8], strict=True)]
            left, right = (
                right,
                [a ^ b ^ c for a, b, c in zip(left, found, [*found[3:], *found[:3]], strict=True)],
            )
        return [a + k for a, k in zip(left + right, key, strict=True)]

    return toy(encrypt, block=words(16, u8), key_bits=(128,))


def data(program: NativeProgram, blocks: int) -> tuple[bytes, bytes]:
    source = np.random.default_rng(blocks)
    return source.bytes(program.key_bits // 8), source.bytes(blocks * program.block_bytes)


def expected(definition: type[Cipher], key: bytes, blocks: bytes) -> bytes:
    rows = np.frombuffer(blocks, np.uint8).reshape(-1, 16)
    return interpret(traced(definition), np.frombuffer(key, np.uint8)[None, :], rows).tobytes()


def agrees(program: NativeProgram, count: int) -> None:
    key, blocks = data(program, count)
    assert program.run(key, blocks).output == expected(small(), key, blocks)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("copies", [1, 2, 3])
@pytest.mark.parametrize("rounds_", ["loop", "unroll"])
@pytest.mark.every(5)
def test_each_shape(width: int, copies: int, rounds_: str) -> None:
    program = compiled(small(), width=width, blocks=copies * width // 16, rounds=rounds_)
    assert ("for (uint32_t r" in program.text) == (rounds_ == "loop")
    agrees(program, 2 * program.schedule.blocks + 3)


def test_vectors_take_turns() -> None:
    program = compiled(small(), blocks=2 * BLOCKS, skew=10, rounds="unroll")
    copies = re.findall(r"const vec t\d+_(\d) =", program.text)
    runs = [len(list(run)) for _, run in itertools.groupby(copies)]
    assert max(runs) == 10 and len(runs) >= len(copies) / 10
    agrees(program, 3 * BLOCKS)


@pytest.fixture(scope="module", params=[1, 2])
def program(request: pytest.FixtureRequest) -> NativeProgram:
    return compiled(small(), blocks=request.param * BLOCKS)


@pytest.mark.parametrize("count", [0, 1, *(n * BLOCKS + d for n in (1, 2, 3) for d in (-1, 0, 1))])
def test_any_number_of_blocks(program: NativeProgram, count: int) -> None:
    agrees(program, count)


@pytest.mark.parametrize("offset", [0, 1, 7, 31])
def test_in_place_and_misaligned(program: NativeProgram, offset: int) -> None:
    key, blocks = data(program, BLOCKS + 3)
    assert program.crypt_in_place(key, blocks, offset) == expected(small(), key, blocks)


def test_nothing_past_the_end_is_written(program: NativeProgram) -> None:
    key, blocks = data(program, 5)
    assert with_what_follows(program, key, blocks) == expected(small(), key, blocks) + UNTOUCHED


@pytest.mark.parametrize("width", WIDTHS)
def test_without_instructions_for_it(width: int) -> None:
    """The text for compilers that know of no byte shuffle."""
    plain = ("-mno-ssse3",) if "__SSSE3__" in compiler.macros(compiler.command()) else ("-O1",)
    agrees(compiled(small(), *plain, "-Wno-psabi", width=width, blocks=width // 16), width // 16 + 1)


@pytest.mark.parametrize(
    ("name", "operation", "key_bits"),
    [("rijndael", "encrypt", 192), ("rijndael", "decrypt", 256)],
)
@pytest.mark.every(2)
def test_vectors(name: str, operation: str, key_bits: int) -> None:
    program = compiled(name, operation=operation, key_bits=key_bits, blocks=BLOCKS)
    assert check_known_answers(program, vectors_of(cipher(name))) > 0


@pytest.mark.parametrize("length", [0, 1, 16 * BLOCKS - 1, 16 * BLOCKS, 16 * BLOCKS + 3, 1000])
def test_counter_mode(counting: NativeProgram, length: int) -> None:
    """As one block after the other has it, across a carry."""
    text, counter = (bytes(range(250)) * 4)[:length], b"\xff" * 15 + b"\xf0"
    start = int.from_bytes(counter, "big")
    numbers = ((start + n) % 2**128 for n in range(-(-length // 16)))
    stream = counting.run(KEY, b"".join(number.to_bytes(16, "big") for number in numbers)).output
    found, _ = counting.ctr(counting.expand(KEY), counter, text)
    assert found == bytes(a ^ b for a, b in zip(text, stream, strict=False))


@pytest.fixture(scope="module")
def counting() -> NativeProgram:
    return compiled("rijndael", blocks=BLOCKS).in_modes("ecb", "ctr")


def test_what_is_left_open() -> None:
    chosen = compile_cipher("rijndael", "native", lookup="bitslice", blocks=8, width=128).schedule
    assert (chosen.blocks, chosen.width, chosen.skew, chosen.rounds) == (8, 128, None, "loop")
    chosen = compile_cipher("rijndael", "native", lookup="bitslice", blocks=3 * BLOCKS).schedule
    assert (chosen.blocks, chosen.width, chosen.rounds) == (3 * BLOCKS, WIDEST, "loop")
    assert chosen.skew


def test_the_schedule_that_is_recorded_gives_the_same_text() -> None:
    program = compiled("rijndael", blocks=2 * BLOCKS)
    again = compile_cipher("rijndael", "native", **program.schedule.chosen())
    assert program.text == again.text


def test_what_the_tuner_tries() -> None:
    """One of the kind, and what lies near it, but for more vectors than there are blocks: all legal."""
    kinds = [s for s in MACHINE.kinds() if s.lookup == "bitslice" and s.blocks == BLOCKS]
    assert kinds
    chosen = compile_cipher("rijndael", "native", lookup="bitslice", blocks=3 * BLOCKS).schedule
    near = [s for s in MACHINE.near(chosen) if s.fuse is None]
    assert {s.blocks for s in near} >= {BLOCKS, 2 * BLOCKS} and len({s.skew for s in near}) > 3
    for schedule in near:
        compile_cipher("rijndael", "native", schedule=schedule)


def test_no_time_depends_on_secrets() -> None:
    chosen = compile_cipher("rijndael", "native", lookup="bitslice", blocks=BLOCKS, constant_time=True)
    assert chosen.timing == CONSTANT


def test_emitted_for_vectors_that_are_not_here() -> None:
    text = compile_cipher(small(), "native", lookup="bitslice", width=512, blocks=32).text
    assert "vector_size(64)" in text and "_mm512_shuffle_epi8" in text


@pytest.mark.parametrize(
    ("name", "choices", "reason"),
    [
        (
            "des",
            {"blocks": 32},
            r"blocks=32 with width=\d+ .*: accepted is \d+; .*its block is 8 words of 8 bits",
        ),
        ("rijndael", {"blocks": BLOCKS + 1}, r"blocks=\d+ with width=\d+ lookup=bitslice: accepted is \d+"),
        (
            "rijndael",
            {"blocks": BLOCKS, "skew": 4},
            r"skew=4: one vector at a time has nothing to take turns with",
        ),
        (
            "rijndael",
            {"blocks": 2 * BLOCKS, "skew": 0},
            r"skew=0 with lookup=bitslice: vectors take turns of 1",
        ),
        ("rijndael", {"blocks": BLOCKS, "fuse": 32}, r"fuse=32 says nothing of single bits"),
        ("rijndael", {"blocks": BLOCKS, "rounds": 9}, r"rounds=9 is not legal .*: no such rounds are equal"),
        ("twofish", {"blocks": BLOCKS}, r"not legal for twofish: \w+ .*has no form on (bits|their bits)"),
    ],
)
def test_refusals(name: str, choices: dict[str, Any], reason: str) -> None:
    with pytest.raises(ScheduleError, match=reason):
        compile_cipher(name, "native", **({"lookup": "bitslice", "width": WIDEST} | choices))
