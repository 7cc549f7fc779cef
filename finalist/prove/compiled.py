"""Whether a C text is equal to its definition for all keys and blocks, as clang reads it.

Clang makes LLVM's intermediate representation of the text, with nothing optimised, and that is carried out
(`finalist.prove.llvm`). So what C says, its promotions and conversions among it, is read by a compiler, and
not here once more.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Sequence
from functools import cache
from typing import Protocol, runtime_checkable

from finalist.errors import CompilerError
from finalist.ir.program import Program
from finalist.llvm.module import Number
from finalist.llvm.read import module
from finalist.llvm.tokens import NotReadError
from finalist.machines.base import Run
from finalist.prove import definition
from finalist.prove.bits import Word
from finalist.prove.collector import uncollected
from finalist.prove.decide import Certificate, Found, Subject, certified, difference
from finalist.prove.llvm import Execution
from finalist.prove.memory import as_bytes
from finalist.prove.refute import Pair
from finalist.prove.settle import Sides
from finalist.prove.words import NotCoveredError, Words
from finalist.schedule import Schedule

#: Nothing optimised: what is proved is the text, not what an optimiser makes of it.
OPTIONS = ("-std=gnu11", "-O0", "-gline-tables-only")
_TIMEOUT = 120


@runtime_checkable
class CText(Protocol):
    """A program that is a C text, and runs."""

    schedule: Schedule

    @property
    def text(self) -> str:
        """The C source."""

    def function_name(self, what: str) -> str:
        """The C name of ``expand_key``, or the program's operation."""

    def run(self, key: bytes, data: bytes) -> Run:
        """The operation on whole blocks."""


@uncollected()
def prove(traced: Program, program: CText, machine: str = "", seconds: float | None = None) -> Certificate:
    """Compare a program with the definition that it was made of; ``machine``: its name, for the record;
    ``seconds``: of the CPU for carrying out both sides, all of them if None. Raises CompilerError where there
    is no clang."""
    start = time.process_time()
    blocks = program.schedule.blocks or 1
    found = _executed(traced, program, blocks, seconds)

    def compute(key: bytes, data: bytes) -> bytes:
        return program.run(key, data).output

    subject = Subject(machine, str(program.schedule), program.text, "C", (version(),), blocks)
    return certified(Pair(traced, compute), found, subject, start)


def _executed(traced: Program, program: CText, blocks: int, seconds: float | None) -> Found:
    """Carry out both sides."""
    if traced.stateful:
        return Found("blocks hand on a state")
    words, size = Words(seconds), traced.block.bytes
    key = as_bytes(words, "key", traced.key.bytes)
    data = as_bytes(words, "data", size * blocks)
    rows = [data[k : k + size] for k in range(0, len(data), size)]
    try:
        wanted = definition.outputs(traced, words, key, rows)
    except NotCoveredError as error:
        return Found(f"the definition: {error}")
    own = len(words.store.atoms)
    try:
        run = Execution(module(representation(program.text)), words)
        made = _outputs(run, program, traced.operation, key, data, blocks)
    except (NotCoveredError, NotReadError) as error:
        return Found(f"the program: {error}")
    sides = Sides(words, wanted, made, own, (len(key), len(data)))
    return Found(difference(wanted, made), run.leaks.label, run.executed, sides)


def _outputs(
    run: Execution, program: CText, operation: str, key: Sequence[Word], data: Sequence[Word], blocks: int
) -> list[Word]:
    """What the program's functions make of some blocks: a key schedule, then one call."""
    memory, size = run.memory, run.module.variables[program.function_name("key_bytes")].initial
    assert isinstance(size, Number)
    given = memory.new("the key", len(key))
    memory.fill(given.address, key)
    expanded = memory.new("the expanded key", size.value, align=64)
    source, target = memory.new("the input", len(data)), memory.new("the output", len(data))
    memory.fill(source.address, data)
    run.outermost(program.function_name("expand_key"), [memory.fixed(given).address, expanded.address])
    memory.fixed(source)
    memory.fixed(expanded)
    run.outermost(
        program.function_name(operation), [expanded.address, source.address, target.address, blocks]
    )
    return [memory.byte(target.address + k) for k in range(len(data))]


def representation(text: str) -> str:
    """What clang makes of a C text. Raises CompilerError."""
    try:
        done = subprocess.run(
            [_clang(), *OPTIONS, "-S", "-emit-llvm", "-x", "c", "-", "-o", "-"],
            input=text,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        raise CompilerError(f"clang does not take the text: {error.stderr.strip()[:400]}") from error
    except (OSError, subprocess.SubprocessError) as error:
        raise CompilerError(f"clang failed: {error}") from error
    return done.stdout


@cache
def version() -> str:
    """Which clang that is. Raises CompilerError."""
    done = subprocess.run(
        [_clang(), "--version"], capture_output=True, text=True, timeout=_TIMEOUT, check=False
    )
    return done.stdout.partition("\n")[0]


def _clang() -> str:
    found = shutil.which("clang")
    if found is None:
        raise CompilerError("proofs of C want clang, which reads it: install clang")
    return found
