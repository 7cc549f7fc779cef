"""What a solver has said of intervals of a loop, stored as data: by the digest of the problem, which is of
the graph of the loop and of the machine.

A question is an interval, of so many stages at most, with or without the registers there are, and with or
without conflicts of memory banks; its answer is a schedule found, that there is none, or neither in the time
given. Without registers in the question there is none with them either; without a number of stages, with any.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from finalist.errors import DataError
from finalist.isa.schedule.modulo.stored import entries_of, put_entries

FORMAT = "finalist proofs of loops 1"
FOUND, INFEASIBLE, UNDECIDED = "found", "infeasible", "undecided"
OUTCOMES = (FOUND, INFEASIBLE, UNDECIDED)
#: What the solver's answers are called here.
_ANSWERS = {"optimal": FOUND, "feasible": FOUND, "infeasible": INFEASIBLE, "unknown": UNDECIDED}


@dataclass(frozen=True, slots=True)
class Proof:
    """``name``: of what; ``stages``: at most, 0 for any number; ``registers``: whether they had to suffice;
    ``banks``: whether no two accesses of a cycle could be to one bank; ``seconds`` that ``solver`` took."""

    name: str
    interval: int
    stages: int
    registers: bool
    banks: bool
    outcome: str
    seconds: float
    solver: str

    @property
    def question(self) -> tuple[int, int, bool, bool]:
        """What was asked."""
        return self.interval, self.stages, self.registers, self.banks

    def __str__(self) -> str:
        told = f"{self.interval} cycles"
        told += f", up to {self.stages} stages" if self.stages else ", any number of stages"
        told += ", with registers" if self.registers else ", registers not counted"
        return told + ", no two accesses to one bank" * self.banks


#: By digest what was proved of a problem.
Proofs = Mapping[str, tuple[Proof, ...]]


def answer(status: str) -> str:
    """What a solver's status is as an outcome."""
    return _ANSWERS[status]


def added(proofs: Proofs, digest: str, proof: Proof) -> Proofs:
    """With a further proof, unless its question has been decided and this leaves it open."""
    others = [one for one in proofs.get(digest, ()) if one.question != proof.question]
    known = next((one for one in proofs.get(digest, ()) if one.question == proof.question), None)
    if known is not None and proof.outcome == UNDECIDED != known.outcome:
        return proofs
    return {**proofs, digest: tuple(sorted([*others, proof], key=lambda one: one.question))}


def least(proofs: Iterable[Proof]) -> int:
    """The least interval that is not refuted for any number of stages and all registers; 0 if none is."""
    refuted = {p.interval for p in proofs if p.outcome == INFEASIBLE and not (p.stages or p.banks)}
    return max(refuted, default=-1) + 1


def read(path: Path) -> Proofs:
    """Proofs by digest; none where there is no such file. Raises DataError."""
    found = {
        digest: tuple(Proof(**one) for one in told)
        for digest, told in entries_of(path, FORMAT, "proofs").items()
    }
    for one in (one for told in found.values() for one in told if one.outcome not in OUTCOMES):
        raise DataError(
            f"{path.name}: outcome {one.outcome!r} of {one.name}; accepted: {', '.join(OUTCOMES)}"
        )
    return found


def write(path: Path, proofs: Proofs) -> None:
    """Writes all proofs, in the order of names; the file is whole at any time."""
    ordered = sorted(proofs.items(), key=lambda item: (item[1][0].name, item[0]))
    entries = ",\n".join(
        f" {json.dumps(digest)}: [\n" + ",\n".join(f"  {json.dumps(asdict(one))}" for one in told) + "]"
        for digest, told in ordered
    )
    put_entries(path, FORMAT, "proofs", entries)
