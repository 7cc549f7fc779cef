"""The picture of what additions give for their area."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from finalist.report.ptlu import which
from finalist.report.tradeoff import Point, picture

POINTS = [
    Point("small", 0.01, {"a": 1.0, "b": 1.21}),
    Point("<large>", 8, {"a": 4.0, "b": 1.0}),
    Point("useless", 0.001, {"a": 1.01, "b": 0.9}),
]


def test_the_mean_is_geometric() -> None:
    assert POINTS[0].middle == pytest.approx(1.1)
    assert POINTS[1].middle == pytest.approx(2)


def test_a_dot_for_each_and_a_ring_for_all() -> None:
    text = picture(POINTS, "gates & wires")
    root = ElementTree.fromstring(text)  # well-formed
    circles = [one for one in root.iter() if one.tag.endswith("circle")]
    assert len(circles) == 3 * (2 + 1)
    assert "&lt;large&gt;" in text and "gates &amp; wires" in text
    assert "<title>b: 1.21</title>" in text


def test_larger_is_right_and_faster_is_up() -> None:
    rings = re.findall(r'cx="([\d.]+)" cy="([\d.]+)" r="5"', picture(POINTS, "gates"))
    (x0, y0), (x1, y1), (x2, y2) = ((float(x), float(y)) for x, y in rings)
    assert x2 < x0 < x1
    assert y1 < y0 < y2


def test_names_do_not_cover_one_another() -> None:
    text = picture([Point(f"n{k}", 1, {"a": 1.5, "b": 1.5}) for k in range(5)], "gates")
    places = [float(y) for y in re.findall(r'y="([\d.]+)" fill="#d55e00"', text)]
    assert len(places) == 5
    assert all(abs(a - b) >= 13 for k, a in enumerate(places) for b in places[:k])


def test_the_best_for_its_area_must_gain_something() -> None:
    rows = which(POINTS).rows
    assert rows[0][-2:] == ("<large>", "<large>")
    assert rows[1][-2:] == ("small", "small")
    assert rows[2][0] == "mean"
