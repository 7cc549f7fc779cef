"""A figure says what it is of, which unit is compared, and how its program is had."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalist.measure.figure import Figure, digest
from tests.measure.test_results import ROW

CYCLES, TICKS, RATE = ROW.figures()
AREA = replace(CYCLES, machine="hardware", quantity="area", value=900.0, unit="slices", asked="optimise=area")


def test_a_row_has_a_figure_in_each_unit() -> None:
    assert [(one.value, one.unit) for one in (CYCLES, TICKS, RATE)] == [
        (1.5, "core cycles per byte"),
        (1.25, "ticks per byte"),
        (1234.5, "Mbit/s"),
    ]


def test_what_was_too_short_for_the_clock_is_none() -> None:
    assert not list(replace(ROW, ticks=0.0, core_cycles=0.0, mbit_per_s=None).figures())


def test_cycles_are_compared_before_ticks_and_rates() -> None:
    assert CYCLES.rank < TICKS.rank < RATE.rank and AREA.rank < TICKS.rank


@pytest.mark.parametrize("unit", ["Mbit/s", "MHz", "kbit/s per slice"])
def test_rates(unit: str) -> None:
    assert replace(CYCLES, unit=unit).is_rate and not CYCLES.is_rate


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        (replace(CYCLES, asked="default"), "toy --machine native --key-bits 128 --operation encrypt"),
        (AREA, "toy --machine hardware --key-bits 128 --operation encrypt -s optimise=area"),
        (replace(AREA, key_bits=0), "toy --machine hardware --operation encrypt -s optimise=area"),
        (replace(AREA, asked="directions=both"), "toy --machine hardware --key-bits 128 -s directions=both"),
        (
            replace(CYCLES, definition="/a b/toy.py:Toy"),
            "'/a b/toy.py' --machine native --key-bits 128 --operation encrypt",
        ),
        (
            replace(CYCLES, definition="/toy.py:Toy:w=8"),
            "/toy.py:w=8 --machine native --key-bits 128 --operation encrypt",
        ),
    ],
)
def test_the_command_that_prints_the_program(figure: Figure, words: str) -> None:
    assert figure.command == f"finalist emit {words}"


def test_the_fingerprint_is_of_what_the_figure_depends_on() -> None:
    assert len(CYCLES.fingerprint) == 12
    assert CYCLES.fingerprint != replace(CYCLES, environment="cc 13").fingerprint
    assert replace(CYCLES, processor="", environment="").fingerprint == ""


def test_digests_tell_texts_apart() -> None:
    assert digest("a") != digest("b") and len(digest("a")) == 16


def test_how_it_is_shown() -> None:
    name = "toy encrypt, key of 128 bits, native"
    assert repr(CYCLES) == f"<Figure {name}: bulk, 1.5 core cycles per byte>"
    assert (
        repr(replace(CYCLES, quantity="refused", refused="no room")) == f"<Figure {name}: refused, no room>"
    )
    assert "&quot;processor&quot; ü" in CYCLES._repr_html_()
