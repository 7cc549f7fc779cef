"""What is known of the shares of a loop's operations among the ways to issue them, stored as data.

In a schedule of an interval no unit and no path is taken more often than the interval has cycles, and each
operand is in the file that it is read from. What no such shares allow, no schedule does (a relaxation). It is
found by ``python -m tools.loops --shares``, and stored by the digest of the problem.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from finalist.isa.schedule.modulo.stored import entries_of, put_entries

FORMAT = "finalist shares of loops 1"


@dataclass(frozen=True, slots=True)
class Share:
    """Of the loop ``name``: ``shortest``, below which no interval has shares.

    ``crossing``: of all schedules of at most ``interval`` cycles, the operands that take one of the ``paths``
    of ``kind`` at least; in the best shares that were found it is ``enough`` that so many do. ``seconds``
    that ``solver`` took for both.
    """

    name: str
    shortest: int
    interval: int
    kind: str
    paths: int
    crossing: int
    enough: int
    seconds: float
    solver: str

    @property
    def bound(self) -> int:
        """The cycles that the operands take that have to cross."""
        return -(-self.crossing // self.paths)


#: By digest what is known of a problem.
Shares = Mapping[str, Share]


def read(path: Path) -> Shares:
    """Shares by digest; none where there is no such file. Raises DataError."""
    return {digest: Share(**one) for digest, one in entries_of(path, FORMAT, "shares").items()}


def write(path: Path, shares: Shares) -> None:
    """Writes all shares, in the order of names; the file is whole at any time."""
    ordered = sorted(shares.items(), key=lambda item: (item[1].name, item[0]))
    entries = ",\n".join(f" {json.dumps(digest)}: {json.dumps(asdict(one))}" for digest, one in ordered)
    put_entries(path, FORMAT, "shares", entries)
