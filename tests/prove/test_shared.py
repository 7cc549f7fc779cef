"""Both directions over one store: what each would be alone, whichever comes first."""

from __future__ import annotations

import gc
import re
import weakref
from contextlib import closing
from dataclasses import replace
from functools import cache

import pytest

from finalist.ir.program import Program
from finalist.isa.simulate.run import SimulatedProgram
from finalist.language import Array, Cipher, Word, u8, words
from finalist.machines.registry import machine
from finalist.machines.tracing import traced
from finalist.prove import words as of_words
from finalist.prove.decide import Certificate, prove
from finalist.prove.shared import Shared
from finalist.prove.store import Store
from finalist.prove.words import Words
from finalist.schedule import Schedule
from tests.prove.faults import with_text
from tests.prove.programs import made
from tests.prove.test_faults import confirmed
from tests.prove.test_streams import shuffle

Asked = tuple[Program, SimulatedProgram]
#: A cipher whose directions have the same key schedule on each kind of processor, in order and not.
ALIKE = "rc6:r=2"
ORDERS = [("encrypt", "decrypt"), ("decrypt", "encrypt")]


@pytest.fixture
def stores(monkeypatch: pytest.MonkeyPatch) -> list[weakref.ReferenceType[Store]]:
    """The stores that were made meanwhile."""
    found: list[weakref.ReferenceType[Store]] = []

    class Noted(Store):
        def __init__(self) -> None:
            super().__init__()
            found.append(weakref.ref(self))

    monkeypatch.setattr(of_words, "Store", Noted)
    return found


def together(*asked: Asked, seconds: float | None = None) -> list[Certificate]:
    """The certificates of programs that are proved one after the other."""
    shared = Shared()
    return [prove(*one, seconds=seconds, shared=shared) for one in asked]


def timeless(one: Certificate) -> Certificate:
    """A certificate without what is different each time."""
    return replace(one, seconds=0.0)


@pytest.mark.parametrize("kind", ["plx", "c62x"])
@pytest.mark.parametrize("order", ORDERS)
def test_both_directions_over_one_store(
    kind: str, order: tuple[str, str], stores: list[weakref.ReferenceType[Store]]
) -> None:
    asked = [made(kind, ALIKE, way) for way in order]
    found = together(*asked)
    assert len(stores) == 1
    assert [one.verdict for one in found] == ["proved", "proved"]
    assert list(map(timeless, found)) == [timeless(prove(*one)) for one in asked]
    assert found[1].seconds < found[0].seconds


def test_a_processor_with_a_stack(stores: list[weakref.ReferenceType[Store]]) -> None:
    found = together(keyed(Keyed, "encrypt", "hc05"), keyed(Keyed, "decrypt", "hc05"))
    assert [one.verdict for one in found] == ["proved", "proved"]
    assert len(stores) == 1


def test_a_stream(stores: list[weakref.ReferenceType[Store]]) -> None:
    asked = shuffle("plx"), shuffle("plx", "decrypt")
    found = together(*asked)
    assert len(stores) == 1
    assert list(map(timeless, found)) == [timeless(prove(*one)) for one in asked]
    assert {one.verdict for one in found} == {"proved"}


def test_a_stream_with_another_key_schedule(stores: list[weakref.ReferenceType[Store]]) -> None:
    """It is carried out itself: proved if it leaves the same state, else refuted."""
    first, (program, good) = shuffle("plx"), shuffle("plx", "decrypt")
    other = with_text(good, good.text.replace("    trap\n", "    or r1, r1, r1\n    trap\n", 1))
    assert [one.verdict for one in together(first, (program, other))] == ["proved", "proved"]
    assert len(stores) == 1
    wrong = with_text(good, good.text.replace(" add ", " sub ", 1))
    assert [one.verdict for one in together(first, (program, wrong))] == ["proved", "refuted"]
    assert len(stores) == 3


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("wrong", ["encrypt", "decrypt"])
def test_one_direction_that_is_wrong_is_refuted(wrong: str, order: tuple[str, str]) -> None:
    """Alone: what is right in the other direction is proved, before it or after it."""
    asked = {way: made("plx", ALIKE, way) for way in order}
    program, good = asked[wrong]
    head, label, kernel = good.text.partition(f"{wrong}:\n")
    changed = re.sub(r"(    rotri r\d+, r\d+, )27", r"\g<1>26", kernel, count=1)
    assert changed != kernel
    asked[wrong] = program, with_text(good, head + label + changed)
    for way, one in zip(order, together(*(asked[way] for way in order)), strict=True):
        assert one.verdict == ("refuted" if way == wrong else "proved")
        assert way != wrong or confirmed(program, one)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("rotri ", "srli "),
        (" add ", " xor "),
        (r"store\.32 r\d+, \d+\(r0\)(?=\n    trap)", "; "),
        (r"0xbf0a8b1d", "7"),
    ],
    ids=["a shift", "a carry", "a store", "a constant in memory"],
)
def test_a_key_schedule_that_is_wrong_in_one_direction(
    good: str, bad: str, order: tuple[str, str], stores: list[weakref.ReferenceType[Store]]
) -> None:
    """It is another one, and not taken for the one that was carried out before."""
    first, (program, right) = (made("plx", ALIKE, way) for way in order)
    head, label, kernel = right.text.partition(f"{order[1]}:\n")
    changed = re.sub(good, bad, head, count=1)
    assert changed != head
    found, wrong = together(first, (program, with_text(right, changed + label + kernel)))
    assert (found.verdict, wrong.verdict) == ("proved", "refuted")
    assert confirmed(program, wrong)
    assert len(stores) == 2


