"""Processors whose pipeline shows: results arrive later, branches are under way while other instructions
issue.

In each cycle a packet is executed: instructions that say that they are issued together. All of them read what
registers and memory are at its beginning. A word can be read ``latency`` cycles later; until then every
reader sees the old one. A branch is carried out ``latency`` cycles later, several can be under way. (As on
TI's C6000; TMS320C6000 CPU and Instruction Set Reference Guide, SPRU189, chapter 5.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from finalist.isa.assembly.decoder import Decoded
from finalist.isa.simulate import runtime
from finalist.isa.simulate.render import Renderer, array_of, type_of
from finalist.isa.target.instruction import Effect
from finalist.isa.target.meaning import Flow, Term
from finalist.isa.target.processor import Processor

#: Of a packet: how often it was executed, cycles, those in which a word was waited for, and a bank.
_COUNTERS = 4


class Exposed:
    """A program of such a processor. Counters are by packet: how often it was executed, and its cycles."""

    def __init__(
        self, code: Mapping[int, Decoded], entries: set[int], parts: Sequence[str], processor: Processor
    ) -> None:
        self.code, self.processor, self.parts = code, processor, parts
        self.packets = list(packets(code))
        latencies = [
            e.latency for one in code.values() for _, effects in one.instruction.forms for e in effects
        ]
        #: Cycles that the longest result takes, rounded up to a power of two.
        self.depth = 1 << max(latencies, default=1).bit_length()

    @property
    def counters(self) -> int:
        """How many."""
        return _COUNTERS * len(self.packets)

    def counted(self, counters: Sequence[int]) -> Iterator[tuple[tuple[int, ...], int, int]]:
        """Instructions, by place, how often they were executed, and the cycles of all that."""
        for number, places in enumerate(self.packets):
            times, cycles, waits, conflicts = counters[_COUNTERS * number : _COUNTERS * (number + 1)]
            if times:
                yield places, times, cycles + waits + conflicts

    def stalls(self, counters: Sequence[int]) -> Iterator[tuple[tuple[int, ...], int, int]]:
        """Instructions, by place, and the cycles among theirs in which everything waited: for a word, and for
        a bank of memory."""
        for number, places in enumerate(self.packets):
            waits, conflicts = counters[_COUNTERS * number + 2 : _COUNTERS * (number + 1)]
            if waits or conflicts:
                yield places, waits, conflicts

    def source(self, order: str) -> str:
        """The program as C."""
        renderer = Renderer(self.processor)
        cases = "\n".join(
            self._packet(number, places, renderer) for number, places in enumerate(self.packets)
        )
        files = self.processor.files
        return runtime.before(self.processor, order, renderer) + _C.format(
            depth=self.depth,
            kind=type_of(max(file.width for file in files.values())),
            most=self.processor.issue * 2 * self.depth,
            collide=runtime.collide(self.processor),
            registers=runtime.registers(self.processor),
            back=runtime.registers(self.processor, back=True),
            stamps="\n".join(
                f"    uint64_t stamp_{name}[{f.count}] = {{0}}, made_{name}[{f.count}] = {{0}};"
                for name, f in files.items()
            ),
            commits="\n".join(
                f"            case {k}: if (stamp_{name}[w.number] == cycle) return 3; "
                f"stamp_{name}[w.number] = cycle; {array_of(name)}[w.number] = w.value; "
                f"if (!w.loaded) made_{name}[w.number] = cycle; break;"
                for k, name in enumerate(files)
            ),
            cases=cases,
        )

    def _packet(self, number: int, places: tuple[int, ...], renderer: Renderer) -> str:
        """A packet: all that it reads, then all that it changes."""
        read: list[str] = []
        changed: list[tuple[bool, str]] = []
        idle = 1
        for place in places:
            one = self.code[place]
            condition, met = renderer.condition(one), _met(one, place)
            read += [f"int {met} = {condition};"] if condition else []
            read += [f"if ({met} && {text}) return 6;" for text in self._undefined(one, renderer)]
            idle = max(idle, one.instruction.cycles)
            for k, effect in enumerate(renderer.effects(one)):
                name = f"v{place}_{k}"
                before, after = self._effect(effect, one, name, met, renderer)
                read += [before] if before else []
                changed.append(
                    (effect.value.op is Flow.HALT, f"if ({met}) {{ {after} }}" if condition else after)
                )
        last = self.code[places[-1]]
        read += self._conflicts(places, renderer)
        lines = [*read, *(text for _, text in sorted(changed)), f"pc = {places[-1] + last.length};"]
        if idle > 1:
            lines.append(f"idle = {idle - 1};")
        late = " || ".join(text for place in places for text in self._waits(self.code[place]))
        first = [f"now = {_COUNTERS * number}; n[now]++; n[now + 1]++;"]
        lines = [*first, *([f"if ({late}) n[now + 2]++;"] if late else []), *lines, "break;"]
        return "\n        ".join([f"    case {places[0]}: {{", *lines]) + "\n    }"

    def _undefined(self, one: Decoded, renderer: Renderer) -> Iterator[str]:
        """Conditions under which it is not defined what an instruction does."""
        for name, most in one.instruction.below.items():
            yield f"{renderer.register(one, name)} >= {most}"

    def _waits(self, one: Decoded) -> Iterator[str]:
        """Conditions under which everything waits a cycle: a word is read over a path from the other side
        that was made in the cycle before, and not loaded."""
        if not self.processor.across or not set(one.issue.way.paths) & self.processor.paths:
            return
        for file, number in one.across():
            yield f"made_{file}[{number}] == cycle"

    def _conflicts(self, places: Sequence[int], renderer: Renderer) -> Iterator[str]:
        """Cycles in which all wait since accesses to memory meet in a bank."""
        accesses = [
            (place, f"(uint64_t)({renderer.text(at)})", size)
            for place in places
            if self.processor.interleaved
            for effect in renderer.effects(self.code[place])
            for at, size in effect.value.accesses()
        ]
        for (place, at, size), (other, there, long) in combinations(accesses, 2):
            both = " && ".join(_met(self.code[place], place) for place in (place, other))
            yield f"if ({both} && collide({at}, {size}, {there}, {long})) n[now + 3]++;"

    def _effect(
        self, effect: Effect, one: Decoded, name: str, met: str, renderer: Renderer
    ) -> tuple[str, str]:
        """What is computed at the beginning of the cycle, and what is then done; where a condition is not
        ``met``, memory is not read."""
        meaning = effect.value
        if effect.target:
            file = one.file(effect.target) or renderer.first
            number = one.values[effect.target]
            if number == self.processor.files[file].zero:
                return "", ""
            place = list(self.processor.files).index(file)
            loaded = int(one.instruction.effect == "load")
            put = f"put(cycle + {effect.latency}, {place}, {number}, {name}, {loaded});"
            text = renderer.text(meaning)
            if one.issue.condition and one.instruction.effect == "load":
                text = f"{met} ? {text} : 0"
            return f"__auto_type {name} = {text};", put
        if meaning.op is Flow.IDLE:
            return "", ""
        if meaning.op is Flow.HALT:
            return "", "goto halt;" if effect.latency == 1 else f"GO({effect.latency}, END);"
        if isinstance(meaning.op, Flow):
            condition = renderer.text(meaning.args[0])
            return f"int {name} = ({condition}) != 0;", f"if ({name}) GO({effect.latency}, {one.target});"
        return self._store(meaning.args, meaning.attr, name, renderer)

    def _store(self, args: Sequence[Term], size: int, name: str, renderer: Renderer) -> tuple[str, str]:
        place, value = (renderer.text(arg) for arg in args)
        before = f"uint64_t {name}_at = {place}; __auto_type {name} = {value};"
        return before, f"store{8 * size}(s, {name}_at, {name});"


def _met(one: Decoded, place: int) -> str:
    """Whether an instruction's condition holds: a variable, or 1 where it has none."""
    return f"c{place}" if one.issue.condition else "1"


