"""The key schedule on the chip, as Verilog."""

from __future__ import annotations

from collections.abc import Iterator

from finalist.machines.fpga.keys.unit import PORT
from finalist.machines.fpga.signals import KeyUnit, Signal
from finalist.machines.fpga.text.shared import Writer, last_step


def declarations(writer: Writer, unit: KeyUnit) -> list[str]:
    """Its registers."""
    own, phases = writer.own, (unit.clocks - 1).bit_length()
    lines = [f"    reg {own['expanding']} = 1'b0;"]
    if phases:
        lines.append(f"    reg {range_of(phases)}{own['key_clock']} = {phases}'d0;")
    kept = [unit.key, unit.turn, *(r.output for r in (*unit.rows, *unit.inner))]
    lines += [f"    reg {range_of(s.width)}{writer.name[s]} = {s.width}'h0;" for s in kept]
    flags = writer.flags.get(unit.turn, {}).items()
    return lines + [f"    reg {name} = 1'b{int(0 in flag.iterations)};" for flag, name in flags]


def control(writer: Writer, unit: KeyUnit) -> list[str]:
    """Which step it is, and whether there is one."""
    own, step, width = writer.own, writer.name[unit.turn], unit.turn.width
    due = f" && {own['key_clock']} == {_number(unit.clocks - 1, unit.clocks)}" if unit.clocks > 1 else ""
    return [
        f"    wire {own['stepping']} = {own['expanding']} && !key_load{due};",
        f"    wire {range_of(width)}{own['next_key_step']} = key_load ? {width}'d0 : {step} + {width}'d1;",
    ]


def clocked(writer: Writer, unit: KeyUnit) -> list[str]:
    """The key taken in, a step taken, its words written to the round keys."""
    again = f"key_load || {writer.own['stepping']}"
    return [
        *_taken(writer, unit),
        *(_clock(writer, unit, again) if unit.clocks > 1 else []),
        f"        if ({again}) begin",
        f"            {writer.name[unit.turn]} <= {writer.own['next_key_step']};",
        *(f"            {line}" for line in flags_of(writer, unit.turn, writer.own["next_key_step"])),
        "        end",
        *(f"        {writer.name[r.output]} <= {writer.operand(r.input)};" for r in unit.inner),
        f"        if ({writer.own['stepping']}) begin",
        *(f"            {writer.name[r.output]} <= {writer.operand(r.input)};" for r in unit.rows),
        f"            case ({writer.name[unit.turn]})",
        *_writes(writer, unit),
        "            endcase",
        "        end",
    ]


def _taken(writer: Writer, unit: KeyUnit) -> list[str]:
    """The key, and that round keys have to be made of it."""
    key, own, done = writer.name[unit.key], writer.own, writer.flag(unit.turn, last_step(unit))
    rest = f"{{{key}[{unit.key.width - PORT - 1}:0], key_word}}" if unit.key.width > PORT else "key_word"
    return [
        f"        if (key_load) {key} <= {rest};",
        f"        if (key_load) {own['expanding']} <= 1'b1;",
        f"        else if ({own['stepping']} && {done}) {own['expanding']} <= 1'b0;",
    ]


def _clock(writer: Writer, unit: KeyUnit, again: str) -> list[str]:
    """Which clock of a step it is."""
    zero, one = (_number(value, unit.clocks) for value in (0, 1))
    clock = writer.own["key_clock"]
    return [f"        {clock} <= {again} ? {zero} : {clock} + {one};"]


def flags_of(writer: Writer, turn: Signal, new: str) -> Iterator[str]:
    """What the flags of a turn take at the clock, which is a ``new`` one then."""
    for flag, name in writer.flags.get(turn, {}).items():
        equal = " || ".join(f"{new} == {_of(turn, value)}" for value in sorted(flag.iterations))
        yield f"{name} <= {equal};"


def _writes(writer: Writer, unit: KeyUnit) -> Iterator[str]:
    """For each step the round keys that it makes."""
    for step, written in unit.writes_by_step():
        yield f"                {_of(unit.turn, step)}: begin"
        for low, word in written:
            place = writer.bits("keys", writer.design.keys, low, word.width)
            yield f"                    {place} <= {writer.operand(word)};"
        yield "                end"
    yield "                default: ;"


def _of(turn: Signal, value: int) -> str:
    return f"{turn.width}'d{value}"


def _number(value: int, clocks: int) -> str:
    return f"{(clocks - 1).bit_length()}'d{value}"


def range_of(width: int) -> str:
    """The declaration of a word's bits."""
    return f"[{width - 1}:0] " if width > 1 else ""
