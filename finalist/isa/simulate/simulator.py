"""The simulator: it knows a processor's instructions and executes assembled words, nothing else.

The words are translated once to C, each instruction by its meaning: by `finalist.isa.simulate.interlocked` or
`finalist.isa.simulate.exposed`, as the processor is.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from finalist.errors import FinalistError
from finalist.isa.assembly.assembler import Image
from finalist.isa.assembly.decoder import Decoder
from finalist.isa.simulate.exposed import Exposed
from finalist.isa.simulate.interlocked import Access, Interlocked
from finalist.isa.simulate.render import array_of, bytes_of
from finalist.isa.target.processor import Processor
from finalist.toolchain.compiler import load_shared_library, version

#: Basic blocks, or cycles, after which a program is taken to be in an endless loop.
LIMIT = 1 << 40
#: What a program that ends with these codes has done.
_FAULTS = {
    2: "the program does not end",
    3: "two words are written to one register in one cycle",
    4: "two branches are carried out in one cycle",
    5: "the program goes to where no packet of instructions begins",
    6: "a word counts for more than its instruction is defined for, as the count of a shift with higher bits",
}


def translator() -> str:
    """The C compiler that translates programs. Raises CompilerError where there is none."""
    return version()


class SimulationError(FinalistError):
    """A program that reads or writes outside of memory, does not end, or does what the processor can't."""


@dataclass(slots=True)
class Counts:
    """What a run took. ``executed``: how often each instruction was; ``cycles``: by part of the program;
    ``stalls``: those of them in which a processor waited as a whole; ``conflicts``: of these, for a bank of
    memory; ``hits``, ``misses``: lines that a cache had and did not have, by the kind of
    access, where there is one."""

    executed: list[int]
    cycles: dict[str, int] = field(default_factory=dict)
    stalls: dict[str, int] = field(default_factory=dict)
    conflicts: dict[str, int] = field(default_factory=dict)
    hits: dict[Access, int] = field(default_factory=dict, repr=False)
    misses: dict[Access, int] = field(default_factory=dict, repr=False)

    @property
    def instructions(self) -> int:
        """All of them."""
        return sum(self.executed)


class Simulator:
    """Runs one image. ``entries``: the labels where runs may begin."""

    def __init__(self, image: Image, processor: Processor, entries: tuple[str, ...]) -> None:
        self.image = image
        self.processor = processor
        self.code = Decoder(processor).all(image.words)
        self.entries = {name: image.labels[name] for name in entries}
        starts = set(self.entries.values())
        self.program: Exposed | Interlocked = (
            Exposed(self.code, starts, image.parts, processor)
            if processor.exposed
            else Interlocked(self.code, starts, image.parts, processor, image.notes)
        )
        self._run: Callable[..., int] | None = None
        self._library: ctypes.CDLL | None = None

    @property
    def function(self) -> Callable[..., int]:
        """The compiled program."""
        if self._run is None:
            name = f"{self.processor.name}-simulated"
            source = self.program.source(self.image.order)
            self._library = load_shared_library(source, name=name, flags=FLAGS)
            run = self._library.finalist_run
            run.restype = ctypes.c_int
            self._run = run
        return self._run

    # -- running --------------------------------------------------------------------------------

    def memory(self, size: int) -> bytearray:
        """Memory as the program finds it, of ``size`` bytes."""
        memory = bytearray(size)
        for address, content in self._contents:
            memory[address : address + len(content)] = content
        return memory

    @cached_property
    def _contents(self) -> list[tuple[int, bytes]]:
        """Where in memory there is something at first, and what: found once, for many runs."""
        found = []
        for name, values in self.image.contents.items():
            place = self.image.places[name]
            content = b"".join(value.to_bytes(place.bytes, self.image.order) for value in values)
            found.append((place.address, content))
        return found

    def run(self, entry: str, memory: bytearray, state: Machine, limit: int | None = None) -> None:
        """Runs from a label until the program halts; ``state`` keeps registers, banks and counts; ``limit``:
        basic blocks, or cycles, after which it is taken not to end; `LIMIT` if none is given.

        Raises SimulationError.
        """
        code = self.function(
            ctypes.byref(state.content),
            (ctypes.c_char * len(memory)).from_buffer(memory),
            ctypes.c_uint64(len(memory)),
            state.counted,
            ctypes.c_uint64(self.entries[entry]),
            ctypes.c_uint64(LIMIT if limit is None else limit),
        )
        if code == 1:
            raise SimulationError(
                f"an access to memory at 0x{state.content.fault:x}, past {len(memory)} bytes"
                + (" or not aligned" if self.processor.aligned else "")
            )
        if code:
            raise SimulationError(_FAULTS[code])

    def machine(self) -> Machine:
        """A processor before it has run anything."""
        return Machine(self)

    def counts(self, state: Machine) -> Counts:
        """What has been executed since the machine was made, or its counts were cleared."""
        executed = [0] * len(self.image.words)
        cycles: dict[str, int] = {}
        for places, times, taken in self.program.counted(list(state.counted)):
            part = self.image.parts[places[0]]
            for place in places:
                executed[place] += times
            cycles[part] = cycles.get(part, 0) + taken
        found = Counts(executed, cycles)
        if isinstance(self.program, Exposed):
            for places, waits, conflicts in self.program.stalls(list(state.counted)):
                part = self.image.parts[places[0]]
                found.stalls[part] = found.stalls.get(part, 0) + waits + conflicts
                found.conflicts[part] = found.conflicts.get(part, 0) + conflicts
        elif self.processor.cache:
            self._wait_for_misses(found, state, self.program.accesses, self.processor.cache.penalty)
        return found

    @staticmethod
    def _wait_for_misses(found: Counts, state: Machine, kinds: Sequence[Access], penalty: int) -> None:
        """Adds what the cache had and did not have, and the cycles for it."""
        for number, kind in enumerate(kinds):
            found.hits[kind] = state.content.hits[number]
            found.misses[kind] = state.content.misses[number]
            part, waits = kind[0], penalty * found.misses[kind]
            found.stalls[part] = found.stalls.get(part, 0) + waits
            found.cycles[part] = found.cycles.get(part, 0) + waits


