"""Words about what a cipher does not have are refused alike on every simulated processor."""

from __future__ import annotations

from typing import Any

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.machines.lacking import reads_tables, refuse_lacking
from finalist.machines.tracing import traced
from finalist.schedule import Schedule


@pytest.mark.parametrize(
    ("name", "lacking"),
    [
        ("rc6", {"fuse", "map_tables", "keyed_tables", "lookup"}),
        ("rijndael", {"keyed_tables"}),
        ("twofish", set()),
        ("rc4", {"fuse", "map_tables", "keyed_tables", "rounds"}),
    ],
)
def test_what_ciphers_lack(name: str, lacking: set[str]) -> None:
    program = traced(cipher(name), "encrypt", 128)
    assert refuse_lacking(program, Schedule()) == lacking
    assert reads_tables(program) == ("lookup" not in lacking)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"keyed_tables": "zero"}, "keyed-tables=zero is not legal for rc6: it has no keyed function"),
        ({"map_tables": 1}, "map-tables=1 is not legal for rc6: it has no linear map"),
        ({"lookup": "load"}, "lookup=load is not legal for rc6: it has no table lookup"),
    ],
)
def test_it_is_refused_by_word_and_cipher(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(ScheduleError, match=message):
        refuse_lacking(traced(cipher("rc6"), "encrypt", 128), Schedule(**choices))
