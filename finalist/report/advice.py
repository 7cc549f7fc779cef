"""What `finalist advise` says, as sheets: a ranking, and below it what is not in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from finalist.advice import BEYOND, UNMEASURED, UNSAFE_KIND, Answer, Choice, value_of
from finalist.measure.figure import REFUSED, Figure
from finalist.report.sheets import Row, Sheet


def shown(value: float) -> str:
    """A figure in four digits, large ones whole."""
    return f"{value:,.4g}" if value < 1e4 else f"{value:,.0f}"


def sheet(answer: Answer, most: int) -> Sheet:
    """The first ``most`` of the ranking, with the figures of the limits beside."""
    limits = [limit.name for limit in answer.wish.limits if limit.name != answer.wish.want]
    first = answer.choices[0].figure if answer.choices else None
    wanted = f"{answer.wish.want}, {first.unit}" if first else answer.wish.want
    header = ("", "cipher", "security", "timing", "schedule", "why", wanted, *dict.fromkeys(limits))
    rows = [_line(place, one, limits) for place, one in enumerate(answer.choices[:most], 1)]
    return Sheet(_title(answer), header, tuple(rows), 1 + len(set(limits)), _whose(answer, first))


def _title(answer: Answer) -> str:
    wish = answer.wish
    rules = [*map(str, wish.limits), *(["constant-time"] if wish.constant_time else [])]
    return f"{wish.machine}, {wish.operation}: by {wish.want}" + (f", {', '.join(rules)}" if rules else "")


def _whose(answer: Answer, first: Figure | None) -> str:
    """Whose figures these are, and of when."""
    if first is None:
        return "No cipher that was measured keeps the limits."
    dates = f"{answer.dates[0]} to {answer.dates[-1]}" if len(answer.dates) > 1 else answer.dates[0]
    return f"Taken {dates}" + (f" on {answer.processor}." if answer.processor else ".")


def _line(place: int, one: Choice, limits: Sequence[str]) -> Row:
    beside = (value_of(name, one.others) for name in dict.fromkeys(limits))
    values = ("-" if figure is None else shown(figure.value) for figure in beside)
    figure = one.figure
    about = one.state, figure.timing or "-", figure.schedule, one.why
    return (str(place), figure.cipher, *about, shown(figure.value), *values)


def lines(answer: Answer, most: int) -> Iterator[str]:
    """How the programs are had, and which ciphers are not in the ranking, and why."""
    for place, one in enumerate(answer.choices[:most], 1):
        yield f"{place}. {one.command}"
    told = {
        "Left out, --broken shows them": [f"{name} ({why})" for name, why in answer.of(UNSAFE_KIND).items()],
        "Beyond the limits": list(answer.of(BEYOND)),
        f"Refused on {answer.wish.machine}": [f"{n} ({why})" for n, why in answer.of(REFUSED).items()],
        "Not measured": list(answer.of(UNMEASURED)),
    }
    for what, names in told.items():
        if names:
            yield f"{what}: {', '.join(names)}."
    if answer.of(UNMEASURED):
        yield f"`finalist sweep --machine {answer.wish.machine}` measures them."
