"""Stream ciphers: proved on every kind of processor, from any state; planted faults refuted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from functools import cache, partial

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.program import Program
from finalist.isa.simulate.run import SimulatedProgram
from finalist.language import Array, StreamCipher, Word, loop, u8, words
from finalist.machines.registry import machine
from finalist.machines.tracing import traced
from finalist.prove import streams
from finalist.prove.blocks import CLAIM
from finalist.prove.decide import prove, simulated
from finalist.prove.refute import Pair
from finalist.prove.shared import Shared
from finalist.schedule import Schedule
from tests.prove.faults import planted, with_text
from tests.prove.programs import made
from tests.prove.test_faults import confirmed

MACHINES = ["plx", "plx:word=64", "plx:with=ptlu", "hc05", "c62x", "c64x"]


class Shuffle(StreamCipher):
    """RC4's steps on sixteen bytes, as many as its state can have in all."""

    block = words(1, u8)
    key_bits = (32,)

    def expand_key(self, key: list[Word]) -> dict[str, Array]:
        S, j = Array(16, 8, range(16)), Array(1, 8)
        for i in loop(0, 16):
            j[0] = j[0] + S[i] + Array.holding(key)[i]
            S[i], S[j[0]] = S[j[0]], S[i]
        return {"S": S, "ij": Array(2, 8)}

    def key_stream(self, state: dict[str, Array]) -> list[Word]:
        S, ij = state["S"], state["ij"]
        i = ij[0] + 1
        j = ij[1] + S[i]
        ij[0], ij[1] = i, j
        S[i], S[j] = S[j], S[i]
        return [S[S[i] + S[j]]]


@cache
def shuffle(kind: str, operation: str = "encrypt") -> tuple[Program, SimulatedProgram]:
    program = traced(Shuffle, operation, 32)
    found = machine(kind).program(program, Schedule())
    assert isinstance(found, SimulatedProgram)
    return program, found


@pytest.mark.parametrize("kind", MACHINES)
def test_a_stream_is_proved(kind: str) -> None:
    found = prove(*shuffle(kind), kind)
    assert (found.verdict, found.reason) == ("proved", "")
    assert found.claim == streams.CLAIM != CLAIM
    assert found.timing == "table lookups"


def lines(text: str, pattern: str) -> list[str]:
    """The text without one of the lines that match, each of them in turn."""
    all_ = text.splitlines(keepends=True)
    return ["".join(all_[:k] + all_[k + 1 :]) for k, line in enumerate(all_) if re.search(pattern, line)]


def test_each_store_of_the_state_is_needed() -> None:
    """A state that is not handed on is refuted, with as many blocks as it takes to show."""
    program, good = shuffle("plx")
    texts = lines(good.text, r"store\.8 .*; state")
    assert len(texts) > 8
    for text in texts:
        found = prove(program, with_text(good, text))
        assert found.verdict == "refuted", found.reason
        assert confirmed(program, found)


@pytest.mark.parametrize("name", ["a lost store", "a stale register", "a dropped carry"])
@pytest.mark.parametrize("seed", range(4))
def test_a_fault_is_refuted(name: str, seed: int) -> None:
    """Or it is none: what is proved gives what the definition does, also of keys and data at random."""
    program, good = shuffle("plx")
    bad = planted(good, name, seed)
    assert bad is not None
    found = prove(program, bad)
    if found.verdict == "refuted":
        assert confirmed(program, found)
    else:
        assert found.verdict == "proved", found.reason
        assert Pair(program, partial(simulated, bad)).at_random() is None


def test_what_the_text_fills_memory_with_has_to_stay() -> None:
    """A call may not change what the next one, or a key set up later, would take for unchanged."""
    program, good = shuffle("plx")
    first = good.image.places["first"].address
    text = good.text.replace("finish3:\n", f"finish3:\n    store.8 r2, {first}(r0)\n")
    assert text != good.text
    found = prove(program, with_text(good, text))
    assert found.verdict != "proved"
    assert "entry 0 of first is not what the text fills it with any more, after encrypt" in found.reason


def test_nothing_may_rely_on_what_the_key_schedule_changes() -> None:
    """Not the schedule of a further key, which reads a table again; not a call, which reads an address."""
    program, good = shuffle("plx")
    reasons = {}
    for name, bits, entry in (("first", 8, 1), ("slots", 32, 0)):
        assert good.image.contents[name][entry]
        store = f"    store.{bits} r0, {good.image.places[name].address + entry}(r0)\n"
        found = prove(program, with_text(good, good.text.replace("    trap\n", f"{store}    trap\n", 1)))
        reasons[name] = found.verdict, found.reason
    assert reasons["first"] == ("undecided", "the program: a further key's schedule leaves another state")
    assert reasons["slots"][0] == "refuted"


@pytest.mark.slow
@pytest.mark.check
def test_what_nothing_relies_on_may_change() -> None:
    """With 168 bits of key RC4's key schedule puts words aside where the text has words of its own."""
    program = traced(cipher("rc4"), "encrypt", 168)
    found = machine("plx").program(program, Schedule())
    assert isinstance(found, SimulatedProgram)
    assert prove(program, found).verdict == "proved"


def test_what_the_key_schedule_leaves_elsewhere_is_no_part_of_the_state() -> None:
    """A call that relies on it is right, and not proved: what comes between may have changed it."""
    program, good = shuffle("plx")
    slot = good.image.places["slots"].address + 4
    text = good.text.replace("    trap\n", f"    store.32 r0, {slot}(r0)\n    trap\n", 1)
    stores = re.compile(r"    store\.32 (r\d+), 0\(r2\)  ; data\n")
    load = f"    load.32 r20, {slot}(r0)\n"
    bad = with_text(good, stores.sub(rf"{load}    xor \1, \1, r20\n\g<0>", text))
    assert prove(program, with_text(good, text)).verdict == "proved"
    found = prove(program, bad)
    assert (found.verdict, found.counterexample) == ("undecided", None)
    assert found.reason.startswith("the output: 4 of 4 bytes are not the same bits, the first is byte 0")


def test_a_state_that_has_no_place_is_named() -> None:
    program, good = shuffle("plx")
    found = prove(program, with_text(good, good.text.replace("ij_a1", "ji_a1")))
    assert found.verdict == "undecided"
    assert found.reason == "the program: no place in memory is the state's ij_a1, u8[2]"


@pytest.fixture(scope="module")
def shared() -> Iterator[Shared]:
    """The last test's proof, of which the next one needs the definition's key schedule alone."""
    with closing(Shared()) as found:
        yield found


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize("kind", MACHINES)
@pytest.mark.slow
@pytest.mark.check
def test_rc4_is_proved(kind: str, operation: str, shared: Shared) -> None:
    """All over one store, whose memory is given back after the last: no test comes after these."""
    found = prove(*made(kind, "rc4", operation), kind, shared=shared)
    assert (found.verdict, found.claim) == ("proved", streams.CLAIM)
