"""What the command accepts, what it says, and what it leaves when it is interrupted: on loops of a few
operations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from finalist.isa.limits import REGISTERS
from finalist.isa.schedule.modulo import proofs, schedulers, shares
from finalist.isa.schedule.modulo.greedy import Manner
from finalist.isa.schedule.modulo.problem import Choice, Operation, Order, Problem, Read, Schedule
from finalist.isa.schedule.modulo.stored import read, stored, write
from tests.isa.schedule.modulo.test_rounds import rounds_of
from tests.loops import UNITS, adds, loads, loop, stores
from tools.loops import __main__ as command
from tools.loops import proofs as asking
from tools.loops import relaxed as more
from tools.loops import shorter
from tools.loops.exact import Effort
from tools.loops.neighbourhood import squeezed

ASKED = ["c64x", "rc6", "encrypt"]
#: A word is loaded when the one before has been stored: at least every six cycles.
CHAIN = loop(loads(), adds(Read(0)), stores(1), orders=(Order(2, 0, 1, 1),))
SLOW = Schedule(14, (0, 10, 12), (0, 0, 0))

Command = Callable[..., int]


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch) -> Callable[[Problem], None]:
    """Puts a problem in the place of the cipher's; its values find registers."""

    def put(problem: Problem) -> None:
        found = SimpleNamespace(problem=problem, processor=SimpleNamespace(paths={"x1", "x2"}))
        monkeypatch.setattr(command, "loop_of", lambda *asked: found)
        for module in (command, shorter, more, schedulers):
            monkeypatch.setattr(module, "fits", lambda loop, schedule: True)
        monkeypatch.setattr(more, "with_problem", lambda loop, problem: SimpleNamespace(problem=problem))
        monkeypatch.setattr(asking, "banked", lambda loop, rounds: None)

    return put


