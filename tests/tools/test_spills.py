"""Counting vectors moved to and from the stack in a disassembly."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from finalist.errors import CompilerError
from tools import spills
from tools.spills import Spills

LISTING = """
/tmp/x.so:     file format elf64-x86-64

Disassembly of section .text:

0000000000001000 <small>:
    1000:	ret

0000000000001100 <kernel>:
    1100:	push   %rbp
    1101:	vmovdqa (%rsi),%ymm0
    1105:	vmovdqa %ymm0,0x40(%rsp)
    1109:	vpxor  0x40(%rsp),%ymm1,%ymm2
    110d:	vmovdqu -0x20(%rbp),%ymm3
    1111:	vmovdqa %ymm3,%ymm4
    1115:	vmovups %ymm4,0x8(%rbp,%rax,1)
    1119:	mov    %rax,0x8(%rsp)
    111d:	vmovdqa %ymm3,0x20(%rdi)
    1121:	ret
"""


def test_counts() -> None:
    """Moves to and from the stack alone: no operand in it, no other memory, no scalar."""
    kernel = spills.of_listing(LISTING)[1]
    assert kernel == Spills("kernel", instructions=10, vector=7, stores=2, reloads=1)
    assert kernel.percent == pytest.approx(30.0)


def test_the_largest_is_the_one_with_most_vectors() -> None:
    found = spills.of_listing(LISTING)
    assert [one.function for one in found] == ["small", "kernel"]
    assert spills.largest(found).function == "kernel"


def test_an_empty_listing() -> None:
    assert spills.of_listing("") == []
    with pytest.raises(CompilerError, match="no function"):
        spills.largest([])
    assert Spills("nothing", 0, 0, 0, 0).percent == 0


@pytest.mark.skipif(not (shutil.which("gcc") and shutil.which("objdump")), reason="needs gcc and objdump")
def test_more_values_than_registers_are_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Forty vectors alive at once against two: planted spills."""
    calls = "".join(f"    vec a{k} = p[{k}] + p[{k + 40}];\n" for k in range(40))
    uses = "".join(f"    p[{k}] = a{k} ^ a{(k * 7 + 20) % 40};\n" for k in range(40))
    text = "typedef unsigned vec __attribute__((vector_size(16)));\nvoid many(vec *p)\n{\n" + calls
    text += (
        '    __asm__ volatile("" ::: "memory");\n' + uses + "}\nvoid few(vec *p)\n{\n    p[0] ^= p[1];\n}\n"
    )
    source, library = tmp_path / "x.c", tmp_path / "x.so"
    source.write_text(text)
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    found = {one.function: one for one in spills.of_library(library)}
    if not found["many"].vector:
        pytest.skip("not x86-64")
    assert found["many"].percent > 10
    assert found["few"].percent == 0
    assert spills.main([str(library)]) == 0
    assert "many" in capsys.readouterr().out


def test_a_missing_objdump_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(CompilerError, match="no objdump"):
        spills.of_library(tmp_path / "x.so")
