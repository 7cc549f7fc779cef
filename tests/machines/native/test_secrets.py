"""Reads and writes at secret places: gone through whole, right, and labelled as they are."""

from __future__ import annotations

import re
from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.language import LITTLE, Cipher, Table, rounds, u32, words
from finalist.machines.native.machine import MACHINE
from finalist.machines.native.secrets import (
    at_secret_places,
    candidates,
    labels,
    scanned_in_kernel,
    scanned_in_key_schedule,
)
from finalist.machines.tracing import traced as trace
from finalist.passes.pipeline import lower
from finalist.passes.timing import CONSTANT, TABLE
from finalist.schedule import Schedule
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import vectors_of
from tests.catalogue import USUAL

SCAN, LOAD = Schedule(lookup="scan"), Schedule(lookup="load")


class TablesOfTheKeyAlone(Cipher):
    """Tables in the key schedule, and a kernel that has a form on vectors."""

    block = words(2, u32, LITTLE)
    key_bits = (64,)
    S = Table([(7 * x * x + 3 * x + 1) % 256 for x in range(256)], name="S")

    def expand_key(self, key: Any) -> Any:
        return [key[r % 2] ^ self.S[key[r % 2][8 * (r % 4) : 8 * (r % 4) + 8]].extend(32) for r in range(8)]

    def encrypt(self, block: Any, keys: Any) -> Any:
        a, b = block
        for r in rounds(8):
            a, b = b, a + (b ^ keys[r])
        return [a, b]

    def decrypt(self, block: Any, keys: Any) -> Any:
        a, b = block
        for r in rounds(8):
            a, b = b - (a ^ keys[7 - r]), a
        return [a, b]


@pytest.mark.parametrize("name", sorted(set(USUAL) - {"frog", "deal", "loki97", "magenta"}))
@pytest.mark.every(8)
def test_every_cipher_has_a_constant_time_program(name: str) -> None:
    """All but FROG, whose key schedule divides and decides; the slowest to compile are left to `verify`."""
    traced = trace(cipher(name), "decrypt", cipher(name).usual_key_bits())
    assert labels(lower(traced), SCAN).label == CONSTANT


@pytest.mark.parametrize("name", ["rijndael", "rc4", "blowfish"])
@pytest.mark.every(3)
def test_vectors(name: str) -> None:
    """Tables of 8 and 32 bits, the key's own, an array that is overwritten at secret places."""
    program = compile_cipher(name, constant_time=True, lookup="scan")
    assert program.timing == CONSTANT  # type: ignore[attr-defined]
    check_known_answers(program, vectors_of(cipher(name)))


def test_no_entry_is_read_by_itself() -> None:
    text = compile_cipher("rijndael", lookup="scan").text
    assert "scan_read_256x8(S, " in text
    assert not re.search(r"\bS\[(?!256\])", text)


def test_helpers_are_there_where_they_are_called() -> None:
    assert "scan_read" not in compile_cipher("rijndael", lookup="load").text
    assert "scan_read" not in compile_cipher("rc6", constant_time=True).text


def test_scans_in_the_key_schedule_beside_vectors() -> None:
    key, data = bytes(range(8)), bytes(range(240))
    expected = compile_cipher(TablesOfTheKeyAlone, "interpreter").run(key, data).output
    for schedule in (Schedule(width=128, lookup="scan"), Schedule(width=1), Schedule(constant_time=True)):
        program = compile_cipher(TablesOfTheKeyAlone, schedule=schedule)
        assert program.run(key, data).output == expected
    assert program.parts.label == CONSTANT  # type: ignore[attr-defined]
    loads = compile_cipher(TablesOfTheKeyAlone, width=128)
    assert (loads.parts.key_schedule, loads.parts.kernel) == (TABLE, CONSTANT)  # type: ignore[attr-defined]


def test_what_is_scanned() -> None:
    """Secret places alone: a table that is filled turn by turn has none."""
    program = lower(trace(cipher("twofish"), "encrypt", 128))
    assert scanned_in_kernel(program, LOAD) == scanned_in_key_schedule(program, LOAD) == frozenset()
    found = scanned_in_key_schedule(program, SCAN)
    assert found == at_secret_places(program.expand)
    assert {node.op.label for node in found} == {"lookup"}
    assert {node.op.label for node in scanned_in_kernel(program, SCAN)} == {"load"}


def test_constant_time_scans_what_the_kernel_s_way_to_read_is_not_for() -> None:
    """The key schedule, always; in the kernel it leaves alone what was asked for."""
    program = lower(trace(cipher("twofish"), "encrypt", 128))
    both = LOAD.over(Schedule(constant_time=True))
    assert scanned_in_key_schedule(program, both) == at_secret_places(program.expand)
    assert scanned_in_kernel(program, both) == frozenset()
    found = labels(program, both)
    assert (found.key_schedule, found.kernel) == (CONSTANT, TABLE)


def test_tables_read_by_permutes_have_no_address() -> None:
    """In the kernel; the key schedule is scalar."""
    choices = {"lookup": "permute", "word": 8, "width": 128}
    loads, scans = (compile_cipher("crypton-v1", **choices, constant_time=flag) for flag in (False, True))
    assert (loads.parts.key_schedule, loads.parts.kernel) == (TABLE, CONSTANT)  # type: ignore[attr-defined]
    assert scans.parts.label == CONSTANT  # type: ignore[attr-defined]
    assert "scan_read" in scans.text
    check_known_answers(scans, vectors_of(cipher("crypton-v1")))


def test_candidates() -> None:
    asked = Schedule(constant_time=True, blocks=32)
    groups = list(candidates(asked))
    assert [[one.lookup for one in group] for group in groups] == [
        [None],
        ["match"],
        ["bitslice", "permute", "permute", "permute", "permute"],
        ["scan"],
    ]
    assert [[one.lookup for one in group] for group in candidates(LOAD)] == [["load"]]
    assert all(one.blocks == 32 and one.constant_time for group in groups for one in group)


def test_refusals() -> None:
    said = r"constant-time is not legal for frog: under .*lookup=scan.* its key schedule has a division"
    with pytest.raises(ScheduleError, match=said):
        compile_cipher("frog", constant_time=True)
    said = r"under .*lookup=load.* its kernel has a lookup in 'S_T0' at a secret place"
    with pytest.raises(ScheduleError, match=said):
        compile_cipher("rijndael", constant_time=True, lookup="load")
    with pytest.raises(ScheduleError, match="lookup=scan is not legal for rc6: it has no table lookup"):
        compile_cipher("rc6", lookup="scan")
    with pytest.raises(ScheduleError, match="width=128 is not legal for rijndael"):
        compile_cipher("rijndael", lookup="scan", width=128)


def test_the_label_is_of_the_schedule() -> None:
    labels = {
        lookup: MACHINE.compile(
            cipher("rijndael"), operation="encrypt", key_bits=128, schedule=Schedule(lookup=lookup, blocks=1)
        ).timing
        for lookup in ("load", "scan")
    }
    assert labels == {"load": TABLE, "scan": CONSTANT}