def packets(code: Mapping[int, Decoded]) -> Iterator[tuple[int, ...]]:
    """The places of instructions that are issued together."""
    together: list[int] = []
    for place, one in code.items():
        together.append(place)
        if not one.chained:
            yield tuple(together)
            together = []
    if together:
        yield tuple(together)


_C = """
{collide}
struct word {{ {kind} value; unsigned char file, loaded; unsigned short number; }};
static struct {{ struct word ring[{depth}][{most}]; unsigned waiting[{depth}]; }} queue;
static void put(uint64_t when, unsigned char file, unsigned short number, {kind} value, unsigned char loaded)
{{
    unsigned at = when % {depth};
    queue.ring[at][queue.waiting[at]++] = (struct word){{value, file, loaded, number}};
}}
int finalist_run(struct state *s, uint8_t *memory, uint64_t limit, uint64_t *n, uint64_t pc, uint64_t left)
{{
{registers}
{stamps}
    unsigned going[{depth}] = {{0}}, idle = 0;
    uint64_t to[{depth}], cycle = 1, now = 0;
    s->memory = memory;
    s->limit = limit;
    s->bad = 0;
    memset(queue.waiting, 0, sizeof queue.waiting);
#define GO(later, where) do {{ unsigned at = (cycle + (later)) % {depth}; \\
    if (going[at]++) return 4; to[at] = (where); }} while (0)
#define END UINT64_MAX
    for (;; cycle++) {{
        unsigned slot = cycle % {depth};
        for (unsigned k = 0; k < queue.waiting[slot]; k++) {{
            struct word w = queue.ring[slot][k];
            switch (w.file) {{
{commits}
            }}
        }}
        queue.waiting[slot] = 0;
        if (going[slot]) {{
            pc = to[slot];
            going[slot] = idle = 0;
            if (pc == END) goto halt;
        }}
        if (!left--) return 2;
        if (s->bad) return 1;
        if (idle) {{
            idle--;
            n[now + 1]++;
            continue;
        }}
        switch (pc) {{
{cases}
        default: s->fault = pc; return 5;
        }}
    }}
halt:
{back}
    return s->bad ? 1 : 0;
}}
"""
