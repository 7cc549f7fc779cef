"""Gladman's tables: what is his is as printed, what is ours has matched, and what is computed is right."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalist.ciphers.catalogue import cipher, cipher_names
from finalist.papers import gladman
from finalist.papers.gladman import Cell, published, rank_correlation, rankings
from finalist.report import gladman as report
from finalist.report.sheets import MARK, Sheet
from tests.marks import needs_compiler

CELLS = {
    (name, bits): replace(published(name, bits), cipher=name)
    for name in gladman.rows()
    for bits in (128, 192, 256)
}


def test_every_candidate_has_a_definition() -> None:
    assert set(gladman.rows().values()) | set(gladman.references()) <= set(cipher_names())
    assert len(gladman.rows()) == 16  # fifteen candidates, one of them in two versions


def test_a_published_cell_is_as_printed() -> None:
    cell = published("rijndael", 192)
    assert (cell.key_setup, cell.encrypt, cell.decrypt) == ((277, 1595), 439, 425)
    assert published("rc6", 128).key_setup == (1632, 1632)


def test_speeds_are_those_that_he_prints() -> None:
    printed = gladman.paper("gladman")["results"]
    for name in gladman.rows():
        ours = published(name, 128).mbit_per_s("encrypt", gladman.HIS_CLOCK)
        assert ours == pytest.approx(printed[name]["encrypt_mbit_s"]["128"], abs=0.11)


def test_a_message_is_its_set_up_and_its_blocks() -> None:
    cell = Cell("toy", 128, 16, (100.0, 200.0), 10.0, 20.0)
    assert [cell.message_cycles(n) for n in (0, 1, 16, 17, 4096)] == [100, 110, 110, 120, 2660]


def test_his_own_figures_rank_as_he_ranked_them() -> None:
    found = list(rankings([CELLS[name, 128] for name in gladman.rows()]))
    assert [one.data_bytes for one in found] == list(gladman.MESSAGES)
    for one in found:
        assert one.ours == one.his and one.correlation == pytest.approx(1)
        versions = [name.partition("-v")[0] for name in one.his]
        firsts = list(dict.fromkeys(versions))
        assert set(one.printed) & set(firsts[: len(one.printed) + 1])
        assert firsts[0] == one.printed[0]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([1, 2, 3], [10, 20, 30], 1.0),
        ([1, 2, 3], [3, 2, 1], -1.0),
        ([1, 2, 3, 4], [2, 1, 4, 3], 0.6),
        ([1, 1, 2], [1, 1, 2], 1.0),
        ([1, 1, 1], [1, 2, 3], 0.0),
    ],
)
def test_rank_correlation(one: list[float], other: list[float], expected: float) -> None:
    assert rank_correlation(one, other) == pytest.approx(expected)


class TestSheets:
    def test_figures_stand_where_their_headings_say(self) -> None:
        twice = {key: replace(cell, encrypt=cell.encrypt / 2) for key, cell in CELLS.items()}
        extra = {("des", 64): replace(CELLS["rc6", 128], cipher="des", key_bits=64)}
        found = {sheet.title: sheet for sheet in report.sheets(twice | extra, 1e9, "toy code")}
        encryption = {row[0]: row[1:] for row in found["Encryption, cycles"].rows}
        assert encryption["rijndael"] == ("187", "220", "251", "374", "439", "502", "2.0")
        setup = {
            row[0]: row[1:] for row in found["Key set-up, for encryption and for decryption, cycles"].rows
        }
        assert setup["rijndael"][0] == setup["rijndael"][3] == "305 / 1389"
        speed = {row[0]: row[1:] for row in found["Speed"].rows}
        assert speed["rc6"][1:4] == ("189.6", "948.1", "94.8")
        assert speed["des"][0] == "64" and speed["des"][3] == "-"
        assert found["What changed"].rows[0][1] == "2.0"

    def test_the_aim_is_held_against_what_was_measured(self) -> None:
        def last(ours: dict[tuple[str, int], Cell]) -> Sheet:
            return list(report.sheets(ours, 1e9, "toy code"))[-1]

        thrice = {key: replace(cell, encrypt=cell.encrypt / 3) for key, cell in CELLS.items()}
        assert "mean 3.00; the aim" in last(thrice).note and last(thrice).note.endswith(": reached.")
        one_behind = thrice | {
            ("deal", 128): replace(CELLS["deal", 128], encrypt=CELLS["deal", 128].encrypt / 1.4)
        }
        sheet = last(one_behind)
        assert sheet.note.endswith(": not reached.")
        assert [row[0] for row in sheet.rows if MARK in row[3]] == ["deal"]
        twice = {key: replace(cell, encrypt=cell.encrypt / 2) for key, cell in CELLS.items()}
        assert last(twice).note.endswith(": not reached.")

    def test_a_page_has_all_sheets(self) -> None:
        text = "\n".join(sheet.to_markdown() for sheet in report.sheets(CELLS, 2e8, "toy code"))
        assert text.count("## ") == 9 and "Rank correlation of our order and his: 1.00" in text


@needs_compiler
@pytest.mark.parametrize("name", ["rc6", "rijndael"])
def test_a_cell_of_ours_is_measured(name: str) -> None:
    cell = gladman.measure(name, 128, seconds=0.01)
    assert (cell.cipher, cell.key_bits, cell.block_bytes) == (cipher(name).name(), 128, 16)
    assert min(*cell.key_setup, cell.encrypt, cell.decrypt) > 0
