"""The page of circuits is up to date, and lists every table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from finalist.ciphers.catalogue import cipher_names
from finalist.ciphers.des import S
from finalist.passes.circuits import library
from tools.circuits import compiled
from tools.circuits import page as circuits

PAGE = Path(__file__).parents[3] / "docs" / "circuits.md"


@pytest.mark.check
def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == circuits.page(), (
        "docs/circuits.md is stale; `make pages` writes it anew"
    )


def test_every_table_is_listed_once() -> None:
    used = circuits.used()
    assert len({(one.values, one.outputs) for one in used}) == len(used)
    assert {name for one in used for name in one.ciphers} <= set(cipher_names())
    titles = [one.title for one in used]
    assert len(set(titles)) == len(titles)
    assert next(one for one in used if one.values == S[0].data.values).ciphers == (
        "deal",
        "des",
        "triple-des",
    )


def test_circuits_of_few_outputs_are_kept() -> None:
    for one in circuits.used():
        kept = library.find_masked(one.values, one.outputs)
        assert kept or one.outputs > circuits.MOST_OUTPUTS, one.title


@pytest.mark.skipif(compiled.compiler() is None, reason="the circuit search needs a C compiler")
@pytest.mark.parametrize("ternary", [False, True])
@pytest.mark.every(2)
def test_looking_for_smaller_ones_keeps_what_it_finds(tmp_path: Path, ternary: bool) -> None:
    words = ["crypton-v05", "--seconds", "0.02", "-o", str(tmp_path)] + ["--ternary"] * ternary
    assert circuits.main(words) == 0
    kept = library.load(tmp_path)[ternary]
    assert len(kept) == 2
    (file,) = tmp_path.glob("*.json")
    assert all(stored["found_by"] for stored in json.loads(file.read_text())["circuits"])
