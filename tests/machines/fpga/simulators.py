"""What tests of emitted hardware share: the languages, each with its simulator, and a stream of blocks."""

from __future__ import annotations

import random

import pytest

from finalist.api import compile as compile_cipher
from finalist.errors import CompilerError
from finalist.machines.fpga.simulation.run import Hardware, lint
from finalist.machines.fpga.simulation.simulator import simulator
from tests.machines.fpga.toy import TOY


def missing(language: str) -> str:
    """Why there is no simulator for a language, and what installs one; empty where there is one."""
    try:
        simulator(language)
    except CompilerError as error:
        return str(error)
    return ""


def needs(language: str) -> pytest.MarkDecorator:
    """Skips where nothing here runs this language."""
    return pytest.mark.skipif(bool(missing(language)), reason=missing(language))


LANGUAGES = [pytest.param(language, marks=needs(language)) for language in ("verilog", "vhdl")]


def check_toy(program: Hardware, language: str) -> None:
    """A design of the toy does what the interpreter does, under two keys, and is lint-clean."""
    draw = random.Random(7)
    keys = [key for _ in range(2) for key in [draw.randbytes(8)] * 20]
    blocks = [draw.randbytes(4) for _ in keys]
    reference = compile_cipher(TOY, "interpreter")
    assert program.run_many(keys, blocks) == reference.run_many(keys, blocks)
    lint(program.text, language, program.name)