#: Compiling must be quick; what is compiled runs ten times faster than is asked for even so. ``-w`` hides
#: warnings and still looks for them: of 14,000 packets gcc 12 took ten minutes for that, in place of 20 s. It
#: follows each address through the function for the last two, which are of its own and not of ``all``.
FLAGS = ("-O0", "-w", "-Wno-all", "-Wno-extra", "-Wno-free-nonheap-object", "-Wno-mismatched-dealloc")


class Machine:
    """Registers, banks, and counts of one simulated processor."""

    def __init__(self, simulator: Simulator) -> None:
        p = simulator.processor
        fields: list[tuple[str, Any]] = [
            (array_of(name), ctypes.c_uint8 * (bytes_of(file.width) * file.count))
            for name, file in p.files.items()
        ]
        fields += [
            ("bank", ctypes.c_uint8 * (bytes_of(p.width) * p.entries * max(p.banks, 1))),
            ("memory", ctypes.c_void_p),
            ("limit", ctypes.c_uint64),
            ("fault", ctypes.c_uint64),
            ("spare", ctypes.c_uint64),
        ]
        if p.cache and isinstance(simulator.program, Interlocked):
            kinds = ctypes.c_uint64 * len(simulator.program.accesses)
            lines = ctypes.c_uint64 * (p.cache.sets * p.cache.ways)
            fields += [("kind", ctypes.c_uint64), ("there", lines), ("hits", kinds), ("misses", kinds)]
        kind: Any = type("State", (ctypes.Structure,), {"_pack_": 1, "_fields_": fields})
        # The widest registers want an aligned structure.
        self._memory = ctypes.create_string_buffer(ctypes.sizeof(kind) + 64)
        start = -(-ctypes.addressof(self._memory) // 64) * 64
        self.content = kind.from_address(start)
        self.counted = (ctypes.c_uint64 * simulator.program.counters)()

    def clear(self) -> None:
        """Counts begin anew; what a cache has stays there."""
        ctypes.memset(self.counted, 0, ctypes.sizeof(self.counted))
        for name in ("hits", "misses"):
            if hasattr(self.content, name):
                counts = getattr(self.content, name)
                ctypes.memset(counts, 0, ctypes.sizeof(counts))
