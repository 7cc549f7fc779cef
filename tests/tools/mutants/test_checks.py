"""What finds faults, by stages."""

from __future__ import annotations

from tests.replay.__main__ import committed
from tests.replay.cases import CHOSEN
from tools.mutants.checks import neighbours, own_tests, stages, texts, whole
from tools.mutants.draw import ROOT


def test_tests_mirror_modules() -> None:
    assert own_tests("finalist/passes/fuse.py") == ["tests/passes/test_fuse.py"]
    assert own_tests("finalist/passes/bitslice/__init__.py") == []


def test_tests_beside_them() -> None:
    """A module without tests of its own is what those of its folder use."""
    assert "tests/passes/legalise/test_words.py" in neighbours("finalist/passes/legalise/limbs.py")
    assert "tests/passes/test_fuse.py" not in neighbours("finalist/passes/fuse.py")
    assert neighbours("finalist/gone/module.py") == []


def test_the_narrowest_tests_come_first() -> None:
    found = dict(stages("finalist/passes/fuse.py"))
    assert list(found) == ["own tests", "tests beside", "whole programs", "emitted texts"]
    assert list(dict(stages("finalist/passes/fuse.py", quick=True))) == list(found)[:3]
    assert found["own tests"] == ["tests/passes/test_fuse.py"]
    assert "tests/passes/test_pack.py" in found["tests beside"]


def test_whole_programs_are_run_test_by_test() -> None:
    assert {
        "tests/test_whole_programs.py::test_native",
        "tests/processors/test_vliw.py::test_ciphers",
    } <= set(whole())
    assert all((ROOT / unit.partition("::")[0]).exists() for unit in whole())


def test_tests_of_the_second_tier_are_none_of_them() -> None:
    names = {unit.partition("::")[2] for unit in whole()}
    assert {"test_rounds_are_a_loop", "test_on_the_risc"} <= names
    assert "test_the_pipeline_of_all_processors" not in names


def test_all_texts_of_the_part_are_there_but_those_chosen_by_running() -> None:
    wanted = {case: one for case, one in committed().items() if case.in_part and one != CHOSEN}
    assert {case: one for unit in texts().values() for case, one in unit.items()} == wanted
    assert all(
        unit.split() == ["texts", case.kind, case.cipher] for unit, of in texts().items() for case in of
    )
