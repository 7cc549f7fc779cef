"""Verdicts: ciphers proved on every kind of simulated processor, planted faults refuted, the rest said."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import closing
from operator import itemgetter

import pytest

from finalist.ir.printer import digest
from finalist.language.definition import OPERATIONS
from finalist.prove.decide import STEPS, prove
from finalist.prove.shared import Shared
from tests.prove.faults import planted, rare, with_text
from tests.prove.programs import made

#: Proved within a second of a CPU each, and those that take longer.
QUICK = [("plx", "rijndael")]
LONG: list[tuple[str, str]] = [
    ("plx", "serpent"),
    ("plx", "des"),
    ("plx:word=64", "crypton-v1"),
    ("plx:word=64", "hpc"),
    ("plx:with=ptlu", "rijndael"),
    ("c62x", "rijndael"),
    ("hc05", "rijndael"),
    *(("plx", name) for name in ("cast-256", "crypton-v05", "deal", "e2", "magenta", "mars", "rc6")),
    *(("plx", name) for name in ("loki97", "safer-plus", "triple-des", "twofish")),
    ("c64x", "serpent"),
    ("c62x", "des"),
    ("hc05", "des"),
    *(("hc05", name) for name in ("cast-256", "deal", "e2", "loki97", "mars", "rc6")),
]
#: Of these either direction takes most of a minute: `make fuzz` proves both, the second tier one, or none.
ONE_DIRECTION = {
    ("plx", "loki97"),
    ("plx:word=64", "hpc"),
    ("hc05", "deal"),
    ("hc05", "loki97"),
    ("hc05", "rc6"),
}
NEITHER = {("hc05", "cast-256"), ("hc05", "mars")}


def operations(case: tuple[str, str]) -> tuple[str, ...]:
    """What is proved of a program."""
    if "FINALIST_FUZZ" in os.environ or case not in ONE_DIRECTION | NEITHER:
        return OPERATIONS
    return OPERATIONS[:1] if case in ONE_DIRECTION else ()


#: All, those of one cipher one after the other.
CASES: list[tuple[str, str, str]] = [
    (*case, operation)
    for case in sorted([*QUICK, *LONG], key=itemgetter(1))
    for operation in operations(case)
]


@pytest.mark.parametrize(("kind", "name"), QUICK)
def test_proved(kind: str, name: str) -> None:
    found = prove(*made(kind, name), kind)
    assert (found.verdict, found.reason, found.counterexample) == ("proved", "", None)
    assert found.machine == kind
    assert found.instructions > 500


@pytest.mark.slow
def test_proved_in_steps() -> None:
    """Words of 32 bits with sums and products, in limbs of eight: by way of what the passes made; the other
    direction goes on from the key schedule. A fault is refuted as ever."""
    shared = Shared()
    for operation in ("encrypt", "decrypt"):
        found = prove(*made("hc05", "rc6:r=1", operation), shared=shared)
        assert (found.verdict, found.reason, found.method) == ("proved", "", STEPS)
    shared.close()
    program, good = made("hc05", "rc6:r=1")
    lines = good.text.splitlines()
    at = next(k for k in range(len(lines) - 1, 0, -1) if lines[k].strip().startswith("adc "))
    wrong = with_text(good, "\n".join([*lines[:at], lines[at].replace("adc ", "add ", 1), *lines[at + 1 :]]))
    assert prove(program, wrong).verdict == "refuted"


@pytest.mark.slow
@pytest.mark.check
def test_time_is_proved_with_it() -> None:
    """The course of a program is the same for all keys and blocks; its addresses, where it reads no table."""
    assert prove(*made("plx", "rc6:r=1")).timing == "constant-time"
    assert prove(*made("plx", "rijndael")).timing == "table lookups"


@pytest.mark.slow
@pytest.mark.check
def test_a_counterexample_is_short() -> None:
    """Zeros wherever they show the fault as well."""
    program, good = made("plx", "rijndael")
    bad = planted(good, "a lost store", seed=1)
    assert bad is not None
    wrong = prove(program, bad).counterexample
    assert wrong is not None
    assert len(wrong.data) == 32
    assert (wrong.key + wrong.data).count("0") > 48


def test_a_rare_fault_is_not_proved_without_a_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """It stays undecided, and what is missing is said."""
    monkeypatch.setitem(sys.modules, "pysat.solvers", None)
    program, good = made("plx", "rijndael")
    found = prove(program, rare(good, seed=1)[0])
    assert (found.verdict, found.counterexample) == ("undecided", None)
    assert "bytes are not the same bits" in found.reason
    assert found.reason.endswith("python-sat is not installed (pip install 'finalist[proofs]')")


def test_what_was_left_in_a_register_is_no_proof() -> None:
    """A program that adds what it has not written is right on a simulator that begins with zeros."""
    program, good = made("plx", "rijndael")
    unused = next(f"r{k}" for k in range(31, 0, -1) if not re.search(rf"\br{k}\b", good.text))
    stores = re.compile(r"    store\.32 (r\d+), .*; data")
    text = stores.sub(lambda match: f"    xor {match[1]}, {match[1]}, {unused}\n{match[0]}", good.text, 1)
    bad = with_text(good, text)
    found = prove(program, bad)
    assert text != good.text
    assert (found.verdict, found.counterexample) == ("undecided", None)


def test_a_branch_on_a_secret_is_refused() -> None:
    program, good = made("plx", "rijndael")
    key = good.image.places["key"].address
    head, _, tail = good.text.partition("expand_key:\n")
    branch = f"    load.32 r1, {key}(r0)\n    beq r1, r0, on\non:\n"
    found = prove(program, with_text(good, f"{head}expand_key:\n{branch}{tail}"))
    assert found.verdict == "undecided"
    assert found.reason.endswith("a branch that depends on key or block")
    assert found.reason.startswith("the program: line ")


def test_a_certificate_is_of_one_definition_and_one_text() -> None:
    program, good = made("plx", "rijndael")
    first = prove(program, good)
    other = prove(program, with_text(good, good.text + "; the end\n"))
    assert (other.verdict, other.definition) == ("proved", first.definition)
    assert other.text != first.text
    assert first.definition == digest(program)


@pytest.fixture(scope="module")
def shared() -> Iterator[Shared]:
    """The last test's proof, whose key schedules the next one needs, if it is of the same cipher."""
    with closing(Shared()) as found:
        yield found


@pytest.mark.parametrize(("kind", "name", "operation"), CASES)
@pytest.mark.slow
@pytest.mark.check
@pytest.mark.fuzz
def test_proved_in_both_directions(kind: str, name: str, operation: str, shared: Shared) -> None:
    """All of a cipher over one store; the last one's memory is given back after it: no test comes then."""
    assert prove(*made(kind, name, operation), kind, shared=shared).verdict == "proved"
