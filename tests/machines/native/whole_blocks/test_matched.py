"""Programs made of the CPU's instructions: legality, vectors, sizes, and what the text looks like."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.language import Cipher
from finalist.language.definition import OPERATIONS
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.whole_blocks import matched
from finalist.machines.registry import machine
from finalist.schedule import Schedule
from finalist.toolchain import compiler
from finalist.vectors.check import check_known_answers, check_monte_carlo
from finalist.vectors.load import monte_carlo_of, vectors_of
from tests.passes.matching.aes import Columns, varied

AES = "rijndael"
needs_instructions = pytest.mark.skipif(
    not matched.available(128), reason="needs a CPU with AES instructions"
)
WIDTHS = [width for width in (128, 256, 512) if matched.available(width)]
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
FLAGS = ("-O1", "-march=native", "-Wall", "-Wextra", "-Werror")


def compiled(definition: str | type[Cipher], operation: str = "encrypt", **choices: Any) -> NativeProgram:
    program = compile_cipher(definition, "native", operation, lookup="match", **choices)
    assert isinstance(program, NativeProgram)
    program.flags = FLAGS
    return program


# -- legality ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "choices", "reason"),
    [
        (
            "twofish",
            {},
            "lookup=match is not legal for twofish: no table of it is the S-box of an instruction",
        ),
        ("des", {}, "lookup=match is not legal for des: its blocks are not registers of 16 bytes"),
        ("rc6", {}, "lookup=match is not legal for rc6: it has no table lookup"),
        (AES, {"width": 1}, "lookup=match works in vectors; accepted with it: width of 128 or more"),
        (AES, {"width": 64}, "width=64: this machine has 1, 128, 256, 512"),
        (AES, {"width": 512, "blocks": 6}, "blocks=6 with width=512: accepted is a multiple of 4"),
        (AES, {"blocks": 100_000}, "blocks=100000: accepted is 1 to"),
        (AES, {"fuse": 32}, "fuse=32 is not legal with lookup=match, which leaves nothing to it"),
        (AES, {"planes": 8}, "planes=8 is not legal with lookup=match"),
        (AES, {"word": 8}, "word=8 is not legal with lookup=match"),
        (
            AES,
            {"keyed_tables": "full"},
            "keyed-tables=full is not legal for rijndael: it has no keyed function",
        ),
        (AES, {"blocks": 1, "skew": 2}, r"skew=2: one block \(or vector\) at a time"),
        (AES, {"rounds": 5}, "rounds=5 is not legal for rijndael_encrypt: no such rounds are equal"),
    ],
)
def test_refusals(name: str, choices: dict[str, Any], reason: str) -> None:
    with pytest.raises(ScheduleError, match=f"^{reason}"):
        compiled(name, **choices)


def test_what_is_asked_for_is_what_is_done() -> None:
    program = compiled(AES, width=256, blocks=6, skew=3, rounds="loop")
    assert str(program.schedule) == "blocks=6 width=256 skew=3 lookup=match rounds=loop"


@needs_instructions
def test_it_is_the_default_where_nothing_speaks_against_it() -> None:
    assert compile_cipher(AES, "native").schedule.lookup == "match"
    assert compile_cipher(AES, "native", blocks=1).schedule.width == 128
    assert compile_cipher(varied(), "native").schedule.lookup == "match"
    for choices in ({"width": 1}, {"fuse": 0}, {"lookup": "load"}):
        assert compile_cipher(AES, "native", **choices).schedule.lookup == "load"
    assert compile_cipher(varied(matrix=(2, 3, 1, 5)), "native").schedule.lookup == "load"


def test_without_the_instructions_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "macros", lambda command: frozenset({"__GNUC__", "__SSE2__"}))
    from finalist.machines.native.machine import MACHINE
    from finalist.schedule import Schedule

    def here(schedule: Schedule) -> NativeProgram:
        return MACHINE.compile(cipher(AES), operation="encrypt", key_bits=128, schedule=schedule)

    assert here(Schedule()).schedule.lookup == "load"
    with pytest.raises(ScheduleError, match=r"lookup=match width=128 can't run here: no .*__AES__"):
        here(Schedule(lookup="match")).build()


# -- what it computes ---------------------------------------------------------------------------------


@needs_instructions
@pytest.mark.parametrize("bits", [128, 192, 256])
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.every(3)
def test_vectors(bits: int, operation: str) -> None:
    program = compiled(AES, operation, key_bits=bits, blocks=1)
    assert check_known_answers(program, vectors_of(cipher(AES))) > 0
    rows = monte_carlo_of(cipher(AES))
    assert check_monte_carlo(
        program, [r for r in rows if r.direction == operation and 8 * len(r.key) == bits]
    )


@needs_instructions
@pytest.mark.parametrize(
    "choices", [*({"width": width} for width in WIDTHS), {"rounds": "loop", "blocks": 2}, {"skew": 2}]
)
def test_vectors_in_other_layouts(choices: dict[str, Any]) -> None:
    assert check_known_answers(compiled(AES, "decrypt", **choices), vectors_of(cipher(AES))) > 0


@needs_instructions
@pytest.mark.parametrize(("bits", "operation"), [(128, "encrypt"), (192, "decrypt"), (256, "decrypt")])
@pytest.mark.every(2)
def test_a_definition_of_ones_own(bits: int, operation: str) -> None:
    program = compiled(Columns, operation, key_bits=bits)
    assert check_known_answers(program, vectors_of(cipher(AES))) > 0
    assert program.timing == "constant-time"


@needs_instructions
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("copies", [1, 3])
def test_sizes_in_place_and_misaligned(width: int, copies: int) -> None:
    blocks = width // 128 * copies
    program = compiled(AES, width=width, blocks=blocks)
    reference = compile_cipher(AES, "interpreter")
    key = bytes(range(7, 23))
    data = bytes(k * k % 251 for k in range(16 * (2 * blocks + 1)))
    expected = reference.run(key, data).output
    for count in {0, 1, blocks - 1, blocks, blocks + 1, 2 * blocks + 1}:
        own = data[: 16 * count]
        assert program.run(key, own).output == expected[: 16 * count]
        for offset in (0, 1, 8, 15):
            assert program.crypt_in_place(key, own, offset) == expected[: 16 * count]


# -- the text -----------------------------------------------------------------------------------------


def test_text_is_instructions_and_no_tables() -> None:
    text = compiled(AES, "decrypt", width=256).text
    assert "Timing: constant-time" in text
    assert "static const" not in text
    # For what is left half of them, a fourth, one by itself, and a block.
    assert len(re.findall(r"= _mm256_aesdec_epi128\(", text)) == 9 * (8 + 4 + 2 + 1)
    assert len(re.findall(r"= _mm_aesdec_si128\(", text)) == 9
    assert len(re.findall(r"= _mm256_aesdeclast_epi128\(", text)) == 8 + 4 + 2 + 1
    assert len(re.findall(r"= _mm_aesimc_si128\(", text)) == 9
    assert not re.search(r"\bk->\w+\[", text.partition("rijndael_decrypt_16(")[2]), "a key word by itself"


def test_round_keys_are_found_in_loops() -> None:
    text = compiled(AES, rounds="loop", blocks=1).text
    assert re.search(r"key128\(k->derived32 \+ t\d+\)", text)
    assert text.count("_mm_aesenc_si128") == 1


@pytest.mark.parametrize("width", [128, 256, 512])
@pytest.mark.parametrize(
    ("definition", "operation", "rounds"), [(AES, "encrypt", "unroll"), (Columns, "decrypt", "loop")]
)
@pytest.mark.every(3)
def test_no_warnings(definition: Any, operation: str, rounds: str, width: int, tmp_path: Path) -> None:
    program = compile_cipher(definition, "native", operation, lookup="match", width=width, rounds=rounds)
    for compiler_ in COMPILERS:
        assert checked(compiler_, program.text, tmp_path, *TARGET[width]) == (0, "")


TARGET = {
    128: ("-maes", "-msse4.1"),
    256: ("-maes", "-mvaes", "-mavx2"),
    512: ("-maes", "-mvaes", "-mavx512f", "-mavx512bw"),
}


@pytest.mark.parametrize("compiler_", COMPILERS)
@pytest.mark.parametrize("flags", [("-mavx2",), ("-mavx2", "-maes"), ("-maes", "-msse4.1")])
def test_the_text_says_what_the_compiler_lacks(
    compiler_: str, flags: tuple[str, ...], tmp_path: Path
) -> None:
    code, said = checked(compiler_, compiled(AES, width=256).text, tmp_path, *flags)
    assert code
    assert "this code needs instructions of x86 that are there with" in said


def checked(compiler_: str, text: str, folder: Path, *flags: str) -> tuple[int, str]:
    """What a compiler says of a text."""
    path = folder / "file.c"
    path.write_text(text)
    strict = ("-std=gnu11", "-O0", "-Wall", "-Wextra", "-Werror", "-fsyntax-only")
    done = subprocess.run(
        [compiler_, *strict, *flags, str(path)], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


def test_as_many_vectors_side_by_side_are_tried_as_hide_what_an_instruction_takes() -> None:
    near = machine("native").near(Schedule(blocks=32, width=512, lookup="match"))
    assert {48, 64} <= {one.blocks for one in near}


# -- modes --------------------------------------------------------------------------------------------


@needs_instructions
@pytest.mark.parametrize("width", WIDTHS)
def test_counters_are_made_in_registers(width: int) -> None:
    """Against single counters, where they pass 2^8, 2^32 and 2^64, and wrap. Their last byte alone counts
    where it does not wrap, and the last instruction adds the message."""
    blocks = 2 * width // 128
    program = compiled(AES, width=width, blocks=blocks).in_modes("ctr")
    assert f"counted{width}" in program.text
    assert f"later{width}" in program.text
    assert re.search(
        r"store\d+\(out \+ 0, _mm\d*_aesenclast_\w+\(\w+, \w+ \^ load\d+\(in \+ 0\)\)\);", program.text
    )
    reference, key = compile_cipher(AES, "interpreter"), bytes(range(16))
    expanded = program.expand(key)
    for start in (0, 256 - blocks, 257 - blocks, 0xFE, 2**32 - 3, 2**64 - 5, 2**128 - 2):
        for size in (0, 1, 16, 17, 16 * 9 + 5):
            data = bytes(k * 7 % 256 for k in range(size))
            numbers = [(start + k) % 2**128 for k in range(-(-size // 16))]
            stream = reference.run(key, b"".join(n.to_bytes(16, "big") for n in numbers)).output
            counter = ctypes.create_string_buffer(start.to_bytes(16, "big"), 16)
            out = ctypes.create_string_buffer(max(1, size))
            program.function("ctr")(expanded.address, counter, data, out, size)
            assert out.raw[:size] == bytes(a ^ b for a, b in zip(data, stream, strict=False))
            assert int.from_bytes(counter.raw, "big") == (start + len(numbers)) % 2**128


@needs_instructions
@pytest.mark.parametrize("bits", [128, 192, 256])
@pytest.mark.every(2)
def test_chaining_in_registers(bits: int) -> None:
    key, iv = bytes(range(bits // 8)), bytes(range(16, 32))
    data = bytes(k * 5 % 256 for k in range(16 * 21))
    forwards, backwards = compiled(AES, key_bits=bits, blocks=1), compiled(AES, "decrypt", key_bits=bits)
    reference = compile_cipher(AES, "interpreter", key_bits=bits)
    last, expected = iv, b""
    for start in range(0, len(data), 16):
        mixed = bytes(a ^ b for a, b in zip(last, data[start : start + 16], strict=True))
        last = reference.run(key, mixed).output
        expected += last
    assert chained(forwards, "encrypt", key, iv, data) == (expected, last)
    assert chained(backwards, "decrypt", key, iv, expected) == (data, last)
    assert chained(forwards, "encrypt", key, iv, b"") == (b"", iv)
    text = backwards.in_modes("cbc").text
    assert re.search(r"store\d+\(out \+ 0, _mm\d*_aesdeclast_\w+\(\w+, \w+ \^ \w+\)\);", text)


def chained(
    program: NativeProgram, operation: str, key: bytes, iv: bytes, data: bytes
) -> tuple[bytes, bytes]:
    """What a chain makes of data, in place, and the block that it leaves."""
    program = program.in_modes("cbc")
    state, memory = ctypes.create_string_buffer(iv, 16), ctypes.create_string_buffer(data, max(1, len(data)))
    function, expanded = program.function(f"cbc_{operation}"), program.expand(key)
    function(expanded.address, state, memory, memory, len(data) // 16)
    return memory.raw[: len(data)], state.raw
