"""Kernels that several modes have: of vectors a copy for each, which becomes part of the mode's function."""

from __future__ import annotations

import re

import pytest

from finalist.api import compile as compile_cipher
from finalist.language import LITTLE, u32, words
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.text.emit import emit_part
from tests.machines.native.text.test_drivers import KEY, cipher, counts, message, quick
from tests.marks import needs_compiler

#: Of bit slices; in a mode's function the call of a kernel that is a copy.
SLICES = {"planes": 32, "width": 256}
COPY = re.compile(r"always_inline\)\) void (\w+_inside)_\d+\(")


def program(operation: str, **choices: object) -> NativeProgram:
    made: NativeProgram = compile_cipher(cipher(words(4, u32, LITTLE)), "native", operation, **choices)
    return made


def copies(made: NativeProgram) -> list[str]:
    """The names of copies, each of which is called, and like the kernel of ECB but for its name."""
    found = COPY.findall(made.text)
    kernel = re.search(r"static inline void (\w+)_\d+\(.*?^\}", made.text, re.MULTILINE | re.DOTALL)
    for name in found:
        copy = re.search(rf"void {name}_\d+\(.*?^\}}", made.text, re.MULTILINE | re.DOTALL)
        assert copy is not None and kernel is not None
        assert copy[0].partition("(")[2] == kernel[0].partition("(")[2]
        assert len(re.findall(rf"\b{name}_\d+\(", made.text)) > 1
    return [name.removeprefix(f"{made.cipher}_") for name in found]


def test_which_modes_have_copies() -> None:
    """Beside ECB's own kernel; scalar code and vectors that have forms for modes have none."""
    there, back = (program(operation, **SLICES) for operation in ("encrypt", "decrypt"))
    assert copies(there.in_modes("ecb", "ctr")) == ["ctr_inside"]
    assert copies(back.in_modes("ecb", "cbc")) == ["cbc_decrypt_inside"]
    assert copies(there.in_modes("ecb")) == copies(there.in_modes("ctr")) == []
    for choices in ({"width": 1, "blocks": 1}, {"width": 128, "blocks": 4}):
        assert copies(program("encrypt", **choices).in_modes("ecb", "ctr")) == []


def test_helpers_of_copies_are_part_of_them() -> None:
    made = program("encrypt", **SLICES)
    helper = re.compile(r"^static inline(.*) void planes_load\(", re.MULTILINE)
    for modes, wanted in ((("ecb",), ""), (("ecb", "ctr"), " __attribute__((always_inline))")):
        assert helper.findall(made.in_modes(*modes).text) == [wanted]


@pytest.mark.parametrize("shared", [(), ("ctr",)])
def test_a_mode_that_shares_the_kernel_has_no_copy(shared: tuple[str, ...]) -> None:
    made = program("encrypt", **SLICES)
    text = emit_part(
        made.program, made.shape, made.schedule, made.parts, ("ecb", "ctr"), [made.program], shared=shared
    )
    assert bool(COPY.search(text)) != bool(shared)


@needs_compiler
def test_copies_do_what_one_kernel_does() -> None:
    made = program("encrypt", **SLICES)
    alone, both = quick(made, "ctr"), quick(made, "ecb", "ctr")
    key = both.expand(KEY)
    for count in counts(both):
        data, counter = message(count * both.block_bytes + 3), bytes(both.block_bytes)
        assert both.ctr(key, counter, data) == alone.ctr(alone.expand(KEY), counter, data)
        whole = data[: count * both.block_bytes]
        assert bytes(both.crypt(key, whole)) == bytes(quick(made, "ecb").crypt(key, whole))
