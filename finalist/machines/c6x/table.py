"""The table of instructions: each form with its unit, operands, availability and encoding, from
``instructions.json``.

(Texas Instruments, TMS320C62x DSP CPU and Instruction Set, SPRU731, and TMS320C64x, SPRU732.)
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any


@dataclass(frozen=True, slots=True)
class Form:
    """One form of an instruction on one CPU.

    ``operands``: their kinds, in the order of the text; ``fields``: the lowest bit of each; ``code``: the
    other bits on side A without a cross path; ``side``, ``cross``, ``path``: the bits that change for side B,
    for an operand across, for a data register of side B.
    """

    unit: str
    operands: tuple[str, ...]
    code: int
    fields: tuple[int, ...]
    side: int
    cross: int | None
    path: int
    #: The lowest bit of each operand where one is across, if that is another.
    fields_across: tuple[int, ...]
    #: The one side that has it, if only one has.
    only: str


@lru_cache(maxsize=1)
def document() -> Mapping[str, Any]:
    """The whole document."""
    text = resources.files("finalist.machines.c6x").joinpath("instructions.json").read_text("utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


def forms(mnemonic: str, cpu: str) -> Iterator[Form]:
    """The forms of an instruction that a CPU has."""
    for one in _entry(mnemonic)["forms"]:
        if cpu in one["isa"] and "encoding" in one:
            encoding = one["encoding"].get(cpu) or one["encoding"]
            yield Form(
                one["unit"],
                tuple(one["operands"]),
                int(encoding["code"], 16),
                tuple(encoding["fields"]),
                int(encoding.get("side", "0"), 16),
                int(encoding["x"], 16) if "x" in encoding else None,
                int(encoding.get("t", "0"), 16),
                tuple(encoding.get("x_fields", encoding["fields"])),
                one.get("side", ""),
            )


def delay_slots(mnemonic: str) -> int:
    """Cycles between an instruction and the first that can read its result."""
    return int(_entry(mnemonic)["delay_slots"])


@lru_cache(maxsize=1)
def _entries() -> Mapping[str, Any]:
    return {one["mnemonic"]: one for one in document()["instructions"]}


def _entry(mnemonic: str) -> Any:
    return _entries()[mnemonic]
