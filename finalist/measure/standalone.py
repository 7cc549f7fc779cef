"""Programs that are measured in a process of their own: code for another word size than this one's.

The C text is the one that `finalist emit` gives; it is compiled with the given flags, held to the vectors,
and timed by the same clock and the same method as code in this process (`finalist.measure.clock`).
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from finalist.errors import CompilerError, VectorError
from finalist.machines.native.text.names import c_name
from finalist.measure.clock import Measurement
from finalist.toolchain.compiler import build_executable
from finalist.vectors.load import KnownAnswer

_FOLDER = Path(__file__).parent
_RUNS = 200
_TIMEOUT = 120  # seconds; of one command
#: Calls in a row, so that the clock's grain and reading stay below one per cent of what is measured.
_LEAST_TICKS = 20_000


@dataclass(frozen=True, slots=True)
class Source:
    """A program in C: its text, and what it is of."""

    cipher: str
    operation: str
    key_bits: int
    block_bytes: int
    text: str


class Standalone:
    """An executable made of a program; it has just reproduced the vectors it was given.

    ``runner``: the command that runs it, such as that of an emulator; none on this computer.
    Raises CompilerError, or VectorError where an answer is wrong or there is none for its key length.
    """

    def __init__(
        self,
        source: Source,
        flags: tuple[str, ...],
        rows: Iterable[KnownAnswer],
        runner: tuple[str, ...] = (),
    ) -> None:
        self.source, self.runner = source, runner
        self.path = build_executable(self._texts(), name=f"{c_name(source.cipher)}-alone", flags=flags)
        self._check([row for row in rows if len(row.key) * 8 == source.key_bits])
        self.clock, cycle, _ = self._run("clock").decode().split()
        self.ticks_per_cycle = float(cycle)

    def _texts(self) -> dict[str, str]:
        one, name = self.source, c_name(self.source.cipher)
        head = (
            f"#define KEY_BYTES {one.key_bits // 8}\n#define BLOCK_BYTES {one.block_bytes}\n"
            f"#define KEY_STRUCT_BYTES {name}_key_bytes\n"
            f"#define EXPAND {name}_expand_key\n#define CRYPT {name}_{one.operation}\n"
        )
        main, clock = ((_FOLDER / file).read_text("utf-8") for file in ("standalone.c", "clock.c"))
        return {"program.c": one.text, "main.c": head + main, "clock.c": clock}

    def _check(self, rows: list[KnownAnswer]) -> None:
        if not rows:
            raise VectorError(f"{self.source.cipher} has no vectors for {self.source.key_bits}-bit keys")
        encrypts = self.source.operation == "encrypt"
        given = [row.plaintext if encrypts else row.ciphertext for row in rows]
        wanted = b"".join(row.ciphertext if encrypts else row.plaintext for row in rows)
        asked = b"".join(row.key + block for row, block in zip(rows, given, strict=True))
        if self._run("answers", given=asked) != wanted:
            raise VectorError(
                f"{self.source.cipher} {self.source.operation}: {self.path} gives wrong answers"
            )

    def measure_setup(self, *, seconds: float) -> Measurement:
        """One key set-up: twice as many calls in a row less once as many."""
        return self._difference("setup", seconds)

    def measure_call(self, *, seconds: float) -> Measurement:
        """One call on one block, by the same method."""
        return self._difference("call", seconds)

    def _difference(self, what: str, seconds: float) -> Measurement:
        once, _ = self._times(what, 4, 16)
        calls = max(1, 4 * _LEAST_TICKS // max(once, 1))
        pairs: list[tuple[int, int]] = []
        deadline = time.monotonic() + seconds
        while not pairs or time.monotonic() < deadline:
            pairs.append(self._times(what, calls, _RUNS))
        once, twice = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
        ticks = max(twice - once, 0) / calls
        return Measurement(
            ticks=ticks,
            unit="per call",
            clock=self.clock,
            ticks_per_cycle=self.ticks_per_cycle,
            runs=len(pairs) * _RUNS,
            median_ticks=ticks,
        )

    def _times(self, what: str, calls: int, runs: int) -> tuple[int, int]:
        once, twice = self._run(what, str(calls), str(runs)).split()
        return int(once), int(twice)

    def _run(self, *arguments: str, given: bytes = b"") -> bytes:
        command = [*self.runner, str(self.path), *arguments]
        try:
            done = subprocess.run(command, input=given, capture_output=True, timeout=_TIMEOUT, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            raise CompilerError(f"{' '.join(command)} failed: {error}") from error
        return done.stdout
