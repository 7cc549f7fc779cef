"""Programs with pipeline=on: what they compute, in how many cycles, by the schedules that are kept."""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

import finalist
from finalist.ciphers.catalogue import cipher as definition
from finalist.errors import ScheduleError
from finalist.ir.execute import interpret
from finalist.isa import check
from finalist.isa.limits import with_one_more
from finalist.isa.schedule.modulo.proofs import least
from finalist.isa.schedule.modulo.proofs import read as read_proofs
from finalist.isa.schedule.modulo.rounds import folded
from finalist.isa.schedule.modulo.schedulers import fits
from finalist.isa.schedule.modulo.stored import Stored, found, read
from finalist.isa.simulate.run import Session, SimulatedProgram
from finalist.language.definition import OPERATIONS
from finalist.machines.c6x import machine as c6x
from finalist.papers.load import paper
from finalist.papers.results import results
from finalist.schedule import Schedule
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.graphs import bytes_for
from tests.machines.c6x import gnu
from tools.loops.__main__ import loop_of
from tools.loops.relaxed import questions, with_problem

#: A program is built for a minute or two where the computer is busy.
pytestmark = pytest.mark.timeout(900)

PROVED = read_proofs(Path(c6x.__file__).parent / "proofs.json")
RELAXED, SHARES = c6x.C62X.known.schedules, c6x.C62X.known.shares
KEPT = {one.name: one for one in read(Path(c6x.__file__).parent / "schedules.json").values()}


@lru_cache(maxsize=2)
def program(name: str) -> SimulatedProgram:
    machine, cipher, operation, *more = name.split()
    bits = next((int(word.removesuffix("-bit")) for word in more if word.endswith("-bit")), None)
    pipeline = "chained" if "chained" in more else "on"
    made = finalist.compile(cipher, machine, operation, key_bits=bits, pipeline=pipeline)
    assert isinstance(made, SimulatedProgram)
    return made


def cycles(made: SimulatedProgram, blocks: int) -> int:
    session = Session(made, bytes(range(made.program.key.bytes)), 16 * blocks)
    session.crypt(bytes(16 * blocks))
    return sum(session.counts().cycles.values())


#: Those of blocks that overlap, keys of 128 bits, by machine, cipher and operation.
MULTI = {
    name.removesuffix(" short"): one
    for name, one in KEPT.items()
    if "-bit" not in name and "chained" not in name
}
#: One in each direction for the first tier.
FEW = ("c62x rijndael encrypt short", "c64x rc6 decrypt")
EVERY = [pytest.param(name, marks=() if name in FEW else pytest.mark.check) for name in sorted(KEPT)]


@pytest.mark.parametrize("name", EVERY)
def test_kept_schedules(name: str) -> None:
    made, one = program(name), KEPT[name]
    assert isinstance(one, Stored)
    keys, data = bytes_for(made.program, 11)
    wanted = interpret(made.program, np.repeat(keys[:1], 11, axis=0), data)
    got = made.run(keys[0].tobytes(), data.tobytes()).output
    assert got == b"".join(row.tobytes() for row in wanted)
    assert cycles(made, 21) - cycles(made, 20) == one.schedule.interval
    simulator = made.simulator
    assert check.rules(simulator.code, list(simulator.entries.values()), made.processor) == []


@pytest.mark.check
@pytest.mark.parametrize("name", sorted(KEPT))
def test_gnu_as_makes_the_same_words(name: str, tmp_path: Path) -> None:
    gnu.tool("as")
    made = program(name)
    ours, theirs = made.image.words, gnu.words(made.text, made.processor.name, tmp_path)
    assert theirs[: len(ours)] == ours and not any(theirs[len(ours) :])


@pytest.mark.check
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("bits", [192, 256])
def test_longer_keys_where_registers_are_few(bits: int, operation: str) -> None:
    """By the schedule of one round: at most 14 cycles for each more, and no longer than alone."""
    short, alone = (KEPT[f"c62x rijndael {operation} {bits}-bit {how}"] for how in ("short", "chained"))
    assert short.schedule.interval <= alone.schedule.interval
    more = (bits - 128) // 32
    assert short.schedule.interval <= MULTI[f"c62x rijndael {operation}"].schedule.interval + 14 * more


