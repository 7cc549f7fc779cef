"""The schedules that are compared on the card: the book's rows among them, nothing that a cipher lacks."""

from __future__ import annotations

from typer.testing import CliRunner

from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.cli import app
from finalist.cli.pareto import compared
from finalist.machines.hc05.machine import MACHINE
from finalist.machines.hc05.words import WORDS
from finalist.machines.words import names_of
from finalist.papers.load import notes_on
from finalist.schedule import Schedule, parse_schedule, refuse_others


def test_rows_of_the_book_are_compared() -> None:
    notes = notes_on("smartcard")
    offered = MACHINE.compared(find_cipher(notes["cipher"]), key_bits=128, directions="both")
    rows = [parse_schedule([text]) for text in notes["rows"]]
    assert sum(one.subkeys == "computed" for one in rows) == 4
    assert all(Schedule(byte_worth=10).over(one) in offered for one in rows)


def test_round_keys_are_computed_where_keyed_functions_are() -> None:
    notes = notes_on("smartcard")
    offered = MACHINE.compared(find_cipher(notes["cipher"]), key_bits=128, directions="both")
    assert {one.keyed_tables for one in offered if one.subkeys} == {"zero"}


def test_only_words_that_the_card_has_each_schedule_once() -> None:
    offered = MACHINE.compared(find_cipher("rc6"), key_bits=128, directions="one")
    assert len(set(offered)) == len(offered) == 7
    for one in offered:
        refuse_others(one, names_of(WORDS), "hc05")
        assert one.map_tables is None and one.keyed_tables is None


def test_words_that_are_chosen_are_those_of_all() -> None:
    found = compared(MACHINE, find_cipher("rijndael"), 128, Schedule(map_tables=0, byte_worth=10))
    assert {(one.map_tables, one.byte_worth) for one in found} == {(0, 10)}
    assert len(found) == 2


def test_what_is_about_hardware_is_refused() -> None:
    said = CliRunner().invoke(app, ["pareto", "rijndael", "--machine", "hc05", "--part", "ecp5-85"])
    assert said.exit_code != 0 and "--part is about hardware" in " ".join(said.output.split())
    said = CliRunner().invoke(app, ["pareto", "rijndael", "--machine", "plx"])
    assert "nothing to compare; accepted: fpga, hc05" in " ".join(said.output.split())
