"""Verdicts on watched programs: clean, leaking as labelled, refused; a run that was stopped goes on."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.errors import CompilerError
from finalist.language import LITTLE, Cipher, rounds, select, u32, words
from finalist.machines.native.run import NativeProgram
from finalist.measure import leaks, memcheck
from finalist.measure.leaks import Cell, check_all
from finalist.measure.memcheck import Build, LeakError, Watched, builds
from finalist.passes.timing import CONSTANT, TABLE, VARIABLE
from finalist.schedule import Schedule
from tests.marks import needs_valgrind

CC = [name for name in memcheck.COMPILERS if shutil.which(name)][:1] or ["cc"]
QUICK = Build((CC[0],), ("-O2",))


@needs_valgrind
class TestRealPrograms:
    def test_a_table_cipher_leaks_as_labelled(self) -> None:
        cell = Cell(cipher("rijndael"), "native", "encrypt", 128, Schedule(lookup="load", blocks=1))
        (found,) = check_all([cell], [QUICK], again=True)
        assert (found.status, found.label) == ("as labelled", TABLE)
        assert found.key_schedule == 40  # four lookups in each of ten rounds
        assert found.kernel == 2 * 160  # sixteen in each of ten, twice
        assert "rijndael_expand_key, line" in found.found[0].first

    def test_what_is_labelled_constant_time_is_clean(self) -> None:
        """Arrays are read and overwritten at secret places here, one entry of all."""
        cell = Cell(cipher("rc4"), "native", "encrypt", 128, Schedule(constant_time=True))
        (found,) = check_all([cell], [QUICK], again=True)
        assert (found.status, found.label) == ("clean", CONSTANT)
        assert "constant-time" in found.schedule

    def test_choices_and_shifts_by_secrets(self) -> None:
        """The operations that C might branch for."""

        class Choices(Cipher):
            block = words(2, u32, LITTLE)
            key_bits = (64,)

            def expand_key(self, key: Any) -> Any:
                return key

            def encrypt(self, block: Any, keys: Any) -> Any:
                a, b = block
                for r in rounds(4):
                    a, b = b, select(a < b, (a << keys[r % 2]) + b, b ^ keys[0]) + (a >> (b & 63)) % 10
                return [a, b]

            decrypt = encrypt

        cell = Cell(Choices, "native", "encrypt", 64, Schedule())
        (found,) = check_all([cell], builds(CC, ("-O1", "-O3")), again=True)
        assert (found.status, found.label) == ("clean", CONSTANT)

    def test_no_compiler_makes_a_branch_of_a_mask(self) -> None:
        """IDEA's inverses modulo 65537 are chosen by masks of one bit; clang used to branch at them."""
        cell = Cell(cipher("idea"), "native", "decrypt", 128, Schedule(constant_time=True))
        every_compiler = [name for name in memcheck.COMPILERS if shutil.which(name)]
        (found,) = check_all([cell], builds(every_compiler, ("-O2",)), again=True)
        assert found.status == "clean"
        assert [watched.build.command for watched in found.found] == [(name,) for name in every_compiler]

    def test_a_schedule_that_is_not_legal(self) -> None:
        cell = Cell(cipher("frog"), "native", "encrypt", 128, Schedule(constant_time=True))
        (found,) = check_all([cell], [QUICK], again=True)
        assert (found.status, found.found) == ("refused", ())
        assert "its key schedule has a division" in found.reason

    def test_a_machine_without_compiled_programs(self) -> None:
        with pytest.raises(LeakError, match="interpreter has no compiled program"):
            list(check_all([Cell(cipher("rc4"), "interpreter", "encrypt", 128, Schedule())], [QUICK]))


RC4 = Cell(cipher("rc4"), "native", "encrypt", 128, Schedule(constant_time=True))


@needs_valgrind
class TestCached:
    """A run that was stopped goes on: what was watched before is not watched again."""

    @pytest.fixture(autouse=True)
    def _cache(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("FINALIST_CACHE", str(tmp_path / "cache"))

    def test_a_verdict_is_found_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        (first,) = check_all([RC4], [QUICK])
        assert (first.status, first.found[0].build) == ("clean", QUICK)
        monkeypatch.setattr(leaks, "watch", broken)
        assert list(check_all([RC4], [QUICK])) == [first]
        for cell, build, again in (
            (RC4, QUICK, True),
            (RC4, replace(QUICK, flags=("-O3",)), False),
            (replace(RC4, operation="decrypt"), QUICK, False),
            (replace(RC4, schedule=Schedule(lookup="load")), QUICK, False),
        ):
            (found,) = check_all([cell], [build], again)
            assert found.status == "failed"

    def test_what_was_watched_of_a_text_is_found_by_another_finalist(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A change of files that leaves a text as it is doesn't have it watched again."""
        (first,) = check_all([RC4], [QUICK])
        monkeypatch.setattr(leaks, "watch", broken)
        monkeypatch.setattr("finalist.cache.notes.code_digest", lambda: "another")
        assert list(check_all([RC4], [QUICK])) == [first]
        for cell, again in ((RC4, True), (replace(RC4, key_bits=136), False)):
            (found,) = check_all([cell], [QUICK], again)
            assert found.status == "failed"

    def test_what_failed_is_tried_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(leaks, "watch", broken)
            (found,) = check_all([RC4], [QUICK])
            assert (found.status, found.reason, found.label) == ("failed", "no end", CONSTANT)
        (found,) = check_all([RC4], [QUICK])
        assert found.status == "clean"

    def test_one_that_fails_does_not_end_the_others(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def some(program: Any, build: Build, expected: bytes) -> Watched:
            return (broken if program.operation == "encrypt" else memcheck.watch)(program, build, expected)

        monkeypatch.setattr(leaks, "watch", some)
        found = list(check_all([RC4, replace(RC4, operation="decrypt")], [QUICK]))
        assert [one.status for one in found] == ["failed", "clean"]


def broken(program: Any, build: Build, expected: bytes) -> Watched:
    raise CompilerError("no end")


@needs_valgrind
def test_what_needs_more_than_valgrind_has_is_watched_in_a_narrower_form(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def needs(made: NativeProgram) -> tuple[str, ...]:
        return ("__VAES__",) if (made.schedule.width or 1) > 128 else ()

    monkeypatch.setattr(NativeProgram, "needs", property(needs))
    cell = Cell(cipher("rc6"), "native", "encrypt", 128, Schedule(width=512))
    (found,) = check_all([cell], [QUICK], again=True)
    assert "width=128" in found.schedule
    assert "width=512" in found.instead_of
    assert found.status == "clean"


def test_verdicts() -> None:
    clean = Watched(QUICK, 0, 0, "", ())
    leaking = replace(clean, kernel=1)
    for label in (CONSTANT, TABLE, VARIABLE):
        assert leaks.status_of(label, [clean, clean]) == "clean"
    assert leaks.status_of(CONSTANT, [clean, leaking]) == "leaks"
    assert leaks.status_of(TABLE, [leaking, clean]) == "as labelled"
    assert leaks.status_of(VARIABLE, [replace(clean, key_schedule=1)]) == "as labelled"


def test_without_valgrind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(LeakError, match="sudo apt install valgrind"):
        list(check_all([], []))
