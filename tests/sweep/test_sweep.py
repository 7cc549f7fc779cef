"""A sweep takes what is not kept yet, keeps each point whole, and goes on whenever it was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest

import finalist
from finalist.ciphers.catalogue import cipher
from finalist.errors import VectorError
from finalist.measure import store
from finalist.measure.figure import NOT_EXECUTED, REFUSED
from finalist.schedule import Schedule
from finalist.sweep import measure
from finalist.sweep.measure import measured
from finalist.sweep.points import Point, points

#: Small ciphers on quick machines: a quarter of a second each.
CIPHERS, MACHINE = ("rc6", "rijndael", "serpent"), "plx"


def some(machine: str = MACHINE, name: str = "rc6", **options: object) -> list[Point]:
    told = {"operations": ["encrypt"], "key_bits": 128, **options}
    return list(points(cipher(name), machine, **told))  # type: ignore[arg-type]


class TestPoints:
    def test_one_by_default(self) -> None:
        (point,) = some()
        assert (point.schedule, str(point)) == ("default", "rc6 encrypt 128, plx, default")

    def test_schedules_that_are_given_each_once(self) -> None:
        choices = [Schedule(rounds="unroll"), Schedule(), Schedule(rounds="unroll")]
        assert [one.schedule for one in some(schedules=choices)] == ["rounds=unroll", "default"]

    def test_what_a_machine_names_or_compares(self) -> None:
        assert len(some(all_schedules=True)) > 2
        assert len(some("hc05", all_schedules=True)) > 5

    def test_all_architectures_of_hardware(self) -> None:
        assert "architecture=LU-1" in [one.schedule for one in some("fpga")]

    def test_names_differ_in_all_that_figures_depend_on(self, tmp_path: Path) -> None:
        text = Path("examples/speck.py").read_text("utf-8")
        files = []
        for number in range(2):
            file = tmp_path / "speck.py"
            file.write_text(text + "\n" * number, "utf-8")
            found = cipher(file)
            files += points(found, MACHINE, operations=["encrypt"], key_bits=found.usual_key_bits())
        others = [*some(), *some("c62x"), *some(key_bits=192), *some(operations=["decrypt"]), *files]
        assert len({one.name for one in others}) == 6


class TestMeasured:
    def test_a_simulated_processor(self) -> None:
        found = {one.quantity: one for one in measured(some()[0]).figures}
        assert found["block"].value == 16 * found["bulk"].value > 0
        assert found["code and tables"].value > 0 and found["key set-up"].value > 0
        bulk = found["bulk"]
        assert (bulk.verified, bulk.timing, bulk.asked) == ("published", "constant-time", "default")
        assert len(bulk.program) == 16 and "rounds=" in bulk.schedule and bulk.fingerprint == ""

    @pytest.mark.check
    def test_blocks_that_overlap(self) -> None:
        """What a block takes among many, not of the first few; alone it is not known."""
        (point,) = some("c62x", schedules=[Schedule(pipeline="on")])
        found = {one.quantity: one.value for one in measured(point).figures}
        assert "block" not in found and found["bulk"] * 16 == int(found["bulk"] * 16)
        program = finalist.compile("rc6", machine="c62x", pipeline="on")
        assert found["bulk"] * 16 < program.cycles_a_block  # type: ignore[attr-defined]

    def test_blocks_that_are_interleaved(self) -> None:
        (point,) = some("plx:word=64", schedules=[Schedule(blocks=2)])
        found = {one.quantity for one in measured(point).figures}
        assert "bulk" in found and "block" not in found

    @pytest.mark.check
    def test_a_card(self) -> None:
        quantities = {one.quantity for one in measured(some("hc05", "magenta")[0]).figures}
        assert {"RAM", "key memory", "code and tables", "bulk"} <= quantities

    def test_hardware(self) -> None:
        found = {one.quantity: one for one in measured(some("fpga")[0]).figures}
        assert found["throughput per area"].value == pytest.approx(
            1000 * found["throughput"].value / found["area"].value
        )
        assert {one.verified for one in found.values()} == {NOT_EXECUTED}

    def test_this_computer(self) -> None:
        found = measured(some("native", schedules=[Schedule(blocks=2, width=1)])[0], 0.001).figures
        by = {(one.quantity, one.unit): one for one in found}
        bulk = by["bulk", "core cycles per byte"]
        assert bulk.value > 0 and bulk.fingerprint and "blocks=2" in bulk.asked
        assert "blocks=1" in by["latency", "core cycles per block"].asked
        assert len({one.point for one in found}) == 1

    def test_what_is_refused_is_a_row(self) -> None:
        (one,) = measured(some("fpga", "rc4")[0]).figures
        assert one.quantity == REFUSED and one.refused and one.value == 0

    @pytest.mark.parametrize(
        ("error", "said"), [(VectorError("expected 00"), "expected 00"), (KeyError("x"), "KeyError: 'x'")]
    )
    def test_what_fails_is_none(self, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str) -> None:
        """Nor do mistakes of Finalist's own end a sweep."""

        def wrong(*_: object) -> None:
            raise error

        monkeypatch.setattr(measure, "checked", wrong)
        found = measured(some()[0])
        assert not found.figures and found.failed == f"rc6 encrypt 128, plx, default: {said}"


