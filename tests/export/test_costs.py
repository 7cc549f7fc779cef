"""What a library's README says of costs: read from what its test prints, or said to be unknown."""

from __future__ import annotations

from finalist.export.costs import Costs, read

KEY = ("toy", "avx2")
TEXT = "| @SIZE toy avx2@ | @SETUP toy avx2@ | @SPEED toy avx2@ | @CLOCK@"
PRINTED = [
    "clock\trdtsc\t0.700",
    "cost\ttoy\tavx2\tencrypt\t128\t90\t1.50",
    "cost\ttoy\tavx2\tdecrypt\t256\t110\t1.25",
    "cost\ttoy\tportable\tencrypt\t128\t90\t9.00",
]


def test_the_least_and_the_most() -> None:
    said = read(PRINTED, {KEY: 12345}).put_into(TEXT, [KEY])
    assert said == "| 12,345 | 90 to 110 | 1.25 to 1.50 | rdtsc, 0.700 ticks a core cycle"


def test_one_figure() -> None:
    assert read(PRINTED[:2], {}).put_into(TEXT, [KEY]).startswith("| not measured | 90 | 1.50 |")


def test_what_was_not_run() -> None:
    said = Costs().put_into(TEXT, [KEY])
    assert said == (
        "| not measured | not measured | not measured | nothing: it was written without being run"
    )
