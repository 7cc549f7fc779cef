"""All passes on the five ciphers: every key length, both directions, every keying, every fusing."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.execute import Bytes, interpret
from finalist.ir.graph import every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.machines.tracing import traced as trace
from finalist.passes.keying import KEYING
from finalist.passes.pipeline import lower, passes
from tests.graphs import bytes_for
from tests.passes.meaning import whole

FINALISTS = ("mars", "rc6", "rijndael", "serpent", "twofish")
PROGRAMS = [(n, op, bits) for n in FINALISTS for op in ("encrypt", "decrypt") for bits in (128, 192, 256)]
#: Of each cipher and direction one, in turns, for what takes seconds.
SOME = [program for k, program in enumerate(PROGRAMS) if k % 3 == k // 3 % 3]
FUSE = (0, 8, 32, 64)
#: The others have neither keyed functions nor linear maps, so nothing to choose.
CHOOSING = [program for program in PROGRAMS if program[0] == "twofish"] + [("rijndael", "encrypt", 128)]


@cache
def expected(name: str, operation: str, bits: int) -> tuple[Program, Bytes, Bytes, Bytes]:
    program = trace(cipher(name), operation, bits)
    keys, data = bytes_for(program, 3, bits)
    return program, keys, data, interpret(program, keys, data)


@pytest.mark.parametrize(("name", "operation", "bits"), SOME, ids=lambda value: str(value))
@pytest.mark.every(3)
def test_every_pass_keeps_the_meaning(name: str, operation: str, bits: int) -> None:
    program, keys, data, output = expected(name, operation, bits)
    for step in passes(32, "full"):
        program = step(program)
        whole(program)
        assert np.array_equal(interpret(program, keys, data), output), step.name


def choices(name: str, number: int) -> list[tuple[str, int]]:
    """Twofish has sixteen; each of its six programs is tested with some, together with all."""
    every = [(depth, fuse) for depth in KEYING for fuse in FUSE]
    return every[number % 6 :: 6] if name == "twofish" else every[: len(FUSE)]


@pytest.mark.parametrize(("name", "operation", "bits"), CHOOSING, ids=lambda value: str(value))
@pytest.mark.every(5)
def test_every_choice_keeps_the_meaning(name: str, operation: str, bits: int) -> None:
    """The program after all passes."""
    traced, keys, data, output = expected(name, operation, bits)
    for depth, fuse in choices(name, CHOOSING.index((name, operation, bits))):
        program = lower(traced, fuse, depth)
        whole(program)
        assert np.array_equal(interpret(program, keys, data), output), f"keying={depth} fuse={fuse}"
        left = {node.op for graph in (program.expand, program.kernel) for node in every_node(graph)}
        assert not left & {Op.APPLY, Op.LINEAR, Op.BOOL}


@pytest.mark.parametrize("name", FINALISTS)
@pytest.mark.every(2)
def test_the_pipeline_is_at_rest(name: str) -> None:
    """A second time through it there is nothing more to be found."""
    once = lower(expected(name, "encrypt", 128)[0])
    twice = lower(once)
    assert len(twice.kernel.body) == len(once.kernel.body)
