"""Byte order left out, and keyed tables by the length of a message: what is measured, and what follows."""

from __future__ import annotations

import pytest

from finalist import compile
from finalist.ciphers.catalogue import cipher
from finalist.papers import gladman_choices as choices
from finalist.papers import gladman_choices as schedules
from finalist.papers.gladman import published, rows
from finalist.papers.gladman_choices import best, in_turns, message_cycles, places, quickest_of
from finalist.report import gladman as report
from finalist.report.gladman import best_by_length
from finalist.schedule import Schedule
from finalist.vectors.load import vectors_of
from tests.marks import needs_compiler


def test_the_median_of_all_turns_is_taken_of_each_figure() -> None:
    one = iter([(9.0, 3.0), (7.0, 5.0), (8.0, 4.0)])
    other = iter([(1.0, 1.0)] * 3)
    order: list[str] = []

    def take(name: str, values: object) -> tuple[float, float]:
        order.append(name)
        return next(values)  # type: ignore[call-overload,no-any-return]

    found = in_turns([lambda: take("one", one), lambda: take("other", other)], turns=3)
    assert found == [(8.0, 4.0), (1.0, 1.0)]
    assert order == ["one", "other"] * 3


def test_big_endian_candidates() -> None:
    assert choices.big_endian() == ["cast-256", "e2", "dfc", "hpc", "loki97", "deal"]


def test_a_cipher_in_memory_order_is_another_one() -> None:
    other = choices.in_memory_order(cipher("dfc"))
    assert other.block.order is not cipher("dfc").block.order
    assert other.key_words == cipher("dfc").key_words
    assert choices.in_memory_order(cipher("loki97")).key_words == cipher("loki97").block


@pytest.mark.check
@needs_compiler
def test_both_orders_are_measured_after_they_have_matched() -> None:
    ours, without = choices.byte_order_cycles("loki97", seconds=0.01)
    assert ours > 0 and without > 0  # no more can be said of times on a busy computer


def test_answers_without_byte_order_are_the_published_ones_inverted() -> None:
    definition = cipher("loki97")
    rows = list(vectors_of(definition)[:3])
    found = choices._reordered(definition, rows)
    assert [row.key for row in found] == [row.key for row in rows]
    assert found[0].plaintext == rows[0].plaintext[7::-1] + rows[0].plaintext[:7:-1]
    other = compile(choices.in_memory_order(definition), "interpreter", "encrypt", 8 * len(rows[0].key))
    assert other.run(found[0].key, found[0].plaintext).output == found[0].ciphertext


@pytest.mark.check
def test_only_twofish_has_keyed_tables() -> None:
    assert choices.keyed() == ["twofish"]


FIGURES = {"full": (2000.0, 200.0), "zero": (300.0, 500.0)}


def test_the_best_depth_depends_on_the_message() -> None:
    assert message_cycles((300.0, 500.0), 17) == 1300
    assert best(FIGURES) == {16: "zero", 4096: "full", 1 << 20: "full"}


def test_sheets() -> None:
    sheet = report.keyed_tables("twofish", FIGURES)
    assert sheet.rows[1] == ("zero", "300", "500", "800", "128300", "32768300")
    assert "Quickest: zero for 16 bytes, full for 4,096 bytes" in sheet.note
    (row,) = report.byte_order({"e2": (330.0, 300.0)}).rows
    assert row == ("e2", "330", "300", "+10.0 %")


LOOP, ZERO = Schedule(key_schedule="loop"), Schedule(keyed_tables="zero")


def test_the_default_comes_first_and_none_twice() -> None:
    found = list(schedules.schedules())
    assert found[0] == Schedule()
    assert len(set(found)) == len(found)
    assert Schedule(keyed_tables="zero", subkeys="computed") in found


def test_of_schedules_that_are_as_quick_the_first_is_taken() -> None:
    assert quickest_of({Schedule(): 100.9, LOOP: 100.0}) == Schedule()
    assert quickest_of({Schedule(): 101.1, LOOP: 100.0}) == LOOP


def figures() -> dict[str, dict[Schedule, tuple[float, float]]]:
    """His own for all, but for Twofish another schedule that is quick to set up."""
    his = {name: published(name, 128) for name in rows()}
    found = {name: {Schedule(): (one.key_setup[0], one.encrypt)} for name, one in his.items()}
    found["twofish"][ZERO] = (1.0, 1000.0)
    return found


def test_each_length_has_its_own_schedule_and_place() -> None:
    short, _, long = places(figures())
    own = {one.cipher: one for one in short.places}["twofish"]
    assert (own.schedule, own.cycles) == (ZERO, 1001.0)
    assert own.rank < own.rank_default == own.his
    assert short.correlation_default == pytest.approx(1.0)
    assert short.correlation < 1.0
    own = {one.cipher: one for one in long.places}["twofish"]
    assert own.schedule == Schedule()
    assert own.rank == own.rank_default == own.his
    assert [one.rank for one in long.places] == list(range(1, len(rows()) + 1))


def test_the_sheet_has_one_schedule_for_all_beside() -> None:
    short = next(iter(places(figures())))
    sheet = best_by_length(short)
    row = next(row for row in sheet.rows if row[0] == "twofish")
    assert row[1:4] == ("keyed-tables=zero", row[2], "1001")
    assert row[5] == f"{published('twofish', 128).message_cycles(16):.0f}"
    assert sheet.title == "Messages of 16 bytes, each by its best schedule"


@pytest.mark.check
@needs_compiler
def test_programs_that_are_the_same_are_measured_once() -> None:
    found = schedules.by_schedule("hpc", seconds=0.005)
    assert Schedule() in found
    assert Schedule(key_schedule="loop") not in found
    assert all(figure > 0 for own in found.values() for figure in own)
