"""Programs run under valgrind: planted leaks of every kind are caught, and what goes wrong is said."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from finalist.api import compile as compile_cipher
from finalist.errors import CompilerError, VectorError
from finalist.measure import memcheck
from finalist.measure.memcheck import Build, LeakError, Watched, builds, first_report, watch
from finalist.passes.timing import CONSTANT, Timing
from finalist.schedule import Schedule
from tests.marks import needs_valgrind

CC = [name for name in memcheck.COMPILERS if shutil.which(name)][:1] or ["cc"]
QUICK = Build((CC[0],), ("-O2",))

TEXT = """\
#include <stddef.h>
#include <stdint.h>
typedef struct {{ uint8_t word[4]; }} toy_key;
extern const size_t toy_key_bytes;
const size_t toy_key_bytes = sizeof(toy_key);
static const uint8_t T[256] = {{3, 1, 4}};
static volatile uint8_t spoiled;
void toy_expand_key(const uint8_t *key, toy_key *k);
void toy_encrypt(const toy_key *k, const uint8_t *in, uint8_t *out, size_t blocks);
void toy_expand_key(const uint8_t *key, toy_key *k)
{{
    for (int i = 0; i < 4; i++)
        k->word[i] = key[i] + 1;
    (void)T; {key_schedule}
}}
void toy_encrypt(const toy_key *k, const uint8_t *in, uint8_t *out, size_t blocks)
{{
    for (; blocks; blocks--, in += 4, out += 4) {{
        for (int i = 0; i < 4; i++)
            out[i] = in[i] ^ k->word[i];
        {kernel}
    }}
}}
"""


TWO, HARMLESS = Schedule(blocks=2), Timing(CONSTANT, CONSTANT, ("", ""))


@dataclass
class Toy:
    """A program by hand: four bytes of key plus one, XORed to the block."""

    text: str
    cipher: str = "toy"
    operation: str = "encrypt"
    key_bits: int = 32
    block_bytes: int = 4
    schedule: Schedule = TWO
    stateful: bool = False
    parts: Timing = HARMLESS
    needs: tuple[str, ...] = ()

    def function_name(self, what: str) -> str:
        return f"toy_{what}"


def toy(key_schedule: str = "", kernel: str = "") -> Toy:
    return Toy(TEXT.format(key_schedule=key_schedule, kernel=kernel))


def expected(program: Any) -> bytes:
    key, data = memcheck.inputs(program)
    return bytes(byte ^ (key[i % 4] + 1 & 0xFF) for i, byte in enumerate(data))


def watched(program: Any, build: Build = QUICK) -> Watched:
    return watch(program, build, expected(program))


@needs_valgrind
class TestPlanted:
    def test_without_a_leak(self) -> None:
        found = watched(toy())
        assert found.clean
        assert (found.key_schedule, found.kernel, found.first) == (0, 0, "")

    @pytest.mark.parametrize("part", ["key_schedule", "kernel"])
    @pytest.mark.parametrize(
        ("leak", "said"),
        [
            ("if (SECRET & 1) spoiled = 1;", "Conditional jump"),
            ("if (SECRET == 77) { spoiled = 1; return; }", "Conditional jump"),
            ("spoiled = T[SECRET];", "Use of uninitialised value"),
            ("for (int j = 0; j < SECRET; j++) spoiled = 1;", "Conditional jump"),
        ],
    )
    @pytest.mark.every(4)
    def test_with_one(self, leak: str, said: str, part: str) -> None:
        secret = "key[0]" if part == "key_schedule" else "out[0]"
        found = watched(toy(**{part: leak.replace("SECRET", secret)}))
        other = "kernel" if part == "key_schedule" else "key_schedule"
        assert not found.clean
        assert getattr(found, part) > 0
        assert getattr(found, other) == 0
        assert said in found.first
        assert leak.replace("SECRET", secret) in found.first

    def test_secrets_go_on_in_the_expanded_key(self) -> None:
        assert watched(toy(kernel="spoiled = T[k->word[3]];")).kernel == 3

    def test_all_of_the_expanded_key_is_secret(self) -> None:
        """Also what a table gave, whose entries are public."""
        table = "uint8_t t[256]; for (int j = 0; j < 256; j++) t[j] = j + 1; k->word[0] = t[key[0]];"
        found = watched(toy(table, "if (k->word[0] == 4) spoiled = 1;"))
        assert (found.key_schedule > 0, found.kernel) == (True, 3)

    def test_the_count_of_a_shift_of_whole_vectors_is_none(self) -> None:
        """memcheck reports it as it does an address, which is reported beside it."""
        shift = (
            "typedef uint32_t vec __attribute__((vector_size(16)));"
            " const vec shifted = (vec){1, 2, 3, 4} << (k->word[2] & 31); spoiled = (uint8_t)shifted[0];"
        )
        assert watched(toy(kernel=shift)).clean
        assert watched(toy(kernel=f"{shift} spoiled = T[out[0]];")).kernel == 3

    def test_public_branches_are_none(self) -> None:
        assert watched(toy(kernel="if (blocks > 1) spoiled = T[blocks];")).clean

    @pytest.mark.parametrize("compiler", CC)
    @pytest.mark.parametrize("level", memcheck.LEVELS)
    @pytest.mark.every(3)
    def test_at_every_level(self, compiler: str, level: str) -> None:
        (build,) = builds([compiler], [level])
        assert watched(toy(), build).clean
        assert watched(toy(kernel="spoiled = T[out[1]];"), build).kernel > 0


@needs_valgrind
class TestWhatGoesWrong:
    def test_another_output(self) -> None:
        program = toy()
        with pytest.raises(VectorError, match=r"toy encrypt, .* under valgrind: wrong output"):
            watch(program, QUICK, bytes(len(expected(program))))

    def test_a_crash(self) -> None:
        with pytest.raises(LeakError, match="valgrind left with"):
            watched(toy(kernel="__builtin_trap();"))

    def test_no_c(self) -> None:
        with pytest.raises(CompilerError):
            watched(toy(kernel="}"))

    def test_settings_of_the_user_change_nothing(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("VALGRIND_OPTS", "--undef-value-errors=no")
        (tmp_path / ".valgrindrc").write_text("--undef-value-errors=no\n")
        monkeypatch.setenv("HOME", str(tmp_path))
        assert watched(toy(kernel="spoiled = T[out[0]];")).kernel > 0


class TestWithoutValgrind:
    def test_it_is_said(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(shutil, "which", lambda name: None)
        assert "no valgrind" in memcheck.missing()
        assert "sudo apt install valgrind" in memcheck.missing()

    def test_no_compiler(self) -> None:
        with pytest.raises(LeakError, match="none of the compilers nocc, nocd"):
            builds(["nocc", "nocd"])


REPORTS = """\
==7== Use of uninitialised value of size 8
==7==    at 0x1091DA: toy_encrypt (tmp/x/program.c:2)
==7==    by 0x1091BE: main (in toy)
==7==
==7== Conditional jump or move depends on uninitialised value(s)
==7==    at 0x484: memcmp (vg_replace_strmem.c:1)
==7==    by 0x1091BE: toy_expand_key (program.c:1)
"""


def test_reports_are_read() -> None:
    text = ["if (!memcmp(key, zero, 4))", "    out[0] = T[in[0]];"]
    assert first_report(REPORTS, text) == (
        "Use of uninitialised value of size 8 in toy_encrypt, line 2: out[0] = T[in[0]];"
    )
    later = REPORTS.partition("main")[2]
    assert "in toy_expand_key, line 1: if (!memcmp(key, zero, 4))" in first_report(later, text)
    assert first_report("", text) == ""
    assert first_report("==1== Invalid read of size 4\n==1==    at 0x1: ??? (in /x)\n", text) == ""


def test_what_valgrind_lacks() -> None:
    """The text is watched without it, and that is said where the program would have had it."""
    assert memcheck.lacking({"__AVX2__", "__AVX512F__", "__GFNI__"}) == ("__AVX512F__", "__GFNI__")
    assert memcheck.lacking({"__AVX2__", "__SSE2__"}) == ()
    assert memcheck.lacking({"__SSE4A__", "__SSE2__"}) == ("__SSE4A__",)


def test_inputs_are_a_full_call_and_one_that_is_not() -> None:
    program = compile_cipher("rc6", blocks=8, width=128)
    assert isinstance(program, memcheck.Watchable)
    key, data = memcheck.inputs(program)
    assert (len(key), len(data)) == (16, 9 * 16)
    assert memcheck.inputs(program) == (key, data)
    assert memcheck.inputs(program, seed=1) != (key, data)
