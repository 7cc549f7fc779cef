"""Whole messages in modes of operation: every layout of blocks, every size and place, counters that carry."""

from __future__ import annotations

import ctypes
import itertools
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.errors import DataError, ScheduleError, UnknownNameError
from finalist.ir.program import Layout
from finalist.language import BIG, LITTLE, rol, rounds, u8, u16, u32, u64, words
from finalist.machines.base import MODES
from finalist.machines.native.memory import Buffer
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.text import emit
from finalist.machines.native.vectors.pieces import in_pieces
from tests.language.toy import toy
from tests.marks import needs_compiler

COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
#: Warnings that are about the CPU and not the text are off.
QUICK = ("-O1", "-march=native", "-Wno-psabi", "-Werror")
KEY = bytes(range(7, 23))
GUARD = b"\xa5" * 16


def mix(block: Any, keys: Any) -> Any:
    """Few operations that all layouts have a form of, and that tell words, lanes and blocks apart."""
    made = list(block)
    for _ in rounds(0, 2):
        made = [rol(word, 3) ^ after for word, after in zip(made, made[1:] + made[:1], strict=True)]
        made[0] = made[0] ^ keys[0]
    return made


def cipher(layout: Layout) -> type:
    return toy(
        mix,
        lambda key: [key[0][: layout.width] if layout.width < 32 else key[0].extend(layout.width)],
        layout,
    )


#: Blocks, and schedules of them: of scalars one block and several, in words of each width and byte order,
#: also fewer than eight bytes and no power of two; of vectors one and several, and planes.
CASES: list[tuple[Layout, dict[str, Any]]] = [
    (words(4, u32, LITTLE), {"blocks": 1, "width": 1}),
    (words(4, u32, BIG), {"blocks": 3, "width": 1}),
    (words(2, u64, LITTLE), {"blocks": 2, "width": 1}),
    (words(1, u64, BIG), {"blocks": 1, "width": 1}),
    (words(5, u16, LITTLE), {"blocks": 3, "width": 1}),
    (words(2, u16, BIG), {"blocks": 2, "width": 1}),
    (words(3, u32, LITTLE), {"blocks": 2, "width": 1}),
    (words(5, u8), {"blocks": 2, "width": 1}),
    (words(4, u32, LITTLE), {"blocks": 8, "width": 128}),
    (words(4, u32, BIG), {"blocks": 4, "width": 128}),
    (words(2, u64, LITTLE), {"blocks": 4, "width": 128}),
    (words(2, u64, BIG), {"blocks": 2, "width": 128}),
    (words(1, u32, LITTLE), {"blocks": 8, "width": 128}),
    (words(8, u32, BIG), {"blocks": 8, "width": 128}),
    (words(4, u32, LITTLE), {"blocks": 16, "width": 128, "word": 8}),
    (words(16, u8), {"blocks": 64, "width": 128, "word": 8}),
    (words(8, u16, BIG), {"blocks": 8, "width": 128, "word": 16}),
    (words(4, u32, LITTLE), {"blocks": 16, "width": 128, "planes": 4}),
    (words(4, u32, BIG), {"blocks": 64, "width": 128, "planes": 8}),
    (words(3, u32, LITTLE), {"blocks": 8, "width": 128}),
    (words(5, u64, BIG), {"blocks": 2, "width": 128}),
]


@cache
def made(case: int, operation: str, mode: str) -> NativeProgram:
    layout, choices = CASES[case]
    return quick(compile_cipher(cipher(layout), "native", operation, **choices), mode)


def quick(program: Any, *modes: str) -> NativeProgram:
    made: NativeProgram = program.in_modes(*modes)
    made.flags = QUICK
    return made


@cache
def reference(case: int, operation: str) -> Any:
    return compile_cipher(cipher(CASES[case][0]), "interpreter", operation)


def message(size: int) -> bytes:
    return bytes(i * i % 251 for i in range(size))


