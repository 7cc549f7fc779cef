"""Bitsliced programs as C: blocks into planes and back, ciphers' vectors, all sizes, refusals."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from finalist.api import compile as compile_cipher
from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.ir.builder import Builder
from finalist.ir.execute import interpret
from finalist.ir.graph import Graph
from finalist.ir.ops import Op
from finalist.ir.program import Layout
from finalist.ir.types import WordType
from finalist.language import BIG, LITTLE, Cipher, Table, join, rol, rounds, u8, u16, u32, u64, words
from finalist.machines.native import plans
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.slices.bits import Bits
from finalist.machines.native.text.body import Body
from finalist.passes.analysis import KeyOnly
from finalist.passes.bitslice import sboxes
from finalist.passes.timing import CONSTANT
from finalist.toolchain import compiler
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.language.toy import toy, traced
from tests.machines.native.buffers import UNTOUCHED, with_what_follows
from tests.marks import needs_compiler

pytestmark = needs_compiler
S = Table([(5 * x * x + 3 * x + 7) % 16 for x in range(16)], width=4, name="S")
WIDTHS = [width for width in (1, 128, 256, 512) if width <= max(1, compiler.vector_bits())]
WIDEST = WIDTHS[-1]
BLOCKS = {1: 64, 128: 128, 256: 256, 512: 512}


def compiled(definition: str | type[Cipher], **choices: Any) -> NativeProgram:
    """The program, compiled without optimisation: these tests time nothing."""
    program = compile_cipher(definition, "native", **({"lookup": "bitslice"} | choices))
    assert isinstance(program, NativeProgram)
    program.flags = ("-O0", "-march=native", "-Wno-psabi", "-Werror")
    return program


BLOCK = words(4, u16, BIG)


def small(block: Layout = BLOCK) -> type[Cipher]:
    """Eight rounds of S-boxes, moves, sums, keys that are used twice; a word left as it is."""
    bits = block.width

    def encrypt(state, key):
        a, b = state[0], state[-1]
        for r in rounds(8):
            a = join(*(S[a[n : n + 4]] for n in range(0, bits, 4))) ^ key[r % 2]
            a, b = rol(b, 3) + a, a
        return [a, *state[1:-1], b]

    return toy(encrypt, block=block, key_bits=(block.bytes * 8,))


def data(program: NativeProgram, blocks: int) -> tuple[bytes, bytes]:
    source = np.random.default_rng(blocks)
    return source.bytes(program.key_bits // 8), source.bytes(blocks * program.block_bytes)


def expected(definition: type[Cipher], key: bytes, blocks: bytes) -> bytes:
    program = traced(definition)
    rows = np.frombuffer(blocks, np.uint8).reshape(-1, program.block.bytes)
    return interpret(program, np.frombuffer(key, np.uint8)[None, :], rows).tobytes()


LAYOUTS = [
    words(2, u8),
    words(4, u8, BIG),
    words(2, u16, LITTLE),
    words(4, u16, BIG),
    words(2, u32, BIG),
    words(4, u32, LITTLE),
    words(2, u64, BIG),
    words(16, u8),
]


#: The narrowest and the widest with each, those between with every third.
SHAPES = [
    (block, width)
    for place, block in enumerate(LAYOUTS)
    for width in WIDTHS
    if width in (WIDTHS[0], WIDTHS[-1]) or place % 3 == 0
]


@pytest.mark.parametrize(("block", "width"), SHAPES, ids=str)
def test_each_layout_of_a_block(block, width: int) -> None:
    definition = small(block)
    if width == 1 and block.bytes % 8:
        with pytest.raises(ScheduleError, match=rf"its block has {block.bytes} bytes"):
            compiled(definition, width=width)
        return
    program = compiled(definition, width=width)
    key, blocks = data(program, BLOCKS[width])
    assert program.run(key, blocks).output == expected(definition, key, blocks)


@pytest.mark.parametrize("block", [words(8, u8), words(4, u16), words(2, u32), words(2, u64)], ids=str)
@pytest.mark.parametrize("width", [WIDTHS[0], WIDTHS[-1]])
def test_bits_of_the_key_are_masked_by_the_word(block: Layout, width: int) -> None:
    """No loop takes them apart before, one at a time."""
    definition = small(block)
    program = compiled(definition, width=width)
    set_up = program.text[program.text.index("expand_key(const uint8_t *key") :]
    assert "masks_of_bits(k->" in set_up and "= -(uint32_t)" not in set_up
    key, blocks = data(program, 3)
    assert program.run(key, blocks).output == expected(definition, key, blocks)


@pytest.fixture(scope="module")
def program() -> NativeProgram:
    return compiled(small())


@pytest.mark.parametrize("extra", [-1, 0, 1])
@pytest.mark.parametrize("times", [0, 1, 2])
def test_any_number_of_blocks(program: NativeProgram, times: int, extra: int) -> None:
    """0, 1; one vector's bits less one, as many, one more; the same twice over."""
    count = max(0, times * BLOCKS[WIDEST] + extra)
    key, blocks = data(program, count)
    assert program.run(key, blocks).output == expected(small(), key, blocks)


