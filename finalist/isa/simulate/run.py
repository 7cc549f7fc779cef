"""A program for a simulated processor, run: what a machine gives for it to be verified and measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from finalist.errors import DataError, KeyLengthError
from finalist.ir.graph import Node, every_node, origin
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.types import storage_bits
from finalist.isa.assembly.assembler import Image, assemble
from finalist.isa.schedule.modulo.problem import Problem
from finalist.isa.schedule.modulo.problem import Schedule as Issued
from finalist.isa.simulate.simulator import Counts, Machine, Simulator
from finalist.isa.target.memory import Place
from finalist.isa.target.processor import Processor
from finalist.machines.base import Run, Shown, bytes_of
from finalist.passes.timing import Timing, timing
from finalist.schedule import Schedule

#: Kernel calls in a sample.
_SAMPLE = 16
#: Blocks behind the data that may be read, by loops that begin more iterations than there are blocks.
_BEHIND = 8


def _place(name: str, width: int, length: int) -> Place:
    return Place(name, 0, storage_bits(width) // 8, length)


def behind(program: SimulatedProgram) -> int:
    """Bytes behind the data that a program may read."""
    return _BEHIND * program.program.block.bytes


@dataclass(frozen=True, slots=True)
class Pipelined:
    """A loop over blocks that is software pipelined: what was to be scheduled, and how it is; ``copies``: of
    fixed tables, in other blocks of memory."""

    problem: Problem
    schedule: Issued
    copies: tuple[Place, ...] = ()


class SimulatedProgram(Shown):
    """One operation as assembly text, which is assembled and simulated. ``loop``: its loop over blocks, where
    that is software pipelined."""

    def __init__(
        self,
        program: Program,
        schedule: Schedule,
        processor: Processor,
        text: str,
        blocks: int = 1,
        parts: Timing | None = None,
        loop: Pipelined | None = None,
    ) -> None:
        self.program = program
        self.cipher = program.cipher
        self.operation = program.operation
        self.key_bits = program.key_bits
        #: Blocks that the kernel takes, and bytes of one.
        self.blocks = blocks
        self.block_bytes = program.block.bytes // blocks
        self.stateful = program.stateful
        self.schedule = schedule
        self.processor = processor
        self.text = text
        self.loop = loop
        #: The labels of key schedule and kernel; see `finalist.passes.timing`.
        self.parts = timing(program) if parts is None else parts

    @property
    def timing(self) -> str:
        """Whether its time depends on secrets, on a machine whose memory has caches."""
        return self.parts.label

    @cached_property
    def image(self) -> Image:
        """The text, assembled."""
        return assemble(self.text, self.processor)

    @cached_property
    def simulator(self) -> Simulator:
        """What executes it."""
        return Simulator(self.image, self.processor, ("expand_key", self.operation))

    # -- figures --------------------------------------------------------------------------------

    @cached_property
    def sample(self) -> Counts:
        """What the blocks of one call take, under a key of different bytes."""
        key = bytes(k % 251 for k in range(self.key_bits // 8))
        size = _SAMPLE * self.program.block.bytes
        session = Session(self, key, size)
        session.crypt(bytes(k % 251 for k in range(size)))
        return session.counts()

    @property
    def sampled_blocks(self) -> int:
        """Blocks that the sample worked on."""
        return _SAMPLE * self.blocks

    @property
    def cycles_a_block(self) -> float:
        """Cycles of the work on a block: not the setting up, nor the step to the next block."""
        return self.sample.cycles["block"] / self.sampled_blocks

    def tables(self) -> list[Place]:
        """The arrays in memory that the kernel reads at places that depend on the data."""
        fixed: dict[str, Place] = {}
        arrays: dict[Node, Place] = {}
        for node in every_node(self.program.kernel):
            if node.op is Op.LOOKUP:
                fixed[node.attr.name] = _place(node.attr.name, node.attr.width, len(node.attr.values))
            elif node.op is Op.LOAD and node.inputs[1].op is not Op.CONST and node.inputs[1].width <= 8:
                source = origin(node.inputs[0])
                arrays[source] = _place(source.name, source.width, source.length)
        return [*fixed.values(), *arrays.values()]

    @property
    def table_bytes(self) -> int:
        """Bytes of these, each as often as it lies in memory."""
        copies = () if self.loop is None else self.loop.copies
        return sum(place.size for place in (*self.tables(), *copies))

    @property
    def code_bytes(self) -> int:
        """Bytes of code of the operation, without its key schedule."""
        return sum(part != "expand" for part in self.image.parts) * self.processor.word // 8

    # -- running --------------------------------------------------------------------------------

    def run(self, key: bytes, data: bytes, limit: int | None = None) -> Run:
        """Set up ``key`` and work on ``data``, whole blocks; ``limit``: as `Simulator.run` has it.

        Raises KeyLengthError, DataError or SimulationError.
        """
        key, data = bytes_of(key, "key"), bytes_of(data, "data")
        if len(data) % self.block_bytes:
            raise DataError(f"data of {len(data)} bytes; accepted: a multiple of {self.block_bytes}")
        session = Session(self, key, max(len(data), self.block_bytes), limit)
        output = session.crypt(data)
        counts = session.counts()
        blocks = max(1, -(-len(data) // self.program.block.bytes) * self.blocks)
        cycles = counts.cycles.get("block", 0)
        figures = {"cycles a block": cycles / blocks, "cycles of the key": session.key_cycles}
        return Run(output, cycles, figures)

    def run_many(self, keys: list[bytes], blocks: list[bytes]) -> list[bytes]:
        """Each block under its own key."""
        return [self.run(key, block).output for key, block in zip(keys, blocks, strict=True)]

    def one_block(self, key: bytes) -> Callable[[bytes], bytes]:
        """The operation on one block under ``key``, as a function that is quick to call."""
        return Session(self, key, self.block_bytes).crypt


class Session:
    """A simulated processor with a key set up. ``size``: bytes of the longest data; ``limit``: of each run,
    as `Simulator.run` has it."""

    def __init__(self, program: SimulatedProgram, key: bytes, size: int, limit: int | None = None) -> None:
        if len(key) * 8 != program.key_bits:
            raise KeyLengthError(f"key of {len(key)} bytes; this program takes {program.key_bits // 8}")
        self.program, self.limit = program, limit
        simulator = self.simulator = program.simulator
        self.places = program.image.places
        self.data = self.places["data"].address
        end = max(place.end for place in self.places.values())
        self.memory = simulator.memory(max(end, self.data + size + behind(program)))
        self.state: Machine = simulator.machine()
        at = self.places["key"].address
        self.memory[at : at + len(key)] = bytes(key)
        simulator.run("expand_key", self.memory, self.state, limit)
        self.key_cycles = sum(simulator.counts(self.state).cycles.values())
        self.state.clear()

    def crypt(self, data: bytes) -> bytes:
        """The operation on whole blocks."""
        if not data:
            return b""
        group = self.program.block_bytes * self.program.blocks
        if self.program.processor.single:
            return b"".join(self._one(data[k : k + group]) for k in range(0, len(data), group))
        end = self.places["end"]
        whole = -(-len(data) // group) * group  # what is missing at the end is worked on, and dropped
        self.memory[self.data : self.data + len(data)] = bytes(data)
        stop = (self.data + whole).to_bytes(end.bytes, self.program.image.order)
        self.memory[end.address : end.address + end.bytes] = stop
        self.simulator.run(self.program.operation, self.memory, self.state, self.limit)
        return bytes(self.memory[self.data : self.data + len(data)])

    def _one(self, data: bytes) -> bytes:
        """The operation on the one block that the processor takes at a time."""
        self.memory[self.data : self.data + len(data)] = bytes(data)
        self.simulator.run(self.program.operation, self.memory, self.state, self.limit)
        return bytes(self.memory[self.data : self.data + len(data)])

    def counts(self) -> Counts:
        """What the calls of `crypt` have taken so far."""
        return self.simulator.counts(self.state)
