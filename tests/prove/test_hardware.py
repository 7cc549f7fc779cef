"""Hardware is proved as it is read and as it is mapped; planted faults are refuted, and none is proved."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest

from finalist.errors import CompilerError
from finalist.ir.execute import interpret
from finalist.ir.program import Program
from finalist.netlist.circuit import circuit, table
from finalist.netlist.emitted import Emitted
from finalist.prove.decide import Certificate
from finalist.prove.hardware import Simulated, prove
from finalist.prove.refute import Pair
from tests.marks import needs_yosys
from tests.prove.netlists import FAULTS, made, planted

pytestmark = needs_yosys
#: Faults of each kind, and those tried for one that is none.
EACH, DRAWN = 2, 12
#: Of faults that are drawn for each.
SEEDS = 1000


def confirmed(program: Program, found: Certificate) -> bool:
    """Whether the interpreter gives what the counterexample says, and the circuit something else."""
    wrong = found.counterexample
    assert wrong is not None
    key, data = bytes.fromhex(wrong.key), bytes.fromhex(wrong.data)
    rows = np.frombuffer(data, np.uint8)[None]
    defined = interpret(program, np.frombuffer(key, np.uint8)[None], rows).tobytes()
    return defined.hex() == wrong.defined != wrong.computed


def test_proved_as_read() -> None:
    found = prove(*made("des", 0), "fpga")
    assert (found.verdict, found.reason, found.timing) == ("proved", "", "constant-time")
    assert (found.form, found.machine, found.counterexample) == ("Verilog", "fpga", None)
    assert any(engine.startswith("Yosys 0.") for engine in found.engines)
    assert "architecture=LU-1" in found.schedule


def test_without_a_key_a_reset_brings_order() -> None:
    assert prove(*made("ascon-p", 0)).verdict == "proved"


def test_a_wrong_latency_is_refuted() -> None:
    program, good = made("des", 0)
    for latency in (good.promise.latency - 1, good.promise.latency + 1):
        promise = dataclasses.replace(good.promise, latency=latency)
        found = prove(program, dataclasses.replace(good, promise=promise))
        assert found.verdict == "refuted"
        assert confirmed(program, found)
        assert found.counterexample is not None
        assert found.counterexample.computed == ""


@pytest.mark.slow
@pytest.mark.check
@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize(
    ("name", "form", "architecture"),
    [
        ("des", 0, "SP-1-1"),
        ("des", 1, "LU-1"),
        ("des", 1, "SP-1-1"),
        ("speck", 0, "SP-1-1"),
        ("twofish", 0, "LU-1"),
        ("rijndael", 0, "LU-1"),
        ("crypton-v1", 0, "PP-2"),
        ("crypton-v1", 1, "PP-2"),
    ],
)
def test_ciphers(name: str, form: int, architecture: str, operation: str) -> None:
    assert prove(*made(name, form, architecture, operation)).verdict == "proved"


@pytest.mark.slow
@pytest.mark.check
@pytest.mark.parametrize(
    "choices", [{"key_schedule": "chip"}, {"lookup": "blockram"}], ids=lambda one: next(iter(one.values()))
)
def test_keys_and_tables_on_the_chip(choices: dict[str, str]) -> None:
    assert prove(*made("rijndael", 0, "LU-1", "encrypt", **choices)).verdict == "proved"


def without_loops(good: Emitted, name: str, number: int) -> Iterator[Emitted]:
    """Circuits with a fault, but for those in which a cell waits for itself."""
    for seed in range(SEEDS * number, SEEDS * (number + 1)):
        with contextlib.suppress(CompilerError):
            yield planted(good, name, seed)


def refuted(program: Program, good: Emitted, name: str, number: int) -> None:
    """A planted fault is refuted; what is proved in its place is right for keys and blocks at random."""
    for bad in islice(without_loops(good, name, number), DRAWN):
        found = prove(program, bad, seconds=1)
        if found.verdict == "refuted":
            assert confirmed(program, found)
            return
        shown = Pair(program, Simulated(bad, program.block.bytes)).at_random()
        assert shown is None, "what differs is refuted"
    pytest.fail("none of these is a fault")


@pytest.mark.slow
@pytest.mark.check
@pytest.mark.parametrize("number", range(EACH))
@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_refuted(name: str, number: int) -> None:
    refuted(*made("des", 0), name, number)


@pytest.mark.slow
@pytest.mark.check
@pytest.mark.parametrize("name", [name for name in FAULTS if name != "a register dropped"])
@pytest.mark.parametrize("architecture", ["LU-1", "SP-1-1", "PP-2"])
def test_faults_of_mapped_netlists_are_refuted(architecture: str, name: str) -> None:
    """One of each kind, as a netlist has ten times as many cells; but no register dropped:
    each is of one bit there, and of those whose loss makes no loop twelve that were drawn change nothing."""
    refuted(*made("des", 1, architecture), name, 0)


@pytest.mark.slow
@pytest.mark.check
def test_what_a_register_held_is_no_proof() -> None:
    """A result to which something is added that no key and no block ever writes."""
    program, good = made("des", 0)
    old = good.circuit
    out = old.ports["block_out"][0]
    ports = {**old.ports, "block_out": ("other", *old.ports["block_out"][1:])}
    cells = [*old.cells, table("odd", 0x6, (out, "held"), "other")]
    bad = circuit(old.name, ports, old.inputs, cells, {**old.registers, "held": "held"})
    found = prove(program, dataclasses.replace(good, circuit=bad))
    assert (found.verdict, found.counterexample) == ("undecided", None)
