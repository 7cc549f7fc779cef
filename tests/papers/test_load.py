"""The papers' tables can be read, and each says what it is of."""

from __future__ import annotations

from importlib import resources

import pytest

from finalist.papers.load import paper

DATA = resources.files("finalist.papers") / "data"
NAMES = sorted(entry.name.removesuffix(".json") for entry in DATA.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_each_says_what_it_is_of(name: str) -> None:
    assert isinstance(paper(name)["paper"], str)


def test_some_are_there() -> None:
    assert {"dsp", "fpga", "gladman", "ptlu", "smartcard"} <= set(NAMES)
