"""The published studies on the page: their tables with ours beside, how far these are, and the verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from finalist.papers import ledger
from finalist.papers.cells import Cell as Figure
from finalist.papers.cells import Compared, Place, compared, verdicts
from finalist.papers.ledger import Claim, Verdict
from finalist.papers.load import paper, paper_names
from finalist.papers.results import numbers
from finalist.report.page.tables import Cell, Row, folded, table
from finalist.report.plots import page as plots
from finalist.report.plots.style import Spec

_NO_CLAIM = "no claim"
_ABOUT = Mapping[Place, list[tuple[Claim, Verdict]]]


def names() -> list[str]:
    """The studies whose claims are in the ledger."""
    return [name for name in paper_names() if ledger.claims(name)]


def plot(name: str) -> Spec:
    """All cells of a study, ours by theirs; those of tables of parts of a whole are left to the tables."""
    about, found = verdicts(name), compared(name)
    values = [
        _record(number, one, about)
        for number, table in enumerate(found, 1)
        for one in table.cells
        if not table.points and one.theirs and one.times > 0
    ]
    own = [str(number) for number, table in enumerate(found, 1) if table.cells and not table.points]
    return plots.cells(str(paper(name)["paper"]), own, values)


def _record(number: int, one: Figure, about: _ABOUT) -> Spec:
    verdict = _verdict(about.get(one.place, []))
    return {
        "number": str(number),
        "table": one.table,
        "row": one.row,
        "column": one.column,
        "theirs": one.theirs,
        "ours": one.ours,
        "times": float(f"{one.times:.4g}"),
        "verdict": verdict,
    }


def _verdict(found: Sequence[tuple[Claim, Verdict]]) -> str:
    """That of the claim about a cell: of several that which is about no other cell."""
    alone = [verdict for claim, verdict in found if isinstance(claim.test.get("ours"), str)] or [
        verdict for _, verdict in found
    ]
    return alone[0].name if alone else _NO_CLAIM


def html(name: str, plot_name: str) -> str:
    """A study's part of the page, in which its plot stands in the element of this name."""
    about, found = verdicts(name), compared(name)
    judged = [(claim, ledger.judged(claim)) for claim in ledger.claims(name)]
    counts = ledger.counted([verdict for _, verdict in judged])
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    parts = [
        f'<h3 id="paper-{name}">{escape(str(paper(name)["paper"]))}</h3>',
        f"<p>{len(judged)} claims: {escape(told)}. <code>finalist paper {name}</code> takes ours anew.</p>",
        f'<div class="plot" id="{plot_name}"></div>',
        _errors(found),
        folded(f"All {len(judged)} claims and verdicts", _claims(judged)),
        *(_whole(number, one, about) for number, one in enumerate(found, 1)),
    ]
    return f'<section class="paper">{"".join(parts)}</section>'


def _errors(found: Sequence[Compared]) -> str:
    """How far each table is from the paper's."""
    rows = [
        Row(
            [
                Cell(str(number)),
                Cell(one.table.title),
                Cell(str(len(one.cells)), len(one.cells)),
                Cell(one.error),
            ]
        )
        for number, one in enumerate(found, 1)
        if one.cells
    ]
    return table("How far ours are from theirs", ("number", "table", "cells", "error"), rows)


def _claims(judged: Sequence[tuple[Claim, Verdict]]) -> str:
    rows = [
        Row(
            [
                Cell(claim.place),
                Cell(claim.says),
                Cell(verdict.name, attributes={"class": f"verdict {verdict.name.split()[0]}"}),
                Cell(verdict.figures),
                Cell(_remark(claim)),
            ]
        )
        for claim, verdict in judged
    ]
    return table("Claims and verdicts", ("place", "claim", "verdict", "figures", "remark"), rows)


def _remark(claim: Claim) -> str:
    fitted = f"Fitted: {claim.fitted}." if claim.fitted else ""
    return " ".join(filter(None, (fitted, claim.why if claim.test else "")))


def _whole(number: int, one: Compared, about: _ABOUT) -> str:
    """A table as it stands on its page; cells that a claim is about say the verdict."""
    rows = [
        Row([_cell(text, about.get((one.table.title, k, column), [])) for column, text in enumerate(row)])
        for k, row in enumerate(one.table.rows)
    ]
    error = f" ({one.error})" if one.error else ""
    return folded(f"{number}. {one.table.title}{error}", table(one.table.title, one.table.header, rows))


def _cell(text: str, found: Sequence[tuple[Claim, Verdict]]) -> Cell:
    """The text; below it the verdicts, with their claims for who asks."""
    value = numbers(text)
    number = value[0] if value and len(text) < 24 else None
    if not found:
        return Cell(text, number)
    counts = Counter(verdict.name for _, verdict in found)
    why = " ".join(f"{claim.says} {verdict.name}: {verdict.figures}." for claim, verdict in found[:4])
    marks = "".join(f' <span class="verdict {name.split()[0]}">{name}</span>' for name in counts)
    return Cell(f"{escape(text)}{marks}", number, raw=True, attributes={"title": why})


def plots_of(named: Sequence[str]) -> Iterator[tuple[str, Spec]]:
    """The element and the plot of each study."""
    for name in named:
        yield element(name), plot(name)


def element(name: str) -> str:
    """What the element of a study's plot is called."""
    return f"cells-{name}"
