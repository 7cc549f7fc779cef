"""The page is one file that needs no network, in which nothing that a cipher is called ends a script."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from finalist.report.page import page, papers, printed, tables
from finalist.report.page.points import gathered
from finalist.report.page.tables import Cell, Row
from tests.report.page.test_points import BULK, ORDER, ROWS


class Elements(HTMLParser):
    """All elements, and what is open where it should not be."""

    VOID = ("meta", "link", "input")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture
def text(monkeypatch: pytest.MonkeyPatch) -> str:
    """A page of a few programs and one study, without Vega's script."""
    monkeypatch.setattr(page, "library", lambda: "window.vegaEmbed = null;")
    monkeypatch.setattr(papers, "names", lambda: ["smartcard"])
    own = replace(BULK, cipher="odd", definition="/tmp/</script><b>.py:Odd", key_bits=80)
    rows = [row for row in ROWS if row.cipher != "toy"]
    return page.page(gathered([*rows, own], ORDER), "0123<abc")


def test_elements_are_closed_and_names_are_given_once(text: str) -> None:
    elements = Elements(text)
    assert elements.open == []
    ids = [own["id"] for _, own in elements.found if "id" in own]
    assert len(ids) == len(set(ids))


def test_a_picture_says_what_it_is_of() -> None:
    """It stands without the page's headings."""
    titles = {
        name: spec["title"]
        for name, spec in printed.plots(gathered([row for row in ROWS if row.cipher != "toy"], ORDER))
    }
    assert titles["ranking-0"] == {"text": "Rankings", "subtitle": ["native, A Processor"], "anchor": "start"}
    assert titles["cells-dsp"]["text"] == "The papers"
    assert all(one["text"] and one["subtitle"] for one in titles.values())


def test_nothing_is_fetched(text: str) -> None:
    for tag, own in Elements(text).found:
        assert not own.get("src") and (tag != "link" or own["href"] == "data:,")
    assert not re.search(r"url\(|@import|fetch\(", text)


def test_a_name_is_only_text(text: str) -> None:
    assert "<b>" not in text and "0123&lt;abc" in text and text.count("</script>") == 3


def test_its_data(text: str) -> None:
    found = _data(text)
    assert len(found["points"]) == 6
    assert found["plots"]["ranking-0"]["ids"] and found["plots"]["cells-smartcard"]["spec"]["data"]["values"]
    assert all(f'id="{name}"' in text for name in found["plots"])


def _data(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text.split('id="data">')[1].split("</script>")[0])
    return found


def test_screen_readers_and_keyboards_have_names(text: str) -> None:
    for tag, own in Elements(text).found:
        if tag == "button":
            assert own.get("aria-label") or own.get("id") in ("copy", "close")
        if "role" in own and own["role"] in ("region", "dialog"):
            assert own.get("aria-label") or own.get("aria-labelledby")


def test_what_is_missing_is_told(text: str) -> None:
    assert "no path" in text and "finalist sweep" in text


def test_definitions(text: str) -> None:
    assert 'id="code-rc6"' in text and "class RC6" in text and "a definition of your own" in text


def test_claims_and_verdicts(text: str) -> None:
    assert re.search(r'class="verdict (fitted|confirmed|refuted)"', text)
    assert "at the median" in text


class TestTables:
    def test_numbers_are_sorted_by_their_values(self) -> None:
        assert Cell("1,200", 1200.0).html() == '<td class="n" data-v="1200">1,200</td>'

    def test_text_is_escaped_unless_it_is_html(self) -> None:
        assert (
            Cell("a<b").html() == "<td>a&lt;b</td>"
            and Cell("<i>x</i>", raw=True).html() == "<td><i>x</i></td>"
        )

    def test_a_row_is_known_by_its_attributes(self) -> None:
        assert Row([Cell("x")], {"data-cipher": 'a"b'}).html() == '<tr data-cipher="a&quot;b"><td>x</td></tr>'

    def test_a_table(self) -> None:
        found = tables.table("About", ("a",), [Row([Cell("x")])])
        assert (
            "<caption>About</caption>" in found
            and 'tabindex="0"' in found
            and '<th scope="col">a</th>' in found
        )
