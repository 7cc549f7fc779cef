"""Schedules drawn at random: what agrees, what does not, what is kept, what is refused."""

from __future__ import annotations

import dataclasses
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest

from finalist import api, workers
from finalist.ciphers.catalogue import Reference, cipher, identity
from finalist.errors import ScheduleError, UnknownNameError, VectorError
from finalist.language import Cipher
from finalist.language.definition import OPERATIONS
from finalist.machines.registry import machine
from finalist.schedule import Schedule
from finalist.vectors import drawn
from finalist.vectors.check import check_known_answers
from finalist.workers import HERE

FILE = """
from finalist.language import Cipher, rol, rounds, u32, words


class Small(Cipher):
    block = words(2, u32)
    key_bits = (64,)

    def expand_key(self, key):
        return [key[0] + key[1], key[1]]

    def encrypt(self, block, keys):
        x, y = block
        for i in rounds(4):
            x, y = y, x ^ (rol(y, 5) + keys[i % 2])
        return x, y

    def decrypt(self, block, keys):
        y, x = block[::-1]
        for i in rounds(3, -1, -1):
            x, y = y ^ (rol(x, 5) + keys[i % 2]), x
        return x, y
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A definition's file; batches are kept, and few."""
    monkeypatch.setenv("FINALIST_DRAWN", str(tmp_path / "drawn.jsonl"))
    monkeypatch.setattr(drawn, "BATCH", 3)
    path = tmp_path / "small.py"
    path.write_text(FILE, "utf-8")
    return str(path)


def test_programs_agree_with_the_interpreter(small: str) -> None:
    for number in range(2):  # both directions
        batch = drawn.run(drawn.Job(Reference(small), "native", 1, number))
        assert (batch.agreed, batch.failed, batch.failures) == (3, 0, "")


def test_a_batch_can_be_had_again(small: str) -> None:
    assert drawn.run(drawn.Job(Reference(small), "native", 7, 0)) == drawn.run(
        drawn.Job(Reference(small), "native", 7, 0)
    )


@pytest.mark.parametrize(("name", "bits"), [("rc4", 40), ("rc6", 128)])
def test_answers_are_the_programs(name: str, bits: int) -> None:
    definition = cipher(name)
    rows = drawn.random_answers(definition, "decrypt", bits, 1)
    assert len({row.key for row in rows}) == drawn.KEYS
    program = api.compile(definition, "interpreter", "decrypt", bits, Schedule())
    check_known_answers(program, rows)
    wrong = dataclasses.replace(rows[-1], plaintext=bytes(len(rows[-1].plaintext)))
    with pytest.raises(VectorError, match="the interpreter"):
        check_known_answers(program, [*rows[:-1], wrong])


def test_a_wrong_program_is_found(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key schedule's sum is a difference in what is compiled, not in what is interpreted."""
    right = cipher(small)
    broken = Path(small).with_name("broken.py")
    broken.write_text(FILE.replace("key[0] + key[1]", "key[0] - key[1]"), "utf-8")
    wrong = cipher(str(broken))
    compiled = api.compile

    def confused(given: type[Cipher], machine: str, *rest: Any) -> Any:
        return compiled(wrong if machine == "native" else given, machine, *rest)

    monkeypatch.setattr(drawn.api, "compile", confused)
    batch = drawn.run(drawn.Job(Reference(small), "native", 1, 0))
    assert (batch.agreed, batch.failed) == (0, 3)
    assert batch.cipher == right.name()
    lines = batch.failures.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("encrypt 64 -s '") and "expected" in line for line in lines)


def test_long_texts_are_counted_not_compiled(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawn, "LONGEST", 10)
    monkeypatch.setattr(drawn, "DRAWS", 120)
    batch = drawn.run(drawn.Job(Reference(small), "native", 1, 0))
    assert (batch.agreed, batch.failed) == (0, 0)
    assert batch.long > 0
    assert batch.long + batch.refused == 120


@pytest.mark.parametrize("name", ["magenta", "deal"])
@pytest.mark.every(2)
def test_tables_do_not_make_a_program_long(name: str) -> None:
    """Or the ordinary program of a cipher with much of them would never be drawn."""
    program = api.compile(cipher(name), "native", "encrypt", 128, Schedule())
    assert isinstance(program, drawn.Optimised)
    assert program.statements < drawn.LONGEST
    assert 40 * drawn.LONGEST < len(program.text)


def test_what_is_known_is_not_made_again(small: str) -> None:
    jobs = list(drawn.jobs([cipher(small)], "native", 6, 1))
    assert [job.number for job in jobs] == [0, 1]
    drawn.BATCHES.append([drawn.run(job) for job in jobs])
    work = drawn.drawing(jobs)
    assert not work.left
    assert {job.number: batch.number for job, batch in work.known.items()} == {0: 0, 1: 1}


