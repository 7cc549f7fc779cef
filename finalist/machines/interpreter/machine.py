"""The interpreter as a machine: no code, no figures, but the meaning that all others are held to."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from finalist.errors import DataError, KeyLengthError, ScheduleError
from finalist.ir.execute import Bytes, crypt, expand_keys
from finalist.ir.interpreter import Value
from finalist.ir.printer import format_graph
from finalist.ir.program import Program
from finalist.machines.base import Run, Shown, bytes_of
from finalist.machines.tracing import Compiling
from finalist.machines.words import Word
from finalist.schedule import Schedule


class InterpretedProgram(Shown):
    """A traced program, run as it is; ``text`` is its two graphs."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.cipher = program.cipher
        self.operation = program.operation
        self.key_bits = program.key_bits
        self.block_bytes = program.block.bytes
        self.stateful = program.stateful
        self.schedule = Schedule()
        #: None is claimed: NumPy takes what time it takes.
        self.timing = ""
        self._expanded: dict[bytes, list[Value]] = {}

    @property
    def text(self) -> str:
        """The key schedule and the kernel, one operation a line."""
        return format_graph(self.program.expand) + "\n" + format_graph(self.program.kernel)

    def run(self, key: bytes, data: bytes) -> Run:
        """Work on ``data`` under one key."""
        key, data = bytes_of(key, "key"), bytes_of(data, "data")
        if len(data) % self.block_bytes:
            raise DataError(f"data of {len(data)} bytes; accepted: a multiple of {self.block_bytes}")
        if not data:
            return Run(b"")
        blocks = np.frombuffer(data, np.uint8).reshape(-1, len(data) if self.stateful else self.block_bytes)
        return Run(crypt(self.program, self._keys([key]), blocks).tobytes())

    def run_many(self, keys: list[bytes], blocks: list[bytes]) -> list[bytes]:
        """Each block under its own key, all at once."""
        if not keys:
            return []
        longest = max(map(len, blocks))
        data = np.zeros((len(blocks), longest), np.uint8)
        for row, block in zip(data, blocks, strict=True):
            row[: len(block)] = np.frombuffer(block, np.uint8)
        done = crypt(self.program, self._keys(keys), data)
        return [row[: len(block)].tobytes() for row, block in zip(done, blocks, strict=True)]

    def _keys(self, keys: list[bytes]) -> list[Value]:
        """The keys expanded, each once in the life of the program: a key schedule can be long."""
        keys = [bytes(key) for key in keys]
        new = [key for key in dict.fromkeys(keys) if key not in self._expanded]
        if new:
            arrays = expand_keys(self.program, self._rows(new))
            for number, key in enumerate(new):
                self._expanded[key] = [array[number] if array.ndim == 2 else array for array in arrays]
        rows = [self._expanded[key] for key in keys]
        return rows[0] if len(rows) == 1 else [np.stack(arrays) for arrays in zip(*rows, strict=True)]

    def _rows(self, keys: list[bytes]) -> Bytes:
        for key in keys:
            if len(key) * 8 != self.key_bits:
                raise KeyLengthError(f"key of {len(key)} bytes; this program takes {self.key_bits // 8}")
        return np.frombuffer(b"".join(keys), np.uint8).reshape(len(keys), -1)


class Interpreter(Compiling[InterpretedProgram]):
    """Executes graphs with NumPy, many blocks at once."""

    name = "interpreter"
    summary = "the reference: the definition's graph executed with NumPy, many blocks at once"

    #: The words of a schedule that it has: none.
    words: tuple[Word, ...] = ()

    def program(self, traced: Program, schedule: Schedule) -> InterpretedProgram:
        """As `compile`, of a program that is traced already."""
        if schedule != Schedule():
            raise ScheduleError(f"the interpreter takes no schedule, but was given {schedule}")
        return InterpretedProgram(traced)

    def describe(self) -> Mapping[str, str]:
        """The NumPy that executes."""
        return {"numpy": np.__version__}


MACHINE = Interpreter()
