"""C texts are proved equal to their definition; planted faults are refuted."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import cast

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.errors import CompilerError
from finalist.ir.program import Program
from finalist.machines.native.run import NativeProgram
from finalist.machines.registry import machine
from finalist.machines.tracing import traced
from finalist.prove import compiled
from finalist.prove.compiled import prove
from finalist.prove.refute import interpreted
from finalist.schedule import Schedule
from tests.marks import needs_clang

pytestmark = needs_clang

SCALAR = Schedule(blocks=1, width=1)
QUICK = ("rijndael", "serpent")
LONG = (
    "twofish",
    "rc6",
    "mars",
    "e2",
    "cast-256",
    "magenta",
    "safer-plus",
    "loki97",
    "crypton-v05",
    "crypton-v1",
)


def made(name: str, operation: str = "encrypt", schedule: Schedule = SCALAR) -> tuple[Program, NativeProgram]:
    program = traced(cipher(name), operation, cipher(name).usual_key_bits())
    return program, cast(NativeProgram, machine("native").program(program, schedule))


def changed(program: NativeProgram, text: str) -> NativeProgram:
    """The program with another text."""
    other = program.compiled_with(program.flags)
    other.text = text
    return other


@pytest.mark.parametrize("name", QUICK)
def test_proved(name: str) -> None:
    found = prove(*made(name), "native")
    assert (found.verdict, found.reason, found.counterexample) == ("proved", "", None)
    assert found.timing == ("constant-time" if name == "serpent" else "table lookups")
    assert found.instructions > 2000
    assert any("clang" in engine for engine in found.engines)


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize("name", [*QUICK, *LONG])
@pytest.mark.check
@pytest.mark.slow
def test_proved_in_both_directions(name: str, operation: str) -> None:
    assert prove(*made(name, operation), "native").verdict == "proved"


@pytest.mark.parametrize(
    ("name", "schedule"),
    [
        ("rijndael", Schedule(blocks=4, width=1)),
        ("rijndael", Schedule(blocks=1, width=1, rounds=2)),
        ("twofish", Schedule(blocks=1, width=1, keyed_tables="none")),
        ("rijndael", Schedule(blocks=1, width=1, key_schedule="loop")),
    ],
    ids=str,
)
@pytest.mark.check
def test_schedules(name: str, schedule: Schedule) -> None:
    """Blocks side by side, rounds and key schedules as loops, keyed functions without tables."""
    found = prove(*made(name, schedule=schedule), "native")
    assert (found.verdict, found.blocks) == ("proved", schedule.blocks)


def line_changed(pattern: str, change: Callable[[re.Match[str]], str]) -> Callable[[str, random.Random], str]:
    """A fault in one of the lines that a pattern finds."""

    def plant(text: str, draw: random.Random) -> str:
        found = draw.choice(list(re.finditer(pattern, text)))
        return text[: found.start()] + change(found) + text[found.end() :]

    return plant


FAULTS = {
    "a bit of a table": (
        "rijndael",
        line_changed(r"0x[0-9a-f]{8}(?=,)", lambda m: hex(int(m[0], 16) ^ 1 << 9)),
    ),
    "a shift off by one": ("rc6", line_changed(r"<< (\d+)\) \| ", lambda m: f"<< {int(m[1]) - 1}) | ")),
    "a dropped carry": ("rc6", line_changed(r"(t\d+ = t\d+) \+ (k)", lambda m: f"{m[1]} ^ {m[2]}")),
    "another gate": ("serpent", line_changed(r"(t\d+ = t\d+) \| (t\d+;)", lambda m: f"{m[1]} & {m[2]}")),
    "another word": ("rijndael", line_changed(r"S_T(\d)\[", lambda m: f"S_T{(int(m[1]) + 1) % 4}[")),
    "a lost store": ("rijndael", line_changed(r"\n    store32le\(out \+ \d+, .*;", lambda m: "")),
    "a wrong subkey": (
        "serpent",
        line_changed(r"k->(\w+)\[(\d\d)\]", lambda m: f"k->{m[1]}[{int(m[2]) - 4}]"),
    ),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.check
def test_planted_faults_are_refuted(fault: str, seed: int) -> None:
    """With a key and a block on which the compiled text is not what the interpreter says."""
    name, plant = FAULTS[fault]
    program, good = made(name)
    bad = changed(good, plant(good.text, random.Random(seed)))
    found = prove(program, bad, "native")
    assert found.verdict == "refuted"
    wrong = found.counterexample
    assert wrong is not None and wrong.defined != wrong.computed
    key, data = bytes.fromhex(wrong.key), bytes.fromhex(wrong.data)
    assert interpreted(program, key, data).hex() == wrong.defined
    assert bad.run(key, data).output.hex() != wrong.defined


@pytest.mark.check
def test_what_one_key_in_many_shows_is_refuted() -> None:
    """A word that is another one under keys of which eight bytes are given."""
    program, good = made("rijndael")
    rare = "k->derived32[7] ^= k0 == 0x01234567u && k1 == 0x89abcdefu ? 1u : 0u;\n}\n"
    text = _at_end(good.text, "expand_key(const", rare)
    found = prove(program, changed(good, text), "native")
    assert found.verdict == "refuted"
    assert found.counterexample is not None and found.counterexample.key.startswith("67452301efcdab89")


def _at_end(text: str, function: str, line: str) -> str:
    """The text with a line before the end of a function."""
    start = text.rindex(function)
    end = text.index("\n}\n", start)
    return text[: end + 1] + line + text[end + 3 :]


def test_a_store_where_a_secret_says_is_no_constant_time() -> None:
    program, good = made("serpent")
    text = _at_end(good.text, "expand_key(const", "    k->derived32[k0 & 3] ^= 0u;\n}\n")
    found = prove(program, changed(good, text), "native")
    assert (found.verdict, found.timing) == ("proved", "table lookups")


def test_a_wrong_store_where_a_secret_says_is_refuted() -> None:
    program, good = made("rijndael")
    text = _at_end(good.text, "expand_key(const", "    k->derived32[k0 & 3] ^= 1u;\n}\n")
    assert prove(program, changed(good, text), "native").verdict == "refuted"


def test_a_text_that_is_not_read_is_undecided() -> None:
    program, good = made("rijndael")
    text = _at_end(good.text, "expand_key(const", '    __asm__ volatile("nop");\n}\n')
    found = prove(program, changed(good, text), "native")
    assert found.verdict == "undecided" and 'assembly "nop"' in found.reason


def test_without_clang_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled.shutil, "which", lambda _: None)
    with pytest.raises(CompilerError, match="install clang"):
        prove(*made("rijndael"), "native")


def test_a_text_that_is_no_c() -> None:
    with pytest.raises(CompilerError, match=r"clang does not take the text: .*error"):
        compiled.representation("int f(")
