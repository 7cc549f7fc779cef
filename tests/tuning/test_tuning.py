"""Trials are kept and found again, the search makes each once, and what it says of the winner is so."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

import finalist
from finalist.ciphers.catalogue import cipher
from finalist.cli import app
from finalist.errors import ScheduleError, VectorError
from finalist.schedule import Schedule
from finalist.toolchain import compiler
from finalist.tuning import choose, search, shipped, timing, trials
from finalist.tuning.choose import best, winners
from finalist.tuning.explain import explain, kind_of
from finalist.tuning.search import Search, Task, place_of
from finalist.tuning.trials import LENGTHS, Trial, TuningError, latest

TASK = Task(cipher("rc6"), "native", "encrypt", 128)


def trial(
    schedule: str = "blocks=1 width=1", *, task: str = "t", operations: float = 2.0, **ticks: float
) -> Trial:
    """A trial with these ticks a byte, all the same unless given as t16=, t64=, ..."""
    every = ticks.pop("every", 4.0)
    by_length = {str(length): ticks.get(f"t{length}", every) for length in LENGTHS}
    return Trial(
        task=task,
        place="cpu; cc",
        text=schedule,
        cipher="toy",
        operation="encrypt",
        key_bits=128,
        machine="native",
        asked=schedule,
        schedule=schedule,
        timing="constant-time",
        operations=operations,
        bound=operations / 4,
        ticks=by_length,
        ticks_per_cycle=1.0,
        commit="c",
        date="2024-01-01T00:00:00+00:00",
    )


RULED_OUT = replace(trial("width=128"), ticks={})


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "tuning.jsonl"
    monkeypatch.setenv("FINALIST_TUNING", str(path))
    monkeypatch.setattr(shipped, "_read", dict)
    return path


class TestTrials:
    def test_trials_come_back_as_they_were(self, file: Path) -> None:
        assert trials.append([trial(), RULED_OUT]) == file
        assert trials.read().rows == (trial(), RULED_OUT)

    def test_a_damaged_line_is_named_and_costs_no_other(self, file: Path) -> None:
        trials.append([trial()])
        file.write_bytes(file.read_bytes() + b'{"task": 3}\n')
        found = trials.read()
        assert found.rows == (trial(),)
        assert ":2: task is 3; accepted: str" in found.damaged[0]

    def test_the_last_trial_of_a_schedule_counts(self) -> None:
        old, new = trial(every=9.0), trial(every=3.0)
        assert latest([old, RULED_OUT, new]) == [new, RULED_OUT]

    def test_a_message_takes_what_the_longest_one_no_longer_took(self) -> None:
        one = trial(t16=9.0, t1024=5.0, every=4.0)
        assert [one.at(n) for n in (1, 16, 1024, 2000, 1 << 20)] == [9.0, 9.0, 5.0, 5.0, 4.0]

    def test_what_was_asked_for_can_be_asked_for_again(self) -> None:
        assert trial("blocks=4 width=1").choices() == Schedule(blocks=4, width=1)
        assert replace(trial(), asked=str(Schedule())).choices() == Schedule()

    def test_a_file_that_can_not_be_written_is_named(self, file: Path) -> None:
        file.mkdir()
        with pytest.raises(TuningError, match=r"can't be written.*FINALIST_TUNING"):
            trials.append([trial()])
        with pytest.raises(TuningError, match="can't be read"):
            trials.read()


class TestChoose:
    SHORT = trial("blocks=1 width=1", t16=5.0, every=8.0)
    LONG = trial("width=256", t16=50.0, every=1.0)

    def test_each_length_has_its_own_winner(self) -> None:
        won = [one.trial for one in winners([self.SHORT, self.LONG, RULED_OUT])]
        assert won == [self.SHORT] + [self.LONG] * (len(LENGTHS) - 1)

    def test_there_are_as_few_programs_as_there_can_be(self) -> None:
        """A program goes on serving where another is quicker by no more than a timer's error."""
        short = trial("blocks=1 width=1", t16=2.0, every=9.0)
        middle = trial("blocks=16 width=256", t16=30.0, t64=3.0, t256=1.5, every=1.0)
        long = trial("blocks=32 width=512", t16=30.0, t64=3.02, t256=1.51, t1024=0.99, every=1.01)
        slow = trial("blocks=64 width=512", t16=30.0, t64=9.0, t256=2.0, every=1.0)
        found = choose.by_length([short, middle, long, slow])
        assert list(found) == [16, 64] and found[64] == middle.asked
        # Where none is alike throughout, the first serves as far as it can.
        best = trial("blocks=128 width=512", t16=90.0, t64=90.0, t256=90.0, every=0.5)
        assert list(choose.by_length([short, middle, slow, best])) == [16, 64, 512]

    def test_a_core_that_ran_faster_is_no_better_program(self) -> None:
        lucky = replace(trial("blocks=16 width=256", every=0.95), ticks_per_cycle=0.9)
        assert choose.by_length([lucky, trial("blocks=32 width=512", every=1.0)]) == {
            16: "blocks=32 width=512"
        }

    def test_of_those_alike_in_a_chain_the_quickest_on_one_block_is_ahead(self) -> None:
        """A chain is all waiting; where it is short, or one of many, instructions count."""

        def chained(schedule: str, chain: float, single: float) -> Trial:
            made = trial(schedule, t16=single)
            return replace(made, ticks=made.ticks | {"0": chain})

        loop = chained("blocks=1 width=128 rounds=loop", 2.0, 6.0)
        straight = chained("blocks=1 width=128 rounds=unroll", 2.01, 4.0)
        slow = chained("blocks=1 width=1", 2.1, 3.0)
        assert choose.by_length([loop, straight, slow])[trials.CHAIN] == straight.asked

    def test_a_mode_of_operation_counts_as_much_as_the_blocks(self) -> None:
        """Counters and additions are of vectors, too: what is level in blocks may be behind with them."""

        def in_mode(schedule: str, blocks: float, mode: float) -> Trial:
            return replace(trial(schedule, every=blocks), mode={str(length): mode for length in LENGTHS})

        narrow, wide = in_mode("width=256", 1.0, 1.4), in_mode("width=512", 1.05, 1.1)
        assert choose.by_length([narrow, wide]) == {16: "width=512"}
        # What was not timed in it is not compared: its figures leave something out.
        assert choose.by_length([narrow, wide, trial("width=128", every=0.99)]) == {16: "width=512"}
        assert [won.trial for won in winners([narrow, wide, trial("width=128")])] == [wide] * len(LENGTHS)

    def test_of_those_alike_in_a_chain_a_short_key_set_up_is_ahead(self) -> None:
        def chained(schedule: str, chain: float, set_up: float) -> Trial:
            made = trial(schedule, t16=3.0)
            return replace(made, ticks=made.ticks | {"0": chain}, set_up=set_up)

        slow, quick, behind = (
            chained("fuse=32", 2.0, 400.0),
            chained("fuse=64", 2.01, 200.0),
            chained("a", 2.1, 9.0),
        )
        assert choose.by_length([slow, quick, behind])[trials.CHAIN] == quick.asked
        assert choose.by_length([slow, quick, chained("blocks=1", 1.0, 0.0)])[trials.CHAIN] == quick.asked

    def test_of_those_alike_the_one_with_least_to_do_is_ahead(self) -> None:
        """A mode of operation adds to it; what is slower than a timer's error is not ahead for that."""
        quick = replace(trial("width=256", every=1.0), operations=4.0)
        lean = replace(trial("width=512", every=1.01), operations=2.0)
        slow = replace(trial("width=128", every=1.03), operations=1.0)
        assert choose.ranked([slow, quick, lean], 1024) == [lean, quick, slow]
        assert winners([slow, quick, lean])[-1].trial is lean

    def test_what_a_message_does_not_fill_is_told_by_the_timer_alone(self) -> None:
        quick = replace(trial("width=256", t1024=5.0, every=1.0), operations=4.0)
        lean = replace(trial("width=512", t1024=5.05, every=1.0), operations=2.0)
        assert choose.ranked([lean, quick], 1024) == [quick, lean]
        assert choose.ranked([lean, quick], 8192) == [lean, quick]

    def test_nothing_timed_has_no_winner(self) -> None:
        assert winners([RULED_OUT]) == []

    def test_the_best_is_by_definition_place_and_length(self) -> None:
        here = [replace(t, task=TASK.name, place=place_of("native")) for t in (self.SHORT, self.LONG)]
        elsewhere = replace(here[0], place="another; cc", ticks=dict.fromkeys(here[0].ticks, 0.1))
        assert best(TASK.cipher, "encrypt", 128, 16) is None
        trials.append([*here, elsewhere])
        assert best(TASK.cipher, "encrypt", 128, 1) == Schedule(blocks=1, width=1)
        assert best(TASK.cipher, "encrypt", 128, 1 << 20) == Schedule(width=256)
        assert best(TASK.cipher, "decrypt", 128, 16) is None
        assert best(TASK.cipher, "encrypt", 256, 16) == Schedule(blocks=1, width=1)  # as for the usual key

    def test_a_chain_has_its_own_winner(self) -> None:
        assert choose.best_of_one(TASK.cipher, "encrypt", 128) is None
        here = [replace(t, task=TASK.name, place=place_of("native")) for t in (self.SHORT, self.LONG)]
        other = replace(here[0], asked="blocks=1 width=1 rounds=2", schedule="blocks=1 width=1 rounds=2")
        chained = [replace(t, ticks=t.ticks | {"0": n}) for t, n in ((here[0], 9.0), (other, 8.0))]
        trials.append([*chained, here[1]])
        assert choose.best_of_one(TASK.cipher, "encrypt", 128) == Schedule(blocks=1, width=1, rounds=2)
        ladder = choose.ladder(TASK.cipher, "encrypt", 128)
        assert ladder == {16: Schedule(blocks=1, width=1), 64: Schedule(width=256)}
        assert best(TASK.cipher, "encrypt", 128, 1) == Schedule(blocks=1, width=1)
        assert (chained[0].at(0), chained[0].at(1), here[0].at(0)) == (9.0, 5.0, 5.0)

    def test_a_new_trial_is_seen(self) -> None:
        here = replace(self.SHORT, task=TASK.name, place=place_of("native"))
        trials.append([here])
        assert best(TASK.cipher, "encrypt", 128, 64) == Schedule(blocks=1, width=1)
        trials.append([replace(self.LONG, task=TASK.name, place=place_of("native"))])
        assert best(TASK.cipher, "encrypt", 128, 64) == Schedule(width=256)

    def test_no_file_is_no_choice(self) -> None:
        assert choose.best(TASK.cipher, "encrypt", 128, 16) is None