def kept(file: Path) -> list[int]:
    return [one.schedule.interval for one in read(file).values()]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (["c65x", "rc6", "encrypt"], "invalid choice: 'c65x'"),
        (["c64x", "rc7", "encrypt"], "rc7"),
        (["c64x", "rc6", "sign"], "invalid choice: 'sign'"),
        ([*ASKED, "--file", "f", "--key-bits", "100"], "--key-bits: 100; of rc6 accepted: "),
        ([*ASKED, "--file", "f", "--blocks", "0"], "'0'; accepted: 1 or more"),
        ([*ASKED, "--file", "f", "--squeeze", "wide"], "'wide'; accepted: 1 or more"),
        (ASKED, "--file: not given; accepted without with --proofs FILE"),
        ([*ASKED, "--proofs", "f"], "--proofs: of no rounds; accepted with --rounds CYCLES"),
    ],
)
def test_what_is_refused(asked: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(asked)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_other_keys_have_names_of_their_own(tmp_path: Path, on: Callable[[Problem], None]) -> None:
    on(CHAIN)
    file = tmp_path / "schedules.json"
    drawn = ["--interval", "14", "--seeds", "1", "--key-bits", "192", "--file", str(file)]
    assert command.main([*ASKED, *drawn]) == 0
    assert [one.name for one in read(file).values()] == ["c64x rc6 encrypt 192-bit"]


def test_cycles_taken_out(tmp_path: Path, on: Callable[[Problem], None]) -> None:
    pytest.importorskip("ortools", reason="the solver comes with ortools (extra dsp)")
    on(CHAIN)
    file = tmp_path / "schedules.json"
    squeeze = [*ASKED, "--squeeze", "3", "--seconds", "20", "--file", str(file)]
    assert command.main(squeeze) == 1  # of no schedule
    write(file, {CHAIN.digest: stored(CHAIN, SLOW, "c64x rc6 encrypt")})
    assert command.main(squeeze) == 0
    assert kept(file) < [14]


def test_interrupted_it_keeps_the_best_so_far(
    tmp_path: Path, on: Callable[[Problem], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ortools", reason="the solver comes with ortools (extra dsp)")
    on(CHAIN)
    file = tmp_path / "schedules.json"
    write(file, {CHAIN.digest: stored(CHAIN, SLOW, "c64x rc6 encrypt")})

    def until(
        problem: Problem, schedule: Schedule, cycle: int, width: int, effort: Effort
    ) -> Schedule | None:
        if schedule.interval == 12:
            raise KeyboardInterrupt
        return squeezed(problem, schedule, cycle, width, effort)

    monkeypatch.setattr(shorter, "squeezed", until)
    assert command.main([*ASKED, "--squeeze", "3", "--file", str(file)]) == 0
    assert kept(file) == [12]


def test_interrupted_drawing_keeps_the_best_so_far(
    tmp_path: Path, on: Callable[[Problem], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    on(CHAIN)
    file, greedy = tmp_path / "schedules.json", shorter.greedy

    def until(problem: Problem, interval: int, manner: Manner) -> Schedule | None:
        if interval == 12:
            raise KeyboardInterrupt
        return greedy(problem, interval, manner)

    monkeypatch.setattr(shorter, "greedy", until)
    assert command.main([*ASKED, "--interval", "14", "--seeds", "1", "--file", str(file)]) == 0
    assert kept(file) == [13]


def test_how_operations_are_shared_out(
    tmp_path: Path, on: Callable[[Problem], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """Six words for one side: the bound of the schedule that is kept is then that of the side."""
    pytest.importorskip("ortools", reason="the solver comes with ortools (extra dsp)")
    choices = tuple(Choice(("d" + number,), (file,), (file,)) for number, file in (("1", "a"), ("2", "b")))
    by_index = Operation("load", choices, (Read(-1, invariant=0),), (4,))
    problem = loop(*[by_index] * 6, invariants=(frozenset("a"),), registers=12)
    on(problem)
    file, kept_shares = tmp_path / "schedules.json", tmp_path / "shares.json"
    asked = [*ASKED, "--seconds", "10", "--shares", str(kept_shares), "--file", str(file)]
    assert command.main(asked) == 1  # of no schedule
    write(file, {problem.digest: stored(problem, Schedule(7, tuple(range(6)), (0,) * 6), "c64x rc6 encrypt")})
    assert command.main(asked) == 0
    assert [(one.schedule.interval, one.bound) for one in read(file).values()] == [(7, 6)]
    assert [(one.shortest, one.crossing) for one in shares.read(kept_shares).values()] == [(6, 0)]
    assert "feasible, bound 6; in 7 cycles 0 operands across at least" in capsys.readouterr().out


def test_what_more_gives(
    tmp_path: Path, on: Callable[[Problem], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twelve words by two units in six cycles, by three in four; interrupted, it goes on where it was."""
    pytest.importorskip("ortools", reason="the solver comes with ortools (extra dsp)")
    problem = loop(*[loads() for _ in range(12)], registers=24)
    on(problem)
    file, found, drawn = tmp_path / "schedules.json", tmp_path / "relaxed.json", shorter.greedy
    halves = Schedule(12, tuple(range(12)), (0,) * 12)
    write(file, {problem.digest: stored(problem, halves, "c64x rc6 encrypt")})
    asked = [*ASKED, "--seconds", "4", "--workers", "1", "--relaxed", str(found), "--file", str(file)]

    def until(problem: Problem, interval: int, manner: Manner) -> Schedule | None:
        if interval == 5:
            raise KeyboardInterrupt
        return drawn(problem, interval, manner)

    monkeypatch.setattr(shorter, "greedy", until)
    assert command.main(asked) == 1
    assert {one.name: one.seconds for one in read(found).values()} == {
        "c64x rc6 encrypt": 4.0,
        "c64x rc6 encrypt +1 d": 0.0,
    }
    monkeypatch.setattr(shorter, "greedy", drawn)
    assert command.main(asked) == 0
    told = {one.name.removeprefix("c64x rc6 encrypt"): one for one in read(found).values()}
    assert {name: (one.schedule.interval, one.bound, one.seconds) for name, one in told.items()} == {
        "": (6, 6, 4.0),
        " +1 d": (4, 4, 4.0),
        " +1 latency 3, not 4": (6, 6, 4.0),
        " +1 registers": (6, 6, 4.0),
    }
    monkeypatch.setattr(shorter, "greedy", None)
    assert command.main(asked) == 0  # all have had their seconds


def test_what_one_question_finds_serves_others(
    tmp_path: Path, on: Callable[[Problem], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shorter schedule that keeps the rules of the loop as it is is its schedule, too."""
    pytest.importorskip("ortools", reason="the solver comes with ortools (extra dsp)")
    problem = loop(*[loads() for _ in range(12)], registers=24)
    on(problem)
    file, found = tmp_path / "schedules.json", tmp_path / "relaxed.json"
    write(
        file, {problem.digest: stored(problem, Schedule(12, tuple(range(12)), (0,) * 12), "c64x rc6 encrypt")}
    )
    halves = Schedule(6, tuple(k // 2 for k in range(12)), (0, 1) * 6)

    def once(loop: SimpleNamespace, known: list[Schedule], seconds: float, workers: int) -> list[Schedule]:
        return [halves if loop.problem.units["d1"] == 2 else known[0]]

    monkeypatch.setattr(more, "_ever_shorter", once)
    assert command.main([*ASKED, "--seconds", "4", "--relaxed", str(found), "--file", str(file)]) == 0
    assert set(kept(found)) == {6}


def test_more_of_what_nothing_uses_is_not_asked() -> None:
    asked = dict(more.questions(loop(*[loads() for _ in range(3)])))
    assert {"", "d", REGISTERS} < asked.keys() and not {"l", "s", "x"} & asked.keys()
    assert asked["d"].units["d1"] == UNITS["d1"] + 1


def test_rounds_apart(
    tmp_path: Path, on: Callable[[Problem], None], capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ortools", reason="the solver comes with ortools (extra dsp)")
    file = tmp_path / "schedules.json"
    asked = [*ASKED, "--rounds", "2", "--seconds", "20", "--file", str(file)]
    on(CHAIN)
    assert command.main(asked) == 1
    assert "does not repeat itself" in capsys.readouterr().out
    on(rounds_of())
    assert command.main(asked) == 0
    assert "rounds of 2 cycles: optimal" in capsys.readouterr().out
    assert len(kept(file)) == 1
    on(rounds_of(8))  # more of the same rounds: their schedule is kept, and no solver is asked
    assert command.main(asked) == 0
    assert "optimal" not in capsys.readouterr().out
    assert len(kept(file)) == 2 and kept(tmp_path / "rounds.json") == [2]


def test_what_is_proved_of_rounds(
    tmp_path: Path, on: Callable[[Problem], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """A cycle less is refuted without registers; the interval itself is found."""
    pytest.importorskip("ortools", reason="the solver comes with ortools (extra dsp)")
    file = tmp_path / "proofs.json"
    on(rounds_of())
    asked = [*ASKED, "--seconds", "20", "--proofs", str(file)]
    assert command.main([*asked, "--rounds", "2"]) == 0
    (told,) = proofs.read(file).values()
    assert [(one.interval, one.registers, one.outcome) for one in told] == [
        (1, False, "infeasible"),
        (2, True, "found"),
    ]
    assert proofs.least(told) == 2
    assert {one.name for one in told} == {"c64x rc6 encrypt round"}
    assert "1 cycles, any number of stages, registers not counted: infeasible" in capsys.readouterr().out
    assert command.main([*asked, "--rounds", "1"]) == 1
    on(loop(*(adds() for _ in range(12))))
    assert command.main([*asked, "--rounds", "9"]) == 1
    assert "accepted: rounds" in capsys.readouterr().out


def test_what_is_proved_of_rounds_with_more(tmp_path: Path, on: Callable[[Problem], None]) -> None:
    """Rounds that a chain of two sums keeps apart are closer together where sums are sooner, not by units."""
    pytest.importorskip("ortools", reason="the solver comes with ortools (extra dsp)")
    file = tmp_path / "proofs.json"
    on(rounds_of())
    asked = [*ASKED, "--seconds", "20", "--proofs", str(file), "--more", "--rounds", "2"]
    assert command.main(asked) == 0
    told = [one for several in proofs.read(file).values() for one in several]
    wanted = ("l", "s", "d", "x", "latency 3, not 4", REGISTERS)
    said = {one.name.partition(" +1 ")[2]: (one.interval, one.outcome) for one in told}
    assert said == dict.fromkeys(wanted, (1, "infeasible"))
    before = file.read_text()
    assert command.main(asked) == 0
    assert file.read_text() == before  # nothing has been asked again, which would take other seconds


def test_interrupted_proofs_keep_what_was_answered(
    tmp_path: Path, on: Callable[[Problem], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ortools", reason="the solver comes with ortools (extra dsp)")
    file, decided = tmp_path / "proofs.json", asking.decided
    on(rounds_of())

    def until(problem: Problem, interval: int, *more: object, **named: object) -> object:
        if interval == 2:
            raise KeyboardInterrupt
        return decided(problem, interval, *more, **named)

    monkeypatch.setattr(asking, "decided", until)
    assert command.main([*ASKED, "--rounds", "2", "--proofs", str(file)]) == 1
    (told,) = proofs.read(file).values()
    assert [one.interval for one in told] == [1]
