"""CAST-256: its tables, its key schedule, its quad-rounds."""

from __future__ import annotations

import pytest

from finalist.ciphers.cast_256 import CAST256, S1, S2, S3, S4, TM, TR, Q, Qbar
from finalist.language import Table
from tests.ciphers.values import digest, keys_of, of_words, same, shown, tracing

SHORT = "2342bb9efa38542c0af75647f29f615d"
LONG = "2342bb9efa38542cbed0ac83940ac2988d7c47ce264908461cc1b5137ae6b604"


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (S1, "4bb56b2f7fa3c64b"),
        (S2, "9753ae4e75f0febb"),
        (S3, "82317535bfc5ce2e"),
        (S4, "a48127df70913d22"),
    ],
)
def test_tables(table: Table, expected: str) -> None:
    assert digest(table, 4) == expected


def test_constants_of_the_key_schedule() -> None:
    assert TM[0][:3] == [0x5A827999, 0xC95C653A, 0x383650DB]
    assert TR[0] == [19, 4, 21, 6, 23, 8, 25, 10]
    assert TR[3] == [11, 28, 13, 30, 15, 0, 17, 2]
    assert TR[4:] == TR[:20]


@pytest.mark.parametrize(
    ("key", "place", "kr", "km"),
    [
        (SHORT, 0, (28, 29, 24, 6), "f364d7f9 233500c0 83cee501 01f857c6"),
        (SHORT, 11, (11, 17, 15, 24), "9339b14f 971d14bb f3b7ca97 2b8a06f9"),
        (LONG, 0, (8, 18, 14, 23), "420b1cef 03f07e80 cd2ab3ee 15371a16"),
    ],
)
def test_key_schedule(key: str, place: int, kr: tuple[int, ...], km: str) -> None:
    with tracing():
        found = keys_of(CAST256, key)[place]
        assert shown(found[0]) == " ".join(f"{amount:08x}" for amount in kr)
        assert shown(found[1]) == km


@pytest.mark.parametrize("size", [20, 24, 28, 32])
def test_shorter_keys_end_in_zeros(size: int) -> None:
    with tracing():
        assert same(keys_of(CAST256, SHORT), keys_of(CAST256, SHORT.ljust(2 * size, "0")))


def test_quad_rounds_undo_each_other() -> None:
    with tracing():
        keys = keys_of(CAST256, LONG)[5]
        block = of_words("01234567 89abcdef 02468ace 13579bdf")
        assert not same(Q(block, keys), block)
        assert same(Qbar(Q(block, keys), keys), block)
        assert same(Q(Qbar(block, keys), keys), block)
