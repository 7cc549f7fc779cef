"""What tests of emitted hardware share: the languages, each with its simulator, and a stream of blocks."""

from __future__ import annotations

import random
import shutil

import pytest

from finalist.api import compile as compile_cipher
from finalist.machines.fpga.simulation import simulate
from finalist.machines.fpga.simulation.run import Hardware
from tests.machines.fpga.toy import TOY

PROGRAMS = {"verilog": "iverilog", "vhdl": "ghdl"}
LANGUAGES = [
    pytest.param(
        language,
        marks=pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed"),
    )
    for language, program in PROGRAMS.items()
]


def check_toy(program: Hardware, language: str) -> None:
    """A design of the toy does what the interpreter does, under two keys, and is lint-clean."""
    draw = random.Random(7)
    keys = [key for _ in range(2) for key in [draw.randbytes(8)] * 20]
    blocks = [draw.randbytes(4) for _ in keys]
    reference = compile_cipher(TOY, "interpreter")
    assert program.run_many(keys, blocks) == reference.run_many(keys, blocks)
    simulate.lint(program.text, language, program.name)