@pytest.mark.check
def test_a_block_waits_for_the_one_before() -> None:
    """Chained, the data of a block are loaded when those of the last have been stored: longer intervals."""
    made = finalist.compile("rc6", "c64x", "encrypt", pipeline="chained")
    assert isinstance(made, SimulatedProgram)
    keys, data = bytes_for(made.program, 3)
    wanted = interpret(made.program, np.repeat(keys[:1], 3, axis=0), data)
    assert made.run(keys[0].tobytes(), data.tobytes()).output == b"".join(row.tobytes() for row in wanted)
    assert cycles(made, 21) - cycles(made, 20) > 200


def test_loops_of_rounds_are_no_body() -> None:
    with pytest.raises(ScheduleError, match="accepted with pipeline=on: unroll"):
        finalist.compile("rc6", "c62x", pipeline="on", rounds="loop")


def test_streams_depend_on_the_block_before() -> None:
    with pytest.raises(ScheduleError, match="pipeline=on is not legal for rc4"):
        finalist.compile("rc4", "c62x", pipeline="on")


@pytest.mark.parametrize("name", ["des", "loki97"])
def test_more_words_of_the_key_than_registers_are_refused(name: str) -> None:
    with pytest.raises(ScheduleError, match="words that all iterations read does not fit the registers"):
        finalist.compile(name, "c62x", pipeline="chained")


def test_the_page_has_the_schedules_that_are_kept() -> None:
    """As `finalist paper dsp` writes it: cycles, and the bound that is known."""
    proved = results("dsp").table("What is proved").rows
    shown = {(kernel, mode): (cycles, bound) for kernel, mode, _, _, cycles, bound, _ in proved}
    for one in (one for one in KEPT.values() if "-bit" not in one.name):
        kernel = one.name.removesuffix(" chained").removesuffix(" short")
        mode = "single" if one.name.endswith("chained") else "multi"
        assert shown[kernel, mode] == (str(one.schedule.interval), str(one.bound)), one.name


#: Cycles of a further block that encryption may take, by machine and cipher.
ASKED = {
    "c62x": {"rc6": 105, "rijndael": 121, "twofish": 120, "mars": 150, "serpent": 350},
    "c64x": {"rc6": 75, "twofish": 88, "rijndael": 110, "mars": 92, "serpent": 206},
}


@pytest.mark.parametrize("name", sorted(MULTI))
def test_intervals_asked_for(name: str) -> None:
    """Decryption takes a tenth more than encryption at most; on the C64x all five quarters of the bound."""
    one = MULTI[name]
    machine, cipher, operation = name.split()
    interval = one.schedule.interval
    if machine == "c64x":
        assert interval <= 1.25 * one.bound
    if operation == "encrypt":
        assert interval <= ASKED[machine].get(cipher, interval)
    else:
        assert interval <= 1.1 * MULTI[f"{machine} {cipher} encrypt"].schedule.interval


#: Cycles that encryption of a block may take on the C62x where it waits for the one before.
ASKED_ALONE = {"rc6": 245, "twofish": 240, "rijndael": 130, "mars": 375, "serpent": 620}


@pytest.mark.parametrize("cipher", sorted(ASKED_ALONE))
def test_intervals_asked_for_alone(cipher: str) -> None:
    assert KEPT[f"c62x {cipher} encrypt chained"].schedule.interval <= ASKED_ALONE[cipher]


@pytest.mark.check
@pytest.mark.parametrize("name", sorted({one.name for told in PROVED.values() for one in told}))
def test_proofs_are_of_the_graphs_of_now(name: str) -> None:
    begin, _, more = name.partition(" +1 ")
    cpu, cipher, operation, *_ = begin.split()
    rounds = folded(loop_of(cpu, cipher, operation, chained=True).problem)
    assert rounds is not None
    problem = dict(with_one_more(rounds.problem))[more] if more else rounds.problem
    assert [one.name for one in PROVED[problem.digest]] == [name] * len(PROVED[problem.digest])