def xor(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def counted(block: Any, counter: bytes, data: bytes) -> tuple[bytes, bytes]:
    """Counter mode, as SP 800-38A says it."""
    size = len(counter)
    start, top = int.from_bytes(counter, "big"), 1 << 8 * size
    after = start + -(-len(data) // size)
    stream = block(b"".join((n % top).to_bytes(size, "big") for n in range(start, after)))
    return xor(data, stream[: len(data)]), (after % top).to_bytes(size, "big")


def chained(block: Any, iv: bytes, data: bytes) -> tuple[bytes, bytes]:
    size, done = len(iv), [iv]
    for start in range(0, len(data), size):
        done.append(block(xor(done[-1], data[start : start + size])))
    return b"".join(done[1:]), done[-1]


def unchained(block: Any, iv: bytes, data: bytes) -> tuple[bytes, bytes]:
    chain = iv + data
    return xor(block(data), chain[: len(data)]), chain[len(data) :]


def counts(program: NativeProgram) -> list[int]:
    """Blocks: none, one, about what each kernel takes, one call of each, and more."""
    n = program.schedule.blocks or 1
    sizes = [kernel.blocks for kernel in program.shape.kernels]
    about = {size + more for size in sizes for more in (-1, 0, 1)}
    return sorted({0, 1, *about, n + sizes[-1] + 1, sum(sizes) + 1, 2 * n + 1})


cases = pytest.mark.parametrize(
    "case", range(len(CASES)), ids=lambda case: f"{CASES[case][0]} {CASES[case][1]}"
)


@needs_compiler
class TestModes:
    @cases
    @pytest.mark.every(2)
    def test_counter_mode(self, case: int) -> None:
        program, right = made(case, "encrypt", "ctr"), reference(case, "encrypt")
        self.check_counter_mode(program, lambda data: right.run(KEY, data).output)

    def check_counter_mode(self, program: NativeProgram, block: Any) -> None:
        size, key = program.block_bytes, program.expand(KEY)
        top = 1 << 8 * size
        for count, extra in itertools.product(counts(program), (0, 1, size - 1)):
            data, counter = message(count * size + extra), (77).to_bytes(size, "big")
            assert program.ctr(key, counter, data) == counted(block, counter, data)
        data = message((2 * (program.schedule.blocks or 1) + 3) * size + 1)
        for carry in (8, 16, 32, 64, 96, 8 * size):
            for before in (1, 2, program.schedule.blocks or 1):
                counter = (((1 << carry) - before) % top).to_bytes(size, "big")
                assert program.ctr(key, counter, data) == counted(block, counter, data)

    @cases
    @pytest.mark.every(2)
    def test_chaining_back(self, case: int) -> None:
        program, right = made(case, "decrypt", "cbc"), reference(case, "decrypt")
        size, key, iv = program.block_bytes, program.expand(KEY), message(program.block_bytes)[::-1]
        for count in counts(program):
            data = message(count * size)
            expected = unchained(lambda data: right.run(KEY, data).output, iv, data)
            assert program.cbc(key, iv, data) == expected
            assert in_place(program, "cbc_decrypt", iv, data, 1, count) == expected[0]

    @pytest.mark.parametrize("case", [n for n, (_, choices) in enumerate(CASES) if choices["blocks"] == 1])
    def test_chaining(self, case: int) -> None:
        program, right = made(case, "encrypt", "cbc"), reference(case, "encrypt")
        size, key, iv = program.block_bytes, program.expand(KEY), message(program.block_bytes)[::-1]
        for count in (0, 1, 2, 5):
            data = message(count * size)
            assert program.cbc(key, iv, data) == chained(lambda data: right.run(KEY, data).output, iv, data)


class InMemory:
    """A layout with nothing but loads and stores."""

    def __init__(self, inner: Any) -> None:
        self.body = inner.body
        self.loads, self.stores = inner.loads, inner.stores


@needs_compiler
class TestInMemory:
    """Layouts that make no counters and XOR nothing get both beside the kernel."""

    @pytest.fixture(autouse=True)
    def plain(self, monkeypatch: pytest.MonkeyPatch) -> None:
        real = emit._File._blocks
        monkeypatch.setattr(emit._File, "_blocks", lambda file, shape: InMemory(real(file, shape)))

    def program(self, case: int, operation: str, mode: str) -> NativeProgram:
        layout, choices = CASES[case]
        made = quick(compile_cipher(cipher(layout), "native", operation, **choices), mode)
        assert "xor_bytes(" in made.text
        return made

    @pytest.mark.parametrize("case", [0, 1, 5, 6, 8])
    def test_counter_mode(self, case: int) -> None:
        right = reference(case, "encrypt")
        program = self.program(case, "encrypt", "ctr")
        TestModes().check_counter_mode(program, lambda data: right.run(KEY, data).output)

    @pytest.mark.parametrize("case", [0, 1, 8])
    def test_chaining_back(self, case: int) -> None:
        program, right = self.program(case, "decrypt", "cbc"), reference(case, "decrypt")
        for count in counts(program):
            data = message(16 * count)
            expected = unchained(lambda data: right.run(KEY, data).output, KEY, data)
            assert program.cbc(program.expand(KEY), KEY, data) == expected
            assert in_place(program, "cbc_decrypt", KEY, data, 3, count) == expected[0]

    def test_chaining(self) -> None:
        program, right = self.program(0, "encrypt", "cbc"), reference(0, "encrypt")
        expected = chained(lambda data: right.run(KEY, data).output, KEY, message(80))
        assert program.cbc(program.expand(KEY), KEY, message(80)) == expected


# -- places -----------------------------------------------------------------------------------------


def in_place(
    program: NativeProgram, function: str, first: bytes, data: bytes, offset: int, count: int
) -> bytes:
    memory = Buffer(offset + len(data) + 2 * len(GUARD))
    memory.write(GUARD[:1] * memory.size)
    place = memory.address + len(GUARD) + offset
    ctypes.memmove(place, data, len(data))
    state = ctypes.create_string_buffer(first, len(first))
    key = program.expand(KEY)
    program.function(function)(key.address, state, place, place, count)
    written = memory.read()
    begin = len(GUARD) + offset
    assert set(written[:begin] + written[begin + len(data) :]) <= set(GUARD)
    return written[begin : begin + len(data)]


#: Scalars of several blocks, one vector, several.
PLACED = (1, 9, 8)


@needs_compiler
@pytest.mark.parametrize("case", PLACED)
class TestPlaces:
    def test_counter_mode_in_place_at_every_offset(self, case: int) -> None:
        program = made(case, "encrypt", "ctr")
        for count, offset in itertools.product(counts(program), range(16)):
            data = message(16 * count + offset % 3)
            expected, _ = program.ctr(program.expand(KEY), KEY, data)
            assert in_place(program, "ctr", KEY, data, offset, len(data)) == expected

    def test_chaining_back_in_place_at_every_offset(self, case: int) -> None:
        program = made(case, "decrypt", "cbc")
        for count, offset in itertools.product(counts(program), range(16)):
            data = message(16 * count)
            expected, _ = program.cbc(program.expand(KEY), KEY, data)
            assert in_place(program, "cbc_decrypt", KEY, data, offset, count) == expected

    def test_from_and_to_every_offset(self, case: int) -> None:
        """Nothing but the output is written, and the input is left as it was."""
        for operation, mode, function in (("encrypt", "ctr", "ctr"), ("decrypt", "cbc", "cbc_decrypt")):
            program = made(case, operation, mode)
            key, call = program.expand(KEY), program.function(function)
            blocks = 2 * (program.schedule.blocks or 1) + 1
            data = message(16 * blocks)
            expected, _ = getattr(program, mode)(key, KEY, data)
            for inward, outward in itertools.product(range(0, 16, 3), range(0, 16, 5)):
                source, target = Buffer(inward + len(data)), Buffer(outward + len(data) + 2 * len(GUARD))
                ctypes.memmove(source.address + inward, data, len(data))
                target.write(GUARD[:1] * target.size)
                begin = len(GUARD) + outward
                state = ctypes.create_string_buffer(KEY, 16)
                count = len(data) if mode == "ctr" else blocks
                call(key.address, state, source.address + inward, target.address + begin, count)
                written = target.read()
                assert written[begin : begin + len(data)] == expected
                assert set(written[:begin] + written[begin + len(data) :]) <= set(GUARD)
                assert source.read()[inward:] == data


# -- texts --------------------------------------------------------------------------------------------


#: Layouts that the cases do not have: registers with whole blocks, bytes and bits of blocks in vectors.
OTHERS: tuple[tuple[Any, dict[str, Any]], ...] = (
    ("rijndael", {"lookup": "match", "width": 512, "blocks": 16}),
    ("rijndael", {"lookup": "match", "width": 128, "blocks": 3}),
    ("rijndael", {"lookup": "bitslice", "width": 256, "blocks": 64}),
    (cipher(words(4, u32, LITTLE)), {"planes": 32, "width": 256}),
)
#: A function that no caller sees, and a pointer with an offset in it: a number, or that of a vector.
FUNCTION = re.compile(r"^(?:__attribute__[^ ]* )?static [^\n;]*\n{.*?^}", re.MULTILINE | re.DOTALL)
PLACE = r"\b%s(?: \+ |\[)(?:\d+ \* \(\d+ \* g \+ )?(\d+)"


def offsets(program: Any, mode: str, pointer: str) -> list[list[int]]:
    """For each function that reads or writes at a pointer, where it does, in the order of its statements."""
    functions = FUNCTION.findall(program.in_modes(mode).text)
    found = [[int(place) for place in re.findall(PLACE % pointer, text)] for text in functions]
    return [places for places in found if places]


#: Those that vectors take whole blocks of, or scalars.
IN_ORDER = [case for case in CASES if case[1]["width"] == 1 or not in_pieces(case[0].count)]


@pytest.mark.parametrize(
    "case", [*[(cipher(layout), choices) for layout, choices in IN_ORDER], *OTHERS], ids=str
)
def test_blocks_are_read_and_written_in_order(case: Any) -> None:
    """In ascending order of address, as calls go on; pieces of blocks are, of each block, in that order."""
    source, choices = case
    encrypt, decrypt = (compile_cipher(source, "native", name, **choices) for name in ("encrypt", "decrypt"))
    for mode, pointer in itertools.product(("ecb", "ctr"), ("in", "out")):
        found = offsets(encrypt, mode, pointer)
        assert found
        assert all(places == sorted(set(places)) for places in found)
    if "_cbc_decrypt_" in decrypt.in_modes("cbc").text:  # type: ignore[attr-defined]
        found = offsets(decrypt, "cbc", "out")
        assert found
        assert all(places == sorted(set(places)) for places in found)


def test_no_warnings(tmp_path: Path) -> None:
    programs: list[Any] = [
        compile_cipher(cipher(layout), "native", ("encrypt", "decrypt")[place % 2], **choices)
        for place, (layout, choices) in enumerate(CASES[:-1])
    ]
    programs.append(compile_cipher("rc6", "native", width=512))
    for number, program in enumerate(programs):
        (tmp_path / f"{number}.c").write_text(program.in_modes(*program.possible_modes).text)
    flags = ("-std=gnu11", "-O0", "-Wall", "-Wextra", "-Werror", "-march=skylake-avx512", "-fsyntax-only")
    for command in COMPILERS:
        call = [command, *flags, *map(str, tmp_path.glob("*.c"))]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        assert (command, done.returncode, done.stderr) == (command, 0, "")


def test_a_text_has_what_was_asked_for() -> None:
    program: Any = compile_cipher("rc6", "native", blocks=1, width=1)
    assert program.possible_modes == MODES and program.modes == ("ecb",)
    functions = {"ecb": "void rc6_encrypt(", "ctr": "void rc6_ctr(", "cbc": "void rc6_cbc_encrypt("}
    functions |= {"cfb": "void rc6_cfb_encrypt(", "cfb8": "void rc6_cfb8_encrypt(", "ofb": "void rc6_ofb("}
    for modes in ((), *((mode,) for mode in MODES), MODES):
        text = program.in_modes(*modes).text
        assert [mode for mode, function in functions.items() if function in text] == list(modes)
        head = text.split("*/")[0]
        for mode in modes:
            assert re.search(rf" \* {functions[mode].split()[1].rstrip('(')}[:,] ", head)
            assert (f"--mode {mode} " in head) == (modes != ("ecb",))
    assert program.in_modes("ecb") is program


def test_modes_of_programs() -> None:
    def possible(name: str, operation: str, **choices: Any) -> Any:
        program: Any = compile_cipher(name, "native", operation, **choices)
        return program.possible_modes

    assert possible("rc6", "encrypt") == ("ecb", "ctr", "cfb", "cfb8")
    assert possible("rc6", "decrypt") == ("ecb", "cbc")
    assert possible("rc4", "encrypt") == ("ecb",)


@pytest.mark.parametrize(
    ("name", "operation", "mode", "error", "reason"),
    [
        ("rc6", "decrypt", "ctr", ScheduleError, "mode=ctr is not legal for rc6 decrypt: it decrypts by enc"),
        ("rc6", "encrypt", "cbc", ScheduleError, "mode=cbc .* block after block; accepted: blocks=1"),
        ("rc6", "decrypt", "cfb", ScheduleError, "mode=cfb is not legal for rc6 decrypt: it decrypts by enc"),
        ("rc6", "encrypt", "ofb", ScheduleError, "mode=ofb .* block after block; accepted: blocks=1"),
        (
            "rc6",
            "encrypt",
            "cfb12",
            UnknownNameError,
            "unknown mode 'cfb12' .*accepted: ecb, ctr",
        ),
        ("rc4", "encrypt", "ctr", ScheduleError, "a stream cipher has no modes"),
        ("rc6", "encrypt", "xts", UnknownNameError, "unknown mode 'xts'; accepted: ecb, ctr, cbc"),
    ],
)
def test_refused_modes(name: str, operation: str, mode: str, error: type[Exception], reason: str) -> None:
    program: Any = compile_cipher(name, "native", operation)
    with pytest.raises(error, match=reason):
        program.in_modes(mode)


@needs_compiler
def test_functions_and_blocks_that_are_not_there() -> None:
    program = made(0, "encrypt", "ctr")
    with pytest.raises(UnknownNameError, match=r"unknown function 'encrypt': this program is for mode ctr"):
        program.function("encrypt")
    with pytest.raises(DataError, match="first block of 8 bytes; accepted: 16"):
        program.ctr(program.expand(KEY), bytes(8), b"")
    with pytest.raises(DataError, match="data of 17 bytes; accepted: a multiple of 16"):
        made(0, "encrypt", "cbc").cbc(program.expand(KEY), bytes(16), bytes(17))
