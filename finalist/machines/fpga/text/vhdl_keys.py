"""The key schedule on the chip, as VHDL."""

from __future__ import annotations

from collections.abc import Iterator

from finalist.machines.fpga.keys.unit import PORT
from finalist.machines.fpga.signals import KeyUnit, Signal
from finalist.machines.fpga.text.shared import Writer, last_step

_ZERO = " := (others => '0')"


def declarations(writer: Writer, unit: KeyUnit) -> list[str]:
    """Its registers."""
    own = writer.own
    lines = [f"    signal {own[name]} : std_logic := '0';" for name in ("expanding", "stepping")]
    kept = [unit.key, unit.turn, *(r.output for r in (*unit.rows, *unit.inner))]
    vectors = [(writer.name[signal], signal.width) for signal in kept]
    vectors.append((own["next_key_step"], unit.turn.width))
    if unit.clocks > 1:
        vectors.append((own["key_clock"], (unit.clocks - 1).bit_length()))
    lines += [f"    signal {name} : unsigned({width - 1} downto 0){_ZERO};" for name, width in vectors]
    flags = writer.flags.get(unit.turn, {}).items()
    return lines + [
        f'    signal {name} : unsigned(0 downto 0) := "{int(0 in flag.iterations)}";' for flag, name in flags
    ]


def control(writer: Writer, unit: KeyUnit) -> list[str]:
    """Which step it is, and whether there is one."""
    own, step = writer.own, writer.name[unit.turn]
    now = f"{own['expanding']} and not key_load"
    if unit.clocks > 1:
        last = binary(unit.clocks - 1, (unit.clocks - 1).bit_length())
        now += f" when {own['key_clock']} = {last} else '0'"
    return [
        f"    {own['stepping']} <= {now};",
        f"    {own['next_key_step']} <= (others => '0') when key_load = '1' else {step} + 1;",
    ]


def clocked(writer: Writer, unit: KeyUnit) -> list[str]:
    """The key taken in, a step taken, its words written to the round keys."""
    own, step = writer.own, writer.name[unit.turn]
    return [
        *_taken(writer, unit),
        f"            if key_load = '1' or {own['stepping']} = '1' then",
        f"                {step} <= {own['next_key_step']};",
        *(f"                {line}" for line in flags_of(writer, unit.turn, own["next_key_step"])),
        *(_clock(own["key_clock"]) if unit.clocks > 1 else []),
        "            end if;",
        *(f"            {writer.name[r.output]} <= {writer.operand(r.input)};" for r in unit.inner),
        f"            if {own['stepping']} = '1' then",
        *(f"                {writer.name[r.output]} <= {writer.operand(r.input)};" for r in unit.rows),
        f"                case {step} is",
        *_writes(writer, unit),
        "                end case;",
        "            end if;",
    ]


def _taken(writer: Writer, unit: KeyUnit) -> list[str]:
    """The key, and that round keys have to be made of it."""
    key, own, done = writer.name[unit.key], writer.own, writer.flag(unit.turn, last_step(unit))
    rest = f"{key}({unit.key.width - PORT - 1} downto 0) & " if unit.key.width > PORT else ""
    return [
        "            if key_load = '1' then",
        f"                {key} <= {rest}unsigned(key_word);",
        f"                {own['expanding']} <= '1';",
        f"            elsif {own['stepping']} = '1' and {done} = \"1\" then",
        f"                {own['expanding']} <= '0';",
        "            end if;",
    ]


def _clock(clock: str) -> list[str]:
    """Which clock of a step it is; the end of those for whom it begins anew."""
    return [
        f"                {clock} <= (others => '0');",
        "            else",
        f"                {clock} <= {clock} + 1;",
    ]


def flags_of(writer: Writer, turn: Signal, new: str) -> Iterator[str]:
    """What the flags of a turn take at the clock, which is a ``new`` one then."""
    for flag, name in writer.flags.get(turn, {}).items():
        equal = " or ".join(f"{new} = {binary(value, turn.width)}" for value in sorted(flag.iterations))
        yield f'if {equal} then {name} <= "1"; else {name} <= "0"; end if;'


def _writes(writer: Writer, unit: KeyUnit) -> Iterator[str]:
    """For each step the round keys that it makes."""
    for step, written in unit.writes_by_step():
        yield f"                    when {binary(step, unit.turn.width)} =>"
        for low, word in written:
            place = writer.bits("keys", writer.design.keys, low, word.width)
            yield f"                        {place} <= {writer.operand(word)};"
    yield "                    when others => null;"


def binary(value: int, width: int) -> str:
    """A word, bit by bit."""
    return f'"{value:0{width}b}"'
