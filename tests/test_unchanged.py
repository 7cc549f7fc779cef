"""Digests of what is made: a change is named, and written down where that is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from finalist.ir.builder import Builder
from finalist.ir.graph import Graph
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from tests.unchanged import FOLDER, RENEW, committed, told, unchanged


def graph(op: Op) -> Graph:
    make = Builder()
    a = make.param("memory", WordType(8), "a")
    return Graph("g", [a], [make.make(op, (a, make.const(3, 8)))])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With digests of three things."""
    with monkeypatch.context() as patch:
        patch.setenv(RENEW, "1")
        unchanged("some", {"a b": graph(Op.ADD), "c": [1, 2], "d": "text"}, tmp_path)
    return tmp_path


def test_what_is_as_it_was_passes(folder: Path) -> None:
    unchanged("some", {"d": "text", "c": [1, 2], "a b": graph(Op.ADD)}, folder)


@pytest.mark.parametrize(
    ("made", "named"),
    [
        ({"a b": graph(Op.SUB), "c": [1, 2], "d": "text"}, "a b"),
        ({"a b": graph(Op.ADD), "c": [2, 1], "d": "other"}, "c, d"),
        ({"a b": graph(Op.ADD), "d": "text"}, "c"),
        ({"a b": graph(Op.ADD), "c": [1, 2], "d": "text", "e": 0}, "e"),
    ],
)
def test_what_changed_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, made: dict[str, object], named: str
) -> None:
    monkeypatch.delenv(RENEW, raising=False)
    with pytest.raises(AssertionError, match=rf"made otherwise than before \(some.txt\): {named}$"):
        unchanged("some", made, folder)


def test_digests_of_graphs_are_of_what_they_mean_and_how() -> None:
    assert told(graph(Op.ADD)) == told(graph(Op.ADD)) != told(graph(Op.SUB))


def test_every_file_has_a_test_that_reads_it() -> None:
    """By the part before the first hyphen: names are put together."""
    sources = [path.read_text("utf-8") for path in Path(__file__).parent.rglob("test_*.py")]
    for file in FOLDER.glob("*.txt"):
        begin = file.stem.partition("-")[0]
        assert any(f'unchanged("{begin}-' in s or f'unchanged(f"{begin}-' in s for s in sources), file.name
        assert committed(file)
