"""Processors that issue in order and wait for what is not there yet: a program as C, and its cycles.

An instruction starts in the present cycle if what it reads is there, a unit is free, and no more than
``issue`` instructions have started; else the cycle ends. A word is there ``latency`` cycles after its
instruction started. In one cycle nothing is written twice, no access to memory follows a store, no bank is
read after it was written. A branch, taken or not, ends its cycle. (Fiskiran and Lee 2005, section 3.)

What a program does is that of its instructions one after the other; so each basic block is counted, and its
cycles follow from its instructions, and from what is still under way where it is entered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from finalist.isa.assembly.decoder import Decoded
from finalist.isa.simulate import runtime
from finalist.isa.simulate.render import Renderer, array_of
from finalist.isa.target.instruction import Effect
from finalist.isa.target.meaning import Flow, Term
from finalist.isa.target.processor import Processor

#: Words under way at the end of a block: register and cycles until it is there, counted from the next cycle.
Pending = tuple[tuple[int, int], ...]
#: The part of a program that an access to memory is in, and what the text notes of it: "lookup", "key", ...
Access = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Timed:
    """Cycles of a block and what is still under way after them."""

    cycles: int
    pending: Pending


def timed(code: Sequence[Decoded], processor: Processor, pending: Pending = ()) -> Timed:
    """The cycles of instructions that follow one another, entered with ``pending`` words under way."""
    issue = _Issue(processor, dict(pending))
    for one in code:
        issue.start(one)
    return issue.done()


class _Issue:
    def __init__(self, processor: Processor, ready: dict[int, int]) -> None:
        self.processor = processor
        self.ready = ready
        self.cycle = 0
        self._new_cycle()

    def _new_cycle(self) -> None:
        self.issued = 0
        self.used: dict[str, int] = {}
        self.written: set[int] = set()
        self.stored = False
        self.bank_written = False

    def start(self, one: Decoded) -> None:
        """Issues the instruction in the first cycle that it can."""
        while not self._fits(one):
            self.cycle += 1
            self._new_cycle()
        instruction = one.instruction
        self.issued += 1
        for resource in one.issue.way.resources:
            self.used[resource] = self.used.get(resource, 0) + 1
        for register in one.written:
            if register != self.processor.main.zero:
                self.written.add(register)
                self.ready[register] = self.cycle + instruction.latency
        self.stored |= instruction.effect == "store"
        self.bank_written |= instruction.effect == "write"
        if instruction.flow is not None or instruction.cycles > 1:
            self.cycle += instruction.cycles
            self._new_cycle()

    def _fits(self, one: Decoded) -> bool:
        instruction = one.instruction
        blocked = (self.stored and instruction.effect in ("load", "store")) or (
            self.bank_written and instruction.effect in ("read", "write")
        )
        return (
            self.issued < self.processor.issue
            and all(self.used.get(r, 0) < self.processor.unit_count(r) for r in one.issue.way.resources)
            and not blocked
            and self.written.isdisjoint(one.written)
            and all(self.ready.get(register, 0) <= self.cycle for register in one.read)
        )

    def done(self) -> Timed:
        """The last cycle is over, too."""
        cycles = self.cycle + (1 if self.issued else 0)
        left = {register: ready - cycles for register, ready in self.ready.items() if ready > cycles}
        return Timed(cycles, tuple(sorted(left.items())))


@dataclass(frozen=True, slots=True)
class Straight:
    """Instructions, by place, which are always executed one after the other."""

    places: tuple[int, ...]

    @property
    def first(self) -> int:
        """The place of the first."""
        return self.places[0]


def straight(code: Mapping[int, Decoded], entries: set[int], parts: Sequence[str]) -> list[Straight]:
    """The basic blocks of a program; each belongs to one part of it."""
    starts = {0, *entries}
    last = None
    for address, one in code.items():
        if one.instruction.flow is not None:
            starts.add(address + one.length)
            if one.target is not None:
                starts.add(one.target)
        if last is not None and parts[address] != parts[last]:
            starts.add(address)
        last = address
    found: list[list[int]] = []
    for address in code:
        if address in starts:
            found.append([])
        found[-1].append(address)
    return [Straight(tuple(places)) for places in found]


class Interlocked:
    """A program of such a processor. Counters are by basic block and by what is under way where it is
    entered.

    ``states``: what can be under way; ``nexts``: for a block and a state the next state.
    """

    def __init__(
        self,
        code: Mapping[int, Decoded],
        entries: set[int],
        parts: Sequence[str],
        processor: Processor,
        notes: Sequence[str] = (),
    ) -> None:
        self.code, self.processor, self.parts = code, processor, parts
        self.notes = notes or [""] * len(parts)
        self.blocks = straight(code, entries, parts)
        self.states: list[Pending] = [()]
        self.cycles: dict[tuple[int, int], int] = {}
        nexts: dict[tuple[int, int], int] = {}
        state = 0
        while state < len(self.states):
            for number, block in enumerate(self.blocks):
                found = timed([code[k] for k in block.places], processor, self.states[state])
                if found.pending not in self.states:
                    self.states.append(found.pending)
                self.cycles[number, state] = found.cycles
                nexts[number, state] = self.states.index(found.pending)
            state += 1
        count = len(self.states)
        self.nexts = [nexts[number, state] for number in range(len(self.blocks)) for state in range(count)]

    @cached_property
    def accesses(self) -> list[Access]:
        """The kinds of accesses to memory: by the part of the program, and what its text notes of them."""
        found = (address for address, one in self.code.items() if one.instruction.effect in ("load", "store"))
        return sorted(set(map(self._access, found)))

    def _access(self, address: int) -> Access:
        return self.parts[address], self.notes[address]

    @property
    def counters(self) -> int:
        """How many."""
        return len(self.blocks) * len(self.states)

    def counted(self, counters: Sequence[int]) -> Iterator[tuple[tuple[int, ...], int, int]]:
        """Instructions, by place, how often they were executed, and the cycles of all that."""
        states = len(self.states)
        for number, block in enumerate(self.blocks):
            for state in range(states):
                times = counters[number * states + state]
                if times:
                    yield block.places, times, times * self.cycles[number, state]

    def source(self, order: str) -> str:
        """The program as C."""
        renderer = Renderer(self.processor)
        lines = "\n".join(self._statements(renderer))
        table = ", ".join(map(str, self.nexts))
        return runtime.before(self.processor, order, renderer, len(self.accesses)) + _C.format(
            stack="" if self.processor.stack is None else f"    uint64_t sp = {self.processor.stack};\n",
            table=f"static const unsigned short next[] = {{{table}}};\n" if self._waits else "",
            registers=runtime.registers(self.processor),
            back=runtime.registers(self.processor, back=True),
            cases="\n".join(f"    case {block.first}: goto L{block.first};" for block in self.blocks),
            lines=lines,
        )

    @property
    def _waits(self) -> bool:
        """Whether something can be under way from block to block."""
        return len(self.states) > 1

    def _statements(self, renderer: Renderer) -> Iterator[str]:
        """Each instruction; where a block begins, it is counted."""
        leaders = {block.first: number for number, block in enumerate(self.blocks)}
        for address, one in self.code.items():
            if address in leaders:
                entry = f"{leaders[address] * len(self.states)} + state"
                yield f"L{address}:"
                yield f"    n[{entry}]++;"
                if self._waits:
                    yield f"    state = next[{entry}];"
                yield "    if (!left--) goto late;"
            if self.processor.cache and one.instruction.effect in ("load", "store"):
                yield f"    s->kind = {self.accesses.index(self._access(address))};"
            yield "    " + self._statement(one, address, renderer)

    def _statement(self, one: Decoded, address: int, renderer: Renderer) -> str:
        """What the instruction does: it reads, stores, writes registers, and goes on elsewhere."""
        lost = self._lost.get(address, ())
        effects = sorted((e for e in renderer.effects(one) if e.target not in lost), key=_rank)
        alone = len(effects) == 1
        read, changed = [], []
        for k, effect in enumerate(effects):
            word = _word(effect)
            value = "" if word is None else renderer.text(word)
            if value and not alone:
                read.append(f"__auto_type v{k} = {value};")
                value = f"v{k}"
            changed.append(self._effect(effect, value, one, address, renderer))
        text = " ".join([*read, *changed])
        condition = renderer.condition(one)
        return f"if ({condition}) {{ {text} }}" if condition else text if alone else f"{{ {text} }}"

    @cached_property
    def _lost(self) -> dict[int, set[str]]:
        """By instruction the condition codes that another one overwrites before anything reads them."""
        found: dict[int, set[str]] = {}
        if not any(map(self._is_status, self.processor.files)):
            return found
        for block in self.blocks:
            overwritten: set[str] = set()
            for address in reversed(block.places):
                one = self.code[address]
                written = {o.name: one.file(o.name) for o in one.instruction.operands if o.written}
                found[address] = {name for name, file in written.items() if file in overwritten}
                if not one.issue.condition:
                    overwritten |= {file for file in written.values() if self._is_status(file)}
                overwritten -= {one.file(o.name) for o in one.instruction.operands if o.read}
        return found

    def _is_status(self, file: str) -> bool:
        known = self.processor.file(file)
        return known.status and known.count == 1

    def _effect(self, effect: Effect, value: str, one: Decoded, address: int, renderer: Renderer) -> str:
        """A change; ``value``: the word written, or the condition, as C."""
        meaning = effect.value
        if effect.target:
            register = renderer.register(one, effect.target)
            return f"(void)({value});" if register == "0" else f"{register} = {value};"
        if not isinstance(meaning.op, Flow):
            return renderer.store(meaning)
        link = f"{array_of(renderer.first)}[{self.processor.link}]"
        if meaning.op is Flow.IDLE:
            return ";"
        if meaning.op is Flow.HALT:
            return "goto halt;"
        if self.processor.stack is not None and meaning.op in (Flow.CALL, Flow.RETURN):
            return self._stacked(meaning.op, one, address)
        if meaning.op is Flow.RETURN:
            return f"pc = (uint64_t){link}; goto dispatch;"
        if meaning.op is Flow.CALL:
            return f"{link} = {address + one.length}; goto L{one.target};"
        return f"if ({value}) goto L{one.target};"

    def _stacked(self, flow: Flow, one: Decoded, address: int) -> str:
        """A call or a return whose address is on the stack; what returns past the first is at its end."""
        base = self.processor.code
        if flow is Flow.CALL:
            there = base + address + one.length
            pushed = f"store8(s, sp--, {there & 0xFF}); store8(s, sp--, {there >> 8});"
            return f"{pushed} goto L{one.target};"
        pulled = f"pc = (uint64_t)load8(s, sp + 1) << 8 | load8(s, sp + 2); pc -= {base}; sp += 2;"
        return f"if (sp == {self.processor.stack}) goto halt; {pulled} goto dispatch;"


def _word(effect: Effect) -> Term | None:
    """The word that an effect is about: what a register gets, or the condition of a branch."""
    if effect.target:
        return effect.value
    return effect.value.args[0] if effect.value.op is Flow.BRANCH else None


def _rank(effect: Effect) -> int:
    """Stores come before registers change, and what changes the course of the program is the last."""
    return 1 if effect.target else 2 if isinstance(effect.value.op, Flow) else 0


_C = """
{table}
int finalist_run(struct state *s, uint8_t *memory, uint64_t limit, uint64_t *n, uint64_t pc, uint64_t left)
{{
    unsigned state = 0;
{stack}{registers}
    s->memory = memory;
    s->limit = limit;
    s->bad = 0;
    goto dispatch;
dispatch:
    switch (pc) {{
{cases}
    default: return 1;
    }}
{lines}
    return 1;
halt:
{back}
    return s->bad ? 1 : 0;
late:
    return 2;
}}
"""
