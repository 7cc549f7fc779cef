"""C identifiers after the names that a definition uses."""

from __future__ import annotations

import re
from collections.abc import Iterable

from finalist.names import unused

_KEYWORDS = frozenset(
    """asm auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef typeof union
    unsigned void volatile while""".split()  # noqa: SIM905 - as a list it fills half a page
)


def c_name(text: str) -> str:
    """A C identifier after any name."""
    return re.sub(r"\W", "_", text, flags=re.ASCII).lower().lstrip("0123456789_") or "cipher"


def field_names(names: Iterable[str]) -> list[str]:
    """C identifiers after the names that the definition has for the parts of its key."""
    made: list[str] = []
    for name in names:
        stem = re.sub(r"\W", "_", name, flags=re.ASCII)
        stem = f"key_{stem}" if stem in _KEYWORDS or not stem.isidentifier() else stem
        made.append(unused(stem, made))
    return made
