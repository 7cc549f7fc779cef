"""Messages that no cache holds: prefetched, written past the caches, and the same as any other message.

What is long is made short here, so that each case of one is small.
"""

from __future__ import annotations

import ctypes
import itertools
import subprocess
from pathlib import Path
from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.machines.native.memory import Buffer
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.text import long_messages
from finalist.machines.native.text.emit import emit
from tests.machines.native.text.test_drivers import GUARD, KEY, in_place, message
from tests.machines.native.whole_blocks.test_matched import (
    AES,
    COMPILERS,
    FLAGS,
    WIDTHS,
    compiled,
    needs_instructions,
)

#: Functions that long messages are a case of: operation, mode, name, whether they take bytes or blocks, and
#: what they go on from.
FUNCTIONS = [
    ("decrypt", "ecb", "decrypt", False, False),
    ("encrypt", "ctr", "ctr", True, True),
    ("decrypt", "cbc", "cbc_decrypt", False, True),
    ("encrypt", "cfb", "cfb_decrypt", True, True),
]
SIZE, SHORT = 16, 1024


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_messages, "_UNCACHED", SHORT)


def program(operation: str, mode: str, **choices: Any) -> NativeProgram:
    """With a text that is made now, whatever was made before."""
    made = compiled(AES, operation, rounds="unroll", **choices).in_modes(mode).compiled_with(FLAGS)
    made.text = emit(made.program, made.shape, made.schedule, made.parts, made.modes)
    return made


def called(made: NativeProgram, case: Any, data: bytes, state: bytes, offset: int) -> tuple[bytes, bytes]:
    """What a function writes so far from the begin of a cache line, and what it leaves to go on from."""
    _, _, name, bytewise, chained = case
    source, target = Buffer(len(data) or 1), Buffer(offset + len(data) + 2 * 64)
    source.write(data)
    target.write(GUARD[:1] * target.size)
    begin, after = 64 + offset, ctypes.create_string_buffer(state, SIZE)
    count = len(data) if bytewise else len(data) // SIZE
    more = [after] if chained else []
    key = made.expand(KEY)
    made.function(name)(key.address, *more, source.address, target.address + begin, count)
    written = target.read()
    assert set(written[:begin] + written[begin + len(data) :]) <= set(GUARD)
    return written[begin : begin + len(data)], after.raw


@needs_instructions
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("case", FUNCTIONS, ids=lambda case: case[2])
class TestLong:
    @pytest.mark.usefixtures("short")
    def test_as_any_other(self, case: Any, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
        """At offsets from a line of whole blocks, and of part of one; a little shorter, and longer."""
        made = program(*case[:2], width=width, blocks=8 * width // 128)
        assert f">= {SHORT if case[3] else SHORT // SIZE} && in != out" in made.text
        monkeypatch.undo()
        plain = program(*case[:2], width=width, blocks=8 * width // 128)
        assert plain.text != made.text
        sizes = [SHORT - SIZE, SHORT, SHORT + SIZE, SHORT + 48, 3 * SHORT + 7 * SIZE]
        for size, offset in itertools.product(sizes, (0, 1, 8, 16, 32, 48)):
            data = message(size + (offset % 3 if case[3] else 0))
            expected = called(plain, case, data, KEY, 0)
            assert called(made, case, data, KEY, offset) == expected

    @pytest.mark.usefixtures("short")
    def test_in_place(self, case: Any, width: int) -> None:
        made = program(*case[:2], width=width, blocks=8 * width // 128)
        if not case[4]:
            return
        data = message(3 * SHORT + SIZE)
        count = len(data) if case[3] else len(data) // SIZE
        for offset in (0, 1, 16):
            there, _ = called(made, case, data, KEY, 0)
            assert in_place(made, case[2], KEY, data, offset, count) == there


@needs_instructions
@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("width", WIDTHS)
def test_counters_that_carry_within(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a carry the output may be in the midst of a line, which can't be written as a whole."""
    case = FUNCTIONS[1]
    made = program("encrypt", "ctr", width=width, blocks=8 * width // 128)
    monkeypatch.undo()
    plain = program("encrypt", "ctr", width=width, blocks=8 * width // 128)
    data = message(4 * SHORT + 5)
    for before, offset in itertools.product((1, 2, 3, 4, 5, 65, 66), (0, 16, 32, 48)):
        counter = ((1 << 64) - before).to_bytes(SIZE, "big")
        assert called(made, case, data, counter, offset) == called(plain, case, data, counter, 0)


@needs_instructions
@pytest.mark.parametrize("compiler", COMPILERS)
def test_every_compiler(compiler: str, tmp_path: Path) -> None:
    for operation, mode, *_ in FUNCTIONS:
        (path := tmp_path / f"{mode}.c").write_text(program(operation, mode, width=WIDTHS[-1]).text)
        subprocess.run([compiler, *FLAGS, "-c", "-o", str(tmp_path / "o"), str(path)], check=True)


@pytest.mark.parametrize("copies", [1, 4, 8, 16])
@pytest.mark.parametrize("mode", ["ecb", "ctr", "cfb"])
def test_large_calls_alone(mode: str, copies: int) -> None:
    """What takes less at once waits for its blocks, not for memory."""
    text = program("encrypt", mode, width=128, blocks=copies).text
    prefetched = f"for (int n = 0; uncached && n < {16 * copies}; n += 64)\n" in text
    assert prefetched == ("const int uncached = b" in text) == (copies >= 8 and mode != "ctr")
    assert (f"write_lines(out, lines, {16 * copies});" in text) == (copies >= 8)


def test_what_is_slower_than_memory_is_written_as_ever() -> None:
    assert "write_lines" not in compile_cipher("serpent", width=128, blocks=16).text


@pytest.mark.parametrize(("mode", "least"), [("ecb", "blocks >= 524288"), ("cbc", "blocks >= 32768")])
def test_blocks_that_are_read_twice_are_prefetched_in_shorter_messages(mode: str, least: str) -> None:
    text = program("decrypt", mode, width=128, blocks=8).text
    assert f"const int uncached = {least};" in text
    assert "int streamed = blocks >= 524288 &&" in text
