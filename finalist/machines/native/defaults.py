"""Schedules that were found quickest on CPUs of a kind; what is compiled where no schedule is asked for.

`finalist tune --defaults` writes them. They are kept by a hash of the kernel, so they serve a definition
under any name, and none that differs in an operation.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from finalist.ir.graph import Graph
from finalist.ir.printer import format_graph
from finalist.machines.native import compiler
from finalist.schedule import Schedule, parse_schedule

_FILE = "defaults.json"
#: The vector unit of each kind of CPU that there may be defaults for, and the compiler's macro for it.
_UNITS = (("avx512", "__AVX512BW__"), ("avx2", "__AVX2__"), ("sse2", "__SSE2__"), ("neon", "__ARM_NEON"))


def unit() -> str:
    """The vector unit of this CPU; of the commonest desktop's where no compiler is there to ask."""
    if not compiler.available():
        return "avx2"
    return next((name for name, macro in _UNITS if not compiler.lacking((macro,))), "none")


def name_of(kernel: Graph) -> str:
    """What defaults of a kernel, as it was traced, are kept under."""
    return hashlib.sha256(format_graph(kernel).encode()).hexdigest()[:16]


def default(kernel: Graph) -> Schedule | None:
    """The schedule for a traced kernel on this CPU; None where none was ever sought."""
    known = _read().get(unit(), {})
    found = known.get(name_of(kernel)) if known else None
    return parse_schedule([found["schedule"]]) if found else None


@cache
def _read() -> Mapping[str, Mapping[str, Any]]:
    found: Mapping[str, Mapping[str, Any]] = json.loads(
        (files("finalist.machines.native") / "data" / _FILE).read_text("utf-8")
    )
    return found


def write(found: Mapping[str, tuple[str, str]], folder: Path | None = None) -> Path:
    """Keep defaults for CPUs like this one: by a kernel's name, what it is and its schedule."""
    path = (folder or Path(__file__).parent / "data") / _FILE
    document = json.loads(path.read_text("utf-8"))
    own = {name: {"cipher": cipher, "schedule": schedule} for name, (cipher, schedule) in found.items()}
    document[unit()] = document.get(unit(), {}) | own
    ordered = {
        kind: dict(sorted(entries.items(), key=lambda entry: entry[1]["cipher"]))
        for kind, entries in sorted(document.items())
    }
    path.write_text(json.dumps(ordered, indent=1) + "\n", "utf-8")
    return path
