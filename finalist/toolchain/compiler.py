"""The system's C compiler: finding it, asking what it targets, building shared libraries, caching them."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib.util
import os
import platform
import re
import shlex
import shutil
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from finalist.cache.entries import discard, keep
from finalist.errors import CompilerError
from finalist.toolchain import headers
from finalist.toolchain.loading import loaded

STANDARD = ("-std=gnu11", "-Wall", "-Wextra")
OPTIMISE = ("-O2", "-march=native")
#: For programs that run but once; for those of a thousand intrinsics, each a function that -O0 writes out
#: with all its moves: 0.8 s in place of 2.3.
PLAIN, PLAIN_INTRINSICS = ("-O0", "-march=native"), ("-Og", "-march=native")
_TIMEOUT = 300  # seconds
#: What /proc/cpuinfo calls the instructions, and what else ``-march=native`` goes by.
_FEATURES = {"flags", "Features", "isa", "features", "cpu family", "model", "CPU part", "CPU implementer"}


def named_by(variable: str, language: str) -> tuple[str, ...] | None:
    """The command that a variable of the environment names for a compiler; None without it.

    Raises CompilerError where that can't be run.
    """
    chosen = os.environ.get(variable)
    if not chosen:
        return None
    try:
        words = tuple(shlex.split(chosen))
    except ValueError as error:  # an open quotation
        raise CompilerError(f"{variable}={chosen!r} is no command: {error}") from error
    if not words or shutil.which(words[0]) is None:
        raise CompilerError(
            f"{variable}={chosen!r} is no program that can be run; accepted: a {language} compiler"
        )
    return words


def command() -> tuple[str, ...]:
    """The compiler's command: ``$CC``, else ``cc``, else the `ziglang` wheel's ``zig cc``.

    Raises CompilerError where there is none.
    """
    if chosen := named_by("CC", "C"):
        return chosen
    if shutil.which("cc"):
        return ("cc",)
    if importlib.util.find_spec("ziglang") is not None:
        return (sys.executable, "-m", "ziglang", "cc")
    raise CompilerError("no C compiler: install gcc or clang, or the extra `finalist[zig]`, or set CC")


def available() -> bool:
    """Whether there is a compiler."""
    try:
        command()
    except CompilerError:
        return False
    return True


def version() -> str:
    """The compiler's own first line about itself."""
    return _ask(command(), "--version").splitlines()[0]


@cache
def macros(compiler: tuple[str, ...]) -> frozenset[str]:
    """The names of all macros that a compiler defines for this CPU."""
    text = _ask(compiler, "-march=native", "-dM", "-E", "-x", "c", os.devnull)
    return frozenset(line.split()[1] for line in text.splitlines() if line.startswith("#define "))


def is_gcc() -> bool:
    """Whether the compiler takes gcc's own options."""
    known = macros(command())
    return "__GNUC__" in known and "__clang__" not in known


def lacking(needed: Iterable[str]) -> list[str]:
    """Which of these macros the compiler does not define for this CPU."""
    known = macros(command())
    return [macro for macro in needed if macro not in known]


#: Vector units: name, the compiler's macros, bits of a register. Those of the first, which Zen 5 alone has
#: together, tell of no instruction that is used, but of units of 512 bits where Zen 4 has two of 256.
_UNITS = (
    (
        "avx512-vp2intersect",
        ("__AVX512BW__", "__VAES__", "__AVX512VP2INTERSECT__", "__AVXVNNI__"),
        512,
    ),
    ("avx512-vaes", ("__AVX512BW__", "__VAES__"), 512),
    ("avx512", ("__AVX512F__",), 512),
    ("avx2", ("__AVX2__",), 256),
    ("sse2", ("__SSE2__",), 128),
    ("neon", ("__ARM_NEON",), 128),
)


def vector_bits() -> int:
    """Bits of the widest integer vector unit that the compiler sees on this CPU; 1 for none."""
    known = macros(command())
    return next((bits for _, needed, bits in _UNITS if known.issuperset(needed)), 1)


def vector_units() -> Iterator[str]:
    """The vector units that the compiler sees on this CPU, the most able first."""
    known = macros(command())
    return (name for name, needed, _ in _UNITS if known.issuperset(needed))


