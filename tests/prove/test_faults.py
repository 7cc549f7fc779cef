"""Planted faults are refuted, each with a key and a block that the interpreter confirms; none is proved.

A sample as a rule; with ``FINALIST_FUZZ`` in the environment, as `make fuzz` has it, two hundred.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest

from finalist.ir.execute import interpret
from finalist.ir.program import Program
from finalist.isa.simulate.run import SimulatedProgram
from finalist.prove.decide import Certificate, prove, simulated
from finalist.prove.refute import Pair
from tests.prove.faults import FAULTS, planted, rare
from tests.prove.programs import made

#: Of each kind so many, of the rare ones as many more.
EACH, RARE = (22, 24) if "FINALIST_FUZZ" in os.environ else (3, 4)
#: Seconds of the CPU for both sides: 20 did not suffice on a CPU of 2021.
PATIENCE = 90
#: Faults drawn for one that is none: a register that has the same word, an entry that is not read.
DRAWN = 6
#: What kinds need another machine or cipher than the others: a subtraction, a predicate, gates on two words
#: of which not one is mostly 0.
OTHERS = {
    "another gate": [("plx", "rijndael"), ("plx", "crypton-v1")],
    "swapped operands": [("plx", "rc6:r=2")],
    "a dropped carry": [("plx", "rc6:r=2")],
    "a missing predicate": [("c62x", "rijndael"), ("c62x", "des"), ("c62x", "crypton-v1")],
}
USUAL = [("plx", "rijndael"), ("plx", "des"), ("plx", "crypton-v1")]


def confirmed(program: Program, found: Certificate) -> bool:
    """Whether the definition, interpreted, gives what the counterexample says, and that is something else
    than what the program gives."""
    wrong = found.counterexample
    assert wrong is not None
    key, data = bytes.fromhex(wrong.key), bytes.fromhex(wrong.data)
    rows = np.frombuffer(data, np.uint8)[None]
    defined = interpret(program, np.frombuffer(key, np.uint8)[None], rows).tobytes()
    return defined.hex() == wrong.defined != wrong.computed


def drawn(name: str, number: int) -> Iterator[tuple[Program, SimulatedProgram]]:
    """Definitions with programs that have a fault of a kind."""
    kinds = OTHERS.get(name, USUAL)
    program, good = made(*kinds[number % len(kinds)])
    for attempt in range(DRAWN):
        bad = planted(good, name, seed=DRAWN * number + attempt)
        assert bad is not None
        yield program, bad


def refuted(name: str, number: int) -> None:
    """A planted fault is refuted; what is proved in its place is right for keys and blocks at random."""
    for program, bad in drawn(name, number):
        found = prove(program, bad, seconds=PATIENCE)
        if found.verdict != "proved":
            assert found.verdict == "refuted", found.reason
            assert confirmed(program, found)
            return
        assert Pair(program, partial(simulated, bad)).at_random() is None
    pytest.fail("none of these is a fault")


@pytest.mark.parametrize("name", ["a bit of a table", "a stale register"])
def test_a_fault_is_refuted(name: str) -> None:
    refuted(name, 0)


@pytest.mark.parametrize("number", range(1, EACH + 1))
@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.slow
@pytest.mark.check
@pytest.mark.fuzz
def test_faults_are_refuted(name: str, number: int) -> None:
    refuted(name, number)


def rarely(number: int) -> None:
    """No pair at random shows it; a solver finds the two words of the key."""
    pytest.importorskip("pysat")
    program, good = made(*USUAL[number % 2 * 2])
    bad, key = rare(good, number)
    found = prove(program, bad)
    assert found.verdict == "refuted", found.reason
    assert confirmed(program, found)
    assert any("CaDiCaL" in engine for engine in found.engines)
    assert found.counterexample is not None
    assert found.counterexample.key == key.hex()


def test_a_rare_fault_is_refuted() -> None:
    rarely(0)


@pytest.mark.parametrize("number", range(1, RARE))
@pytest.mark.slow
@pytest.mark.check
@pytest.mark.fuzz
def test_rare_faults_are_refuted(number: int) -> None:
    rarely(number)


def test_faults_have_places() -> None:
    _, good = made("plx", "rijndael")
    assert planted(good, "swapped operands", 0) is None
