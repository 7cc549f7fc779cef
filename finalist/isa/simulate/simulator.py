"""The simulator: it knows a processor's instructions and executes assembled words, nothing else.

The words are translated once to C, each instruction by its meaning, and counted block by block; the cycles
of a block follow from its instructions, and from what is still under way where it is entered.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from finalist.errors import FinalistError
from finalist.isa.assembly.assembler import Decoded, Decoder, Image
from finalist.isa.simulate.interlocked import Pending, timed
from finalist.isa.simulate.render import TYPES, Renderer, lanes, mul_high
from finalist.isa.target.instruction import Processor
from finalist.toolchain.compiler import load_shared_library, version

#: Instructions after which a program is taken to be in an endless loop.
LIMIT = 1 << 40


def translator() -> str:
    """The C compiler that translates programs. Raises CompilerError where there is none."""
    return version()


class SimulationError(FinalistError):
    """A program that reads or writes outside of memory, or does not end."""


@dataclass(frozen=True, slots=True)
class Straight:
    """Instructions ``first`` .. ``stop - 1``, which are always executed one after the other."""

    first: int
    stop: int


@dataclass(slots=True)
class Counts:
    """What a run took. ``executed``: how often each instruction was; ``cycles``: by part of the program."""

    executed: list[int]
    cycles: dict[str, int] = field(default_factory=dict)

    @property
    def instructions(self) -> int:
        """All of them."""
        return sum(self.executed)


class Simulator:
    """Runs one image. ``entries``: the labels where runs may begin."""

    def __init__(self, image: Image, processor: Processor, entries: tuple[str, ...]) -> None:
        self.image = image
        self.processor = processor
        decoder = Decoder(processor)
        self.code = [decoder.decode(word, address) for address, word in enumerate(image.words)]
        self.entries = {name: image.labels[name] for name in entries}
        self.blocks = _blocks(self.code, set(self.entries.values()), image.parts)
        self.timing = _Timing(self.code, self.blocks, processor)
        self._run: Callable[..., int] | None = None
        self._library: ctypes.CDLL | None = None

    # -- translating ----------------------------------------------------------------------------

    def source(self) -> str:
        """The program as C."""
        p, renderer = self.processor, Renderer(self.processor.width)
        lines = "\n".join(self._statements(renderer))
        table = ", ".join(str(n) for n in self.timing.table)
        sizes = (size for size in (1, 2, 4, 8, 16) if size * 8 <= p.width)
        return _C.format(
            type=TYPES[p.width],
            fixed=renderer.fixed(),
            banks=max(p.banks, 1),
            entries=p.entries,
            registers=p.registers,
            link=p.link,
            memory="\n".join(_access(size, self.image.order) for size in sizes),
            mul_high=mul_high(p.width),
            lanes=lanes(p.width),
            table=f"static const unsigned short next[] = {{{table}}};\n" if self._waits else "",
            cases="\n".join(f"    case {block.first}: goto L{block.first};" for block in self.blocks),
            lines=lines,
        )

    @property
    def _waits(self) -> bool:
        """Whether something can be under way from block to block."""
        return len(self.timing.states) > 1

    def _statements(self, renderer: Renderer) -> Iterator[str]:
        """Each instruction; where a block begins, it is counted."""
        leaders = {block.first: number for number, block in enumerate(self.blocks)}
        states = len(self.timing.states)
        for address, one in enumerate(self.code):
            if address in leaders:
                entry = f"{leaders[address] * states} + state"
                yield f"L{address}:"
                yield f"    n[{entry}]++;"
                if self._waits:
                    yield f"    state = next[{entry}];"
                yield "    if (!left--) goto late;"
            yield "    " + renderer.statement(one, address)

    @property
    def function(self) -> Callable[..., int]:
        """The compiled program."""
        if self._run is None:
            name = f"{self.processor.name}-simulated"
            self._library = load_shared_library(self.source(), name=name, flags=FLAGS)
            run = self._library.finalist_run
            run.restype = ctypes.c_int
            self._run = run
        return self._run

    # -- running --------------------------------------------------------------------------------

    def memory(self, size: int) -> bytearray:
        """Memory as the program finds it, of ``size`` bytes."""
        memory = bytearray(size)
        for name, values in self.image.contents.items():
            place = self.image.places[name]
            for k, value in enumerate(values):
                at = place.address + k * place.bytes
                memory[at : at + place.bytes] = value.to_bytes(place.bytes, self.image.order)
        return memory

    def run(self, entry: str, memory: bytearray, state: Machine) -> None:
        """Runs from a label until the program halts; ``state`` keeps registers, banks and counts.

        Raises SimulationError.
        """
        code = self.function(
            ctypes.byref(state.content),
            (ctypes.c_char * len(memory)).from_buffer(memory),
            ctypes.c_uint64(len(memory)),
            state.counted,
            ctypes.c_uint64(self.entries[entry]),
            ctypes.c_uint64(LIMIT),
        )
        if code == 1:
            raise SimulationError(
                f"an access to memory at 0x{state.content.fault:x}, past {len(memory)} bytes"
            )
        if code == 2:
            raise SimulationError("the program does not end")

    def machine(self) -> Machine:
        """A processor before it has run anything."""
        return Machine(self)

    def counts(self, state: Machine) -> Counts:
        """What has been executed since the machine was made, or its counts were cleared."""
        executed = [0] * len(self.code)
        cycles: dict[str, int] = {}
        states = len(self.timing.states)
        for number, block in enumerate(self.blocks):
            part = self.image.parts[block.first]
            for pending in range(states):
                times = state.counted[number * states + pending]
                if not times:
                    continue
                for address in range(block.first, block.stop):
                    executed[address] += times
                cycles[part] = cycles.get(part, 0) + times * self.timing.cycles[number, pending]
        return Counts(executed, cycles)


#: Compiling must be quick; what is compiled runs ten times faster than is asked for even so.
FLAGS = ("-O0", "-w")


class Machine:
    """Registers, banks, and counts of one simulated processor."""

    def __init__(self, simulator: Simulator) -> None:
        p = simulator.processor
        size = p.width // 8
        fields = [
            ("r", ctypes.c_uint8 * (size * p.registers)),
            ("bank", ctypes.c_uint8 * (size * p.entries * max(p.banks, 1))),
            ("memory", ctypes.c_void_p),
            ("limit", ctypes.c_uint64),
            ("fault", ctypes.c_uint64),
            ("spare", ctypes.c_uint64),
        ]
        kind: Any = type("State", (ctypes.Structure,), {"_fields_": fields})
        # The widest registers want an aligned structure.
        self._memory = ctypes.create_string_buffer(ctypes.sizeof(kind) + 64)
        start = -(-ctypes.addressof(self._memory) // 64) * 64
        self.content = kind.from_address(start)
        self.counted = (ctypes.c_uint64 * (len(simulator.blocks) * len(simulator.timing.states)))()

    def clear(self) -> None:
        """Counts begin anew."""
        ctypes.memset(self.counted, 0, ctypes.sizeof(self.counted))


def _blocks(code: list[Decoded], entries: set[int], parts: list[str]) -> list[Straight]:
    starts = {0, *entries}
    for address, one in enumerate(code):
        if one.instruction.flow is not None:
            starts.add(address + 1)
            if one.target is not None:
                starts.add(one.target)
        if address and parts[address] != parts[address - 1]:
            starts.add(address)
    ordered = sorted(start for start in starts if start < len(code))
    return [Straight(a, b) for a, b in zip(ordered, [*ordered[1:], len(code)], strict=True)]


class _Timing:
    """Cycles of every block for everything that can be under way where it is entered.

    ``states``: what can be under way; ``table``: for a block and a state the next state.
    """

    def __init__(self, code: list[Decoded], blocks: list[Straight], processor: Processor) -> None:
        self.states: list[Pending] = [()]
        self.cycles: dict[tuple[int, int], int] = {}
        nexts: dict[tuple[int, int], int] = {}
        place = 0
        while place < len(self.states):
            for number, block in enumerate(blocks):
                found = timed(code[block.first : block.stop], processor, self.states[place])
                if found.pending not in self.states:
                    self.states.append(found.pending)
                self.cycles[number, place] = found.cycles
                nexts[number, place] = self.states.index(found.pending)
            place += 1
        count = len(self.states)
        self.table = [nexts[number, state] for number in range(len(blocks)) for state in range(count)]


def _access(size: int, order: str) -> str:
    bits = 8 * size
    kind = "W" if size == 16 else f"uint{bits}_t"
    swap = order == "big" and size > 1
    turn = f"turn{bits}" if swap else ""
    helper = ""
    if swap:
        inner = f"__builtin_bswap{bits}(x)" if bits < 128 else _TURN_128
        helper = f"static inline {kind} turn{bits}({kind} x)\n{{\n    return {inner};\n}}\n"
    return f"""{helper}static inline W load{bits}(struct state *s, uint64_t at)
{{
    {kind} x;
    if (at > s->limit - {size}) {{ s->fault = at; s->bad = 1; return 0; }}
    memcpy(&x, s->memory + at, {size});
    return (W){turn}(x);
}}
static inline void store{bits}(struct state *s, uint64_t at, W value)
{{
    {kind} x = {turn}(({kind})value);
    if (at > s->limit - {size}) {{ s->fault = at; s->bad = 1; return; }}
    memcpy(s->memory + at, &x, {size});
}}"""


_TURN_128 = "(W)__builtin_bswap64((uint64_t)x) << 64 | __builtin_bswap64((uint64_t)(x >> 64))"

_C = """#include <stdint.h>
#include <string.h>
typedef {type} W;
enum {{ LINK = {link} }};
struct state {{
    W r[{registers}];
    W bank[{banks}][{entries}];
    uint8_t *memory;
    uint64_t limit, fault, bad;
}};
{memory}
{mul_high}
{lanes}
{fixed}{table}
int finalist_run(struct state *s, uint8_t *memory, uint64_t limit, uint64_t *n, uint64_t pc, uint64_t left);
int finalist_run(struct state *s, uint8_t *memory, uint64_t limit, uint64_t *n, uint64_t pc, uint64_t left)
{{
    W r[{registers}];
    unsigned state = 0;
    memcpy(r, s->r, sizeof r);
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
    memcpy(s->r, r, sizeof r);
    return s->bad ? 1 : 0;
late:
    return 2;
}}
"""
