"""Headers that take a compiler half a second to read, read once and kept: gcc's precompiled form of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from finalist.cache.entries import keep
from finalist.cache.folder import lasting_folder
from finalist.errors import CompilerError

#: The header with the functions for vector instructions; it comes last, and alone is worth the while.
_LONG = "#include <immintrin.h>\n"
_TEXT = "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n" + _LONG
_NAME = "headers.h"
#: What says how to link, and nothing of how a header is read.
_LINKING = frozenset({"-shared"})

#: Runs a compiler with these arguments; raises CompilerError.
Invoke = Callable[[list[str]], None]


def options(command: Sequence[str], sources: Iterable[str], target: str, invoke: Invoke) -> list[str]:
    """What gcc is to be told beside its ``command`` so that it takes the headers as it has read them.

    ``target``: what the same command would read them otherwise for. Nothing where no text has the long one,
    or where what was read can't be kept: then it is read again.
    """
    if not any(_LONG in source for source in sources):
        return []
    reading = [word for word in command if word not in _LINKING]
    digest = hashlib.sha256("\0".join([*reading, target, _TEXT]).encode()).hexdigest()[:24]

    def read(folder: Path) -> None:
        (folder / _NAME).write_text(_TEXT, "utf-8")
        invoke([*reading, "-x", "c-header", str(folder / _NAME), "-o", str(folder / f"{_NAME}.gch")])

    try:
        kept = keep(f"headers-{digest}", read, lasting_folder())
    except CompilerError:
        return []
    return ["-include", str(kept / _NAME)]