def test_what_is_known_of_another_definition_counts_for_nothing(small: str) -> None:
    """Of another file with a class of that name, and of this file as it was."""
    (job,) = drawn.jobs([cipher(small)], "native", 1, 1)
    other = Path(small).with_name("other.py")
    other.write_text(FILE, "utf-8")
    drawn.BATCHES.append([drawn.run(replaced := dataclasses.replace(job, cipher=Reference(str(other))))])
    assert [batch.definition for _, batch in drawn.drawing([job]).run(HERE)] == [identity(cipher(small))]
    Path(small).write_text(FILE.replace("+ key[1]", "- key[1]"), "utf-8")
    drawn._loaded.cache_clear()
    before = len(drawn.BATCHES.read().rows)
    list(drawn.drawing([job]).run(HERE))
    assert len(drawn.BATCHES.read().rows) == before + 1
    assert not drawn.drawing([replaced]).left
    assert len(drawn.BATCHES.read().rows) == before + 1


def test_long_runs_come_to_their_end(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes for each cipher, and each of them for many batches."""
    pools: list[ThreadPoolExecutor] = []

    def pool(at_once: int) -> ThreadPoolExecutor:
        pools.append(ThreadPoolExecutor(at_once))
        return pools[-1]

    def made(job: drawn.Job) -> drawn.Batch:
        return drawn.Batch(job.cipher.text, "native", "code", job.seed, job.number, 20, 0, 0, 0, "")

    monkeypatch.setattr(workers, "processes", pool)
    monkeypatch.setattr(drawn, "run", made)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    jobs = list(drawn.jobs([cipher("rc6"), cipher(small), cipher("mars")], "native", 60, 1))
    assert {job for job, _ in drawn.drawing(jobs).run()} == set(jobs)
    assert len(pools) == 3 * 2
    assert [batch.cipher for batch in drawn.BATCHES.read().rows[:20]] == ["rc6"] * 20


def test_other_code_counts_for_nothing(small: str) -> None:
    """A batch of other code, and one of another seed, are no answer; the new one is kept."""
    (job,) = drawn.jobs([cipher(small)], "native", 1, 5)
    stale = drawn.Batch("small", "native", "0" * 16, 5, 0, 3, 0, 9, 0, "")
    drawn.BATCHES.append([stale, dataclasses.replace(stale, code=drawn.code_digest(), seed=4)])
    ((_, batch),) = drawn.drawing([job]).run(HERE)
    assert batch.code.startswith(drawn.code_digest() + " ")
    assert drawn.BATCHES.read().rows[-1] == batch


def test_machines_without_schedules_to_draw() -> None:
    with pytest.raises(UnknownNameError, match="interpreter"):
        list(drawn.jobs([cipher("rc6")], "interpreter", 1, 1))


def test_draws_vary_and_are_schedules() -> None:
    """Every word of a schedule that the machine has is drawn now and then, and some draws are legal."""
    host, numbers = machine("native"), Random(3)
    assert isinstance(host, drawn.Drawing)
    found = [host.drawn(numbers) for _ in range(300)]
    assert len(set(found)) > 250
    words = {word for one in found for word in one.chosen()}
    assert words >= {"blocks", "width", "planes", "skew", "lookup", "fuse", "keyed_tables", "rounds", "word"}
    with pytest.raises(ScheduleError):
        api.compile(cipher("rc6"), "native", "encrypt", 128, Schedule(lookup="match", width=256))


def test_one_in_some_is_optimised(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the others the same text is compiled, in less time."""
    flags: list[tuple[str, ...]] = []

    def watched(program: Any, rows: Any) -> None:
        flags.append(program.flags)
        check_known_answers(program, rows)

    monkeypatch.setattr(drawn, "BATCH", 6)
    monkeypatch.setattr(drawn, "OPTIMISED", 4)
    monkeypatch.setattr(drawn, "check_known_answers", watched)
    assert drawn.run(drawn.Job(Reference(small), "native", 1, 0)).agreed == 6
    assert ["-O2" in given for given in flags] == [True, False, False, False, True, False]


def test_tasks_are_of_few_key_lengths() -> None:
    assert drawn.tasks(cipher("twofish")) == [(o, bits) for bits in (128, 256) for o in OPERATIONS]
    assert {bits for _, bits in drawn.tasks(cipher("rc4"))} == {8, 128, 256}
    assert {bits for _, bits in drawn.tasks(cipher("des"))} == {64}


def test_batches_of_a_task_are_one_process_s(small: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of each direction, one after the other."""
    made: dict[int, list[int]] = {}

    class Pool(ThreadPoolExecutor):
        def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Any:
            (job,) = arguments
            made.setdefault(id(self), []).append(job.number)
            return super().submit(lambda: drawn.Batch(small, "native", "", 0, job.number, 20, 0, 0, 0, ""))

    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(workers, "processes", lambda at_once: Pool(at_once))
    wanted = list(drawn.jobs([cipher(small)], "native", 5 * drawn.BATCH, 0))
    assert len(list(drawn.drawing(wanted).run())) == 5
    assert list(made.values()) == [[0, 2, 4], [1, 3]]
