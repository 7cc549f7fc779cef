"""The system's C compiler: finding it, asking what it targets, building shared libraries, caching them."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from finalist.errors import CompilerError
from finalist.toolchain import headers
from finalist.toolchain.cache import cache_folder

STANDARD = ("-std=gnu11", "-Wall", "-Wextra")
#: Emitted code has the vectors that it wants; what compilers make of the rest is slower.
NO_VECTORS = ("-fno-tree-vectorize",)
OPTIMISE = ("-O2", "-march=native", *NO_VECTORS)
#: With AVX-512 gcc keeps what it has no register for in those of vectors, which takes longer than memory:
#: code with sixteen bytes in variables took 652 cycles in place of 405.
SCALAR = ("-mno-avx512f",)
#: For programs that run but once; for those of a thousand intrinsics, each a function that -O0 writes out
#: with all its moves: 0.8 s in place of 2.3.
PLAIN, PLAIN_INTRINSICS = ("-O0", "-march=native"), ("-Og", "-march=native")
#: Where more values are alive than there are registers, gcc spills fewer with this.
CROWDED = ("-flive-range-shrinkage",)
_TIMEOUT = 300  # seconds


def command() -> tuple[str, ...]:
    """The compiler's command: ``$CC``, else ``cc``, else the `ziglang` wheel's ``zig cc``.

    Raises CompilerError where there is none.
    """
    chosen = os.environ.get("CC")
    if chosen:
        try:
            words = tuple(shlex.split(chosen))
        except ValueError as error:  # an open quotation
            raise CompilerError(f"CC={chosen!r} is no command: {error}") from error
        if not words or shutil.which(words[0]) is None:
            raise CompilerError(f"CC={chosen!r} is no program that can be run; accepted: a C compiler")
        return words
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


#: Vector units: name, the compiler's macros, bits of a register.
_UNITS = (
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
    try:
        done = subprocess.run(
            [*compiler, *arguments], capture_output=True, text=True, timeout=_TIMEOUT, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise CompilerError(f"{' '.join(compiler)} {' '.join(arguments)} failed: {error}") from error
    return done.stdout


def build_shared_library(source: str, *, name: str, flags: tuple[str, ...] = ()) -> Path:
    """Compile C text to a shared library; one that was built before from the same text is reused.

    The content hash covers text, flags, compiler and CPU features. Several processes may build the same
    at once: each writes its own file and puts it in place in one step. Raises CompilerError.
    """
    options = (*STANDARD, *(flags or OPTIMISE), "-shared", "-fPIC")
    return _built({f"{name}.c": source}, name, options, ".so")


def build_executable(sources: Mapping[str, str], *, name: str, flags: tuple[str, ...] = ()) -> Path:
    """As `build_shared_library`, an executable of several files, by their names."""
    return _built(sources, name, (*STANDARD, *(flags or OPTIMISE)), "")


def _built(sources: Mapping[str, str], name: str, options: tuple[str, ...], suffix: str) -> Path:
    compiler = command()
    key = "\0".join([*sources.values(), *options, *compiler, _target()])
    digest = hashlib.sha256(key.encode()).hexdigest()[:24]
    target = cache_folder() / f"{name}-{digest}{suffix}"
    if not target.exists():
        _build(compiler, options, sources, target)
    return target


def _target() -> str:
    """What the same text and options give something else for: the compiler's version, the CPU's features."""
    return " ".join([version(), *sorted(macros(command()))])


def _build(
    compiler: tuple[str, ...], options: tuple[str, ...], sources: Mapping[str, str], target: Path
) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = tempfile.mkdtemp(prefix=".build-", dir=target.parent)
    except OSError as error:
        raise CompilerError(
            f"the cache folder {target.parent} can't be written ({error.strerror}); set FINALIST_CACHE"
        ) from error
    try:
        texts = [Path(folder) / file for file in sources]
        for text, source in zip(texts, sources.values(), strict=True):
            text.write_text(source, "utf-8")
        made = Path(folder) / target.name
        read = headers.options([*compiler, *options], sources.values(), _target(), invoke) if is_gcc() else []
        invoke([*compiler, *options, *read, "-o", str(made), *map(str, texts)])
        made.replace(target)
        texts[0].replace(target.with_suffix(".c"))
    except OSError as error:
        raise CompilerError(f"the compiled {target.name} can't be kept: {error}") from error
    finally:
        with contextlib.suppress(OSError):
            shutil.rmtree(folder)


def invoke(arguments: list[str]) -> None:
    """Run a compiler. Raises CompilerError with the first lines of what it said."""
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=_TIMEOUT, check=False)
    except subprocess.TimeoutExpired as error:
        raise CompilerError(f"{arguments[0]} did not finish within {_TIMEOUT} s") from error
    if done.returncode != 0:
        first = "\n".join(done.stderr.strip().splitlines()[:12])
        raise CompilerError(f"{arguments[0]} failed with exit code {done.returncode}:\n{first}")