class TestKept:
    def test_what_is_kept_is_left_out(self, tmp_path: Path) -> None:
        path = tmp_path / "results.sqlite"
        wanted = [one for name in CIPHERS for one in some(name=name)]
        outcomes = [measured(one) for one in wanted[:2]]
        for outcome in outcomes:
            store.append(outcome.figures, path)
        work = measure.sweep(wanted, path, 0.001)
        assert work.left == wanted[2:]
        assert list(work.known.values()) == outcomes
        ((point, _),) = work.run(1)
        assert point == wanted[2] and measure.sweep(wanted, path, 0.001).left == []

    def test_a_refusal_is_kept(self, tmp_path: Path) -> None:
        path, (point,) = tmp_path / "results.jsonl", some(schedules=[Schedule(rounds="7")])
        assert store.append([replace(one) for one in measured(point).figures], path)
        assert measure.sweep([point], path, 0.001).left == []


def test_what_is_timed_comes_last_and_alone(tmp_path: Path) -> None:
    timed = [*some("native"), *some("native", "rijndael")]
    others = [*some(), *some(name="serpent")]
    work = measure.sweep([timed[0], *others, timed[1]], tmp_path / "results.sqlite", 0.001)
    assert work.left == [*others, *timed] and [bool(work.alone(one)) for one in work.left] == [0, 0, 1, 1]


def _sweep(path: Path) -> list[str]:
    names = [*CIPHERS, "twofish", "crypton-v1", "des", "--machine", "plx", "--machine", "plx:word=64"]
    return [sys.executable, "-m", "finalist", "sweep", *names, "--file", str(path), "--processes", "2"]


@pytest.mark.check
@pytest.mark.timeout(1800)
def test_killed_at_twenty_moments_it_loses_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    path, numbers = tmp_path / "results.sqlite", Random(20)
    kept: list[object] = []
    for _ in range(20):
        process = subprocess.Popen(_sweep(path), stdout=-3, stderr=-3, start_new_session=True)
        try:
            process.wait(numbers.uniform(1.0, 4.0))
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
        process.wait()
        found = store.read(path)
        assert not found.damaged and list(found.rows[: len(kept)]) == kept
        kept = list(found.rows)
    subprocess.run(_sweep(path), check=True, stdout=-3)
    of_points = Counter((row.point, row.quantity) for row in store.read(path).rows)
    assert set(of_points.values()) == {1} and len({point for point, _ in of_points}) == 24


@pytest.mark.check
@pytest.mark.timeout(1800)
@pytest.mark.skipif(find_spec("distributed") is None, reason="the extra sweep is missing")
def test_a_cluster_whose_workers_are_killed_loses_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    from distributed import LocalCluster

    path, killed = tmp_path / "results.sqlite", list[int]()
    wanted = [
        point
        for name in (*CIPHERS, "twofish", "crypton-v1", "des")
        for machine in (MACHINE, f"{MACHINE}:word=64")
        for point in some(
            machine, name, operations=["encrypt", "decrypt"], key_bits=64 if name == "des" else 128
        )
    ]
    own = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with LocalCluster(processes=True, **own) as cluster:
        killer = Thread(target=_kill, args=(cluster, killed))
        killer.start()
        address = cluster.scheduler_address
        done = [point for point, _ in measure.sweep(wanted, path, 0.001).run(scheduler=address)]
        killer.join()
    assert len(killed) == 5 and Counter(done) == Counter(wanted)
    of_points = Counter((row.point, row.quantity) for row in store.read(path).rows)
    assert set(of_points.values()) == {1} and {name for name, _ in of_points} == {one.name for one in wanted}


def _kill(cluster: Any, killed: list[int]) -> None:
    """Five of its workers, at moments drawn."""
    numbers = Random(5)
    while len(killed) < 5:
        time.sleep(numbers.uniform(0.5, 4.0))
        if own := [nanny.pid for nanny in cluster.workers.values() if nanny.pid]:
            killed.append(numbers.choice(own))
            os.kill(killed[-1], signal.SIGKILL)


@pytest.mark.check
def test_its_processes_end_when_it_is_killed(tmp_path: Path) -> None:
    process = subprocess.Popen(_sweep(tmp_path / "results.sqlite"), stdout=-3, stderr=-3)
    deadline = time.monotonic() + 60
    while not (own := _children(process.pid)):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.kill()
    process.wait()
    while any(Path(f"/proc/{one}").exists() for one in own):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _children(process: int) -> list[int]:
    """The processes that work for it (on Linux)."""
    tasks = Path(f"/proc/{process}/task/{process}/children")
    return [int(one) for one in tasks.read_text("utf-8").split()][1:] if tasks.exists() else []
