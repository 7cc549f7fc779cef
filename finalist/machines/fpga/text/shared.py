"""What writing Verilog and writing VHDL share: which signals get a name, and the order of statements."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar

from finalist.ir.graph import TableData
from finalist.ir.ops import Op
from finalist.machines.fpga.signals import Design, Flag, KeyUnit, Part, Signal
from finalist.machines.fpga.walks import in_order
from finalist.machines.fpga.wiring import is_wiring

#: Reserved in Verilog or VHDL, or ports of every design.
_TAKEN = frozenset(
    """abs access after alias all and architecture array assert assign attribute automatic begin block
    body buf bus case casex casez cell component config configuration constant deassign default defparam
    design disable disconnect downto edge else elsif end endcase endfunction endmodule entity event exit
    file for force forever fork function generate generic genvar group guarded if impure in inertial
    initial inout input inst integer is join label library linkage literal loop map mod module nand
    negedge new next nor not null of on open or others out output package parameter port posedge postponed
    primitive procedure process pure range real record reg register reject release rem repeat report
    return rol ror select severity shared signal signed sla sll sra srl string strong strength subtype
    supply table task then time to transport tri type unaffected units unsigned until use variable
    vectored wait wand when while wire with wor xnor xor clk reset start ready valid block_in block_out
    key_load key_word keys leaving returning next_turn decrypt""".split()  # noqa: SIM905 - as a list it fills a page
)


class Names:
    """Hands out names; case counts for nothing, as in VHDL."""

    def __init__(self) -> None:
        self._given = set(_TAKEN)
        self._last: dict[str, int] = {}

    def new(self, wish: str) -> str:
        """``wish``, or that with a number; a name that has a number already counts on from there."""
        stem = re.sub(r"_+", "_", re.sub(r"\W", "_", wish, flags=re.ASCII)).strip("_") or "t"
        stem = stem if stem[0].isalpha() else f"n{stem}"
        name, key = stem, stem.lower()
        number = self._last.get(key, 0)
        while name.lower() in self._given:
            number += 1
            name = f"{stem}_{number}"
        self._last[key] = number
        self._given.add(name.lower())
        return name


#: Bitwise operations that nobody else uses stand inside of larger expressions, up to so many characters.
_LONGEST = 72
_BITWISE = {Op.AND, Op.OR, Op.XOR, Op.NOT, Op.BOOL}
_SOURCES = {Part.INPUT, Part.FLAG, Part.KEY, Op.CONST}


class Writer(ABC):
    """A design's logic as statements of a language. ``declared`` collects (name, width)."""

    #: How the language writes operations of two operands, and what stands before a complement.
    signs: ClassVar[Mapping[Op | Part, str]]
    complement: ClassVar[str]

    def __init__(self, design: Design) -> None:
        self.design = design
        self.names = Names()
        self.name: dict[Signal, str] = {}
        self.tables: dict[TableData, str] = {}
        #: Those in block RAM.
        self.memories: dict[TableData, str] = {}
        self.declared: list[tuple[str, int]] = []
        ends = list(design.ends())
        self._uses = Counter(child for signal in in_order(ends) for child in signal.inputs)
        self._uses.update(ends)
        self._wired = {child for signal in in_order(ends) if signal.fixed for child in signal.inputs}
        self._wired |= {child for signal in in_order(ends) if is_sum(signal) for child in signal.inputs}
        self._selects = {signal.inputs[0] for signal in in_order(ends) if signal.op is Part.MUX}
        #: The flags of each turn, and their names.
        self.flags: dict[Signal, dict[Flag, str]] = {}
        self._flags = [signal for signal in in_order(ends) if signal.op is Part.FLAG]
        #: What the key schedule on the chip is run by.
        self.own: dict[str, str] = {}
        self._text: dict[Signal, str] = {}
        #: All round-key registers as one word.
        self.keys = Signal(Part.INPUT, (), max(1, design.keys))
        self.name[self.keys] = "keys"
        self._done: set[Signal] = set()

    # -- statements -----------------------------------------------------------------------------------

    def statements(self, ends: Sequence[Signal]) -> list[str]:
        """Lines for all signals that these need and that have not been written yet."""
        lines: list[str] = []
        for signal in in_order(ends):
            if signal in self._done or signal.op in _SOURCES:
                continue
            self._done.add(signal)
            if self._is_named(signal):
                lines += self._named(signal)
            else:
                self._text[signal] = self.expression(signal)
        return lines

    def _is_named(self, signal: Signal) -> bool:
        if signal.fixed and signal in self._selects:
            return not self._is_one_run(signal)
        if signal.fixed:
            return self._uses[signal] > 1 and signal.width > 1 and len(self.pieces(signal)) > 2
        if signal.op not in _BITWISE or self._uses[signal] > 1 or signal in self._wired:
            return True
        return sum(len(self.operand(child)) for child in signal.inputs) > _LONGEST

    def _named(self, signal: Signal) -> list[str]:
        name = self.name[signal] = self.names.new(signal.name or _stem(signal))
        self.declared.append((name, signal.width))
        return self.statement(name, signal)

    @abstractmethod
    def statement(self, name: str, signal: Signal) -> list[str]:
        """The statement that gives a named signal its value."""

    # -- expressions ----------------------------------------------------------------------------------

    def operand(self, signal: Signal) -> str:
        """The signal as an operand: a name, bits of one, a literal, or an expression in brackets."""
        if signal in self.name:
            return self.name[signal]
        if signal.op is Op.CONST:
            return self.literal(signal.attr, signal.width)
        if signal.op is Part.KEY:
            return self.bits("keys", self.design.keys, signal.attr, signal.width)
        if signal not in self._text:
            self._text[signal] = self.expression(signal)
        text = self._text[signal]
        return text if signal.fixed and self._is_one_run(signal) else self.bracketed(text, signal)

    def _is_one_run(self, signal: Signal) -> bool:
        return len(_runs([self.origin(signal, bit) for bit in range(signal.width)])) == 1

    def expression(self, signal: Signal) -> str:
        """The operation written out."""
        if signal.fixed:
            return self.concatenation(self.pieces(signal))
        inputs = [self.operand(child) for child in signal.inputs]
        if signal.op is Op.BOOL:
            return self.polynomial(signal.attr, inputs)
        return self.operation(signal, inputs)

    def pieces(self, signal: Signal) -> list[str]:
        """An arrangement of wires as bits of named words and literals side by side, highest first."""
        pieces = []
        for word, low, size in reversed(_runs([self._below(signal, bit) for bit in range(signal.width)])):
            if word is None:
                pieces.append(self.literal(low, size))
            else:
                pieces.append(self.bits(*self._vector(word), low, size))
        return pieces

    def _below(self, signal: Signal, bit: int) -> tuple[Signal | None, int]:
        source = _source(signal, bit)
        return (None, 0) if source is None else self.origin(*source)

    def origin(self, signal: Signal, bit: int) -> tuple[Signal | None, int]:
        """The (word, bit) that a bit is, the word having a name; (None, its value) for a constant."""
        while signal.fixed and signal not in self.name:
            source = _source(signal, bit)
            if source is None:
                return None, 0
            signal, bit = source
        if signal.op is Op.CONST:
            return None, signal.attr >> bit & 1
        return (self.keys, signal.attr + bit) if signal.op is Part.KEY else (signal, bit)

    def _vector(self, word: Signal) -> tuple[str, int]:
        """The name of a word and its width."""
        return self.name[word], word.width

    def bit(self, signal: Signal, bit: int) -> str:
        """One bit of a word."""
        word, place = self.origin(signal, bit)
        return self.literal(place, 1) if word is None else self.bits(*self._vector(word), place, 1)

    def sum_of(self, terms: Sequence[tuple[Signal, int]], plus: str) -> str:
        """Bits added; none are zero."""
        return plus.join(self.bit(*term) for term in terms) or self.literal(0, 1)

    def rows(self, signal: Signal) -> list[list[tuple[Signal, int]]]:
        """For each output bit of a linear map, the (word, bit) that meet in it."""
        found: list[list[tuple[Signal, int]]] = []
        for bit in range(signal.width):
            terms = [
                (word, position)
                for matrix, word in zip(signal.attr, signal.inputs, strict=True)
                for position, column in enumerate(matrix)
                if column >> bit & 1
            ]
            found.append(terms)
        return found

    def polynomial(self, truth: int, inputs: Sequence[str]) -> str:
        """A boolean function as the XOR of products of its inputs."""
        terms = []
        for product in range(1 << len(inputs)):
            points = [p for p in range(1 << len(inputs)) if p & product == p]
            if sum(truth >> p & 1 for p in points) & 1:
                terms.append([inputs[k] for k in range(len(inputs)) if product >> k & 1])
        return self.sum_of_products(terms)

    def flag(self, turn: Signal, flag: Flag) -> str:
        """The name of the register that says whether a turn is one of those of the flag."""
        own = self.flags.setdefault(turn, {})
        if flag not in own:
            (*_, last) = flag.iterations
            kind = f"is_{last}" if len(flag.iterations) == 1 else "choice"
            own[flag] = self.names.new(f"{turn.name}_{kind}" + f"_copy{flag.copy}" * (flag.copy > 0))
        return own[flag]

    def name_flags(self) -> None:
        """Names for all flags that the logic reads; the turns have theirs."""
        for signal in self._flags:
            self.name[signal] = self.flag(signal.inputs[0], signal.attr)

    def table(self, data: TableData) -> str:
        """The name of a table, which is written once."""
        if data not in self.tables:
            self.tables[data] = self.names.new(data.name)
        return self.tables[data]

    def memory(self, data: TableData) -> str:
        """The name of a table in block RAM, which is written once."""
        if data not in self.memories:
            self.memories[data] = self.names.new(data.name)
        return self.memories[data]

    def operation(self, signal: Signal, inputs: list[str]) -> str:
        """One operation on operands."""
        if signal.op in self.signs:
            return f"{inputs[0]} {self.signs[signal.op]} {inputs[1]}"
        return f"{self.complement}{inputs[0]}" if signal.op is Op.NOT else self.choice(signal, inputs)

    def sum_of_products(self, terms: list[list[str]]) -> str:
        """XOR of ANDs; the empty product complements."""
        both = f" {self.signs[Op.AND]} "
        products = [both.join(term) if len(term) == 1 else f"({both.join(term)})" for term in terms if term]
        text = f" {self.signs[Op.XOR]} ".join(products)
        return f"{self.complement}({text})" if [] in terms else text

    @abstractmethod
    def choice(self, signal: Signal, inputs: list[str]) -> str:
        """A choice, an entry of a table, or a comparison."""

    @abstractmethod
    def literal(self, value: int, width: int) -> str: ...
    @abstractmethod
    def bits(self, name: str, width: int, low: int, size: int) -> str: ...
    @abstractmethod
    def bracketed(self, text: str, signal: Signal) -> str: ...
    @abstractmethod
    def concatenation(self, pieces: list[str]) -> str: ...


