"""What was found for built-in ciphers: `schedules.json`."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def schedules() -> dict[str, dict[str, Any]]:
    """What was found quickest for encryption with built-in ciphers, by name and level, or `one` for single
    blocks; of programs that are as quick the shortest.

    ``decrypt``: the schedule of decryption, where that is another one; ``least``: the blocks from which on it
    is quicker than one by one. By name also ``fill``, where shorter keys are the longest one, filled up: with
    ``zeros``, a ``one`` and zeros, or ``repeated``.
    """
    found: dict[str, dict[str, Any]] = json.loads(
        (files("finalist.export") / "data" / "schedules.json").read_text("utf-8")
    )
    return found
