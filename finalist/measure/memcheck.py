"""One compiled program run under valgrind's memcheck, which reports secrets in branches and addresses.

After A. Langley's ctgrind (2010): key and block are marked as undefined for memcheck, which then reports
each conditional jump and each address that depends on them. That is a test of the machine code, and so of
what a compiler made of the text, on the way that this run took; divisions and other instructions that take
their time are beyond it (`finalist.passes.timing` says where those are).
"""

from __future__ import annotations

import itertools
import os
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from finalist.errors import CompilerError, FinalistError, VectorError
from finalist.machines.base import CompiledProgram
from finalist.passes.timing import Timing
from finalist.toolchain import compiler

COMPILERS = ("gcc", "clang")
LEVELS = ("-O1", "-O2", "-O3")
#: What valgrind's processor has not, by the compiler's macro for it; what is compiled has to do without.
_UNKNOWN_TO_VALGRIND = {
    "__AVX512F__": "-mno-avx512f",
    "__VAES__": "-mno-vaes",
    "__VPCLMULQDQ__": "-mno-vpclmulqdq",
    "__GFNI__": "-mno-gfni",
    "__SSE4A__": "-mno-sse4a",
}
#: Of these, what compilers use of their own accord; the others only where the text does.
_UNASKED = frozenset({"__AVX512F__", "__SSE4A__"})
_OPTIONS = ("--tool=memcheck", "--quiet", "--error-limit=no", "--leak-check=no", "--command-line-only=yes")
#: Of a shift of whole vectors memcheck reports a count with undefined bits as it does an address, though each
#: count takes the same time. It has one byte, an address has more (valgrind, memcheck/mc_translate.c:
#: `complainIfUndefined` of Iop_ShlN32x4 and the like).
_NO_LEAKS = """\
{
   the count of a shift of whole vectors
   Memcheck:Value1
   obj:*
}
"""
#: Of what a debugger knows the lines, for reports; where variables are takes gcc longer than all else.
_LINES = ("-gdwarf-4", "-g1")
_TIMEOUT, _STATE_BLOCKS = 600, 64  # seconds; blocks of a stream


class LeakError(FinalistError):
    """Programs can't be watched here."""


@runtime_checkable
class Watchable(CompiledProgram, Protocol):
    """A program whose C text can be compiled and watched."""

    parts: Timing
    #: The compiler's macros of instructions that the text can't do without.
    needs: Sequence[str]

    def function_name(self, what: str) -> str:
        """The C name of ``expand_key``, or of the program's operation."""


@dataclass(frozen=True, slots=True)
class Build:
    """A compiler's command and its flags."""

    command: tuple[str, ...]
    flags: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join((*self.command, *self.flags))

    @property
    def lacking(self) -> tuple[str, ...]:
        """The macros of what this processor has and valgrind does not know."""
        return lacking(compiler.macros(self.command))

    @property
    def arguments(self) -> tuple[str, ...]:
        """The flags, and what keeps to instructions that valgrind can execute."""
        return (*self.flags, *(_UNKNOWN_TO_VALGRIND[macro] for macro in self.lacking))


@dataclass(frozen=True, slots=True)
class Watched:
    """What was seen of one program in one build: how often a branch or address depended on a secret.

    ``first`` is the first report and its place in the text; ``without`` names the macros of instructions that
    the program has on this processor and valgrind has not: it was watched in the form that does without them.
    """

    build: Build
    key_schedule: int
    kernel: int
    first: str
    without: tuple[str, ...]

    @property
    def clean(self) -> bool:
        """Whether nothing was reported."""
        return not self.key_schedule and not self.kernel


def missing() -> str:
    """What is lacking for `watch`, and where it is to be had; empty if nothing is."""
    if shutil.which("valgrind") is None:
        return "there is no valgrind; on Debian and Ubuntu: sudo apt install valgrind"
    try:
        compiler.invoke([*compiler.command(), "-fsyntax-only", "-x", "c", os.devnull, "-include", _HEADER])
    except CompilerError as error:
        return f"the C compiler does not find {_HEADER}, which comes with valgrind: {error}"
    return ""


_HEADER = "valgrind/memcheck.h"


def builds(
    compilers: Iterable[str] = COMPILERS, levels: Sequence[str] = LEVELS, target: str = "-march=native"
) -> list[Build]:
    """Each compiler that is there, at each level. Raises LeakError where none is."""
    found = [(name,) for name in compilers if shutil.which(name)]
    if not found:
        raise LeakError(f"there is none of the compilers {', '.join(compilers)}")
    return [Build(name, (level, target)) for name, level in itertools.product(found, levels)]


