"""A design as VHDL of 1993 or 2008; every signal of more than a bit is an ``unsigned`` of fixed width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.machines.fpga.keys.unit import PORT
from finalist.machines.fpga.signals import Design, Flag, Part, Register, Signal
from finalist.machines.fpga.text import vhdl_keys
from finalist.machines.fpga.text.shared import Writer, choices_of, key_logic, name_registers, results
from finalist.machines.fpga.text.vhdl_keys import binary


class Vhdl(Writer):
    """Statements of VHDL."""

    signs: ClassVar = {Op.AND: "and", Op.OR: "or", Op.XOR: "xor", Op.ADD: "+", Op.SUB: "-"}
    complement = "not "

    def statement(self, name: str, signal: Signal) -> list[str]:
        """A concurrent assignment; selected for a multiplexer, conditional for a choice."""
        if signal.op is Part.MUX:
            return self._mux(name, signal)
        if signal.op is Op.LINEAR and not signal.fixed:
            return [
                f"    {name}({bit} downto {bit}) <= {self.sum_of(terms, ' xor ')};"
                for bit, terms in enumerate(self.rows(signal))
            ]
        return [f"    {name} <= {self.expression(signal)};"]

    def _mux(self, name: str, signal: Signal) -> list[str]:
        select, *choices = signal.inputs
        by_choice, most = choices_of(signal)
        lines = [f"    with {self.operand(select)} select {name} <="]
        for choice, values in by_choice.items():
            if choice != most:
                when = " | ".join(binary(value, select.width) for value in values)
                lines.append(f"        {self.operand(choices[choice])} when {when},")
        return [*lines, f"        {self.operand(choices[most])} when others;"]

    def literal(self, value: int, width: int) -> str:
        """A string of digits, of four bits each where that is possible."""
        return f'x"{value:0{width // 4}x}"' if width % 4 == 0 else binary(value, width)

    def bits(self, name: str, width: int, low: int, size: int) -> str:
        """Bits of a named vector, or all of it."""
        return name if size == width else f"{name}({low + size - 1} downto {low})"

    def bracketed(self, text: str, signal: Signal) -> str:
        """Every expression in another has brackets."""
        return f"({text})"

    def concatenation(self, pieces: list[str]) -> str:
        """Side by side, highest first."""
        return " & ".join(pieces)

    def choice(self, signal: Signal, inputs: list[str]) -> str:
        """A choice, an entry of a table, or a comparison."""
        op = signal.op
        if op is Op.SELECT:
            return f'{inputs[1]} when {inputs[0]} = "1" else {inputs[2]}'
        if op is Op.LOOKUP:
            return f"{self.table(signal.attr)}(to_integer({inputs[0]}))"
        assert op in (Op.EQ, Op.LT), op
        return f'"1" when {inputs[0]} {"=" if op is Op.EQ else "<"} {inputs[1]} else "0"'


def emit(design: Design, name: str, header: Sequence[str]) -> str:
    """The whole file: one entity of that name, and its architecture ``rtl``."""
    writer = Vhdl(design)
    body = _body(writer)
    lines = [*(f"-- {line}".rstrip() for line in header), "", *_entity(design, name), ""]
    lines.append(f"architecture rtl of {name} is")
    for table, called in (*writer.tables.items(), *writer.memories.items()):
        lines += _table(table, called)
    lines += [*_declarations(writer), "begin", *body, "end architecture;", ""]
    return "\n".join(lines)


def _entity(design: Design, name: str) -> list[str]:
    top = design.block_bits - 1
    return [
        "library ieee;",
        "use ieee.std_logic_1164.all;",
        "use ieee.numeric_std.all;",
        "",
        f"entity {name} is",
        "    port (",
        "        clk       : in  std_logic;",
        "        reset     : in  std_logic;",
        "        key_load  : in  std_logic;",
        f"        key_word  : in  std_logic_vector({PORT - 1} downto 0);",
        "        start     : in  std_logic;",
        f"        block_in  : in  std_logic_vector({top} downto 0);",
        *(["        decrypt   : in  std_logic;"] if design.decrypt else []),
        "        ready     : out std_logic;",
        "        valid     : out std_logic;",
        f"        block_out : out std_logic_vector({top} downto 0)",
        "    );",
        "end entity;",
    ]


def _table(table: TableData, name: str) -> list[str]:
    """A table as an array of constants."""
    last = len(table.values) - 1
    whole = table.width % 4 == 0
    items = [
        f'x"{value:0{table.width // 4}x}"' if whole else binary(value, table.width) for value in table.values
    ]
    each = max(1, 96 // (len(items[0]) + 2))
    rows = [", ".join(items[k : k + each]) for k in range(0, len(items), each)]
    return [
        f"    type {name}_table is array (0 to {last}) of unsigned({table.width - 1} downto 0);",
        f"    constant {name} : {name}_table := (",
        *(f"        {row}," for row in rows[:-1]),
        f"        {rows[-1]});",
    ]


def _vector(name: str, width: int, start: str = "") -> str:
    return f"    signal {name} : unsigned({width - 1} downto 0){start};"


def _declarations(writer: Vhdl) -> list[str]:
    design = writer.design
    zero = " := (others => '0')"
    lines = [_vector("block_word", design.block_bits)]
    if design.keys:
        lines.append(_vector("keys", design.keys, zero))
    bits = ["leaving", "ready_now", *(["returning"] if design.turns > 1 else [])]
    bits += [f"valid{place}" for place in range(len(design.stages))]
    lines += [f"    signal {bit} : std_logic := '0';" for bit in bits]
    if design.key_unit:
        lines += vhdl_keys.declarations(writer, design.key_unit)
    rows = [register.output for stage in design.stages for register in stage.registers]
    rows += [register.output for register in design.finish]
    if design.decrypt:
        lines.append(_vector(writer.name[design.decrypt], 1))
    if design.turned:
        lines.append(_vector("next_turn", design.stages[0].turn.width))
        rows += [stage.turn for stage in design.stages]
        own_turn = design.key_unit.turn if design.key_unit else None
        for own in (own for turn, own in writer.flags.items() if turn is not own_turn):
            lines += [_vector(name, 1, f' := "{int(0 in flag.iterations)}"') for flag, name in own.items()]
    lines += [_vector(writer.name[signal], signal.width, zero) for signal in rows]
    copies = [writer.name[r.output] for stage in design.stages for r in stage.registers if r.keep]
    copies += [name for own in writer.flags.values() for flag, name in own.items() if flag.copy]
    lines += ["    attribute keep : string;"] if copies else []
    lines += [f'    attribute keep of {name} : signal is "true";' for name in copies]
    return lines + [_vector(name, width) for name, width in writer.declared]


def _body(writer: Vhdl) -> list[str]:
    design = writer.design
    name_registers(writer)
    writer.name[design.block_in] = writer.names.new("block_word")
    lines = ["    block_word <= unsigned(block_in);"]
    if design.decrypt:
        writer.name[design.decrypt] = writer.names.new("decrypting")
        lines.append(f"    {writer.name[design.decrypt]}(0) <= decrypt;")
    lines += _control(writer)
    lines += ["", "    -- a new block", *writer.statements(design.load)]
    for place, stage in enumerate(design.stages):
        lines += ["", f"    -- stage {place}: {stage.title}"]
        lines += writer.statements(results(design, place))
    if design.key_unit:
        lines += key_logic(writer, design.key_unit, "--")
    lines += ["", "    -- the result", *writer.statements([design.block_out])]
    whole = (
        writer.expression(design.block_out) if design.block_out.fixed else writer.operand(design.block_out)
    )
    lines += [f"    block_out <= std_logic_vector(unsigned'({whole}));", "", *_clocked(writer)]
    return lines


def _control(writer: Vhdl) -> list[str]:
    design = writer.design
    last, free = len(design.stages) - 1, "not key_load"
    if design.key_unit:
        free += f" and not {writer.own['expanding']}"
    if design.turns == 1:
        lines = [f"    leaving <= valid{last};", f"    ready_now <= {free};"]
        lines += ["    next_turn(0) <= decrypt;"] if design.decrypt else []
    else:
        turn = design.stages[-1].turn
        done = writer.flag(turn, Flag(design.last_turns))
        none = f'decrypt & "{0:0{turn.width - 1}b}"' if design.decrypt else "(others => '0')"
        lines = [
            f"    leaving <= valid{last} and {done}(0);",
            f"    returning <= valid{last} and not {done}(0);",
            f"    next_turn <= {turn.name} + 1 when returning = '1' else {none};",
            f"    ready_now <= not returning and {free};",
        ]
    if design.key_unit:
        lines = [*vhdl_keys.control(writer, design.key_unit), *lines]
    return [*lines, "    ready <= ready_now;"]


def _clocked(writer: Vhdl) -> list[str]:
    design = writer.design
    lines = ["    process (clk)", "    begin", "        if rising_edge(clk) then"]
    if design.key_unit:
        lines += vhdl_keys.clocked(writer, design.key_unit)
    elif design.keys:
        rest = f" & keys({design.keys - 1} downto {PORT})" if design.keys > PORT else ""
        lines.append(f"            if key_load = '1' then keys <= unsigned(key_word){rest}; end if;")
    for place in range(len(design.stages)):
        back = " or returning" if design.turns > 1 else ""
        before = f"((start and ready_now){back})" if place == 0 else f"valid{place - 1}"
        lines.append(f"            valid{place} <= {before} and not reset and not key_load;")
        lines += _row(writer, place)
    lines.append("            valid <= leaving and not reset and not key_load;")
    results_row = [f"{writer.name[r.output]} <= {writer.operand(r.input)};" for r in design.finish]
    if design.turns > 1:
        lines += ["            if leaving = '1' then", *(f"                {row}" for row in results_row)]
        lines.append("            end if;")
    else:
        lines += [f"            {row}" for row in results_row]
    return [*lines, "        end if;", "    end process;"]


def _turn(writer: Vhdl, place: int, new: str) -> list[str]:
    """A stage's turn, and its flags."""
    turn = writer.design.stages[place].turn
    return [f"{turn.name} <= {new};", *vhdl_keys.flags_of(writer, turn, new)]


def _taken(writer: Vhdl, register: Register, value: Signal) -> str:
    """What a register takes at the clock, or the entry of its table at that address."""
    text = writer.operand(value)
    if register.table is not None:
        text = f"{writer.memory(register.table)}(to_integer({text}))"
    return f"{writer.name[register.output]} <= {text};"


def _row(writer: Vhdl, place: int) -> list[str]:
    design = writer.design
    stage = design.stages[place]
    kept = [_taken(writer, r, r.input) for r in stage.registers]
    fresh = (
        kept if place else [_taken(writer, *one) for one in zip(stage.registers, design.load, strict=True)]
    )
    new_turn = design.stages[place - 1].turn.name if place else "next_turn"
    turn = _turn(writer, place, new_turn) if design.turned else []
    if place or design.turns == 1:
        return [f"            {row}" for row in (*turn, *fresh)]
    return [
        *(f"            {row}" for row in turn),
        "            if returning = '1' then",
        *(f"                {row}" for row in kept),
        "            else",
        *(f"                {row}" for row in fresh),
        "            end if;",
    ]