def _stem(signal: Signal) -> str:
    return "t" if isinstance(signal.op, Part) else {Op.LOOKUP: "y", Op.LINEAR: "m"}.get(signal.op, "t")


def _source(signal: Signal, bit: int) -> tuple[Signal, int] | None:
    """Where a bit of an arrangement of wires comes from; None for zero."""
    word = signal.inputs[0]
    if signal.op is Op.JOIN:
        for part in signal.inputs:
            if bit < part.width:
                return part, bit
            bit -= part.width
    if signal.op is Op.SLICE:
        return word, signal.attr + bit
    if signal.op is Op.LINEAR:
        (matrix,) = signal.attr
        return next(((word, k) for k, column in enumerate(matrix) if column >> bit & 1), None)
    if signal.op is Op.ROL:
        return word, (bit - signal.inputs[1].attr) % signal.width
    if signal.op in (Op.SHL, Op.SHR):
        bit += signal.inputs[1].attr if signal.op is Op.SHR else -signal.inputs[1].attr
    return (word, bit) if 0 <= bit < word.width else None


def _runs(bits: Sequence[tuple[Signal | None, int]]) -> list[tuple[Signal | None, int, int]]:
    """Bits that stand side by side together: (word, lowest bit, how many); (None, value, how many)."""
    runs: list[tuple[Signal | None, int, int]] = []
    for word, bit in bits:
        if runs and runs[-1][0] is word:
            _, low, size = runs[-1]
            if word is None:
                runs[-1] = None, low | bit << size, size + 1
                continue
            if bit == low + size:
                runs[-1] = word, low, size + 1
                continue
        runs.append((word, bit, 1))
    return runs


