"""Random graphs, programs and schedules: the emitted C against the interpreter.

A sample as a rule; ``FINALIST_FUZZ=10000`` in the environment for as many graphs (and fewer
programs and schedules, each of which is compiled by itself), ``FINALIST_FUZZ_SEED`` for other ones.
Count and seed are printed.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.errors import ScheduleError
from finalist.ir.execute import interpret
from finalist.ir.graph import Node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.machines.native import machine as native
from finalist.machines.native.run import NativeProgram
from finalist.machines.native.text import dialect
from finalist.machines.native.text.dialect import Text
from finalist.schedule import Schedule, schedule_of
from tests.graphs import bytes_for, random_program
from tests.machines.native.harness import KINDS, RAW, Failure, Kind, fuzz
from tests.programs import SHAPES, program_in_rounds
from tests.schedules import scheduled

COUNT = int(os.environ.get("FINALIST_FUZZ", "140"))
SEED = os.environ.get("FINALIST_FUZZ_SEED", "1998")
FINALISTS = ("mars", "rc6", "rijndael", "serpent", "twofish")
#: Compiling, not running, takes the time.
QUICK = ("-O0", "-march=native", "-Wno-psabi")

pytestmark = pytest.mark.fuzz


def say(capsys: pytest.CaptureFixture[str], text: str) -> None:
    with capsys.disabled():
        print(f"\n{text}, FINALIST_FUZZ_SEED={SEED}")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.every(5)
def test_random_graphs(kind: Kind, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seeds = [f"{SEED} {kind.name} {number}" for number in range(COUNT // len(KINDS))]
    done = fuzz(kind, seeds, tmp_path)
    say(capsys, f"{done} graphs, {kind.name}")
    assert done


# -- programs: key schedule, kernel, lay-out, driver --------------------------------------------------

#: One block, vectors not filled, filled and more.
BLOCKS = (1, 40, 70, 300)


def emitted(program: Program, schedule: Schedule) -> NativeProgram:
    made = native.MACHINE.program(program, schedule)
    made.flags = QUICK
    return made


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.every(4)
def test_random_programs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    done = 0
    for number in range(COUNT // 40):
        seed = f"{SEED} {name} {number}"
        source = random.Random(seed)
        program = program_in_rounds(seed, SHAPES[name], source)
        made = scheduled(partial(emitted, program), partial(native.MACHINE.drawn, source))
        keys, data = bytes_for(program, source.choice(BLOCKS))
        expected = interpret(program, keys[:1], data).tobytes()
        assert made.run(keys[0].tobytes(), data.tobytes()).output == expected, f"{seed}: {made.schedule}"
        done += 1
    say(capsys, f"{done} programs, {name}")


#: A state is worked on one block after the other, by scalar code, so most schedules are refused.
STATEFUL_SCHEDULES = (
    {},
    {"blocks": 1},
    {"blocks": 2},
    {"blocks": 3, "rounds": "unroll"},
    {"blocks": 4},
    {"rounds": "unroll"},
    {"fuse": 0},
    {"fuse": 64, "keyed_tables": "partial"},
    {"word": 32},
)


def test_random_stateful_programs(capsys: pytest.CaptureFixture[str]) -> None:
    """Messages of several blocks, whole and in parts, each from its key anew."""
    done = 0
    for number in range(COUNT // 20):
        seed = f"{SEED} stateful {number}"
        program = random_program(seed, stateful=True)
        schedule = schedule_of(**STATEFUL_SCHEDULES[number % len(STATEFUL_SCHEDULES)])
        try:
            made = emitted(program, schedule)
        except ScheduleError:
            made = emitted(program, Schedule())
        keys, data = bytes_for(program, 6)
        expected = interpret(program, keys, data)
        for key, message, wanted in zip(keys, data, expected, strict=True):
            given, state = message.tobytes(), made.expand(key.tobytes())
            assert made.run(key.tobytes(), given).output == wanted.tobytes(), seed
            cut = made.block_bytes * (number % 5)
            parts = made.crypt(state, given[:cut]) + made.crypt(state, given[cut:])
            assert parts == wanted.tobytes(), f"{seed}: cut at {cut}"
        done += 1
    say(capsys, f"{done} stateful programs")


# -- schedules on real ciphers ------------------------------------------------------------------------


@pytest.mark.parametrize("name", FINALISTS)
@pytest.mark.every(3)
def test_random_schedules(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Legal ones compute what the interpreter does; illegal ones are refused, never anything else."""
    source = random.Random(f"{SEED} {name}")
    legal = refused = 0
    while legal < max(1, COUNT // 210):
        schedule, bits = native.MACHINE.drawn(source), source.choice(find_cipher(name).key_bits)
        operation = source.choice(("encrypt", "decrypt"))
        try:
            program = compile_cipher(name, "native", operation, bits, schedule)
        except ScheduleError:
            refused += 1
            continue
        program.flags = QUICK  # type: ignore[attr-defined]
        key, data = source.randbytes(bits // 8), source.randbytes(16 * source.randint(1, 600))
        expected = compile_cipher(name, "interpreter", operation, bits).run(key, data).output
        assert program.run(key, data).output == expected, f"{name} {operation} {bits} {schedule}"
        legal += 1
    say(capsys, f"{legal} schedules of {name} legal and right, {refused} refused")


# -- the fuzzer itself --------------------------------------------------------------------------------


def swapped(c: Any, node: Node, x: list[Text]) -> Text:
    return dialect.binary("-", x[1], x[0])


def unreduced(c: Any, node: Node, x: list[Text]) -> Text:
    return dialect.binary("+", x[0], x[1])


def undefined(c: Any, node: Node, x: list[Text]) -> Text:
    """A shift that C leaves undefined past the width."""
    return c.reduced(node, dialect.binary("<<", x[0], x[1]))


def one_too_far(c: Any, node: Node, x: list[Text]) -> Text:
    return c.reduced(node, Text(f"{x[0].inside('>>')} >> {(node.attr + 1) % 32}", ">>"))


def signed(c: Any, node: Node, x: list[Text]) -> Text:
    """The sign of a word that fills its variable."""
    kind = f"int{dialect.register_bits(node.inputs[0].width)}_t"
    return Text(f"(uint32_t)(({kind})({x[0].code}) < ({kind})({x[1].code}))")


FAULTS: list[tuple[Op, Callable[..., Text]]] = [
    (Op.SUB, swapped),
    (Op.ADD, unreduced),
    (Op.SHL, undefined),
    (Op.SLICE, one_too_far),
    (Op.LT, signed),
]


@pytest.mark.parametrize(("op", "wrong"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.every(2)
def test_planted_faults_are_found(
    op: Op, wrong: Callable[..., Text], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An emission that is wrong is caught among a sample's graphs, and shrunk to a few operations."""
    monkeypatch.setitem(dialect._SCALAR, op, wrong)
    seeds = [f"fault {number}" for number in range(200)]
    with pytest.raises(Failure, match=rf"(?s)seed 'fault \d+'.*\b{op.label}\b") as caught:
        fuzz(RAW, seeds, tmp_path)
    printed = str(caught.value).split("g(", 1)[1].split("return", 1)[0]
    assert printed.count(" = ") <= 10
