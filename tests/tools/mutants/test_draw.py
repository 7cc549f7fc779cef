"""Which faults are drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.mutants import draw
from tools.mutants.draw import in_module, mutants


def test_the_same_seed_draws_the_same() -> None:
    one, same, other = (mutants(["ir"], 20, seed) for seed in (1, 1, 2))
    assert one == same != other
    assert {one.path.split("/")[1] for one in one} == {"ir"}


def test_a_larger_sample_has_the_smaller_one() -> None:
    assert mutants(["ir"], 30, 1)[:20] == mutants(["ir"], 20, 1)


def test_lots_stay_where_lines_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other code may come and go; of equal lines each has its own lot."""
    monkeypatch.setattr(draw, "ROOT", tmp_path)
    module, lots = tmp_path / "module.py", []
    for text in ("a = b + 1\nc = 7\na = b + 1\n", "d = 5 * e\nif f:\n    a = b + 1\n    g()\na = b + 1\n"):
        module.write_text(text)
        lots.append([one.lot(1) for one in in_module(module) if one.fault.before == "b + 1"])
    assert lots[0] == lots[1]
    assert len(set(lots[0])) == 2
