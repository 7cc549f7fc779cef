"""Tables of operations: a row for each kind and width, a column for each program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from finalist.report.counts import Counts, Operations, number
from finalist.report.kinds import MOVES, Kind
from finalist.report.markdown import Cell, table

#: What a column is of: encryption or decryption, and the form; or the form, and the rounds.
Head = tuple[str, str]


def counted(columns: Mapping[Head, Counts]) -> str:
    """Operations of several programs, and how sure the numbers are."""
    text = listed({head: one.operations for head, one in columns.items()}, moves=True)
    if any(one.at_most for one in columns.values()):
        text += "\nAt most: some of these happen only under a condition, or in loops that may end sooner.\n"
    if any(one.uncertain for one in columns.values()):
        text += "\nAt least: a loop whose trip count nothing bounds is counted as one iteration.\n"
    return text


def listed(columns: Mapping[Head, Operations], *, moves: bool) -> str:
    """The operations that occur; with ``moves`` also these, below the sum."""
    merged = _merged(columns)
    each = [one for _, one in merged]
    order = list(Kind)
    found = sorted({key for one in each for key in one}, key=lambda key: (order.index(key[0]), key[1]))
    rows: list[list[Cell]] = [_line(key, each) for key in found if key[0] not in MOVES]
    rows.append(["**together**", "", *(f"**{_together(one):,}**" for one in each)])
    if moves:
        rows += [_line(key, each) for key in found if key[0] in MOVES]
    return table(["operation", "bits", *(_head(own, columns) for own, _ in merged)], rows)


def numbers(found: Iterable[int]) -> str:
    """Numbers with runs of neighbours drawn together: ``1-4, 7``."""
    runs: list[list[int]] = []
    for one in sorted(found):
        if runs and runs[-1][-1] == one - 1:
            runs[-1].append(one)
        else:
            runs.append([one])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _merged(columns: Mapping[Head, Operations]) -> list[tuple[list[Head], Operations]]:
    """Columns with the same numbers as one."""
    found: list[tuple[list[Head], Operations]] = []
    for head, one in columns.items():
        same = next((own for own, known in found if known == one), None)
        if same is None:
            found.append(([head], one))
        else:
            same.append(head)
    return found


def _head(own: list[Head], columns: Iterable[Head]) -> str:
    """What a column is of, in as few words as tell it from the others."""
    by_first = {first: [b for a, b in own if a == first] for first, _ in own}
    every = {first: [b for a, b in columns if a == first] for first, _ in columns}
    if len({tuple(seconds) for seconds in by_first.values()}) > 1:
        return "; ".join(", ".join(head) for head in own)
    first, seconds = next(iter(by_first.items()))
    words = [] if len(by_first) == len(every) else [" and ".join(by_first)]
    words += [] if seconds == every[first] else [" and ".join(seconds)]
    return ", ".join(words) or "number"


def _together(each: Operations) -> int:
    return number(each, [kind for kind in Kind if kind not in MOVES])


def _line(key: tuple[Kind, int], columns: Iterable[Operations]) -> list[Cell]:
    kind, width = key
    return [kind.value, width or "", *(each[key] or "" for each in columns)]
