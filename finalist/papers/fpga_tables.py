"""The FPGA study: the best design of each cipher, rankings, and how far our estimates are from the paper.

Tables II to V: by throughput and by throughput a slice, in non-feedback and in feedback modes, the best of
both optimisations. In feedback modes our designs take a cycle more than their latency, since results leave
through registers of their own, so that ours are counted in two ways: by the paper's cycles, and by our own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import TypeVar

from finalist.machines.base import Estimated
from finalist.papers.fpga import FEEDBACK, FIELDS, Published, Row

Design = TypeVar("Design", bound=Published)
NON_FEEDBACK = "non-feedback"
#: Feedback modes, our clock by the paper's cycles a block, and by our own.
THEIR_CYCLES, OWN_CYCLES = "feedback, by the paper's cycles", "feedback, by our cycles"
THROUGHPUT, PER_SLICE = "throughput", "throughput per slice"
TABLES = {NON_FEEDBACK: ("VI", "VII"), THEIR_CYCLES: ("VIII", "IX"), OWN_CYCLES: ("VIII", "IX")}
#: What was looked at when the law of the wires was chosen: agreement with it is no evidence.
_FITTED = frozenset({(NON_FEEDBACK, THROUGHPUT), (NON_FEEDBACK, PER_SLICE)})


@dataclass(frozen=True, slots=True)
class Question:
    """A table of the paper's: which design of each cipher is best by ``measure`` in modes of a kind."""

    table: str
    mode: str
    measure: str

    @property
    def fitted(self) -> bool:
        """Whether the model was chosen with the answer in sight."""
        return (self.mode, self.measure) in _FITTED

    def theirs(self, row: Published) -> tuple[float, str]:
        """The paper's figure of a design (Mbit/s, or bit/s a slice), and what it was optimised for then."""
        field = "throughput_mbit_s" if self.measure == THROUGHPUT else "throughput_per_slice_bit_s"
        found = [(float(row.published[t][field]), _AIMS[t]) for t in TABLES[self.mode]]
        return max(found)

    def ours(self, row: Row) -> tuple[float, str]:
        """The same of our estimates; what is no better for being made for something is not."""
        return max(((self._of(row, one), aim) for aim, one in row.ways.items()), key=lambda found: found[0])

    def _of(self, row: Row, estimate: Estimated) -> float:
        speed = estimate.mbit_s if self.mode == NON_FEEDBACK else _feedback(row, estimate, self.mode)
        return speed if self.measure == THROUGHPUT else speed * 1e6 / estimate.slices


_AIMS = {"VI": "speed", "VII": "area", "VIII": "speed", "IX": "area"}

QUESTIONS = (
    Question("II", NON_FEEDBACK, THROUGHPUT),
    Question("III", THEIR_CYCLES, THROUGHPUT),
    Question("III", OWN_CYCLES, THROUGHPUT),
    Question("IV", NON_FEEDBACK, PER_SLICE),
    Question("V", THEIR_CYCLES, PER_SLICE),
    Question("V", OWN_CYCLES, PER_SLICE),
)


def _feedback(row: Row, estimate: Estimated, mode: str) -> float:
    if mode == OWN_CYCLES:
        return estimate.feedback_mbit_s
    return estimate.feedback_mbit_s * estimate.feedback_cycles / row.published["VIII"]["cycles_per_block"]


# -- winners and rankings ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Winner:
    """A cipher's best design: its architecture, figure, and what it was made for, if for something."""

    cipher: str
    architecture: str
    figure: float
    aim: str = ""


def theirs(question: Question, rows: Sequence[Published]) -> list[Winner]:
    """The paper's best design of each cipher, the best cipher first."""
    return _best(rows, lambda row: question.theirs(row))


def ours(question: Question, rows: Sequence[Row]) -> list[Winner]:
    """Our best design of each cipher among the paper's architectures, the best cipher first."""
    return _best(rows, lambda row: question.ours(row))


def _best(rows: Sequence[Design], figure: Callable[[Design], tuple[float, str]]) -> list[Winner]:
    found: dict[str, Winner] = {}
    for row in rows:
        value, aim = figure(row)
        if row.cipher not in found or value > found[row.cipher].figure:
            found[row.cipher] = Winner(row.cipher, row.architecture, value, aim)
    return sorted(found.values(), key=lambda one: -one.figure)


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A ranking of ciphers by their best design, the first first: the paper's and ours."""

    question: Question
    theirs: tuple[str, ...]
    ours: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """Whether ours is the same; ``fitted`` where the model was chosen with the answer in sight."""
        agrees = "yes" if self.theirs == self.ours else "first" if self.theirs[0] == self.ours[0] else "no"
        return f"{agrees}, fitted" if self.question.fitted and agrees != "no" else agrees


def conclusions(rows: Sequence[Row]) -> list[Conclusion]:
    """The rankings of Tables II to V."""
    return [
        Conclusion(
            question,
            tuple(one.cipher for one in theirs(question, rows)),
            tuple(one.cipher for one in ours(question, rows)),
        )
        for question in QUESTIONS
    ]


def winning_designs(rows: Sequence[Published]) -> list[tuple[str, str]]:
    """The (cipher, architecture) that win in a table of the paper, each once."""
    found = (theirs(question, rows) for question in QUESTIONS)
    return list(dict.fromkeys((one.cipher, one.architecture) for winners in found for one in winners))


# -- errors -------------------------------------------------------------------------------------------


def estimated(row: Row, what: str) -> float:
    """A figure of our estimate by name; feedback throughput by the paper's cycles."""
    if what == FEEDBACK:
        return _feedback(row, row.estimate, THEIR_CYCLES)
    return float(getattr(row.estimate, what))


def aimed_error(rows: Iterable[Row], aim: str, what: str) -> float:
    """As `error`, of the designs made for "speed" or "area", against the paper's rows for that alone."""
    feedback = what == FEEDBACK
    table = next(name for name in TABLES[THEIR_CYCLES if feedback else NON_FEEDBACK] if _AIMS[name] == aim)
    logs = []
    for row in rows:
        made = row.made[aim]
        own = _feedback(row, made, THEIR_CYCLES) if feedback else float(getattr(made, what))
        logs.append(log(own / row.published[table][FIELDS.get(what, what)]))
    return _rms(logs)


def netlist(row: Row, what: str) -> float:
    """Slices or MHz of our mapped netlist."""
    return float(getattr(row.mapped, what))


def error(rows: Iterable[Row], what: str, figure: Callable[[Row, str], float] = estimated) -> float:
    """Root mean square of log(ours / theirs) over rows; 0 without any."""
    logs = [log(figure(row, what) / row.theirs(what)) for row in rows]
    return _rms(logs)


def _rms(logs: Sequence[float]) -> float:
    return sqrt(sum(value * value for value in logs) / len(logs)) if logs else 0.0


def apart(rows: Sequence[Published], field: str) -> float:
    """Root mean square of log(speed row / area row): how far the paper's own two rows are apart."""
    logs = [log(row.published["VI"][field] / row.published["VII"][field]) for row in rows]
    return _rms(logs)
