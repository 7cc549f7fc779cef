"""Faults planted in emitted assembly: one line changed, one bit of a table, or what one key in 2^64 shows."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from finalist.isa.simulate.run import SimulatedProgram

#: By name what a fault makes of a line; None where the line has no place for it.
Fault = Callable[[str, random.Random], str | None]
_REGISTERS = re.compile(r"\b[rAB]\d+\b")


def _bit_of_a_table(line: str, source: random.Random) -> str | None:
    if not line.strip().startswith(".values"):
        return None
    head, *values = line.split()
    place = source.randrange(len(values))
    values[place] = str(int(values[place], 0) ^ 1 << source.randrange(8))
    return " ".join([head, *values])


def _swapped_operands(line: str, source: random.Random) -> str | None:
    match = re.match(r"(\s+sub )(r\d+), (r\d+), (r\d+)(.*)", line)
    if match is None or match[3] == match[4]:
        return None
    return f"{match[1]}{match[2]}, {match[4]}, {match[3]}{match[5]}"


def _rotation_off_by_one(line: str, source: random.Random) -> str | None:
    match = re.match(r"(\s+(?:rotri|slli|srli) r\d+, r\d+, )(\d+)(.*)", line)
    return None if match is None else f"{match[1]}{(int(match[2]) + 1) % 32}{match[3]}"


def _dropped_carry(line: str, source: random.Random) -> str | None:
    return line.replace(" add ", " xor ", 1) if re.match(r"\s+add r\d+, r[1-9]\d*, r[1-9]\d*", line) else None


def _another_gate(line: str, source: random.Random) -> str | None:
    return line.replace(" xor ", " or ", 1) if re.match(r"\s+xor r\d+, r[1-9]\d*, r[1-9]\d*", line) else None


def _stale_register(line: str, source: random.Random) -> str | None:
    match = re.match(r"(\s+(?:xor|add|mul\.lo|and|or) r\d+, r\d+, )(r\d+)(.*)", line)
    if match is None or match[2] == "r0":
        return None
    others = [f"r{k}" for k in range(1, 32) if f"r{k}" != match[2]]
    return f"{match[1]}{source.choice(others)}{match[3]}"


def _lost_store(line: str, source: random.Random) -> str | None:
    return "" if re.match(r"\s+store\.", line) else None


def _missing_predicate(line: str, source: random.Random) -> str | None:
    match = re.match(r"(\s+)\[!?[AB]\d+\] (.*)", line)
    return None if match is None else match[1] + match[2]


FAULTS: dict[str, Fault] = {
    "a bit of a table": _bit_of_a_table,
    "swapped operands": _swapped_operands,
    "a rotation off by one": _rotation_off_by_one,
    "a dropped carry": _dropped_carry,
    "another gate": _another_gate,
    "a stale register": _stale_register,
    "a lost store": _lost_store,
    "a missing predicate": _missing_predicate,
}


def planted(program: SimulatedProgram, name: str, seed: int) -> SimulatedProgram | None:
    """The program with a fault of a kind somewhere; None where it has no place for one."""
    source = random.Random(f"{name} {seed}")
    lines = program.text.splitlines()
    places = [k for k, line in enumerate(lines) if FAULTS[name](line, random.Random(0)) is not None]
    if not places:
        return None
    place = source.choice(places)
    changed = FAULTS[name](lines[place], source)
    assert changed is not None
    lines[place] = changed
    return with_text(program, "\n".join(lines) + "\n")


def rare(good: SimulatedProgram, seed: int) -> tuple[SimulatedProgram, bytes]:
    """A program that gives a wrong first word where two words of the key have one value each: for one key in
    2^64; with such a key, 0 in all its other bytes."""
    source = random.Random(f"rare {seed}")
    first, second = source.sample(range(0, 16, 4), 2)
    values = source.randrange(1, 8192), source.randrange(1, 8192)
    key, data = (good.image.places[name].address for name in ("key", "data"))
    stop = "".join(
        [
            f"    load.32 r1, {key + first}(r0)\n    load.32 r2, {key + second}(r0)\n",
            f"    xori r1, r1, {values[0]}\n    xori r2, r2, {values[1]}\n    or r1, r1, r2\n",
            "    sub r2, r0, r1\n    or r1, r1, r2\n    srli r1, r1, 31\n    xori r1, r1, 1\n",
            f"    loadi r3, {data >> 10}\n    slli r3, r3, 10\n",
            "    load.32 r2, 0(r3)\n    xor r2, r2, r1\n    store.32 r2, 0(r3)\n    trap",
        ]
    )
    head, _, tail = good.text.rpartition("    trap")
    at = bytearray(16)
    for place, value in zip((first, second), values, strict=True):
        at[place : place + 4] = value.to_bytes(4, good.image.order)
    return with_text(good, head + stop + tail), bytes(at)


def with_text(program: SimulatedProgram, text: str) -> SimulatedProgram:
    """The program with another text."""
    return SimulatedProgram(
        program.program, program.schedule, program.processor, text, program.blocks, program.parts
    )
