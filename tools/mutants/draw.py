"""Which faults are planted: drawn at random from all modules, the same ones for as long as their lines stay.

What is drawn hangs on the text of the line that a fault is in, not on where the line stands: other code may
come and go, and most of a sample is what it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from tools.mutants.faults import Fault, faults

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "finalist"


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault in a file, named from the repository's root.

    ``lines``: those that it is in, without and with it; ``twin``: how many faults before it in the file have
    the same.
    """

    path: str
    fault: Fault
    lines: tuple[str, str]
    twin: int

    def __str__(self) -> str:
        return f"{self.path} {self.fault}"

    @property
    def about(self) -> tuple[str, ...]:
        """What it is, wherever its lines stand."""
        return (self.path, *self.lines, str(self.twin))

    def lot(self, seed: int) -> bytes:
        """Those of the lowest lots are drawn."""
        return sha256(repr((seed, self.path, self.lines, self.twin)).encode()).digest()


def mutants(folders: Sequence[str], count: int, seed: int) -> list[Mutant]:
    """Drawn from all modules: of each about as many as it has places for faults."""
    every = (one for folder in folders for path in _modules(folder) for one in in_module(path))
    return sorted(every, key=lambda one: one.lot(seed))[:count]


def _modules(folder: str) -> list[Path]:
    start = PACKAGE / folder
    return [start] if start.suffix == ".py" else sorted(start.rglob("*.py"))


def in_module(path: Path) -> Iterator[Mutant]:
    """All faults that can be planted in a file of the repository."""
    source, name = path.read_text("utf-8"), str(path.relative_to(ROOT))
    met = Counter[tuple[str, str]]()
    for fault in faults(source):
        lines = fault.lines(source)
        yield Mutant(name, fault, lines, met[lines])
        met[lines] += 1
