"""The values of the schedule word `architecture`, as Elbirt and others name them (IEEE Trans. VLSI)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from finalist.errors import ScheduleError

_FORM = re.compile(r"(?:(LU|PP)-([1-9][0-9]*)|SP-([1-9][0-9]*)-([1-9][0-9]*))")


@dataclass(frozen=True, slots=True)
class Architecture:
    """``rounds`` rounds in hardware: LU as logic between registers, PP with a register after each, SP with
    ``inner`` more registers inside each round."""

    kind: str
    rounds: int
    inner: int = 0

    def __str__(self) -> str:
        return f"{self.kind}-{self.rounds}" + (f"-{self.inner}" if self.kind == "SP" else "")

    @property
    def stages(self) -> int:
        """Rows of registers: the blocks under way at once."""
        return 1 if self.kind == "LU" else self.rounds * (1 + self.inner)


def parse(text: str) -> Architecture:
    """LU-n, PP-n or SP-n-m, n rounds, m registers inside. Raises ScheduleError."""
    match = _FORM.fullmatch(text)
    if match is None:
        raise ScheduleError(f"architecture={text}: accepted: LU-n, PP-n, SP-n-m, such as LU-1, PP-2, SP-1-1")
    if match[1]:
        return Architecture(match[1], int(match[2]))
    return Architecture("SP", int(match[3]), int(match[4]))


def check(architecture: Architecture, rounds: int, cipher: str) -> None:
    """Refuse a number of rounds in hardware that does not divide the cipher's."""
    if rounds % architecture.rounds:
        accepted = ", ".join(str(n) for n in range(1, rounds + 1) if rounds % n == 0)
        raise ScheduleError(
            f"architecture={architecture} is not legal for {cipher}: it has {rounds} rounds,"
            f" so that n may be {accepted}"
        )


def every(rounds: int, inner: int = 2) -> list[Architecture]:
    """All architectures for so many rounds, up to ``inner`` registers inside each."""
    sizes = [n for n in range(1, rounds + 1) if rounds % n == 0]
    found = [Architecture("LU", n) for n in sizes] + [Architecture("PP", n) for n in sizes if n > 1]
    return found + [Architecture("SP", n, m) for m in range(1, inner + 1) for n in sizes]
