"""Winners that come with Finalist: they are of its definitions, and serve CPUs of their kind only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.machines.registry import machine
from finalist.schedule import Schedule
from finalist.toolchain import compiler
from finalist.tuning import choose, shipped
from finalist.tuning.search import Task, Tunable
from finalist.tuning.trials import TuningError, parsed

RC6 = Task(cipher("rc6"), "native", "encrypt", 128)
FOUND = {RC6.name: ("rc6 encrypt 128", {16: "default", 1024: "blocks=4 width=1"})}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Winners of nothing but rc6, on CPUs of the kind "abacus"."""
    path = tmp_path / "shipped.json"
    path.write_text("{}")
    shipped.write("native", "abacus", FOUND, path)
    monkeypatch.setenv("FINALIST_TUNING", str(tmp_path / "none.jsonl"))
    monkeypatch.setattr(shipped, "_read", lambda: json.loads(path.read_text()))
    return path


WINNERS = {16: "default", 1024: "blocks=4 width=1"}


@pytest.mark.usefixtures("file")
class TestWinners:
    def test_the_first_kind_that_is_known(self) -> None:
        assert shipped.winners(RC6.name, "native", ["sliderule", "abacus"]) == WINNERS
        assert shipped.winners(RC6.name, "native", ["sliderule"]) == {}

    def test_another_machine_or_definition_has_none(self) -> None:
        assert shipped.winners(RC6.name, "interpreter", ["abacus"]) == {}
        assert shipped.winners("0123", "native", ["abacus"]) == {}


class TestAlike:
    def test_another_vendors_come_after_each_units_own(self, file: Path) -> None:
        for kind in ("abacus ada", "abacus bob", "sliderule bob", "abacuses ada"):
            shipped.write("native", kind, FOUND, file)
        mine = ["abacus bob", "abacus", "sliderule bob", "sliderule"]
        assert list(shipped.alike("native", mine)) == [*mine[:2], "abacus ada", *mine[2:]]
        assert list(shipped.alike("interpreter", mine)) == mine

    def test_they_serve_where_this_one_has_none(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        file.write_text("{}")
        shipped.write("native", "abacus ada", FOUND, file)
        monkeypatch.setattr(type(machine("native")), "cpu_kinds", lambda _: ["abacus bob", "abacus"])
        assert choose.best(RC6.cipher, "encrypt", 128, 1024) == Schedule(blocks=4, width=1)
        monkeypatch.setattr(type(machine("native")), "cpu_kinds", lambda _: ["sliderule bob", "sliderule"])
        assert choose.best(RC6.cipher, "encrypt", 128, 1024) is None


@pytest.mark.usefixtures("file")
class TestBest:
    def test_by_length(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(type(machine("native")), "cpu_kinds", lambda _: ["abacus"])
        assert choose.best(RC6.cipher, "encrypt", 128, 1) == Schedule()
        assert choose.best(RC6.cipher, "encrypt", 128, 1023) == Schedule()
        assert choose.best(RC6.cipher, "encrypt", 128, 1024) == Schedule(blocks=4, width=1)

    def test_choose_takes_them_where_nothing_was_tried(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(type(machine("native")), "cpu_kinds", lambda _: ["abacus"])
        assert choose.best(RC6.cipher, "encrypt", 128, 1024) == Schedule(blocks=4, width=1)
        assert choose.best(RC6.cipher, "encrypt", 256, 1024) == Schedule(blocks=4, width=1)
        assert choose.best(RC6.cipher, "decrypt", 128, 1024) is None

    def test_what_is_not_legal_here_is_passed_over(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        shipped.write("native", "abacus", {RC6.name: ("rc6", {16: "lookup=gather width=256"})}, file)
        monkeypatch.setattr(type(machine("native")), "cpu_kinds", lambda _: ["abacus"])
        assert choose.best(RC6.cipher, "encrypt", 128, 16) is None


def test_writing_keeps_the_others(file: Path) -> None:
    shipped.write("native", "abacus", {"other": ("toy", {16: "default"})}, file)
    shipped.write("native", "sliderule", FOUND, file)
    document = json.loads(file.read_text())
    assert list(document) == ["native abacus", "native sliderule"]
    assert set(document["native abacus"]) == {RC6.name, "other"}


def test_a_file_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(TuningError, match=r"can't be kept in .*none\.json"):
        shipped.write("native", "abacus", FOUND, tmp_path / "none.json")


def test_what_comes_along_is_of_the_definitions_as_they_are() -> None:
    """A definition that has changed needs `finalist tune --ship` again."""
    for kind, entries in shipped.shipped().items():
        name, _, _ = kind.partition(" ")
        assert isinstance(machine(name), Tunable)
        for task, entry in entries.items():
            called, operation, bits = entry["what"].split()
            assert Task(cipher(called), name, operation, int(bits)).name == task, entry["what"]
            assert all(parsed(asked) for asked in entry["winners"].values())


@pytest.mark.parametrize(
    ("vendor", "kinds"), [("amd", ["avx2 amd", "avx2", "sse2 amd", "sse2"]), ("", ["avx2", "sse2"])]
)
def test_a_vendors_own_come_first(vendor: str, kinds: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "vector_units", lambda: iter(["avx2", "sse2"]))
    monkeypatch.setattr(compiler, "cpu_vendor", lambda: vendor)
    native: Any = machine("native")
    assert list(native.cpu_kinds()) == kinds
