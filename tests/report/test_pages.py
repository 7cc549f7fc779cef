"""The committed pages are those that the present definitions and passes give."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from finalist.ciphers.catalogue import cipher, cipher_names
from finalist.report import listing, markdown, pages
from finalist.report.chart import bars_of, chart
from finalist.report.counts import Counts
from finalist.report.kinds import GROUPS, MOVES, Kind

FOLDER = Path(__file__).parents[2] / "docs" / "ciphers"
STALE = "docs/ciphers is not up to date; `make pages` writes it anew"


def committed(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


def rows() -> list[str]:
    return [line for line in committed(pages.INDEX).splitlines() if line.startswith("| [")]


#: Twelve seconds for one page; `make pages` writes it like the others.
LENGTHY = {"deal"}


@pytest.mark.parametrize("name", [name for name in cipher_names() if name not in LENGTHY])
def test_pages_are_up_to_date(name: str) -> None:
    told, place = pages.tell(cipher(name)), cipher_names().index(name)
    assert committed(f"{name}.md") == told.page, STALE
    assert rows()[place] == told.entry, STALE
    assert bars_of(committed(pages.PICTURE))[place] == told.bar, STALE


def test_the_index_is_up_to_date() -> None:
    assert len(rows()) == len(bars_of(committed(pages.PICTURE))) == len(cipher_names()), STALE
    assert committed(pages.INDEX) == pages.index(rows()), STALE
    assert committed(pages.PICTURE) == chart(bars_of(committed(pages.PICTURE))), STALE


def test_nothing_else_is_there() -> None:
    expected = {pages.INDEX, pages.PICTURE, *(f"{name}.md" for name in cipher_names())}
    assert {path.name for path in FOLDER.iterdir()} == expected


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.md")), ids=lambda path: path.stem)
def test_tables_are_tables(path: Path) -> None:
    """All rows of a table have as many cells as its head."""
    blocks = re.findall(r"(?:^\|.*\n)+", path.read_text("utf-8"), re.MULTILINE)
    assert blocks
    for block in blocks:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1, block


def test_the_picture_is_whole() -> None:
    """Each bar has the full width, and no part of it overlaps another."""
    root = ElementTree.fromstring(committed(pages.PICTURE))
    for group in root.findall("{*}g"):
        parts = [(float(r.attrib["x"]), float(r.attrib["width"])) for r in group.findall("{*}rect")]
        assert sum(width for _, width in parts) == pytest.approx(560, abs=0.5)
        for (x, width), (following, _) in pairwise(parts):
            assert following == pytest.approx(x + width, abs=0.2)


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
