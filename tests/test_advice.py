"""What is advised is what was measured: ranked within limits, nothing broken, nothing guessed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from typer.testing import CliRunner

from finalist.advice import (
    BEYOND,
    UNMEASURED,
    UNSAFE_KIND,
    WANTS,
    Limit,
    Wish,
    advice,
    limits,
    machines_with,
)
from finalist.ciphers.catalogue import cipher
from finalist.cli import app
from finalist.errors import UnknownNameError
from finalist.measure import store
from finalist.measure.figure import REFUSED, Figure
from finalist.report.advice import lines, sheet
from tests.measure.test_figure import CYCLES, RATE, TICKS

RC6 = replace(CYCLES, cipher="rc6", definition="rc6", asked="default", date="2025-01-02T00:00:00+00:00")
SERPENT = replace(RC6, cipher="serpent", definition="serpent", value=3.0, timing="constant-time")
FROG = replace(RC6, cipher="frog", definition="frog", value=0.1)
WISH = Wish("native", "throughput", ciphers=("rc6", "serpent", "frog", "mars"))


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["advise", *arguments])
    assert done.exit_code == 0, done.stderr
    return done.stdout


def refused(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["advise", *arguments])
    assert done.exit_code == 2 and not done.stdout and done.stderr.count("\n") == 1
    return done.stderr


class TestLimits:
    def test_several(self) -> None:
        assert limits("ram<128, code <= 4096") == (Limit("ram", "<", 128), Limit("code", "<=", 4096))
        assert limits("") == () and [str(one) for one in limits("key>0.5")] == ["key>0.5"]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("ram", "limit 'ram'; accepted: NAME<NUMBER"),
            ("rom<5", "unknown limit 'rom'"),
            ("ram<1.2.3", "1.2.3 is no number"),
            ("ram<-1", "accepted"),
        ],
    )
    def test_what_is_none(self, text: str, said: str) -> None:
        with pytest.raises(UnknownNameError, match=said):
            limits(text)

    def test_what_is_not_known_is_not_within(self) -> None:
        assert not Limit("ram", "<", 1e9).allows({"bulk": RC6})


class TestRanking:
    def test_the_least_is_first_and_the_broken_is_left_out(self) -> None:
        found = advice(WISH, [SERPENT, RC6, FROG])
        assert [one.figure for one in found.choices] == [RC6, SERPENT]
        assert [one.why for one in found.choices] == [
            "least of the 2 that are allowed",
            "2.00 times as much as the first",
        ]
        assert found.of(UNSAFE_KIND) == {"frog": "broken"} and found.of(UNMEASURED) == {"mars": ""}

    def test_the_broken_where_it_is_asked_for(self) -> None:
        assert advice(replace(WISH, broken=True), [RC6, FROG]).choices[0].state == "broken"

    def test_of_rates_the_most(self) -> None:
        fast = replace(RC6, quantity="throughput", unit="Mbit/s", value=9.0)
        slow = replace(fast, cipher="serpent", definition="serpent", value=3.0)
        found = advice(WISH, [slow, fast]).choices
        assert [one.figure.value for one in found] == [9.0, 3.0]
        assert found[1].why == "the first gives 3.00 times as much"

    def test_the_best_schedule_of_each(self) -> None:
        other = replace(RC6, schedule="blocks=8", value=1.0)
        assert [one.figure for one in advice(WISH, [RC6, other]).choices] == [other]

    def test_the_latest_figure_of_each_program(self) -> None:
        later = replace(RC6, value=2.5, date="2026-01-01T00:00:00+00:00")
        assert [one.figure for one in advice(WISH, [later, RC6]).choices] == [later]

    def test_one_unit_of_several(self) -> None:
        units = [replace(one, definition="rc6", asked="default") for one in (RATE, TICKS, CYCLES)]
        assert advice(WISH, units).choices[0].figure.unit == "core cycles per byte"

    def test_constant_time(self) -> None:
        found = advice(replace(WISH, constant_time=True), [RC6, SERPENT])
        assert [one.figure for one in found.choices] == [SERPENT] and list(found.of(BEYOND)) == ["rc6"]

    def test_limits_are_of_the_same_program(self) -> None:
        small = replace(RC6, schedule="optimise=size", value=9.0)
        rows = [
            RC6,
            replace(RC6, quantity="RAM", value=200.0),
            small,
            replace(small, quantity="RAM", value=50.0),
        ]
        found = advice(replace(WISH, limits=limits("ram<128")), rows)
        assert [one.figure for one in found.choices] == [small]
        assert list(advice(replace(WISH, limits=limits("ram<9")), rows).of(BEYOND)) == ["rc6"]

    def test_times_of_two_processors_are_not_compared(self) -> None:
        other = replace(RC6, processor="another", value=0.5)
        found = advice(WISH, [RC6, SERPENT, other])
        assert found.processor == RC6.processor and other not in [one.figure for one in found.choices]
        assert advice(WISH, [other, RC6]).processor == "another"

    def test_what_was_refused_says_why(self) -> None:
        row = replace(RC6, quantity=REFUSED, value=0.0, refused="no room", processor="")
        assert advice(WISH, [row, SERPENT]).of(REFUSED) == {"rc6": "no room"}

    def test_other_key_lengths_are_not_guessed(self) -> None:
        assert "rc6" in advice(replace(WISH, key_bits=256), [RC6]).of(UNMEASURED)
        long = replace(RC6, key_bits=256)
        assert advice(replace(WISH, key_bits=256), [RC6, long]).choices[0].figure == long

    def test_a_definition_in_a_file(self) -> None:
        own = replace(RC6, cipher="speck", definition="examples/speck.py:Speck", key_bits=128)
        (one,) = advice(replace(WISH, ciphers=()), [own]).choices
        assert one.state == "unknown" or cipher("examples/speck.py").facts

    def test_machines_that_have_it(self) -> None:
        assert machines_with("throughput", [RC6, replace(RC6, machine="other", quantity="area")]) == [
            "native"
        ]


class TestShown:
    def test_a_sheet_and_what_is_not_in_it(self) -> None:
        row = replace(RC6, quantity="RAM", value=50.0)
        found = advice(replace(WISH, limits=limits("ram<128")), [RC6, row, SERPENT, FROG])
        made = sheet(found, 1)
        assert made.title == "native, encrypt: by throughput, ram<128" and made.rows[0][-1] == "50"
        assert made.note == f"Taken 2025-01-02 on {RC6.processor}."
        told = list(lines(found, 1))
        assert told[0] == f"1. {RC6.command}"
        assert "Beyond the limits: serpent." in told and "Not measured: mars." in told
        assert "Left out, --broken shows them: frog (broken)." in told

    def test_nothing(self) -> None:
        assert sheet(advice(WISH, []), 5).note == "No cipher that was measured keeps the limits."


class TestRefused:
    def test_what_there_is_not(self) -> None:
        assert "unknown want 'speed'" in refused("--want", "speed")
        assert "unknown purpose 'fun'" in refused("--for", "fun")
        assert "accepted is one" in refused("--for", "bulk", "--want", "code")
        assert "unknown machine" in refused("--machine", "pdp11")
        assert "unknown limit 'rom'" in refused("--limit", "rom<5")


# -- questions -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Question:
    """What somebody asks, how it is asked of the command, and the rows that answer it."""

    words: str
    arguments: str
    machine: str
    quantity: str
    fits: Callable[[dict[str, Figure]], bool] = lambda program: True
    operation: str = "encrypt"
    broken: bool = False


def at_most(**most: float) -> Callable[[dict[str, Figure]], bool]:
    """Whether a program has less of these than so much."""
    return lambda program: all(
        any(quantity in program and program[quantity].value < number for quantity in WANTS[name])
        for name, number in most.items()
    )


def constant(program: dict[str, Figure]) -> bool:
    return next(iter(program.values())).timing == "constant-time"


SOON = at_most(**{"set-up": 1000})
SMALL = at_most(code=4096)
QUESTIONS = [
    Question("What encrypts most data on my computer?", "", "native", "bulk"),
    Question("And decrypts?", "--operation decrypt", "native", "bulk", operation="decrypt"),
    Question("Which is quickest block after block?", "--for latency", "native", "latency"),
    Question("Which sets its key up soonest?", "--want set-up", "native", "key set-up"),
    Question("Nobody shall learn from its time.", "--for constant-time", "native", "bulk", constant),
    Question("Even if it is broken?", "--broken", "native", "bulk", broken=True),
    Question(
        "Many keys: set-up under 1,000 cycles.",
        "--limit set-up<1000",
        "native",
        "bulk",
        SOON,
    ),
    Question("What does a smart card do best?", "--machine hc05", "hc05", "bulk"),
    Question(
        "The card has 128 bytes of RAM and 4 KiB of ROM.",
        "--machine hc05 --limit ram<128,code<4096 --want throughput",
        "hc05",
        "bulk",
        at_most(ram=128, code=4096),
    ),
    Question("The smallest code on the card?", "--machine hc05 --want code", "hc05", "code and tables"),
    Question("The least RAM on the card?", "--machine hc05 --want ram", "hc05", "RAM"),
    Question(
        "Little RAM, and decryption.",
        "--machine hc05 --limit ram<48 --want throughput --operation decrypt",
        "hc05",
        "bulk",
        at_most(ram=48),
        operation="decrypt",
    ),
    Question("A signal processor of 2000?", "--machine c62x", "c62x", "bulk"),
    Question("And its successor?", "--machine c64x", "c64x", "bulk"),
    Question(
        "On the C62x with little memory?",
        "--machine c62x --limit code<4096",
        "c62x",
        "bulk",
        SMALL,
    ),
    Question("A plain RISC?", "--machine plx", "plx", "bulk"),
    Question("A RISC with parallel table lookup?", "--machine plx:with=ptlu", "plx:with=ptlu", "bulk"),
    Question("The smallest code on the RISC?", "--machine plx --want code", "plx", "code and tables"),
    Question("The best use of hardware?", "--for hardware", "fpga", "throughput per area"),
    Question(
        "The most throughput within 4,000 slices?",
        "--machine fpga --limit area<4000 --want throughput",
        "fpga",
        "throughput",
        at_most(area=4000),
    ),
]


def _by_hand(question: Question) -> set[float]:
    """The best value of the rows, found without the code under test."""
    programs: dict[tuple[str, str], dict[str, Figure]] = {}
    for row in store.published():
        state = getattr(cipher(row.cipher).facts, "state", "")
        safe = question.broken or state not in ("broken", "withdrawn")
        compared = not row.unit.startswith("ticks") and (row.unit != "Mbit/s" or row.machine == "fpga")
        if safe and compared and (row.machine, row.operation) == (question.machine, question.operation):
            programs.setdefault((row.cipher, row.schedule), {})[row.quantity] = row
    values = [
        program[question.quantity].value
        for program in programs.values()
        if question.quantity in program and question.fits(program)
    ]
    return {max(values) if question.machine == "fpga" else min(values)}


@pytest.fixture(autouse=True)
def no_results(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FINALIST_RESULTS", f"{tmp_path}/results.sqlite")


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.words)
def test_a_question_is_answered_by_the_store(question: Question) -> None:
    (answer,) = json.loads(run(*question.arguments.split(), "--json"))
    assert answer["machine"] == question.machine
    assert {answer["choices"][0]["value"]} == _by_hand(question)
    assert answer["choices"][0]["quantity"] == question.quantity
    if question.machine == "native":
        assert answer["processor"] and "native" in run(*question.arguments.split())


@pytest.mark.check
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.words)
def test_the_command_of_an_answer_prints_its_code(question: Question) -> None:
    (answer,) = json.loads(run(*question.arguments.split(), "--json", "--count", "1"))
    command = answer["choices"][0]["command"].split()
    done = CliRunner().invoke(app, command[1:])
    assert done.exit_code == 0 and len(done.stdout.splitlines()) > 20, done.stderr
