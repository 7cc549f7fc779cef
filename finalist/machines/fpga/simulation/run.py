"""A design as a program: keys expanded, blocks sent through the simulator of its language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from finalist.errors import CompilerError, DataError, KeyLengthError, VectorError
from finalist.ir.execute import expand_keys
from finalist.ir.program import Program
from finalist.machines.base import Run, Shown, bytes_of
from finalist.machines.fpga import tools
from finalist.machines.fpga.keys.unit import Keys, key_words, stream
from finalist.machines.fpga.model.estimate import Estimate
from finalist.machines.fpga.signals import Design
from finalist.machines.fpga.simulation import bench
from finalist.machines.fpga.simulation.bench import Do, line
from finalist.machines.fpga.simulation.simulator import LIMIT, simulator
from finalist.passes.timing import CONSTANT
from finalist.schedule import Schedule


class Hardware(Shown):
    """One operation of a cipher as a data path: the text that ``write`` gives is what is simulated.

    ``programs``: those that the design computes, this operation or both. ``name``: of the module or entity.
    ``design``: the structural form. ``estimate``: its area and clock.
    """

    def __init__(
        self,
        programs: Sequence[Program],
        operation: str,
        schedule: Schedule,
        design: Design,
        keys: Keys,
        name: str,
        write: Callable[[], str],
        estimate: Estimate,
    ) -> None:
        self.programs, self.schedule, self.design, self.keys = tuple(programs), schedule, design, keys
        self.program = program = next(p for p in programs if p.operation == operation)
        self.cipher, self.operation, self.key_bits = program.cipher, operation, program.key_bits
        self.block_bytes = program.block.bytes
        self.stateful = False
        self.name, self.estimate = name, estimate
        self._write = write
        self._streams: dict[bytes, list[int]] = {}

    @cached_property
    def text(self) -> str:
        """The Verilog or VHDL; written when it is asked for, since an estimate needs none."""
        return self._write()

    @property
    def timing(self) -> str:
        """As many clocks for each block, whatever its value and the key's: tables here are logic."""
        return CONSTANT

    @cached_property
    def language(self) -> str:
        """verilog or vhdl."""
        return self.schedule.language or "verilog"

    def run(self, key: bytes, data: bytes) -> Run:
        """Write the round keys, send the blocks through at full rate; cycles are those of a full pipeline."""
        key, data = bytes_of(key, "key"), bytes_of(data, "data")
        size = self.block_bytes
        if len(data) % size:
            raise DataError(f"data of {len(data)} bytes; accepted: a multiple of {size}")
        self.key_stream(key)
        blocks = [data[k : k + size] for k in range(0, len(data), size)]
        output = b"".join(self.run_many([key] * len(blocks), blocks))
        return Run(output, cycles=self.design.turns * len(blocks))

    def run_many(self, keys: list[bytes], blocks: list[bytes]) -> list[bytes]:
        """Each block under its own key; the pipeline is empty when a key changes."""
        lines: list[str] = []
        before: bytes | None = None
        for key, block in zip(keys, blocks, strict=True):
            if key != before:
                lines += [line(Do.DRAIN), *self.key_lines(key)]
                before = key
            lines.append(self.block_line(block))
        return self.simulated(lines, len(blocks)) if blocks else []

    def simulated(self, lines: list[str], count: int) -> list[bytes]:
        """The ``count`` blocks that come out under these lines. Raises VectorError if others do."""
        bits = self.block_bytes * 8
        latency = self.design.latency
        both = self.design.both
        found = simulate(self.text, self.language, self.name, bits, latency, lines, both=both)
        if len(found) != count:
            raise VectorError(f"{self.name} in simulation: {len(found)} blocks came out, not {count}")
        return [block.to_bytes(self.block_bytes, "big") for block in found]

    def block_line(self, block: bytes) -> str:
        """The line of the bench that sends a block."""
        what = Do.DECRYPT if self.design.both and self.operation == "decrypt" else Do.BLOCK
        return line(what, int.from_bytes(block, "big"), self.block_bytes * 8)

    def key_lines(self, key: bytes) -> list[str]:
        """The lines of the bench that write a key's round keys."""
        return [line(Do.KEY, word) for word in self.key_stream(key)]

    def key_stream(self, key: bytes) -> list[int]:
        """The words that are written to the key port, in order. Raises KeyLengthError."""
        key = bytes(key)
        if len(key) * 8 != self.key_bits:
            raise KeyLengthError(f"key of {len(key)} bytes; this program takes {self.key_bits // 8}")
        if self.design.key_unit:
            return key_words(key)
        if key not in self._streams:
            row = np.frombuffer(key, np.uint8).reshape(1, -1)
            expanded = [expand_keys(program, row) for program in self.programs]
            entries = [[array.reshape(-1).tolist() for array in arrays] for arrays in expanded]
            self._streams[key] = stream(self.keys, entries)
        return self._streams[key]


# -- the emitted text in the simulator that there is for its language --------------------------------


def simulate(
    text: str,
    language: str,
    name: str,
    block_bits: int,
    latency: int,
    stimuli: Sequence[str],
    *,
    both: bool = False,
) -> list[int]:
    """The blocks that leave a design, in order, under these lines (see `bench`); ``both``: it has both
    directions.

    Raises CompilerError where a simulator is missing or fails; VectorError where a block came at
    another clock than the latency says, or had never entered.
    """
    found = simulator(language)
    make = bench.verilog if language == "verilog" else bench.vhdl
    with tools.workplace() as folder:
        file = folder / "stimuli"
        file.write_text("\n".join(stimuli) + "\n", "utf-8")
        around = make(name, block_bits, latency, both=both)
        printed = found.run(text, around, file, folder, LIMIT)
    wrong = [row for row in printed if row.startswith("error")]
    if wrong:
        raise VectorError(f"{name} in simulation: {wrong[0].removeprefix('error: ')} (latency {latency})")
    return [int(row, 16) for row in printed]


def lint(text: str, language: str, name: str) -> None:
    """Raise CompilerError with the first of what the simulator warns of in a design, if it does.

    Also where there is no simulator.
    """
    found = simulator(language)
    with tools.workplace() as folder:
        said = found.warnings(text, name, folder, LIMIT)
    if said:
        raise CompilerError(f"{name} is no clean {language}: {said.splitlines()[0]}")
