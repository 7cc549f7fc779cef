"""The replay finds what changed, and covers what there is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from finalist.ciphers.catalogue import cipher_names
from finalist.machines.registry import machine_names
from tests.catalogue import USUAL
from tests.replay import __main__ as replay
from tests.replay.cases import CHOSEN, CONFIGURED, FEW, REFUSED, Case, cases

CASE = Case("native", "rc6", "encrypt", 128, "blocks=1 width=1")


def test_digests_are_written_and_read_again(tmp_path: Path) -> None:
    digests = {CASE: "0123456789abcdef", Case("plx:word=64", "rc6", "decrypt", 192): REFUSED}
    (tmp_path / "old.txt").write_text("", "utf-8")
    replay.write(digests, tmp_path)
    assert replay.committed(tmp_path) == digests
    assert sorted(path.name for path in tmp_path.iterdir()) == ["native.txt", "plx.txt"]


def test_what_changed_is_named() -> None:
    other = replace(CASE, operation="decrypt")
    known = {CASE: "0" * 16, other: "1" * 16}
    assert list(replay.differences(known, {CASE: "0" * 16, other: "2" * 16})) == [
        f"rc6 decrypt 128 native blocks=1 width=1: {'1' * 16} -> {'2' * 16}"
    ]
    assert list(replay.differences({}, {CASE: "0" * 16})) == [f"{CASE}: not there -> {'0' * 16}"]
    assert replay.gone(known, [CASE]) == [other]


def test_a_text_is_the_same_on_any_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    """And is the one that is committed."""
    monkeypatch.setenv("CC", "none")
    assert CASE.digest() == replay.committed()[CASE]


def test_another_text_has_another_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finalist.machines.native.text.head.SPDX_LINE", "another line")
    assert CASE.digest() != replay.committed()[CASE]


def test_a_text_of_another_version_has_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finalist.machines.native.text.head.VERSION", "9.8.7")
    assert CASE.digest() != replay.committed()[CASE]
    monkeypatch.setattr("finalist.version.VERSION", "9.8.7")
    assert CASE.digest() == replay.committed()[CASE]


def test_all_ciphers_and_machines_are_there() -> None:
    committed = replay.committed()
    assert {case.cipher for case in committed} == set(cipher_names())
    assert {case.machine for case in committed} == {*machine_names(), *CONFIGURED}
    assert {case.operation for case in committed} == {"encrypt", "decrypt"}


def test_the_part_is_of_nearly_everything_and_small() -> None:
    committed = replay.committed()
    part = [case for case in committed if case.in_part]
    assert len({case.cipher for case in part}) > 0.9 * len(USUAL)
    assert {case.machine.partition(":")[0] for case in part} == set(machine_names())
    assert len(part) < 130


def test_of_slow_machines_there_are_few_and_all_are_in_the_part() -> None:
    committed = replay.committed()
    few = [case for case in committed if case.kind in FEW]
    assert len(few) == sum(map(len, FEW.values())) < 20
    assert all(case.in_part for case in few)
    assert {case.operation for case in few} == {"encrypt", "decrypt"}
    assert not {committed[case] for case in few} & {CHOSEN, REFUSED}
    assert {case for case in cases(["twofish"]) if case.kind in FEW} == {
        case for case in few if case.cipher == "twofish"
    }


def test_few_are_not_compared() -> None:
    digests = list(replay.committed().values())
    assert digests.count(CHOSEN) < len(digests) / 10
    assert digests.count(REFUSED) < len(digests) / 4


def test_what_is_renewed_is_what_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one kind of machine; what is committed of others stays."""
    written: dict[Case, str] = {}
    monkeypatch.setattr(replay, "digests", lambda wanted: dict.fromkeys(wanted, "f" * 16))
    monkeypatch.setattr(replay, "write", written.update)
    monkeypatch.setattr(replay, "_without_compiler", lambda: None)  # which is for a process of its own
    assert replay.main(["rc6", "--machine", "plx", "--renew"]) == 0
    renewed = {case for case, digest in written.items() if digest == "f" * 16}
    assert {(case.cipher, case.kind) for case in renewed} == {("rc6", "plx")}
    assert renewed == {case for case in cases(["rc6"]) if case.kind == "plx"}
    assert {case: written[case] for case in set(written) - renewed} == {
        case: digest for case, digest in replay.committed().items() if case not in renewed
    }