@pytest.mark.parametrize("offset", [0, 1, 7, 31])
def test_in_place_and_misaligned(program: NativeProgram, offset: int) -> None:
    key, blocks = data(program, BLOCKS[WIDEST] + 3)
    assert program.crypt_in_place(key, blocks, offset) == expected(small(), key, blocks)


def test_nothing_past_the_end_is_written(program: NativeProgram) -> None:
    key, blocks = data(program, 5)
    assert with_what_follows(program, key, blocks) == expected(small(), key, blocks) + UNTOUCHED


def test_the_loop_takes_all_rounds_that_are_alike() -> None:
    """Two a turn where halves change places."""
    kernel = compiled("des", width=256).text.split("planes_load(in, b);")[-1]
    assert "for (uint32_t r0 = 0u; r0 < 8u; r0++) {" in kernel


@pytest.mark.parametrize("rounds_", ["unroll", "loop", 2])
def test_rounds(rounds_: int | str) -> None:
    program = compiled(small(), rounds=rounds_)
    assert ("for (uint32_t r" in program.text) == (rounds_ != "unroll")
    key, blocks = data(program, 9)
    assert program.run(key, blocks).output == expected(small(), key, blocks)


@pytest.mark.parametrize("most", [0, 10_000])
def test_bits_of_the_key_go_into_tables(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By themselves, and with each other: in functions and inline, in a loop and outside."""

    def encrypt(state, key):
        a, b = state
        for r in rounds(8):
            parts = (join(a[n : n + 2], key[r % 2][n : n + 2]) for n in range(0, 32, 2))
            found = [S[part] for part in parts]
            a, b = b ^ join(*found[:8]), a ^ join(*found[8:])
        return a, b

    with_gates = plans.sboxes.with_gates
    monkeypatch.setattr(plans.sboxes, "with_gates", partial(with_gates, most=most))
    definition = toy(encrypt, block=words(2, u32), key_bits=(64,))
    for choice in ("unroll", "loop"):
        program = compiled(definition, rounds=choice)
        assert ("noinline" in program.text) == (most == 0)
        key, blocks = data(program, 9)
        assert program.run(key, blocks).output == expected(definition, key, blocks)


@pytest.mark.parametrize("most", [0, 10_000])
def test_tables_of_single_bits(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A word of one bit, found or looked up, is that bit; also where other circuits are functions."""
    parity, turned = Table([x.bit_count() % 2 for x in range(16)], 1), Table([1, 0], 1)

    def encrypt(state, key):
        a, b = state[0] ^ key[0], state[1]
        found = [parity[a[n : n + 4]] for n in range(0, 16, 4)] + [turned[a[n : n + 1]] for n in range(12)]
        return [b ^ join(*found), join(*(S[b[n : n + 4]] for n in range(0, 16, 4))), *state[2:]]

    definition = toy(encrypt, block=BLOCK, key_bits=(64,))
    with_gates = sboxes.with_gates
    monkeypatch.setattr(plans.sboxes, "with_gates", partial(with_gates, most=most))
    program = compiled(definition)
    key, blocks = data(program, BLOCKS[WIDEST])
    assert program.run(key, blocks).output == expected(definition, key, blocks)


@pytest.mark.parametrize(
    ("name", "operation", "choices"),
    [
        ("des", "encrypt", {}),
        ("des", "decrypt", {"width": 1}),
        pytest.param("triple-des", "decrypt", {}, marks=pytest.mark.check),
        pytest.param("deal", "encrypt", {"rounds": "nested"}, marks=pytest.mark.check),
        ("rijndael", "encrypt", {}),
        pytest.param(
            "serpent", "encrypt", {"lookup": None, "planes": 32, "rounds": 8}, marks=pytest.mark.check
        ),
    ],
)
def test_vectors(name: str, operation: str, choices: dict[str, Any]) -> None:
    program = compiled(name, operation=operation, **choices)
    assert check_known_answers(program, vectors_of(cipher(name))) > 0


@pytest.mark.check
def test_loops_within_a_loop() -> None:
    """One text of a round of DES or two for all rounds of DEAL; the key of each by the numbers of both."""
    texts = {rounds: compiled("deal", width=256, rounds=rounds).text for rounds in ("loop", "nested")}
    kernels = {rounds: text.split("planes_load(in, b);")[-1] for rounds, text in texts.items()}
    assert kernels["loop"].count("for (uint32_t r") == 6
    assert kernels["nested"].count("for (uint32_t r") == 2
    assert len(kernels["nested"]) < len(kernels["loop"]) / 4


def test_what_is_left_open() -> None:
    chosen = compile_cipher("des", "native", lookup="bitslice").schedule
    assert (chosen.blocks, chosen.width) == (BLOCKS[WIDEST], WIDEST)
    assert (chosen.lookup, chosen.rounds, chosen.fuse, chosen.keyed_tables) == ("bitslice", 2, None, None)
    chosen = compile_cipher("des", "native", lookup="bitslice", blocks=64).schedule
    assert (chosen.blocks, chosen.width) == (64, 1)


@pytest.mark.parametrize("name", ["des", pytest.param("triple-des", marks=pytest.mark.check)])
def test_the_schedule_that_is_recorded_gives_the_same_text(name: str) -> None:
    program = compile_cipher(name, "native", lookup="bitslice")
    again = compile_cipher(name, "native", **program.schedule.chosen())
    assert program.text == again.text


def test_no_time_depends_on_secrets() -> None:
    assert compiled("des").timing == CONSTANT


def test_emitted_for_vectors_that_are_not_here() -> None:
    text = compile_cipher(small(), "native", lookup="bitslice", width=512).text
    assert "vector_size(64)" in text


@pytest.mark.parametrize(
    ("name", "choices", "reason"),
    [
        ("des", {"blocks": 64, "width": 256}, r"blocks=64 with width=256 lookup=bitslice: accepted is 256"),
        ("des", {"blocks": 512, "width": 256}, r"blocks=512 with width=256 .*: accepted is 256"),
        ("des", {"width": 64}, r"width=64: this machine has 1, 128, 256, 512"),
        ("des", {"fuse": 32}, r"fuse=32 says nothing of single bits"),
        ("des", {"skew": 4}, r"skew=4 says nothing of single bits"),
        ("des", {"planes": 8}, r"planes=8 with lookup=bitslice: every bit has a plane of its own"),
        ("des", {"rounds": 9}, r"rounds=9 is not legal for des_encrypt: no such rounds are equal"),
        ("des", {"rounds": "nested"}, r"rounds=nested is not legal for des: its rounds have none within"),
        ("rijndael", {"rounds": "nested", "blocks": 16, "width": 128}, r"nested .*accepted is blocks=128"),
        ("deal", {"rounds": "nested", "lookup": None}, r"rounds=nested: .*with it: lookup=bitslice"),
        ("twofish", {"keyed_tables": "full"}, r"keyed-tables=full says nothing of single bits"),
        ("rc6", {}, r"lookup=bitslice is not legal for rc6: it has no table lookup"),
        ("safer-plus", {"width": 1, "blocks": 1}, r"blocks=1 with width=1 .*: accepted is 64"),
        ("mars", {}, r"lookup=bitslice is not legal for mars: a (table of 512 entries|product of words)"),
        ("rc4", {}, r"lookup=bitslice .*is not legal for rc4: its block has 1 bytes"),
    ],
)
def test_refusals(name: str, choices: dict[str, Any], reason: str) -> None:
    with pytest.raises(ScheduleError, match=reason):
        compile_cipher(name, "native", **({"lookup": "bitslice"} | choices))


def test_planes_of_words_with_products_are_refused() -> None:
    with pytest.raises(ScheduleError, match=r"planes=32 is not legal for rc6: a product of words"):
        compile_cipher("rc6", "native", planes=32)


WIDE = Table([7 * x * x + 3 * x >> 2 & 255 for x in range(4096)], width=8, name="W")


def test_circuits_as_functions_take_bits_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A box of twelve bits, four of them the key's alone, written as a function that is called."""

    def encrypt(state, key):
        a, b = state
        for r in rounds(4):
            a, b = b, a ^ WIDE[join(b, key[r % 2][0:4])]
        return [a, b]

    monkeypatch.setattr(sboxes.with_gates, "__defaults__", (10,))
    definition = toy(encrypt, block=words(2, u8), key_bits=(16,))
    program = compiled(definition)
    assert "noinline" in program.text
    key, blocks = data(program, program.schedule.blocks)
    assert program.run(key, blocks).output == expected(definition, key, blocks)


def test_a_bit_that_is_the_same_in_all_blocks_is_a_mask() -> None:
    make, body = Builder(), Body(Bits(128), shared=KeyOnly("index"))
    x, alike = make.param("memory", WordType(1), "x"), make.make(Op.NOT, (make.const(0, 1),))
    body.define(x, 0, "x")
    body.region(Graph("g", [x], [make.make(Op.XOR, (x, alike)), alike]))
    assert "x ^ (vec_zero - " in body.lines[-1]
    assert body.full(alike, 0).startswith("(vec_zero - ")