@pytest.mark.check
@pytest.mark.parametrize("name", sorted({one.name.partition(" +1 ")[0] for one in RELAXED.values()}))
def test_what_more_gives_is_of_the_graphs_of_now(name: str) -> None:
    """Each schedule keeps all rules of a processor that has more, and fits its registers."""
    cpu, cipher, operation, *how = name.split()
    loop = loop_of(cpu, cipher, operation, chained="chained" in how, short="short" in how)
    asked = dict(questions(loop.problem))
    own = {one.name: digest for digest, one in RELAXED.items() if one.name.partition(" +1 ")[0] == name}
    assert own.keys() == {f"{name} +1 {what}" if what else name for what in asked}
    for what, problem in asked.items():
        one = found(problem, RELAXED)
        assert one is not None and fits(with_problem(loop, problem), one.schedule), what
        assert RELAXED[problem.digest].bound <= one.schedule.interval and one.seconds > 0


@pytest.mark.check
@pytest.mark.parametrize("name", sorted(one.name for one in SHARES.values()))
def test_shares_are_of_the_graphs_of_now(name: str) -> None:
    cpu, cipher, operation, *more = name.split()
    bits = next((int(word.removesuffix("-bit")) for word in more if word.endswith("-bit")), 128)
    loop = loop_of(cpu, cipher, operation, 1, bits, "chained" in more, "short" in more)
    assert SHARES[loop.problem.digest].name == name
    assert SHARES[loop.problem.digest].shortest <= KEPT[name].bound <= KEPT[name].schedule.interval


def test_what_is_proved_of_rounds() -> None:
    """Of RC6 and of Rijndael 11 cycles are the least, of Rijndael also with two blocks of memory."""
    for cipher in ("rc6", "rijndael"):
        assert least(c6x.C62X.proofs(cipher, "encrypt")) == 11
    apart = [one for one in c6x.C62X.proofs("rijndael", "encrypt") if one.banks]
    assert [(one.interval, one.registers, one.outcome) for one in apart] == [(11, True, "found")]
    assert c6x.C62X.proofs("none", "encrypt") == ()


@pytest.mark.check
@pytest.mark.parametrize("name", ["encrypt", "decrypt", "encrypt chained", "decrypt chained"])
def test_lookups_in_fixed_tables_do_not_meet_in_memory(name: str) -> None:
    """In the banks of the C6201, where each side has its own copies."""
    operation, *more = name.split()
    pipeline = "chained" if more else "on"
    made = finalist.compile("rijndael", "c62x:memory=banked", operation, pipeline=pipeline)
    assert isinstance(made, SimulatedProgram)
    data = random.Random(0).randbytes(64 * 16)
    session = Session(made, bytes(range(16)), len(data))
    session.crypt(data)
    assert session.counts().conflicts == {}
    assert made.table_bytes == 2 * sum(place.size for place in made.tables())


def test_bounds_are_those_of_the_schedules_that_come_along() -> None:
    one = KEPT["c64x rc6 decrypt chained"]
    cycles = one.schedule.interval
    assert c6x.C64X.bound("rc6", "decrypt", cycles, chained=True) == one.bound
    assert c6x.C64X.bound("rc6", "decrypt", cycles) is None
    assert c6x.C64X.bound("rc6", "decrypt", cycles + 1, chained=True) is None
    assert c6x.C62X.bound("none", "decrypt", cycles, chained=True) is None


#: Cycles a block of the list scheduler's loops, as docs/c6x.md has them.
ALONE = {"rc6": 122, "rijndael": 177, "twofish": 146}


@pytest.mark.check
@pytest.mark.parametrize("name", ALONE)
def test_without_a_solver_it_is_quicker_than_the_studys_compiler(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that a search has found is read: operations are placed one after the other."""
    monkeypatch.setattr(c6x, "_stored", dict)
    monkeypatch.setattr(c6x, "_rounds", dict)
    which = definition(name)
    made = c6x.C62X.compile(which, operation="encrypt", key_bits=128, schedule=Schedule(pipeline="on"))
    rows = [row for row in vectors_of(which) if len(row.key) == 16]
    assert check_known_answers(made, rows[:2])
    published = paper("dsp")["tms320c6201"][name]["encrypt"]["multi_block_cycles"]
    assert (cycles(made, 66) - cycles(made, 2)) / 64 == ALONE[name] < published
