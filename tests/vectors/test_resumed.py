"""Verification that goes on: what is taken over, and what is run again."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.cli.output import done
from finalist.errors import CompilerError
from finalist.schedule import Schedule
from finalist.vectors import matrix, resumed
from finalist.vectors.matrix import Cell, Verdict
from finalist.vectors.resumed import KEPT, KeptError, verifying_rest
from finalist.workers import HERE

RC4 = cipher("rc4")
CELLS = [Cell(RC4, bits, "encrypt", "interpreter", Schedule()) for bits in (40, 128)]

FILE = """
from finalist.language import Cipher, u32, words


class Own(Cipher):
    block = words(1, u32)
    key_bits = (32,)
    vectors = [("00000001", "00000002", "00000003")]

    def expand_key(self, key):
        return key

    def encrypt(self, block, keys):
        return block[0] ^ keys[0]

    decrypt = encrypt
"""


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Cell]:
    """The cells that are run; verdicts are kept in a file of this test's own."""
    monkeypatch.setenv("FINALIST_VERDICTS", str(tmp_path / "verdicts.jsonl"))
    found: list[Cell] = []
    verify = matrix.verify

    def counted(cell: Cell) -> Verdict:
        found.append(cell)
        return verify(cell)

    monkeypatch.setattr(matrix, "verify", counted)
    return found


def verify_rest(cells: Sequence[Cell]) -> list[tuple[Cell, Verdict | CompilerError]]:
    """All verdicts, those that are not known one after the other."""
    return list(done(verifying_rest(cells), at_once=HERE).items())


def test_what_is_known_is_not_run_again(runs: list[Cell]) -> None:
    refused = Cell(RC4, 40, "decrypt", "interpreter", Schedule(blocks=2))
    first = verify_rest(CELLS[:1])
    second = verify_rest([refused, *CELLS])
    assert runs == [CELLS[0], refused, CELLS[1]]
    assert second[1:2] == first
    assert [cell for cell, _ in second] == [refused, *CELLS]
    assert verify_rest([refused, *CELLS]) == second
    assert len(runs) == 3
    assert [v.status for _, v in second if isinstance(v, Verdict)] == ["refused", "ok", "ok"]


def test_a_run_that_is_stopped_has_kept_what_it_found(runs: list[Cell]) -> None:
    next(verifying_rest(CELLS).run(HERE))
    assert [kept.key_bits for kept in KEPT.read().rows] == [40]
    runs.clear()
    verify_rest(CELLS)
    assert runs == CELLS[1:]


@pytest.mark.parametrize("change", ["code", "machine", "chains", "failed"])
@pytest.mark.every(2)
def test_what_may_have_changed_is_run_again(
    runs: list[Cell], monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """Other code, another compiler, other vectors; and what has failed."""
    cell = CELLS[0]
    verify_rest([cell])
    if change == "code":
        monkeypatch.setattr(resumed, "code_digest", lambda: "another")
    elif change == "machine":
        monkeypatch.setattr(resumed, "_surroundings", lambda machine: "another")
    elif change == "chains":
        cell = dataclasses.replace(cell, all_chains=True)
    else:
        (kept,) = KEPT.read().rows
        KEPT.file().unlink()
        KEPT.append([dataclasses.replace(kept, status="failed")])
    runs.clear()
    ((_, verdict),) = verify_rest([cell])
    assert runs == [cell]
    assert isinstance(verdict, Verdict) and verdict.status == "ok"


def test_a_definition_in_a_file_is_always_run(runs: list[Cell], tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(FILE, "utf-8")
    cell = Cell(cipher(tmp_path / "own.py"), 32, "encrypt", "interpreter", Schedule())
    for _ in range(2):
        ((_, verdict),) = verify_rest([cell])
        assert isinstance(verdict, Verdict) and verdict.status == "ok"
    assert runs == [cell, cell]


def test_without_a_compiler_nothing_is_kept(runs: list[Cell], monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(cell: Cell) -> None:
        raise CompilerError("no compiler")

    monkeypatch.setattr(matrix, "verify", missing)
    ((_, verdict),) = verify_rest(CELLS[:1])
    assert isinstance(verdict, CompilerError)
    assert not KEPT.read().rows


def test_a_file_that_can_not_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FINALIST_VERDICTS", str(tmp_path))
    with pytest.raises(KeptError, match="FINALIST_VERDICTS"):
        verify_rest(CELLS)


def test_a_damaged_line_is_as_none(runs: list[Cell]) -> None:
    verify_rest(CELLS)
    KEPT.file().write_text("{\n" + KEPT.file().read_text("utf-8"), "utf-8")
    runs.clear()
    verify_rest(CELLS)
    assert not runs