def lacking(macros: Iterable[str]) -> tuple[str, ...]:
    """Of a compiler's macros those of instructions that valgrind does not know."""
    known = set(macros)
    return tuple(macro for macro in _UNKNOWN_TO_VALGRIND if macro in known)


def inputs(program: Watchable, seed: int = 1998) -> tuple[bytes, bytes]:
    """A key, and blocks for a full call of the kernel and one that is not."""
    source, full = random.Random(seed), program.schedule.blocks or 1
    blocks = _STATE_BLOCKS if program.stateful else full + 1
    return source.randbytes(program.key_bits // 8), source.randbytes(blocks * program.block_bytes)


def watch(program: Watchable, build: Build, expected: bytes, seed: int = 1998) -> Watched:
    """Compile a program, run it on `inputs` with key and block marked as secret, and count what is reported.

    ``expected``: what it has to give, so that what was watched is the whole of it. Raises LeakError where
    it does not run, VectorError where its output is another, CompilerError where it does not compile.
    """
    with tempfile.TemporaryDirectory(prefix="finalist-leaks-") as folder:
        target = _compiled(program, build, Path(folder), len(expected) // program.block_bytes)
        (suppressions := Path(folder) / "suppressions").write_text(_NO_LEAKS, "utf-8")
        command = [VALGRIND, *_OPTIONS, f"--suppressions={suppressions}", str(target)]
        done = _run(command, b"".join(inputs(program, seed)))
        text = program.text.splitlines()
    said = done.stderr.decode(errors="replace")
    if done.returncode:
        raise LeakError(f"{program.cipher}, {build}: valgrind left with {done.returncode}: {said[-400:]}")
    counts, output = done.stdout.decode().splitlines()
    if bytes.fromhex(output) != expected:
        raise VectorError(f"{program.cipher} {program.operation}, {build}, under valgrind: wrong output")
    key_schedule, kernel, watching = map(int, counts.split())
    if not watching:
        raise LeakError(f"{VALGRIND} does not answer as valgrind does")
    without = tuple(macro for macro in build.lacking if macro in _UNASKED or macro in program.text)
    return Watched(build, key_schedule, kernel, first_report(said, text), without)


VALGRIND = "valgrind"


def _run(command: Sequence[str], given: bytes) -> subprocess.CompletedProcess[bytes]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("VALGRIND")}
    try:
        return subprocess.run(
            command, input=given, capture_output=True, timeout=_TIMEOUT, env=environment, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LeakError(f"{command[0]} failed: {error}") from error


def _compiled(program: Watchable, build: Build, folder: Path, blocks: int) -> Path:
    """The executable; the program is compiled by itself, so that the compiler knows nothing of its caller."""
    name = program.function_name("expand_key").removesuffix("_expand_key")
    defined = {
        "NAME": name,
        "OPERATION": program.operation,
        "KEY_BYTES": program.key_bits // 8,
        "BLOCK_BYTES": program.block_bytes,
        "BLOCKS": blocks,
    }
    text, made, target = folder / _TEXT, folder / "program.o", folder / "watched"
    text.write_text(program.text, "utf-8")
    options = [*compiler.STANDARD, *_LINES, *build.arguments]
    compiler.invoke([*build.command, *options, "-c", "-o", str(made), str(text)])
    macros = [f"-D{macro}={value}" for macro, value in defined.items()]
    command = [*build.command, "-std=gnu11", *macros, "-o"]
    compiler.invoke([*command, str(target), str(_HARNESS), str(made)])
    return target


_TEXT = "program.c"
_HARNESS = Path(__file__).with_name("memcheck.c")
#: What `watch` sees depends on, beside the program, the build and their tools.
FILES = (Path(__file__), _HARNESS)
_REPORT = re.compile(
    r"^==\d+== (?P<what>Conditional jump.*|Use of uninit.*|Syscall.*|Invalid.*)\n"
    r"(?:==\d+== .*\n)*?==\d+==\s+(?:at|by) 0x[0-9A-F]+: (?P<function>\S+) \((?:[^\n]*/)?"
    + _TEXT
    + r":(?P<line>\d+)\)",
    re.MULTILINE,
)


def first_report(said: str, text: Sequence[str]) -> str:
    """The first report of valgrind's that is of the program: what, where, and that line of its text."""
    found = _REPORT.search(said)
    if not found:
        return ""
    number = int(found["line"])
    line = text[number - 1].strip() if 0 < number <= len(text) else ""
    return f"{found['what']} in {found['function']}, line {number}: {line}"


def read_watched(document: dict[str, Any]) -> Watched:
    """What was watched, from JSON, which has lists for tuples."""
    build = Build(*map(tuple, document["build"].values()))
    return Watched(**document | {"build": build, "without": tuple(document["without"])})
