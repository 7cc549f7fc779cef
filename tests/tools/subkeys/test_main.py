"""Round keys stored and computed, measured side by side: which programs, and what the table says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.marks import needs_compiler
from tools.subkeys import __main__ as tool
from tools.subkeys.__main__ import Taken, main, programs, rows, taken


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("rc6", ["stored", "computed"]),
        ("twofish", ["stored", "computed", *(f"{k}, keyed-tables=zero" for k in ("stored", "computed"))]),
        ("rc4", []),
        ("blowfish", []),
    ],
)
def test_what_is_measured(name: str, kinds: list[str]) -> None:
    """Nothing where round keys can't be computed; without tables of the key as well, where there are such."""
    found = programs(name)
    assert list(found) == kinds
    assert all(one.schedule.blocks == one.schedule.width == 1 for one in found.values())
    computed = [one.schedule.subkeys == "computed" for one in found.values()]
    assert computed == ["computed" in kind for kind in kinds]


def test_rows() -> None:
    figures = [
        Taken("one", "stored", 300.4, 100),
        Taken("one", "computed", 10, 190.2),
        Taken("two", "stored", 10, 10),
    ]
    assert list(rows(figures)) == [
        ("one", "stored", "300", "100", "400", "1.00"),
        ("one", "computed", "10", "190", "200", "0.50"),
        ("two", "stored", "10", "10", "20", "1.00"),
    ]


@needs_compiler
def test_figures_are_taken() -> None:
    stored, computed = taken("rc6", 0.05)
    assert (stored.cipher, stored.kind, computed.kind) == ("rc6", "stored", "computed")
    assert computed.setup < stored.setup
    assert min(stored.block, computed.block) > 0
    assert taken("rc4", 0.05) == []


def test_a_page_is_renewed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def figures(name: str, seconds: float) -> list[Taken]:
        return [Taken(name, "stored", 1, 2)]

    monkeypatch.setattr(tool, "taken", figures)
    page = tmp_path / "page.md"
    page.write_text(f"before\n<!-- {tool.MARK} -->\nold\n<!-- end of {tool.MARK} -->\nafter\n")
    assert main(["rc6", "-o", str(page)]) == 0
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("after\n")
    assert "| rc6 | stored | 1 | 2 | 3 | 1.00 |" in text and "old" not in text


def test_on_the_screen(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[str] = []
    monkeypatch.setattr(tool, "taken", lambda name, seconds: asked.append(name) or [])
    monkeypatch.setattr(tool, "cipher_names", lambda *_: ("rc6", "des"))
    assert main([]) == 0
    assert asked == ["rc6", "des"]
    assert capsys.readouterr().out.startswith("| cipher | round keys |")
