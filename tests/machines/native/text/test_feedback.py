"""Cipher and output feedback: every layout of blocks, every size and place, segments within a block."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.machines.interpreter.modes import cipher_fed, fed_back, output_fed
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.text import emit
from finalist.machines.native.text.modes import segment_bytes
from tests.machines.native.text.test_drivers import (
    CASES,
    KEY,
    PLACED,
    InMemory,
    cipher,
    counts,
    in_place,
    made,
    message,
    needs_compiler,
    quick,
    reference,
)

SINGLE = [n for n, (_, choices) in enumerate(CASES) if choices["blocks"] == 1]
cases = pytest.mark.parametrize(
    "case", range(len(CASES)), ids=lambda case: f"{CASES[case][0]} {CASES[case][1]}"
)


def sizes(program: NativeProgram, segment: int) -> list[int]:
    """Bytes: none, parts of a segment, about what each kernel takes, and more."""
    ends = {0, 1, segment - 1}
    return sorted({count * segment + end for count in counts(program) for end in ends})


def check_back(program: NativeProgram, case: int, bits: int) -> None:
    right, key, iv = reference(case, "encrypt"), program.expand(KEY), message(program.block_bytes)[::-1]
    for size in sizes(program, bits // 8):
        data = message(size)
        expected = fed_back(lambda blocks: right.run(KEY, blocks).output, iv, data, bits)
        assert program.cfb_decrypt(key, iv, data, bits) == expected


def check_there(program: NativeProgram, case: int, bits: int) -> None:
    right, key, iv = reference(case, "encrypt"), program.expand(KEY), message(program.block_bytes)[::-1]
    for size in (0, 1, bits // 8, bits // 8 + 1, 3 * bits // 8, 5 * bits // 8 - 1):
        data = message(size)
        expected = cipher_fed(lambda blocks: right.run(KEY, blocks).output, iv, data, bits)
        assert program.cfb_encrypt(key, iv, data, bits) == expected


@needs_compiler
class TestModes:
    @cases
    def test_cipher_feedback_back(self, case: int) -> None:
        program = made(case, "encrypt", "cfb")
        check_back(program, case, 8 * program.block_bytes)

    @pytest.mark.parametrize(("case", "bits"), [(0, 8), (1, 24), (7, 16), (8, 8), (9, 120), (10, 40)])
    def test_segments_back(self, case: int, bits: int) -> None:
        check_back(made(case, "encrypt", f"cfb{bits}"), case, bits)

    @pytest.mark.parametrize("case", SINGLE)
    def test_cipher_feedback(self, case: int) -> None:
        program = made(case, "encrypt", "cfb")
        check_there(program, case, 8 * program.block_bytes)

    @pytest.mark.parametrize("bits", [8, 24, 120])
    def test_segments(self, bits: int) -> None:
        check_there(made(0, "encrypt", f"cfb{bits}"), 0, bits)

    @pytest.mark.parametrize("case", SINGLE)
    def test_output_feedback(self, case: int) -> None:
        program, right = made(case, "encrypt", "ofb"), reference(case, "encrypt")
        size, key, iv = program.block_bytes, program.expand(KEY), message(program.block_bytes)[::-1]
        for bytes_ in (0, 1, size, size + 1, 3 * size, 5 * size - 1):
            expected = output_fed(lambda data: right.run(KEY, data).output, iv, message(bytes_))
            assert program.ofb(key, iv, message(bytes_)) == expected

    def test_whole_registers(self) -> None:
        """By the whole block in a register, where the CPU has instructions for a cipher."""
        program: Any = compile_cipher("rijndael", "native", blocks=1)
        right: Any = compile_cipher("rijndael", "interpreter")
        key, blocks = program.expand(KEY), lambda data: right.run(KEY, data).output
        for size in (0, 5, 16, 70):
            data = message(size)
            assert program.cfb_encrypt(key, KEY, data) == cipher_fed(blocks, KEY, data)
            assert program.cfb_decrypt(key, KEY, data) == fed_back(blocks, KEY, data)
            assert program.ofb(key, KEY, data) == output_fed(blocks, KEY, data)


@needs_compiler
@pytest.mark.parametrize("case", [0, 8])
def test_in_memory(monkeypatch: pytest.MonkeyPatch, case: int) -> None:
    """Layouts that XOR nothing get that beside the kernel."""
    real = emit._File._blocks
    monkeypatch.setattr(emit._File, "_blocks", lambda file, shape: InMemory(real(file, shape)))
    layout, choices = CASES[case]
    program = quick(compile_cipher(cipher(layout), "native", **choices), "cfb")
    assert "xor_bytes(" in program.text
    check_back(program, case, 128)
    if case in SINGLE:
        check_there(program, case, 128)


@needs_compiler
@pytest.mark.parametrize("case", PLACED)
@pytest.mark.parametrize("mode", ["cfb", "cfb8"])
def test_back_in_place_at_every_offset(case: int, mode: str) -> None:
    program, bits = made(case, "encrypt", mode), 8 if mode == "cfb8" else 128
    for count, offset in itertools.product(counts(program), range(16)):
        data = message((count * bits + 8 * (offset % 3)) // 8)
        expected, _ = program.cfb_decrypt(program.expand(KEY), KEY, data, bits)
        assert in_place(program, f"{mode}_decrypt", KEY, data, offset, len(data)) == expected


@needs_compiler
@pytest.mark.parametrize("function", ["cfb_encrypt", "cfb8_encrypt", "ofb"])
def test_in_place_at_some_offsets(function: str) -> None:
    program, data = made(0, "encrypt", function.partition("_")[0]), message(53)
    bits = {"segment_bits": 8} if function == "cfb8_encrypt" else {}
    call = getattr(program, function.replace("8", ""))
    expected, _ = call(program.expand(KEY), KEY, data, **bits)
    for offset in range(16):
        assert in_place(program, function, KEY, data, offset, len(data)) == expected


@pytest.mark.parametrize(
    ("mode", "segment"),
    [("cfb", 16), ("cfb8", 1), ("cfb120", 15), ("ecb", 0), ("ctr", 0), ("ofb", 0)]
    + [(mode, 0) for mode in ("cfb0", "cfb128", "cfb7", "cfb08", "cfb-8", "cfb 8", "cfbx", "cf", "cfb1²")],
)
def test_segments_by_name(mode: str, segment: int) -> None:
    assert segment_bytes(mode, 16) == segment
