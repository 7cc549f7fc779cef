"""The interpreter as a machine: no code, no figures, but the meaning that all others are held to."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from finalist.errors import DataError, KeyLengthError, ScheduleError
from finalist.ir.printer import format_graph
from finalist.ir.program import Bytes, Program, interpret
from finalist.language.cipher import Cipher
from finalist.language.definition import trace
from finalist.machines.base import Run
from finalist.schedule import Schedule


class InterpretedProgram:
    """A traced program, run as it is; ``text`` is its two graphs."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.cipher = program.cipher
        self.operation = program.operation
        self.key_bits = program.key_bits
        self.block_bytes = program.block.bytes
        self.schedule = Schedule()

    @property
    def text(self) -> str:
        """The key schedule and the kernel, one operation a line."""
        return format_graph(self.program.expand) + "\n" + format_graph(self.program.kernel)

    def run(self, key: bytes, data: bytes) -> Run:
        """Work on ``data`` under one key."""
        if len(data) % self.block_bytes:
            raise DataError(f"data of {len(data)} bytes; accepted: a multiple of {self.block_bytes}")
        if not data:
            return Run(b"")
        blocks = np.frombuffer(data, np.uint8).reshape(-1, self.block_bytes)
        return Run(interpret(self.program, self._rows([key]), blocks).tobytes())

    def run_many(self, keys: list[bytes], blocks: list[bytes]) -> list[bytes]:
        """Each block under its own key, all at once."""
        if not keys:
            return []
        data = np.frombuffer(b"".join(blocks), np.uint8).reshape(-1, self.block_bytes)
        return [row.tobytes() for row in interpret(self.program, self._rows(keys), data)]

    def _rows(self, keys: list[bytes]) -> Bytes:
        for key in keys:
            if len(key) * 8 != self.key_bits:
                raise KeyLengthError(f"key of {len(key)} bytes; this program takes {self.key_bits // 8}")
        return np.frombuffer(b"".join(keys), np.uint8).reshape(len(keys), -1)


class Interpreter:
    """Executes graphs with NumPy, many blocks at once."""

    name = "interpreter"
    summary = "the reference: the definition's graph executed with NumPy, many blocks at once"

    def compile(
        self, cipher: type[Cipher], *, operation: str, key_bits: int, schedule: Schedule
    ) -> InterpretedProgram:
        """The traced program; it takes no schedule."""
        if schedule != Schedule():
            raise ScheduleError(f"the interpreter takes no schedule, but was given {schedule}")
        return InterpretedProgram(trace(cipher, operation, key_bits))

    def describe(self) -> Mapping[str, str]:
        """The NumPy that executes."""
        return {"numpy": np.__version__}


MACHINE = Interpreter()