@pytest.mark.parametrize("order", ORDERS)
def test_key_schedules_that_differ_are_each_carried_out(
    order: tuple[str, str], stores: list[weakref.ReferenceType[Store]]
) -> None:
    found = together(*(made("plx", "rijndael", way) for way in order))
    assert [one.verdict for one in found] == ["proved", "proved"]
    assert len(stores) == 1
    assert [one.instructions for one in found] == [
        prove(*made("plx", "rijndael", way)).instructions for way in order
    ]


class Keyed(Cipher):
    """Both directions read what the key schedule makes of a byte of the key."""

    block = words(1, u8)
    key_bits = (64,)
    key_words = words(8, u8)
    first = 1

    def expand_key(self, key: list[Word]) -> dict[str, Array]:
        S = Array(8, 8)
        for place in range(8):
            S[place] = key[place] * self.first + place
        return {"S": S}

    def encrypt(self, block: list[Word], keys: dict[str, Array]) -> list[Word]:
        return [block[0] ^ keys["S"][1]]

    def decrypt(self, block: list[Word], keys: dict[str, Array]) -> list[Word]:
        return [block[0] ^ keys["S"][1]]


class Other(Keyed):
    """The same with another key schedule."""

    first = 3


@cache
def keyed(cipher: type[Cipher], way: str, kind: str = "plx") -> Asked:
    program = traced(cipher, way, 64)
    found = machine(kind).program(program, Schedule())
    assert isinstance(found, SimulatedProgram)
    return program, found


def test_another_definition_is_carried_out_itself(stores: list[weakref.ReferenceType[Store]]) -> None:
    """A program that is right for one definition is not by that for another one, in the same store or not."""
    encrypt, decrypt = keyed(Keyed, "encrypt"), keyed(Keyed, "decrypt")
    other = keyed(Other, "decrypt")
    found = together(encrypt, (other[0], decrypt[1]))
    assert [one.verdict for one in found] == ["proved", "refuted"]
    assert len(stores) == 2
    assert [one.verdict for one in together(encrypt, decrypt)] == ["proved", "proved"]
    assert len(stores) == 3


def test_what_one_kernel_leaves_in_memory_is_not_there_for_the_other() -> None:
    """Encryption that overwrites the round keys is right for one call; decryption starts from them anew, and
    is no proof if it needs what encryption has left."""
    (program, good), decrypt = made("plx", ALIKE), made("plx", ALIKE, "decrypt")
    store = f"    store.32 r0, {_round_key(good)}(r0)\n"
    text = good.text.replace("    trap", f"{store}    trap").replace(f"{store}    trap", "    trap", 1)
    assert text.count(store) == 1
    found = together((program, with_text(good, text)), decrypt)
    assert [one.verdict for one in found] == ["proved", "proved"]


def _round_key(program: SimulatedProgram) -> int:
    name = program.program.key_names[0]
    return next(place.address for key, place in program.image.places.items() if key.startswith(name[:1]))


def test_what_is_not_proved_over_one_store_is_tried_alone(
    stores: list[weakref.ReferenceType[Store]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each verdict is at least what the program has alone."""
    asked = [made("plx", ALIKE, way) for way in ("encrypt", "decrypt")]
    alone = prove(*asked[1])
    begin = Words.begin

    def briefly(self: Words, seconds: float | None) -> None:
        begin(self, 0.0 if hasattr(self, "store") else seconds)

    monkeypatch.setattr(Words, "begin", briefly)
    _, found = together(*asked, seconds=60)
    assert timeless(found) == timeless(alone)
    assert len(stores) == 3


def test_the_time_is_that_of_each_program() -> None:
    """Of the second one the same as of the first: it counts from its own beginning."""
    asked = [made("plx", ALIKE, way) for way in ("encrypt", "decrypt")]
    shared = Shared()
    assert prove(*asked[0], seconds=60, shared=shared).verdict == "proved"
    found = prove(*asked[1], seconds=0, shared=shared)
    assert found.verdict == "undecided"
    assert found.reason.endswith("not done within 0 seconds of the CPU")


def test_memory_is_given_back(stores: list[weakref.ReferenceType[Store]]) -> None:
    """When nobody asks any more, and at once, without a search for cycles; so it is of what is not proved,
    of a proof alone, and of one that another program has no use for."""
    gc.collect()
    gc.disable()
    try:
        with closing(Shared()) as shared:
            for way in ("encrypt", "decrypt"):
                prove(*made("plx", ALIKE, way), shared=shared)
            assert [store() is None for store in stores] == [False]
        program, good = made("plx", ALIKE)
        bad = with_text(good, good.text.replace(" add ", " xor ", 1))
        with closing(Shared()) as shared:
            assert prove(program, bad, shared=shared).verdict == "refuted"
            assert [store() for store in stores] == [None, None]
            prove(program, good, shared=shared)
            prove(*made("plx", "rc6:r=1"), shared=shared)
        prove(program, good)
        assert [store() for store in stores] == [None] * 5
    finally:
        gc.enable()
