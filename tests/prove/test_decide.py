"""Verdicts: ciphers proved on every kind of simulated processor, planted faults refuted, the rest said."""

from __future__ import annotations

import re
import sys
from functools import cache

import numpy as np
import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.execute import interpret
from finalist.ir.printer import digest
from finalist.ir.program import Program
from finalist.isa.simulate.run import SimulatedProgram
from finalist.machines.registry import machine
from finalist.machines.tracing import traced
from finalist.prove.decide import Certificate, prove
from finalist.schedule import Schedule
from tests.prove.faults import FAULTS, planted, with_text

#: Proved within a second of a CPU each, and those that take longer.
QUICK = [("plx", "rijndael"), ("c62x", "rijndael")]
LONG = [
    ("plx", "serpent"),
    ("plx", "des"),
    ("plx:word=64", "crypton-v1"),
    ("plx:with=ptlu", "rijndael"),
    ("hc05", "rijndael"),
    *(("plx", name) for name in ("cast-256", "crypton-v05", "deal", "e2", "magenta", "mars", "rc6")),
    *(("plx", name) for name in ("safer-plus", "triple-des", "twofish")),
    ("c64x", "serpent"),
    ("c62x", "des"),
    ("hc05", "des"),
]


@cache
def made(kind: str, name: str, operation: str = "encrypt") -> tuple[Program, SimulatedProgram]:
    program = traced(cipher(name), operation, cipher(name).usual_key_bits())
    found = machine(kind).program(program, Schedule())
    assert isinstance(found, SimulatedProgram)
    return program, found


@pytest.mark.parametrize(("kind", "name"), QUICK)
def test_proved(kind: str, name: str) -> None:
    found = prove(*made(kind, name), kind)
    assert (found.verdict, found.reason, found.counterexample) == ("proved", "", None)
    assert found.machine == kind
    assert found.instructions > 500


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize(("kind", "name"), [*QUICK, *LONG])
@pytest.mark.slow
@pytest.mark.check
def test_proved_in_both_directions(kind: str, name: str, operation: str) -> None:
    assert prove(*made(kind, name, operation), kind).verdict == "proved"


def test_time_is_proved_with_it() -> None:
    """The course of a program is the same for all keys and blocks; its addresses, where it reads no table."""
    assert prove(*made("plx", "rc6:r=1")).timing == "constant-time"
    assert prove(*made("plx", "rijndael")).timing == "table lookups"


def confirmed(program: Program, found: Certificate) -> bool:
    """Whether the definition, interpreted, gives what the counterexample says, and that is something else
    than what the program gives."""
    wrong = found.counterexample
    assert wrong is not None
    key, data = bytes.fromhex(wrong.key), bytes.fromhex(wrong.data)
    return interpreted(program, key, data).hex() == wrong.defined != wrong.computed


def interpreted(program: Program, key: bytes, data: bytes) -> bytes:
    rows = np.frombuffer(data, np.uint8)[None]
    return interpret(program, np.frombuffer(key, np.uint8)[None], rows).tobytes()


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_refuted(name: str) -> None:
    program, good = made("plx", "rc6:r=4" if name in ("swapped operands", "a dropped carry") else "rijndael")
    bad = planted(good, name, seed=1)
    assert bad is not None
    found = prove(program, bad)
    assert found.verdict == "refuted", found.reason
    assert confirmed(program, found)


def test_a_counterexample_is_short() -> None:
    """Zeros wherever they show the fault as well."""
    program, good = made("plx", "rijndael")
    bad = planted(good, "a lost store", seed=1)
    assert bad is not None
    wrong = prove(program, bad).counterexample
    assert wrong is not None
    assert len(wrong.data) == 32
    assert (wrong.key + wrong.data).count("0") > 48


def rare(good: SimulatedProgram) -> SimulatedProgram:
    """A program that gives a wrong first word where two words of the key, as they lie in memory, have one
    value each: for one key in 2^64."""
    key = good.image.places["key"].address
    data = good.image.places["data"].address
    stop = "".join(
        [
            f"    load.32 r1, {key}(r0)\n    load.32 r2, {key + 4}(r0)\n",
            "    xori r1, r1, 4711\n    xori r2, r2, 815\n    or r1, r1, r2\n",
            "    sub r2, r0, r1\n    or r1, r1, r2\n    srli r1, r1, 31\n    xori r1, r1, 1\n",
            f"    loadi r3, {data >> 10}\n    slli r3, r3, 10\n",
            "    load.32 r2, 0(r3)\n    xor r2, r2, r1\n    store.32 r2, 0(r3)\n    trap",
        ]
    )
    head, _, tail = good.text.rpartition("    trap")
    return with_text(good, head + stop + tail)


def test_a_rare_fault_is_refuted() -> None:
    """No pair at random shows it; a solver finds the two words of the key."""
    pytest.importorskip("pysat")
    program, good = made("plx", "rijndael")
    found = prove(program, rare(good))
    assert found.verdict == "refuted", found.reason
    assert confirmed(program, found)
    assert any("CaDiCaL" in engine for engine in found.engines)
    assert found.counterexample is not None
    order = good.image.order
    key = (4711).to_bytes(4, order) + (815).to_bytes(4, order) + bytes(8)
    assert found.counterexample.key == key.hex()


def test_a_rare_fault_is_not_proved_without_a_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """It stays undecided, and what is missing is said."""
    monkeypatch.setitem(sys.modules, "pysat.solvers", None)
    program, good = made("plx", "rijndael")
    found = prove(program, rare(good))
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


def test_a_stream_is_left() -> None:
    found = prove(*made("plx", "rc4"))
    assert (found.verdict, found.reason) == ("undecided", "blocks hand on a state")


def test_a_certificate_is_of_one_definition_and_one_text() -> None:
    program, good = made("plx", "rijndael")
    first = prove(program, good)
    other = prove(program, with_text(good, good.text + "; the end\n"))
    assert (other.verdict, other.definition) == ("proved", first.definition)
    assert other.text != first.text
    assert first.definition == digest(program)


def test_faults_have_places() -> None:
    _, good = made("plx", "serpent")
    assert planted(good, "swapped operands", 0) is None
