"""The committed pages are those that the present definitions and passes give."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from finalist.ciphers import catalogue
from finalist.ciphers.catalogue import cipher, cipher_names
from finalist.report import listing, markdown, pages
from finalist.report.counts import Counts
from finalist.report.kinds import GROUPS, MOVES, Kind
from finalist.report.plots.operations import said
from tests.catalogue import ALL, OTHERS, USUAL

FOLDER = Path(__file__).parents[2] / "docs" / "ciphers"
STALE = "docs/ciphers is not up to date; `make pages` writes it anew"


def committed(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


def rows() -> list[str]:
    return [line for line in committed(pages.INDEX).splitlines() if line.startswith("| [")]


def drawn() -> list[str]:
    """What the plot says of each part of its bars."""
    return [one.attrib.get("aria-label", "") for one in plot().iter() if "d" in one.attrib]


def numbers_drawn() -> list[str]:
    """The numbers beside the bars, from the top."""
    groups = [one for one in plot().iter() if "mark-text" in one.attrib.get("class", "")]
    (own,) = (one for one in groups if "layer_1_marks" in one.attrib["class"])
    return [one.text or "" for one in own]


def plot() -> ElementTree.Element:
    return ElementTree.fromstring(committed(pages.PICTURE))


#: Twelve seconds for one page; `make pages` writes it like the others.
LENGTHY = {"deal"}


@pytest.mark.parametrize("name", [name for name in USUAL if name not in LENGTHY])
@pytest.mark.every(10, first=3)
def test_pages_are_up_to_date(name: str) -> None:
    told, place = pages.tell(cipher(name)), ALL.index(name)
    assert committed(f"{name}.md") == told.page, STALE
    assert rows()[place] == told.entry, STALE
    parts = {said(told.name, kind, count) for kind, count in told.bar.operations.items() if count}
    assert {part for part in drawn() if part.startswith(f"{name}, ")} == parts, STALE
    assert numbers_drawn()[place] == f"{told.bar.per_byte:,.1f}", STALE


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.every(14)
def test_pages_of_other_groups_are_up_to_date(name: str) -> None:
    told = pages.tell(cipher(name))
    assert committed(f"{name}.md") == told.page, STALE
    assert rows()[ALL.index(name)] == told.entry, STALE


def test_the_index_is_up_to_date() -> None:
    assert len(rows()) == len(ALL) and len(numbers_drawn()) == len(USUAL), STALE
    entries = {group: [rows()[ALL.index(name)] for name in cipher_names(group)] for group in catalogue.GROUPS}
    assert committed(pages.INDEX) == pages.index(entries), STALE


def test_nothing_else_is_there() -> None:
    expected = {pages.INDEX, pages.PICTURE, *(f"{name}.md" for name in ALL)}
    assert {path.name for path in FOLDER.iterdir()} == expected


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.md")), ids=lambda path: path.stem)
def test_tables_are_tables(path: Path) -> None:
    """All rows of a table have as many cells as its head."""
    blocks = re.findall(r"(?:^\|.*\n)+", path.read_text("utf-8"), re.MULTILINE)
    assert blocks
    for block in blocks:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1, block


def test_every_operation_has_a_colour() -> None:
    grouped = [kind for kinds in GROUPS.values() for kind in kinds]
    assert sorted(kind.name for kind in grouped) == sorted(kind.name for kind in set(Kind) - MOVES)


# -- pieces of pages -----------------------------------------------------------------------------------


def counts(**operations: int) -> Counts:
    found = Counter({(Kind[name], 32): times for name, times in operations.items()})
    return Counts(found, (), 0, at_most=False, uncertain=0)


@pytest.mark.parametrize(
    ("columns", "heads"),
    [
        ({("e", "w"): 1, ("e", "c"): 1, ("d", "w"): 1, ("d", "c"): 1}, ["number"]),
        ({("e", "w"): 1, ("e", "c"): 1, ("d", "w"): 2, ("d", "c"): 2}, ["e", "d"]),
        ({("e", "w"): 1, ("e", "c"): 2, ("d", "w"): 1, ("d", "c"): 2}, ["w", "c"]),
        ({("e", "w"): 1, ("e", "c"): 2, ("d", "w"): 3, ("d", "c"): 4}, ["e, w", "e, c", "d, w", "d, c"]),
        ({("e", "w"): 1, ("e", "c"): 2, ("d", "w"): 1, ("d", "c"): 1}, ["e, w; d, w; d, c", "e, c"]),
    ],
)
def test_equal_columns_are_one(columns: dict[tuple[str, str], int], heads: list[str]) -> None:
    text = listing.counted({head: counts(ADD=times) for head, times in columns.items()})
    assert text.splitlines()[0] == f"| operation | bits | {' | '.join(heads)} |"


def test_uncertain_counts_say_so() -> None:
    once = Counts(counts(ADD=1).operations, (), 0, at_most=True, uncertain=2)
    text = listing.counted({("encryption", "as written"): once})
    assert "At most" in text
    assert "At least" in text


def test_runs_of_numbers() -> None:
    assert listing.numbers([9, 1, 2, 3, 5, 6]) == "1-3, 5-6, 9"


def test_cells() -> None:
    assert markdown.row(["a|b", 1234567, "12"]) == "| a\\|b | 1,234,567 | 12 |"
