"""Papers are read by name; what is no paper is refused, with the names of those that are."""

from __future__ import annotations

import pytest

from finalist.errors import UnknownNameError
from finalist.papers import load
from finalist.papers.load import notes_on, paper, paper_names


def test_names() -> None:
    assert paper_names() == ("dsp", "fpga", "gladman", "ptlu", "smartcard")


@pytest.mark.parametrize("name", paper_names())
def test_each_says_what_it_is(name: str) -> None:
    assert paper(name)["paper"]


def test_a_figure() -> None:
    """Rijndael's key set-up is the one of Gladman's table that takes longer for decryption."""
    setup = paper("gladman")["results"]["rijndael"]["key_setup_cycles"]["128"]
    assert setup == {"encrypt": 305, "decrypt": 1389}


def test_each_call_reads_anew() -> None:
    paper("gladman")["results"].clear()
    assert paper("gladman")["results"]


@pytest.mark.parametrize("name", ["", "Gladman", "gladman.json", "../data/gladman", "/etc/passwd", "none\0"])
@pytest.mark.parametrize("read", [paper, notes_on])
def test_unknown_names(read: object, name: str) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown paper .*; accepted: dsp, fpga, gladman"):
        read(name)  # type: ignore[operator]


def test_a_paper_without_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert notes_on("smartcard") != {}
    monkeypatch.setattr(load, "paper_names", lambda: ("another",))
    assert notes_on("another") == {}
