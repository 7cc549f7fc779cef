"""Where size comes before speed: tables as large as leave the library small."""

from __future__ import annotations

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.export import smallest
from finalist.export.export import lengths_of
from finalist.export.identity import Identity
from finalist.export.library import Files
from finalist.export.selection import Selection
from finalist.schedule import Schedule

OURS = Identity("finalist emit ... --layout library --size small -o DIR")


def small(name: str, choices: Schedule | None = None) -> Files:
    found = cipher(name)
    own = choices or Schedule()
    return smallest.small_files(OURS, found, lengths_of(found, None), own, Selection(size="small"))


def test_a_cipher_is_within_the_bound_and_has_one_file_of_programs() -> None:
    made = small("des")
    assert made.source_bytes <= smallest._SMALL
    assert [source.path for source in made.sources if "portable" in source.path] == ["src/des/all_portable.c"]


def test_tables_that_make_nothing_quicker_are_left_out() -> None:
    """Tables of 64 bits take as long as those of 32, which are half as long."""
    text = small("des").texts["src/des/all_portable.c"]
    assert "fuse=32" in text and "fuse=64" not in text


@pytest.mark.check
def test_where_that_is_not_enough_there_are_shorter_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = small("des")
    monkeypatch.setattr(smallest, "_SMALL", usual.source_bytes - 1)
    shorter = small("des")
    assert shorter.source_bytes < usual.source_bytes
    assert "fuse=0" in shorter.texts["src/des/all_portable.c"]


def test_what_is_asked_for_is_what_there_is() -> None:
    assert "fuse=64" in small("des", Schedule(fuse=64)).texts["src/des/all_portable.c"]


def test_modes_are_those_of_the_library() -> None:
    made = small("des")
    text = made.texts["src/des/all_portable.c"]
    assert ".crypt = " in text and ".ctr = " not in text and ".cbc = " not in text
    assert "finalist_des_ctr(" in made.texts["include/finalist_des.h"]
