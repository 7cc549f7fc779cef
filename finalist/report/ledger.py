"""The ledger of a paper's claims as a sheet."""

from __future__ import annotations

from finalist.papers import ledger
from finalist.report.sheets import MARK, Sheet


def sheet(name: str) -> Sheet:
    """All claims of a paper with their verdicts; what was fitted first, as that is no evidence."""
    found = [(claim, ledger.judged(claim)) for claim in ledger.claims(name)]
    counts = ledger.counted([verdict for _, verdict in found])
    fitted = list(dict.fromkeys(claim.fitted for claim, _ in found if claim.fitted))
    rows = [
        (
            claim.place,
            claim.says,
            (MARK if verdict.name == ledger.REFUTED else "") + verdict.name,
            verdict.figures,
            claim.why if claim.test else "",
        )
        for claim, verdict in found
    ]
    said = "; ".join(fitted) or "nothing"
    note = f"Fitted: {said}. " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()) + "."
    header = ("place", "claim", "verdict", "figures", "remark")
    return Sheet("Claims and verdicts", header, tuple(rows), 0, note)
