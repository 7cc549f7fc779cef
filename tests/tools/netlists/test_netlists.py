"""Which designs are mapped, in which order, and what is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from finalist.machines.fpga.mapping.mapped import Figures
from finalist.machines.fpga.mapping.timing import CriticalPath
from finalist.papers import fpga
from tools.netlists import __main__ as netlists


def test_a_design_that_is_none_of_the_papers_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        netlists.main(["mars/LU-1"])
    assert "mars/LU-1 is none of the paper's; accepted: CIPHER/ARCHITECTURE" in capsys.readouterr().err


def test_winners_come_first() -> None:
    found = netlists.in_order()
    assert set(found) == set(fpga.designs()) and len(found) == 47
    assert ("serpent", "PP-32") in found[:12]


def test_what_is_mapped_is_stored_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What was stored before stays where the design is as it was, whether or not its netlist is here."""
    target = tmp_path / "netlists.json"
    target.write_text("[]\n")
    made: list[netlists.Design] = []
    figures = Figures(luts=10, flip_flops=4, slices=6, mhz=33.0, paths=(CriticalPath(3.5, (2, 1)),))
    monkeypatch.setattr(netlists, "TARGET", target)
    monkeypatch.setattr(netlists.fpga, "designs", lambda: [("rc6", "LU-1"), ("rijndael", "LU-1")])
    monkeypatch.setattr(netlists, "compiled", lambda design: design)
    monkeypatch.setattr(netlists, "version", lambda: "Yosys 0")
    monkeypatch.setattr(netlists, "mapped_now", made.append)
    monkeypatch.setattr(netlists.mapped, "identity", lambda design: "-".join(design))
    monkeypatch.setattr(netlists.mapped, "kept", lambda design, _: figures if design in made else None)
    assert netlists.main(["rc6/LU-1"]) == 0
    (row,) = json.loads(target.read_text())
    assert row == {
        "design": "rc6-LU-1",
        "luts": 10,
        "flip_flops": 4,
        "slices": 6,
        "paths": [[3.5, 2, 1]],
        "mapped_by": "Yosys 0",
    }
    made.clear()
    assert netlists.main(["rijndael/LU-1"]) == 0
    assert [one["design"] for one in json.loads(target.read_text())] == ["rc6-LU-1", "rijndael-LU-1"]


def test_a_netlist_whose_paths_are_not_known_keeps_its_area(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its row is as it was, until it is mapped again."""
    target = tmp_path / "netlists.json"
    before = {"design": "rc6-LU-1", "luts": 10, "flip_flops": 4, "slices": 6, "mapped_by": "Yosys 0"}
    target.write_text(json.dumps([before]))
    found = [Figures(10, 4, 6, None), Figures(10, 4, 6, 50.0, (CriticalPath(3.5, (2, 1)),))]
    monkeypatch.setattr(netlists, "TARGET", target)
    monkeypatch.setattr(netlists.fpga, "designs", lambda: [("rc6", "LU-1")])
    monkeypatch.setattr(netlists, "compiled", lambda design: design)
    monkeypatch.setattr(netlists, "version", lambda: "Yosys 1")
    monkeypatch.setattr(netlists.mapped, "identity", lambda design: "-".join(design))
    monkeypatch.setattr(netlists.mapped, "kept", lambda design, _: found[0])
    assert list(netlists.rows()) == [before]
    monkeypatch.setattr(netlists.mapped, "kept", lambda design, _: found[1])
    assert list(netlists.rows()) == [{**before, "paths": [[3.5, 2, 1]], "mapped_by": "Yosys 1"}]
