"""Verification that goes on where an earlier run was stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace

from finalist.cache.origin import code_digest
from finalist.ciphers.catalogue import identity, is_built_in
from finalist.errors import CompilerError, FinalistError
from finalist.machines.registry import is_own
from finalist.machines.registry import machine as find_machine
from finalist.measure.records import Store
from finalist.resumable import Resumable
from finalist.vectors.matrix import Cell, Verdict, verifying


class KeptError(FinalistError):
    """The file of verdicts can't be read or written."""


@dataclass(frozen=True)
class Kept(Verdict):
    """A verdict, and what it holds for.

    ``code``: a digest of Finalist's own files; ``surroundings``: what the machine depends on here, such as a
    compiler; ``chains``: which Monte Carlo entries were run, "all" or "some".
    """

    code: str = ""
    surroundings: str = ""
    chains: str = ""


KEPT = Store(Kept, "the file of verdicts", "FINALIST_VERDICTS", "verdicts.jsonl", KeptError)


def verifying_rest(
    cells: Sequence[Cell], *, processes: bool = False
) -> Resumable[Cell, Verdict | CompilerError]:
    """As `verifying`, but what an earlier run of the same code has found right or refused is not run again.

    What is found is kept. Definitions and machines that are not Finalist's own are always run: no digest says
    whether they are the same. Raises KeptError, and its runs do.
    """
    conditions = {name: _surroundings(name) for name in dict.fromkeys(cell.machine for cell in cells)}
    earlier = {_key(kept): kept for kept in KEPT.read().rows if kept.status != "failed"}
    blanks = {cell: _blank(cell, conditions[cell.machine]) for cell in cells}

    def keep(cell: Cell, verdict: Verdict | CompilerError) -> None:
        if isinstance(verdict, Verdict) and is_built_in(cell.cipher) and is_own(cell.machine):
            KEPT.append([replace(blanks[cell], **asdict(verdict))])

    known = {cell: _verdict(earlier[_key(one)]) for cell, one in blanks.items() if _key(one) in earlier}
    return replace(verifying(cells, processes=processes), known=known, keep=keep)


def _verdict(kept: Kept) -> Verdict:
    return Verdict(**{field.name: getattr(kept, field.name) for field in fields(Verdict)})


def _blank(cell: Cell, surroundings: str) -> Kept:
    """What is kept of a cell, before its verdict is known."""
    own = (cell.cipher.name(), cell.key_bits, cell.operation, cell.machine, str(cell.schedule), "")
    chains = "all" if cell.all_chains else "some"
    which = identity(cell.cipher)
    return Kept(*own, definition=which, code=code_digest(), surroundings=surroundings, chains=chains)


def _key(kept: Kept) -> Kept:
    """The same where one verdict stands for the other."""
    return replace(
        kept, status="", reason="", known_answers=0, monte_carlo=0, timing="", own=0, explanation=""
    )


def _surroundings(machine: str) -> str:
    try:
        return ", ".join(f"{name} {value}" for name, value in find_machine(machine).describe().items())
    except CompilerError as error:
        return str(error)
