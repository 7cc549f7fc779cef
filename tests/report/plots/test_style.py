"""Axes and colours that all plots share."""

from __future__ import annotations

from itertools import pairwise
from math import log10

import pytest

from finalist.report.plots import style
from finalist.report.plots.style import PlotError


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2)."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colour", [*style.SERIES, style.INK, style.FAINT])
def test_colours_are_seen_on_both_pages(colour: str) -> None:
    least = 4.5 if colour in (style.INK, style.FAINT) else 3
    assert contrast(colour, style.PAPER) >= least
    assert contrast(style.DARK[colour], style.DARK[style.PAPER]) >= least


def test_every_colour_has_one_of_its_own_in_the_dark() -> None:
    assert len(set(style.DARK.values())) == len(style.DARK)
    assert not set(style.DARK) & set(
        style.DARK.values()
    )  # or a rule of style would meet what another has set


def test_a_specification_in_the_dark() -> None:
    found = style.in_dark({"mark": {"color": style.INK}, "range": [style.SERIES[0], 3], "name": "ink"})
    dark = style.DARK
    assert found == {"mark": {"color": dark[style.INK]}, "range": [dark[style.SERIES[0]], 3], "name": "ink"}


@pytest.mark.parametrize("upright", [False, True])
@pytest.mark.parametrize("low", [0.003, 0.08, 1, 37, 6000, 123456])
@pytest.mark.parametrize(("span", "pixels"), [(2, 200), (3.3, 150), (12, 620), (500, 200), (40000, 330)])
def test_ticks_are_inside_and_apart(low: float, span: float, upright: bool, pixels: int) -> None:
    high = low * span
    numbers, labels = style.ticks(low, high, pixels, upright=upright)
    assert 2 <= len(numbers) <= 9
    assert low <= numbers[0] and numbers[-1] <= high
    for a, b in pairwise(numbers):
        assert log10(b / a) / log10(span) * pixels >= (14 if upright else 20)
    assert labels == ",~r" or low >= 1


def test_ticks_are_round() -> None:
    assert style.ticks(0.9, 120, 600) == ([1, 2, 5, 10, 20, 50, 100], ",~r")
    assert style.ticks(150, 60000, 200) == ([300, 1000, 3000, 10000, 30000], "~s")
    assert style.ticks(5900, 18500, 620)[0][0] == 6000


def test_an_axis_is_never_so_short_that_noise_looks_large() -> None:
    low, high = style.domain([10])
    assert high / low > 1.9
    assert low < 10 < high
    low, high = style.domain([1, 1000], room=0.1)
    assert low == pytest.approx(10**-0.3, rel=1e-3) and high == pytest.approx(10**3.3, rel=1e-3)


@pytest.mark.parametrize("values", [[], [0, 0.0]])
def test_nothing_to_plot(values: list[float]) -> None:
    with pytest.raises(PlotError, match="no figures"):
        style.logarithmic("x", "x", values, 100)


def test_series_differ_in_colour_or_shape_however_many() -> None:
    names = [str(k) for k in range(40)]
    look = style.series("machine", names)
    assert look["color"]["scale"]["domain"] == look["shape"]["scale"]["domain"] == names
    pairs = list(zip(look["color"]["scale"]["range"], look["shape"]["scale"]["range"], strict=True))
    assert len(set(pairs)) == len(names)


def test_one_series_needs_no_legend() -> None:
    assert style.series("mode", ["ecb"])["color"]["legend"] is None
    assert style.series("mode", ["ecb"], alone=True)["color"]["legend"] == {"title": "mode"}
    assert style.series("mode", ["ecb", "ctr"], orient="bottom")["shape"]["legend"]["orient"] == "bottom"


def test_rows_beside_named_rows_have_blank_labels() -> None:
    assert "labelExpr" not in style.rows("cipher", ["a"])["axis"]
    assert style.rows("cipher", ["a"], named=False)["axis"]["labelExpr"] == "''"