class TestTuned:
    """`tuned`: the winner by name, refused where there is none."""

    def known(self, *found: Trial) -> None:
        trials.append([replace(t, task=TASK.name, place=place_of("native")) for t in found])

    def test_it_stands_for_the_winner(self) -> None:
        self.known(TestChoose.SHORT, TestChoose.LONG)
        for message, expected in (("long", Schedule(width=256)), (16, Schedule(blocks=1, width=1))):
            assert choose.tuned(TASK.cipher, "encrypt", 128, "native", message) == expected
        assert finalist.compile("rc6", tuned="long").schedule.width == 256
        assert finalist.compile("rc6", tuned=16).schedule.width == 1
        assert finalist.compile("rc6", tuned="long", blocks=16).schedule.blocks == 16
        assert "tuned" not in finalist.compile("rc6", tuned="long").text

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (
                ("rc6",),
                r"nobody has tuned rc6 encrypt, 128-bit keys .*`finalist tune rc6 --operation encrypt` does",
            ),
            (
                ("rc6", "native", "decrypt", 256),
                r"`finalist tune rc6 --operation decrypt --key-bits 256` does",
            ),
            (("rc6", "plx"), "tuned=long: plx has no schedules that are tuned"),
            (("rc6", "interpreter"), "tuned=long: interpreter has no schedules that are tuned"),
        ],
    )
    def test_where_there_is_none(self, arguments: Any, said: str) -> None:
        with pytest.raises(ScheduleError, match=said):
            finalist.compile(*arguments, tuned="long")

    def test_what_else_is_chosen_may_not_agree_with_it(self) -> None:
        self.known(TestChoose.LONG)
        with pytest.raises(ScheduleError, match="blocks=3 with width=256: accepted is a multiple of 8"):
            finalist.compile("rc6", tuned="long", blocks=3)

    def test_what_came_from_it_is_said_where_it_does_not_agree(self) -> None:
        self.known(TestChoose.LONG)
        said = "; width=256 is from tuned=long; accepted: tuned=long alone, or blocks=3 alone"
        with pytest.raises(ScheduleError, match=said):
            finalist.compile("rc6", tuned="long", blocks=3)
        with pytest.raises(ScheduleError, match=r"^blocks=3 with width=256: accepted is a multiple of 8$"):
            finalist.compile("rc6", width=256, blocks=3)

    def test_trials_of_earlier_names_serve(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.known(trial("blocks=1 width=1 keys=unroll"))
        assert best(TASK.cipher, "encrypt", 128, 16) == Schedule(blocks=1, width=1, key_schedule="unroll")
        assert capsys.readouterr() == ("", "")


class TestExplain:
    def test_it_names_the_winner_and_what_it_has_to_do(self) -> None:
        fast = trial("blocks=8 width=256", operations=2.0, every=1.0)
        slow = trial("blocks=1 width=1", operations=9.0, every=3.0)
        found = explain([slow, RULED_OUT, fast])
        assert [kind_of(t) for t in found.kinds] == ["256-bit vectors", "scalar"]
        assert found.ruled_out == 1
        assert found.reasons[0] == (
            "256-bit vectors: 3.00 times as fast as scalar; 2.0 operations a byte against 9.0,"
            " 2.0 of them a core cycle against 3.0; it does less, if more slowly"
        )

    def test_more_work_done_faster_is_said(self) -> None:
        found = explain([trial("width=256", operations=8.0, every=1.0), trial(operations=6.0, every=2.0)])
        assert found.reasons[0].endswith("it has more to do, but does more at once")

    def test_what_a_single_choice_brings(self) -> None:
        found = explain([trial("blocks=4 width=1 skew=8", every=2.0), trial("blocks=1 width=1", every=3.0)])
        assert "blocks=4 rather than 1: 1.50 times as fast" in found.reasons

    def test_lengths_with_other_winners_are_said(self) -> None:
        found = explain([TestChoose.SHORT, TestChoose.LONG])
        assert "from 16 bytes on blocks=1 width=1; from 64 bytes on width=256" in found.reasons[-1]

    def test_one_kind_alone_is_said(self) -> None:
        """Not that no other is legal: there may have been no time for one."""
        assert explain([trial()]).reasons[0] == "scalar is the only kind of layout that was timed"


class TestSearch:
    def test_only_machines_with_schedules_are_searched(self) -> None:
        with pytest.raises(TuningError, match="'interpreter' has no schedules"):
            Search(replace(TASK, machine="interpreter"), [], 1.0)

    def test_each_schedule_is_tried_once_and_never_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        made = _without_clock(monkeypatch)
        first = list(Search(TASK, [], 6000.0).run())
        assert len(first) == len({t.schedule for t in first}) == len(made) > 10
        assert {t.choices().width for t in first} >= {1}
        assert not list(Search(TASK, first, 6000.0).run())
        assert len(made) == len(first)

    def test_a_changed_program_is_tried_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        _without_clock(monkeypatch)
        first = list(Search(TASK, [], 60.0).run())
        old = [replace(first[0], text="another"), *first[1:]]
        assert [t.schedule for t in Search(TASK, old, 60.0).run()] == [first[0].schedule]

    def test_the_same_text_under_other_flags_is_tried_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """What was compiled is text, flags and compiler; the text alone says little of the time it takes."""
        made = _without_clock(monkeypatch)
        first = list(Search(TASK, [], 60.0).run())
        assert not list(Search(TASK, first, 6000.0).run())
        program: Any = finalist.compile("rc6", blocks=1, width=1)
        before = search.compiled(program)
        monkeypatch.setattr(program, "flags", (*program.flags, "-funroll-loops"))
        monkeypatch.setattr(search, "note", lambda kind, about, make: make())
        assert search.compiled(program) != before
        again = list(Search(TASK, first, 60.0).run())
        assert [t.schedule for t in again] == [str(program.schedule)] and len(made) == len(first) + 1

    def test_another_compiler_is_another_trial(self, monkeypatch: pytest.MonkeyPatch) -> None:
        program = finalist.compile("rc6", blocks=1, width=1)
        before = search.compiled(program)
        monkeypatch.setattr(compiler, "command", lambda: ("cc", "-m32"))
        assert search.compiled(program) != before

    def test_what_serves_now_comes_after_the_defaults(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """That of long messages first; then what mostly wins, and what won on CPUs of other kinds."""
        _without_clock(monkeypatch)
        won = {"one": {16: "blocks=6 width=1"}, "two": {16: "blocks=5 width=1", 1024: "blocks=3 width=1"}}
        monkeypatch.setattr(
            search.shipped,
            "winners",
            lambda task, machine, kinds: next((won[k] for k in kinds if k in won), {}),
        )
        native = type(finalist.machines.registry.machine("native"))
        monkeypatch.setattr(native, "cpu_kinds", lambda _: ["two", "one", "none"])
        monkeypatch.setattr(native, "ways", lambda _: [Schedule(blocks=7, width=1)])
        run = Search(TASK, [], 60.0).run()
        found = [next(run).asked for _ in range(7)]
        assert found[:3] == ["default", "blocks=1", "blocks=2"]
        assert found[3:] == [f"blocks={n} width=1" for n in (3, 5, 7, 6)]

    def test_what_mostly_wins_is_tried_before_all_kinds_are_looked_at(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """To look at each kind of a cipher of long texts takes longer than many a search has."""
        _without_clock(monkeypatch)
        native = type(finalist.machines.registry.machine("native"))
        one, many = Schedule(blocks=3, width=1, rounds="loop"), Schedule(blocks=5, width=1)
        monkeypatch.setattr(native, "ways", lambda _: [one, many])
        looked: list[str] = []
        facts = Search._facts
        monkeypatch.setattr(
            Search, "_facts", lambda self, schedule: (looked.append(str(schedule)), facts(self, schedule))[1]
        )
        run = Search(TASK, [], 60.0).run()
        found = [next(run).asked for _ in range(5)]
        assert found[:3] == ["default", "blocks=1", "blocks=2"]
        assert set(found[3:]) == {str(one), str(many)} == set(looked[3:])

    def test_what_won_with_wider_vectors_is_tried_in_those_there_are(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """With as many vectors as it had; what has none stays as it is."""
        _without_clock(monkeypatch)
        won = {"other": {16: "blocks=3 width=1", 1024: "blocks=16 width=256", 4096: "width=256 rounds=1"}}
        monkeypatch.setattr(search.shipped, "winners", lambda task, machine, kinds: won.get(*kinds, {}))
        monkeypatch.setattr(search.shipped, "all_kinds", lambda machine: ["other"])
        monkeypatch.setattr(search.compiler, "vector_bits", lambda: 128)
        found = [str(schedule) for schedule in Search(TASK, [], 60.0)._won_elsewhere()]
        assert found == ["blocks=3 width=1", "blocks=8 width=128", "width=128 rounds=1"]

    def test_what_can_not_win_is_not_timed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        made = _without_clock(monkeypatch, ticks=0.001)
        found = list(Search(TASK, [], 60.0).run())
        assert [t.timed for t in found] == [True] + [False] * (len(found) - 1)
        assert len(made) == 1

    def test_it_ends_when_its_time_is_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        _without_clock(monkeypatch)
        one = Search(TASK, [], 0.0)
        assert list(one.run()) == [] and one.cut_off

    def test_it_knows_that_all_was_tried(self, monkeypatch: pytest.MonkeyPatch) -> None:
        _without_clock(monkeypatch)
        one = Search(TASK, [], 6000.0)
        assert list(one.run()) and not one.cut_off

    def test_what_a_run_has_looked_at_takes_the_next_no_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Else runs of little time, each of which compiles all kinds of layout, never get to the trials."""
        made = _without_clock(monkeypatch)
        kinds = list(finalist.machines.registry.machine("native").kinds())
        Search(TASK, [], 60.0)._promising(kinds)
        assert not made
        monkeypatch.setattr(Search, "_program", lambda self, schedule: pytest.fail("compiled again"))
        assert Search(TASK, [], 60.0)._promising(kinds)

    def test_what_is_close_is_timed_again_in_turns(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A figure taken in a lucky moment does not win, and what is far behind is left alone."""
        one = Search(TASK, [], 60.0)
        lucky, honest, slow = trial("width=256", every=0.95), trial("width=512", every=1.0), trial("blocks=1")
        one.trials = {t.schedule: t for t in (lucky, honest, slow)}
        true, order = {"width=256": 1.05, "width=512": 1.0}, []

        def ready(self: Search, known: Trial) -> timing.Timing:
            def again(ticks_per_cycle: float) -> timing.Figures:
                order.append(known.schedule)
                ticks = {str(length): true[known.schedule] * ticks_per_cycle for length in LENGTHS}
                return timing.Figures(ticks, {}, 0.0)

            return SimpleNamespace(again=again)  # type: ignore[return-value]

        monkeypatch.setattr(Search, "_ready_again", ready)
        again = list(one._in_turns(one._rivals(LENGTHS, 10)))
        assert order == ["width=256", "width=512"] * 4
        assert {t.schedule: (t.at(64), t.turns) for t in again} == {
            "width=256": (1.05, 5),
            "width=512": (1.0, 5),
        }
        assert one.trials["width=256"] in again and one.trials["blocks=1"] is slow
        assert {w.trial.schedule for w in winners(one.trials.values())} == {"width=512"}

    def test_what_has_no_rival_is_not_timed_again(self) -> None:
        one = Search(TASK, [], 60.0)
        one.trials = {t.schedule: t for t in (trial("width=256", every=1.0), trial("blocks=1"), RULED_OUT)}
        assert one._rivals(LENGTHS, 10) == []

    def test_it_times_nothing_again_when_its_time_is_up(self) -> None:
        one = Search(TASK, [], 0.0)
        assert not list(one._in_turns([trial(), trial("width=256")]))

    def test_real_rivals(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(timing, "FIGURE_SECONDS", 0.001)
        one = Search(TASK, [], 60.0)
        for schedule in (Schedule(blocks=1, width=1), Schedule(blocks=2, width=1)):
            found, _ = one._trial(schedule)
            assert found is not None
            one.trials[found.schedule] = found
        again = list(one._in_turns(list(one.trials.values())))
        assert [t.turns for t in again] == [5, 5] and [t.chained for t in again] == [True, False]
        assert all(set(t.ticks) == set(one.trials[t.schedule].ticks) for t in again)
        assert all(set(t.mode) == set(map(str, LENGTHS)) and min(t.mode.values()) > 0 for t in again)
        assert again[0].set_up > 0 == again[1].set_up

    def test_a_permutation_has_no_key_to_set_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(timing, "FIGURE_SECONDS", 0.001)
        one = Search(Task(cipher("xoodoo"), "native", "encrypt", 0), [], 60.0)
        found, _ = one._trial(Schedule(blocks=1, width=1))
        assert found is not None and found.chained and found.set_up == 0

    def test_rivals_on_chains(self) -> None:
        one = Search(TASK, [], 60.0)
        bulk, first = trial("width=256", every=1.0), trial("blocks=1", every=9.0)
        first = replace(first, ticks=first.ticks | {"0": 5.0})
        second = replace(first, schedule="blocks=1 fuse=64", ticks=first.ticks | {"0": 5.1})
        one.trials = {t.schedule: t for t in (bulk, first, second)}
        assert one._rivals((trials.CHAIN,), 4) == [first, second]
        assert one._rivals((trials.CHAIN,), 1) == [first]

    def test_a_real_trial_is_of_a_program_that_matches(self) -> None:
        one = Search(TASK, [], 60.0)
        found, new = one._trial(Schedule(blocks=1, width=1))
        assert new and found is not None and found.timed
        assert all(ticks > 0 for ticks in found.ticks.values())
        assert found.schedule == str(finalist.compile("rc6", blocks=1, width=1).schedule)

    def test_a_wrong_program_is_no_trial(self) -> None:
        one = Search(TASK, [], 60.0)
        row = next(row for row in one.vectors if len(row.key) == 16)
        one.vectors = (replace(row, ciphertext=bytes(16)),)
        with pytest.raises(VectorError):
            one._trial(Schedule(blocks=1, width=1))


def _without_clock(monkeypatch: pytest.MonkeyPatch, ticks: float = 50.0) -> list[str]:
    """Trials that take no time and are all alike; returns the list of those made."""
    made: list[str] = []

    def timed(self: Search, program: Any, make: Any) -> Trial:
        made.append(str(program.schedule))
        return make(ticks={str(length): ticks for length in LENGTHS}, ticks_per_cycle=1.0)

    monkeypatch.setattr(search.Search, "_timed", timed)
    monkeypatch.setattr(search.Search, "_ready_again", lambda self, trial: None)
    return made


def invoked(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments), prog_name="finalist")


class TestCommand:
    def run(self, *arguments: str) -> Any:
        return invoked("tune", *arguments)

    def test_it_names_the_command_that_emits_the_winner(self, monkeypatch: pytest.MonkeyPatch) -> None:
        _without_clock(monkeypatch)
        told = self.run("rc6", "--operation", "decrypt", "--key-bits", "256")
        (line,) = [line.strip() for line in told.stdout.splitlines() if line.startswith("  finalist emit")]
        assert line.startswith("finalist emit rc6 --operation decrypt --key-bits 256 -s blocks=")
        emitted = invoked(*shlex.split(line)[1:])
        assert emitted.exit_code == 0
        assert invoked(*shlex.split(line)[1:7], "--tuned").stdout == emitted.stdout
        (found,) = json.loads(self.run("rc6", "--operation", "decrypt", "--key-bits", "256", "--json").stdout)
        assert found["emit"] == line

    @pytest.mark.parametrize("options", [("--seconds", "nan"), ("--again", "--seconds", "0")])
    def test_seconds_that_are_none(self, options: tuple[str, ...]) -> None:
        told = self.run("rc6", *options)
        assert (told.exit_code, told.stdout) == (2, "") and "--seconds" in told.stderr

    def test_what_is_not_known_is_said(self) -> None:
        told = self.run("rc6", "--seconds", "0", "--operation", "encrypt")
        assert (told.exit_code, told.stdout) == (0, "")
        assert told.stderr.startswith("finalist: nothing is known of rc6 encrypt 128; accepted: --seconds")

    def test_that_time_was_up_is_said(self, monkeypatch: pytest.MonkeyPatch) -> None:
        _without_clock(monkeypatch)
        asked = ("rc6", "--operation", "encrypt", "--seconds")
        told = self.run(*asked, "60")
        assert told.exit_code == 0 and "time was up" not in told.stderr
        told = self.run(*asked, "1e-9")
        assert "finalist: rc6 encrypt 128: time was up before all was tried" in told.stderr
        assert "time was up" not in self.run(*asked, "0").stderr

    def test_it_keeps_what_it_tried_and_shows_it_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made = _without_clock(monkeypatch)
        told = self.run("rc6", "--operation", "encrypt")
        assert told.exit_code == 0 and "rc6 encrypt 128" in told.stdout
        assert len(trials.read().rows) == len(made) > 0
        page = tmp_path / "page.md"
        page.write_text("before\n<!-- finalist tune -->\n<!-- end of finalist tune -->\nafter\n")
        assert self.run("rc6", "--operation", "encrypt", "--seconds", "0", "-o", str(page)).exit_code == 0
        text = page.read_text("utf-8")
        assert text.startswith("before\n") and text.endswith("after\n")
        assert "## rc6, encrypt, 128-bit keys" in text
        assert len(made) == len(trials.read().rows)

    def test_nothing_known_is_nothing_shown(self) -> None:
        told = self.run("rc6", "--seconds", "0", "--json")
        assert (told.exit_code, told.stdout.strip()) == (0, "[]")

    def test_a_machine_without_schedules_is_refused(self) -> None:
        told = self.run("rc6", "--machine", "interpreter")
        assert told.exit_code == 2 and "no schedules to choose from" in told.stderr
