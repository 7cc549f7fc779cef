"""Prefixes and copyright holders: what is taken, what is refused, and who it is by default."""

from __future__ import annotations

from pathlib import Path

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.errors import UnknownNameError
from finalist.export.identity import Identity, check_holder, check_prefix, holder_of

SPECK = str(Path(__file__).parents[2] / "examples" / "speck.py")


@pytest.mark.parametrize("prefix", ["acme", "Acme2", "a_b", "finalist"])
def test_prefixes(prefix: str) -> None:
    check_prefix(prefix)


@pytest.mark.parametrize(
    ("prefix", "reason"),
    [
        ("", "no C identifier"),
        ("2fish", "no C identifier"),
        ("_mine", "no C identifier"),
        ("my-lib", "no C identifier"),
        ("é", "no C identifier"),
        ("x\n", "no C identifier"),
        ("while", "a keyword"),
        ("Class", "a keyword"),  # CLASS_... would do, but class.h of C++ would not
        ("string", "a name of the C library"),
        ("test", "a name of the C library or of the build's own"),
        ("mine_", "two underscores"),
        ("my__lib", "two underscores"),
        ("a" * 41, "41 letters"),
    ],
)
def test_prefixes_that_are_refused(prefix: str, reason: str) -> None:
    with pytest.raises(UnknownNameError, match=rf"{reason}.*; accepted: a C identifier"):
        check_prefix(prefix)


@pytest.mark.parametrize("holder", ["", "  ", "two\nlines", "x" * 201])
def test_holders_that_are_refused(holder: str) -> None:
    with pytest.raises(UnknownNameError, match=r"--copyright .*accepted: a name in one line"):
        check_holder(holder)


def test_whose_a_library_is() -> None:
    ours, own = cipher("rc4"), cipher(SPECK)
    assert holder_of([ours]) == "The Finalist developers"
    assert holder_of([own]) == "the author of speck"
    assert holder_of([ours, own]) == "The Finalist developers and the author of speck"


def test_names_in_a_text() -> None:
    text = '#include "finalist.h"\nint finalist_use(void); /* FINALIST_API, finalist emit, xfinalist_y */'
    renamed = '#include "acme.h"\nint acme_use(void); /* ACME_API, finalist emit, xfinalist_y */'
    assert Identity("", "acme").renamed(text) == renamed