def choices_of(mux: Signal) -> tuple[dict[int, list[int]], int]:
    """For each choice of a multiplexer the values that select it, and the choice that most values select."""
    by_choice: dict[int, list[int]] = {}
    for value, choice in enumerate(mux.attr):
        if choice is not None:
            by_choice.setdefault(choice, []).append(value)
    return by_choice, max(by_choice, key=lambda choice: len(by_choice[choice]))


def is_sum(signal: Signal) -> bool:
    """Whether a linear map adds bits, and does not only move them."""
    return signal.op is Op.LINEAR and not is_wiring(signal.op, signal.attr)


def name_registers(writer: Writer) -> None:
    """Names for what every design keeps: the port, turns, rows, the result."""
    design = writer.design
    writer.name[design.block_in] = "block_in"
    if design.decrypt:
        writer.name[design.decrypt] = "decrypt"
    for stage in design.stages:
        writer.name[stage.turn] = stage.turn.name = writer.names.new(stage.turn.name)
    if design.key_unit:
        name_key_unit(writer, design.key_unit)
    writer.name_flags()
    for stage in design.stages:
        for register in stage.registers:
            writer.name[register.output] = writer.names.new(register.output.name)
    for register in design.finish:
        writer.name[register.output] = writer.names.new(register.output.name)


def name_key_unit(writer: Writer, unit: KeyUnit) -> None:
    """Names for what a key schedule on the chip keeps, and is run by."""
    for signal in (unit.key, unit.turn, *(register.output for register in (*unit.rows, *unit.inner))):
        writer.name[signal] = writer.names.new(signal.name)
    unit.turn.name = writer.name[unit.turn]
    writer.own = {name: writer.names.new(name) for name in _KEY_CONTROL}


_KEY_CONTROL = ("expanding", "stepping", "key_clock", "next_key_step")


def last_step(unit: KeyUnit) -> Flag:
    """That a key schedule is at its last step."""
    return Flag(frozenset({unit.steps - 1}))


def key_logic(writer: Writer, unit: KeyUnit, comment: str) -> list[str]:
    """What a step of a key schedule on the chip computes; ``comment``: what one begins with."""
    return ["", f"    {comment} key schedule, {unit.steps} steps", *writer.statements(list(unit.ends()))]


def results(design: Design, place: int) -> list[Signal]:
    """What a stage computes: the row after it, and from the last one the result."""
    after = design.stages[(place + 1) % len(design.stages)]
    ends = [register.input for register in after.registers]
    if place + 1 == len(design.stages):
        ends = [s for s in ends if s.op is not Part.INPUT] + [register.input for register in design.finish]
    return ends
