"""Long messages by several threads: ``parts.c``, and what it has to know of a mode.

What a function does with a message comes to the same when each part of it begins with what the part before
would have left: nothing in ECB, the counter of its first block, or the ciphertext before it.
"""

from __future__ import annotations

import ctypes
from enum import IntEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

from finalist.errors import CompilerError
from finalist.toolchain.compiler import command, load_shared_library

#: At most; the same in threads.c.
MOST_THREADS = 64
#: Bytes of a message for each thread that works on it: waking one takes as long as some KiB of the quickest.
LEAST_A_THREAD = 1 << 16
#: What is handed out is a multiple of so many blocks, and not less than so many bytes: the blocks of a call
#: are a power of two or three times one, so that no kernel is called for fewer than it takes.
_GRAIN_BLOCKS, _GRAIN_BYTES = 1536, 24 << 10


class Begins(IntEnum):
    """What a part of a message begins with, beside the key."""

    NOTHING, COUNTER, CIPHERTEXT = range(3)


class Way(ctypes.Structure):
    """How a message may be cut; see the fields' comments in parts.c."""

    _fields_ = tuple(
        (name, ctypes.c_uint64)
        for name in ("begins", "block", "step", "unit", "grain", "least", "threads", "pace")
    )


def begins(mode: str, operation: str) -> Begins | None:
    """Of a mode, as the engine knows it; None where each block waits for the one before."""
    if mode in ("ecb", "ctr"):
        return Begins.NOTHING if mode == "ecb" else Begins.COUNTER
    decrypts = operation == "decrypt" if mode == "cbc" else mode.endswith("_decrypt")
    return Begins.CIPHERTEXT if decrypts else None


def way(begins: Begins, block: int, step: int, unit: int, threads: int) -> Way:
    """``block``, ``step``: bytes of a block, and of what is not cut; ``unit``: what a count is one of."""
    # Before each cut there is a block at least, where a part begins with it.
    grain = _GRAIN_BLOCKS * -(-max(_GRAIN_BYTES, block) // (_GRAIN_BLOCKS * step))
    return Way(begins, block, step, unit, grain, -(-max(LEAST_A_THREAD, block) // step), threads, 0)


def function() -> Any:
    """``finalist_in_parts``; None where it can't be compiled, as where there are no POSIX threads.

    Its threads are of this process: they are made when first wanted, and gone before a fork and at its end.
    """
    try:
        return _compiled(command())
    except CompilerError:
        return None


@lru_cache(maxsize=4)
def _compiled(compiler: tuple[str, ...]) -> Any:
    folder = Path(__file__).parent
    source = "".join((folder / name).read_text("utf-8") for name in ("threads.c", "parts.c"))
    library = load_shared_library(source, name="parts", flags=("-O2", "-pthread"))
    found = library.finalist_in_parts
    found.restype = None
    return found
