"""Tables on terminals and elsewhere, and how far a command is."""

from __future__ import annotations

import io
import threading
import time

import pytest
from rich.console import Console
from rich.table import Table

from finalist.cli import figures, output, tables
from finalist.cli.fitting import fitted
from finalist.measure.results import Row
from finalist.resumable import Resumable
from finalist.workers import HERE

NUMBERS = {"core_cycles": 123.456, "ticks": 98.75, "mbit_per_s": 186224.0}


def rows() -> list[Row]:
    """Figures of one cipher, as `finalist bench` takes them."""
    return [
        Row(
            cipher="safer-plus",
            operation=operation,
            key_bits=128,
            quantity=quantity,
            unit="byte",
            clock="rdtsc",
            ticks_per_cycle=0.7,
            spread=0.0,
            data_bytes=65536,
            schedule="blocks=512 width=512 lookup=bitslice rounds=unroll key-schedule=loop word=64",
            timing="data-dependent time",
            machine="native",
            processor="cpu",
            compiler="cc",
            flags="",
            commit="c",
            date="2024-01-01T00:00:00+00:00",
            **NUMBERS,
        )
        for operation in ("encrypt", "decrypt")
        for quantity in ("key set-up", "latency", "bulk", "ctr")
    ]


def on_terminal(table: Table, width: int) -> str:
    console = Console(width=width, file=io.StringIO(), record=True)
    for one in fitted(table, width):
        console.print(one)
    return console.export_text()


class TestTables:
    @pytest.mark.parametrize("width", [40, 60, 80, 200])
    def test_no_number_is_broken(self, width: int) -> None:
        shown = [part for part in figures.whole(rows()) if isinstance(part, Table)]
        text = "".join(on_terminal(one, width) for one in shown)
        assert max(map(len, text.splitlines())) <= width
        words = text.split()
        assert words.count("186224") == 4 and words.count("98.75") == 4  # of both modes, both ways
        assert {"data-dependent", "key-schedule=loop", "safer-plus"} <= set(words)
        assert "\N{HORIZONTAL ELLIPSIS}" not in text

    def test_what_a_row_is_about_stands_in_each_part(self) -> None:
        shown = next(part for part in figures.whole(rows()) if isinstance(part, Table))
        parts = list(fitted(shown, 60))
        headings = [[str(column.header).split("\n")[-1] for column in part.columns] for part in parts]
        assert len(parts) == 2
        assert headings[0][:5] == ["cipher", "bits", "cycles", "/block", "mode"]
        assert headings[1][:2] == ["cipher", "mode"]
        assert len(list(fitted(shown, 100))) == 1

    def test_text_is_wrapped_between_words(self) -> None:
        table, text = (
            tables.plain(["name", "what"], ["count"]),
            "some words that take more room than there is",
        )
        table.add_row("a", text, "1234567")
        (one,) = fitted(table, 40)
        shown = on_terminal(one, 40)
        assert max(map(len, shown.splitlines())) <= 40
        words = [word for word in shown.split() if word.isalnum()]
        assert words == ["name", "what", "count", "a", *text.split()[:4], "1234567", *text.split()[4:]]

    def test_a_word_wider_than_the_terminal_is_folded(self) -> None:
        table = tables.plain(["name", "path"])
        table.add_row("a", "/very/long" * 10)
        text = on_terminal(table, 40)
        assert max(map(len, text.splitlines())) <= 40
        assert "/very/long" * 10 in "".join(text.replace(" a ", "").split())

    def test_elsewhere_a_row_is_a_line(self, capsys: pytest.CaptureFixture[str]) -> None:
        table = tables.plain(["name", "key bits"])
        table.columns[1].max_width = 5
        table.add_row("a", "a word " * 100)
        output.show([table, "a line " * 100])
        lines = capsys.readouterr().out.splitlines()
        assert " a     " + "a word " * 99 + "a word" in lines
        assert ("a line " * 100).rstrip() in lines
        assert not any(line != line.rstrip() for line in lines)


class TestProgress:
    @pytest.fixture(autouse=True)
    def often(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(output, "EVERY", 0.01)

    def test_lines_where_there_is_no_terminal(self, capsys: pytest.CaptureFixture[str]) -> None:
        with output.progress(3) as step:
            step("first [one]")
            step("second")
            step("second, further", begins=False)
            told = _wait(capsys, "finalist: 2 of 3: second, further\n")
        possible = ("1 of 3: first [one]", "2 of 3: second", "2 of 3: second, further")
        assert set(told.splitlines()) <= {f"finalist: {text}" for text in possible}

    @pytest.mark.parametrize(
        ("begun", "seconds", "said"),
        [(1, 500.0, ""), (3, 60.0, ", about 4 min left"), (3, 0.1, ""), (10, 600.0, ", about 1 min left")],
    )
    def test_how_long_the_rest_takes(self, begun: int, seconds: float, said: str) -> None:
        assert output.rest(begun, 10, seconds) == said

    def test_no_number_where_nobody_knows_how_many(self, capsys: pytest.CaptureFixture[str]) -> None:
        with output.progress(0) as step:
            step("compiling")
            _wait(capsys, "finalist: compiling\n")

    def test_nothing_before_there_is_something_to_say_or_after(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with output.progress(1):
            time.sleep(0.05)
        time.sleep(0.05)
        assert capsys.readouterr() == ("", "")

    def test_it_ends_with_what_goes_wrong(self) -> None:
        before = threading.active_count()
        with pytest.raises(KeyboardInterrupt), output.progress(1):
            raise KeyboardInterrupt
        assert threading.active_count() == before


def _wait(capsys: pytest.CaptureFixture[str], line: str) -> str:
    told, deadline = "", time.monotonic() + 30
    while line not in told:
        assert time.monotonic() < deadline
        time.sleep(0.01)
        captured = capsys.readouterr()
        assert captured.out == ""
        told += captured.err
    return told


class TestFollowed:
    def test_which_is_under_way_of_those_that_are_left(self) -> None:
        said: list[tuple[str, bool]] = []
        work = Resumable(abs, [-1, -2, -3], known={-2: 2})
        found = output.followed(
            lambda what, begins=True: said.append((what, begins)), work, "n {}".format, HERE
        )
        assert next(found) == (-1, 1) and said == [("n -1", True), ("n -3", True)]
        assert list(found) == [(-3, 3)] and len(said) == len(work.left)

    def test_all_in_order(self) -> None:
        assert list(output.done(Resumable(abs, [-3, -1], known={-1: 7}), at_once=HERE).items()) == [
            (-3, 3),
            (-1, 7),
        ]