@cache
def _ask(compiler: tuple[str, ...], *arguments: str) -> str:
    import subprocess  # which takes longer than to load what was compiled before

    try:
        done = subprocess.run(
            [*compiler, *arguments], capture_output=True, text=True, timeout=_TIMEOUT, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise CompilerError(f"{' '.join(compiler)} {' '.join(arguments)} failed: {error}") from error
    return done.stdout


@cache
def environment(compiler: tuple[str, ...]) -> str:
    """What the same text and options give another program for: the compiler, as a file, and the CPU.

    Nothing is run for it where the system tells the CPU's features.
    """
    found = [path for word in compiler if (path := shutil.which(word))]
    if "ziglang" in compiler and (spec := importlib.util.find_spec("ziglang")) and spec.origin:
        found.append(spec.origin)
    files = [os.path.realpath(path) for path in found]
    told = [f"{path} {os.stat(path).st_size} {os.stat(path).st_mtime_ns}" for path in files]
    return "\0".join([*compiler, *told, _cpu_features() or " ".join(sorted(macros(compiler)))])


def _cpu_features() -> str:
    """What Linux tells of the first processor's model and instructions; empty elsewhere."""
    lines = [line for line in _first_processor() if line.partition(":")[0].strip() in _FEATURES]
    return platform.machine() + "".join(lines) if lines else ""


def _first_processor() -> list[str]:
    """The lines that Linux has on it; none elsewhere."""
    lines: list[str] = []
    with contextlib.suppress(OSError), Path("/proc/cpuinfo").open(encoding="utf-8") as file:
        for line in file:
            if not line.strip():
                break
            lines.append(line)
    return lines


@cache
def cpu_vendor() -> str:
    """Who made the CPU, as Linux tells it: ``intel``, ``amd``; empty where it does not."""
    found = re.search(
        r"^vendor_id\s*:\s*(?:Genuine|Authentic)?(\w+)", "".join(_first_processor()), re.MULTILINE
    )
    return found[1].lower() if found else ""


def build_shared_library(source: str, *, name: str, flags: tuple[str, ...] = ()) -> Path:
    """Compile C text to a shared library; one that was built before from the same text is used again.

    The content hash covers text, flags, compiler and CPU features. The source lies beside it. Raises
    CompilerError, or CacheError.
    """
    options = (*STANDARD, *(flags or OPTIMISE), "-shared", "-fPIC")
    return _built({f"{name}.c": source}, f"{name}.so", options)


def load_shared_library(source: str, *, name: str, flags: tuple[str, ...] = ()) -> ctypes.CDLL:
    """`build_shared_library`, loaded into this process."""
    path = build_shared_library(source, name=name, flags=flags)
    try:
        return loaded(path)
    except OSError:  # removed since it was found, as the oldest of too many
        discard(path.parent)
        return loaded(build_shared_library(source, name=name, flags=flags))


def build_executable(sources: Mapping[str, str], *, name: str, flags: tuple[str, ...] = ()) -> Path:
    """As `build_shared_library`, an executable of several files, by their names."""
    return _built(sources, name, (*STANDARD, *(flags or OPTIMISE)))


def _built(sources: Mapping[str, str], made: str, options: tuple[str, ...]) -> Path:
    compiler = command()
    key = "\0".join([*sources.values(), *options, *compiler, environment(compiler)])
    digest = hashlib.sha256(key.encode()).hexdigest()[:24]

    def make(folder: Path) -> None:
        texts = [folder / file for file in sources]
        for text, source in zip(texts, sources.values(), strict=True):
            text.write_text(source, "utf-8")
        read = headers.options([*compiler, *options], sources.values(), environment(compiler), invoke)
        arguments = [*compiler, *options, *(read if is_gcc() else ()), "-o", made, *sources]
        invoke(arguments, cwd=folder)
        if not (folder / made).is_file():
            raise CompilerError(f"{compiler[0]} says that it compiled {made}, but there is no such file")

    return keep(f"{Path(made).stem}-{digest}", make) / made


def invoke(arguments: list[str], cwd: Path | None = None) -> None:
    """Run a compiler, in a folder. Raises CompilerError with the first lines of what it said."""
    import subprocess

    # A group of its own, since a compiler that is killed leaves those that it has begun.
    running = subprocess.Popen(
        arguments,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        cwd=cwd,
        start_new_session=True,
    )
    with running:
        try:
            _, said = running.communicate(timeout=_TIMEOUT)
        except BaseException as error:  # a signal, too
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise CompilerError(f"{arguments[0]} did not finish within {_TIMEOUT} s") from error
            raise
    if running.returncode != 0:
        first = "\n".join(said.strip().splitlines()[:12])
        raise CompilerError(f"{arguments[0]} failed with exit code {running.returncode}:\n{first}")
