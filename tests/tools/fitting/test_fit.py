"""Least squares, the search along constants, and a group left out: on laws whose constants are known."""

from __future__ import annotations

from math import exp

import pytest

from tools.fitting.fit import left_out, rms, searched, weights

COUNTS = [{"a": 1.0, "b": 9.0}, {"a": 4.0, "b": 2.0}, {"a": 7.0, "b": 7.0}, {"a": 2.0, "b": 30.0}]


def test_weights_of_exact_sums() -> None:
    targets = [3 * row["a"] + 0.5 * row["b"] for row in COUNTS]
    assert weights(COUNTS, targets) == pytest.approx({"a": 3, "b": 0.5})


def test_weights_count_relative_errors() -> None:
    """Of two rows that contradict each other, the small one counts as much as the large one."""
    (weight,) = weights([{"a": 1.0}, {"a": 1000.0}], [1.0, 2000.0]).values()
    assert weight == pytest.approx((1 + 0.5) / (1 + 0.25))


def test_rms() -> None:
    assert rms([(exp(0.3), 1), (1, exp(0.4))]) == pytest.approx((0.125) ** 0.5)
    assert rms([(5, 5)]) == 0


def test_a_search_finds_constants_that_are_apart() -> None:
    def law(constants: dict[str, float]) -> float:
        return (constants["base"] - 1.4) ** 2 + 3 * (constants["power"] - 0.6) ** 2

    found = searched({"base": 1.0, "power": 1.0}, law, least=0.001)
    assert found == pytest.approx({"base": 1.4, "power": 0.6}, rel=0.005)


def test_a_search_never_returns_worse_than_its_start() -> None:
    assert searched({"a": 2.0}, lambda constants: abs(constants["a"] - 2.0)) == {"a": 2.0}


def test_left_out() -> None:
    """One group has another law: the others' constants are that far from it, and its own pull theirs."""
    rows = [("x", 1.0, 2.0), ("x", 3.0, 6.0), ("y", 1.0, 2.0), ("z", 1.0, 4.0)]

    def fit(own: list[tuple[str, float, float]]) -> dict[str, float]:
        return weights([{"a": count} for _, count, _ in own], [target for *_, target in own])

    def error(constants: dict[str, float], own: list[tuple[str, float, float]]) -> float:
        return rms([(constants["a"] * count, target) for _, count, target in own])

    found = left_out(rows, lambda row: row[0], fit, error)
    assert list(found) == ["x", "y", "z"]
    constants, apart = found["z"]
    assert constants == pytest.approx({"a": 2})
    assert apart == pytest.approx(0.693, abs=0.001)
    assert found["x"][0]["a"] > 2
