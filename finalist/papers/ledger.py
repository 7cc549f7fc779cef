"""The ledger: every claim of a paper, how it is tested on our results, and the verdict.

A claim is an entry of ``claims/PAPER.json``. Its test names cells of our results and of the paper's tables;
the verdict follows from them, and is never written by hand:

``near``     our figure is within a fraction of theirs
``points``   our percentage is within so many points of theirs
``between``  our figure, or the quotient of two, lies between two bounds
``order``    our figures, in the order that the paper has its own, fall from the first to the last
``least``    the first of our figures is at most each of the others
``most``     the first of our figures is at least each of the others

What holds is *confirmed*, or *fitted* where the model or the schedule was chosen with the paper's figure in
sight; what does not is *refuted*. A claim without a test is *not testable here*, with the reason.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from finalist.errors import FinalistError
from finalist.papers.load import paper
from finalist.papers.results import Results, results

FOLDER = files("finalist.papers") / "claims"
CONFIRMED, FITTED, REFUTED, UNTESTED = "confirmed", "fitted", "refuted", "not testable here"


class LedgerError(FinalistError):
    """An entry that can't be judged, and why."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim. ``place``: where it stands in the paper; ``says``: the claim in our words; ``test``: its
    kind and what that takes; ``fitted``: what was fitted to it; ``why``: why it is not tested, or what
    explains the verdict."""

    paper: str
    place: str
    says: str
    test: Mapping[str, Any] = field(default_factory=dict)
    fitted: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a claim, and the figures that say so."""

    name: str
    figures: str = ""


@cache
def claims(name: str) -> tuple[Claim, ...]:
    """The claims of a paper, in its order. Raises UnknownNameError."""
    paper(name)
    path = FOLDER / f"{name}.json"
    if not path.is_file():
        return ()
    return tuple(Claim(name, **entry) for entry in json.loads(path.read_text("utf-8")))


def judged(claim: Claim, found: Results | None = None) -> Verdict:
    """The verdict on a claim by our results. Raises LedgerError, ResultError."""
    if not claim.test:
        if not claim.why:
            raise LedgerError(f"{claim.paper}, {claim.place}: a claim without a test says why")
        return Verdict(UNTESTED, claim.why)
    kind = str(claim.test["kind"])
    if kind not in _TESTS:
        raise LedgerError(f"{claim.paper}, {claim.place}: kind {kind!r}; accepted: {', '.join(_TESTS)}")
    holds, figures = _TESTS[kind](claim.test, found or results(claim.paper))
    name = (FITTED if claim.fitted else CONFIRMED) if holds else REFUTED
    return Verdict(name, figures)


def counted(verdicts: Sequence[Verdict]) -> dict[str, int]:
    """How many of each verdict."""
    counts = Counter(verdict.name for verdict in verdicts)
    return {name: counts[name] for name in (CONFIRMED, FITTED, REFUTED, UNTESTED)}


# -- tests --------------------------------------------------------------------------------------------


def _value(what: float | str | Sequence[str], found: Results) -> float:
    """A number, that of a cell, or the quotient of two cells."""
    if isinstance(what, str):
        return found.number(what)
    if isinstance(what, int | float):
        return float(what)
    above, below = what
    return _value(above, found) / _value(below, found)


def _shown(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _near(test: Mapping[str, Any], found: Results) -> tuple[bool, str]:
    ours, theirs = _value(test["ours"], found), _value(test["theirs"], found)
    apart = ours / theirs - 1
    told = f"ours {_shown(ours)}, theirs {_shown(theirs)}: {100 * apart:+.1f} %"
    return abs(apart) <= test["within"], f"{told}; {100 * test['within']:g} % asked"


def _points(test: Mapping[str, Any], found: Results) -> tuple[bool, str]:
    ours, theirs = _value(test["ours"], found), _value(test["theirs"], found)
    told = f"ours {_shown(ours)} %, theirs {_shown(theirs)} %; {test['within']} points asked"
    return abs(ours - theirs) <= test["within"], told


def _between(test: Mapping[str, Any], found: Results) -> tuple[bool, str]:
    ours, (low, high) = _value(test["ours"], found), test["bounds"]
    return low <= ours <= high, f"ours {_shown(ours)}, between {_shown(low)} and {_shown(high)}"


def _order(test: Mapping[str, Any], found: Results) -> tuple[bool, str]:
    values = [_value(one, found) for one in test["ours"]]
    falls = all(a > b for a, b in pairwise(values))
    return falls, "ours " + ", ".join(map(_shown, values))


def _least(test: Mapping[str, Any], found: Results) -> tuple[bool, str]:
    first, *others = (_value(one, found) for one in test["ours"])
    return first <= min(others), f"ours {_shown(first)}; of the others the least {_shown(min(others))}"


def _most(test: Mapping[str, Any], found: Results) -> tuple[bool, str]:
    first, *others = (_value(one, found) for one in test["ours"])
    return first >= max(others), f"ours {_shown(first)}; of the others the most {_shown(max(others))}"


_TESTS: dict[str, Callable[[Mapping[str, Any], Results], tuple[bool, str]]] = {
    "near": _near,
    "points": _points,
    "between": _between,
    "order": _order,
    "least": _least,
    "most": _most,
}
