"""Ciphers on the card: vectors, two whole encryptions in another simulator, time; or what they lack."""

from __future__ import annotations

import random
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from finalist import api
from finalist.ciphers.catalogue import cipher as find_cipher
from finalist.errors import ScheduleError
from finalist.isa.simulate.run import Session
from finalist.language.definition import OPERATIONS
from finalist.machines.hc05.program import CardProgram
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.machines.hc05.second_opinion import needed, simulated

pytestmark = [pytest.mark.check, pytest.mark.timeout(900)]

#: Those whose programs are built in less than half a minute.
FITTING = [
    "blowfish",
    "cast-256",
    "crypton-v05",
    "crypton-v1",
    "des",
    "e2",
    "magenta",
    "rc4",
    "rc6",
    "rijndael",
    "safer-plus",
    "triple-des",
    "twofish",
]
#: Those whose programs take longer to build: pages, key schedules that are loops for want of room.
LONG = [
    ("deal", 128),
    ("deal", 256),
    ("dfc", 128),
    ("dfc", 256),
    ("hpc", 128),
    ("loki97", 128),
    ("mars", 128),
    ("rijndael:block-bits=256", 128),
    ("serpent", 128),
]
#: Keys and texts whose time is compared.
_DRAWN = 10_000


@cache
def compiled(name: str, operation: str = "encrypt", bits: int | None = None, **choices: Any) -> CardProgram:
    program = api.compile(name, "hc05", operation, bits, **choices)
    assert isinstance(program, CardProgram)
    return program


def keeps_vectors(program: CardProgram) -> bool:
    """A few of those of its length of keys."""
    rows = vectors_of(find_cipher(program.cipher))
    own = [row for row in rows if len(row.key) * 8 == program.key_bits]
    return bool(check_known_answers(program, own[:4]))


@pytest.mark.parametrize("name", FITTING)
def test_vectors(name: str) -> None:
    assert keeps_vectors(compiled(name))


@pytest.mark.parametrize("name", FITTING)
def test_vectors_of_decryption(name: str) -> None:
    assert keeps_vectors(compiled(name, "decrypt"))


@pytest.mark.parametrize(("name", "bits"), LONG)
def test_vectors_of_long_programs(name: str, bits: int) -> None:
    """In one direction each; `finalist verify --machine hc05` has both, of all lengths of keys."""
    assert keeps_vectors(compiled(name, OPERATIONS[(len(name) + bits // 128) % 2], bits))


def test_what_is_more_code_than_addresses_reach_is_refused() -> None:
    with pytest.raises(ScheduleError, match=r"frog does not fit hc05: line .* a label within reach"):
        api.compile("frog", "hc05", "encrypt")


def test_a_key_schedule_that_leaves_no_room_becomes_loops() -> None:
    """Unless it is to be written out."""
    name, key, block = "rc6:w=64,r=24", bytes(range(16)), bytes(range(32))
    with pytest.raises(ScheduleError, match=r"does not fit hc05: line .* a label within reach"):
        api.compile(name, "hc05", "encrypt", key_schedule="unroll")
    wanted = api.compile(name, "interpreter", "encrypt").run(key, block).output
    assert compiled(name).run(key, block).output == wanted


def test_a_key_schedule_that_leaves_no_room_as_loops_has_loops_in_loops() -> None:
    chosen = compiled("deal", OPERATIONS[(len("deal") + 1) % 2], 128).schedule
    assert chosen.key_schedule == "nested"
    with pytest.raises(ScheduleError, match=r"deal does not fit hc05: line .* a label within reach"):
        api.compile("deal", "hc05", "encrypt", key_schedule="loop")


def lengths() -> list[tuple[str, int]]:
    """Those of which there are vectors, but for the usual one; of each cipher the longest."""
    found = []
    for name in FITTING:
        one = find_cipher(name)
        usual = one.usual_key_bits()
        own = {8 * len(row.key) for row in vectors_of(one)} & set(one.key_bits) - {usual}
        found += [(name, max(own))] if own else []
    return found


@pytest.mark.parametrize(("name", "bits"), lengths())
def test_vectors_of_other_lengths_of_keys(name: str, bits: int) -> None:
    assert keeps_vectors(compiled(name, "encrypt", bits))


def test_round_keys_are_computed_with_the_key_as_all_that_is_stored() -> None:
    """Both directions in one text: 16 bytes of the key, and 8 that all rounds take."""
    choices: dict[str, Any] = {"optimise": "size", "subkeys": "computed", "byte_worth": 30, "map_tables": 2}
    both = [compiled("twofish", o, directions="both", keyed_tables="zero", **choices) for o in OPERATIONS]
    assert all(map(keeps_vectors, both))
    assert {one.memory.key for one in both} == {24}
    assert max(one.cycles_a_block for one in both) < 36_190 and both[0].memory.rom <= 2_150


@pytest.mark.parametrize("name", FITTING)
def test_two_encryptions_in_another_simulator(name: str, tmp_path: Path) -> None:
    needed()
    program, draw = compiled(name), random.Random(name)
    for _ in range(2):
        key, block = draw.randbytes(program.key_bits // 8), draw.randbytes(program.block_bytes)
        assert simulated(program, key, block, tmp_path) == program.run(key, block).output


@pytest.mark.parametrize(
    ("name", "keys", "choices"),
    [
        ("rijndael", _DRAWN, {"rounds": 1, "constant_time": True}),
        ("rc6", 1_000, {"rounds": 1, "constant_time": True}),
        ("twofish", 500, {"rounds": 1, "constant_time": True}),
    ],
)
def test_constant_time_is_the_same_for_ten_thousand_keys_and_texts(
    name: str, keys: int, choices: dict[str, str | int]
) -> None:
    """Of several texts a key where keys take long to set up."""
    program, draw = compiled(name, **choices), random.Random(name)
    assert program.timing == "constant-time"
    taken = set()
    for _ in range(keys):
        session, before = Session(program, draw.randbytes(program.key_bits // 8), program.block_bytes), 0
        for _ in range(_DRAWN // keys):
            session.crypt(draw.randbytes(program.block_bytes))
            now = session.counts().cycles["block"]
            taken.add((session.key_cycles, now - before))
            before = now
    assert len(taken) == 1


def test_what_branches_on_data_does_not_pass() -> None:
    """The same comparison on a program that is not labelled so finds several."""
    program, draw = compiled("rijndael", rounds=1, map_tables=0), random.Random(1)
    session = Session(program, bytes(16), 16)
    totals = [0]
    for _ in range(50):
        session.crypt(draw.randbytes(16))
        totals.append(session.counts().cycles["block"])
    assert program.timing == "data-dependent time"
    assert len({after - before for before, after in pairwise(totals)}) > 1
