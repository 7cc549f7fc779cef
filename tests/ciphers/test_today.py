"""The ciphers of today, held to their vectors; see tests/catalogue.py for what is tested of which ciphers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

import pytest

import finalist
from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.language.cipher import Cipher
from finalist.language.definition import OPERATIONS
from finalist.vectors import drawn
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import key_lengths, vectors_of
from tests.catalogue import OTHERS
from tests.marks import needs_compiler

#: Sizes and modes that definitions have beside their own, as far as there are vectors of them.
VARIANTS = (
    *(f"{name}:block-bits={bits}" for name in ("simon", "speck") for bits in (32, 48, 64, 96)),
    *(f"threefish:block-bits={bits}" for bits in (256, 1024)),
    *("gift:block-bits=64", "skinny:block-bits=64", "rc5:r=16", "noekeon:indirect=1", "ascon-p:r=8"),
    *(f"rc2:effective-bits={bits}" for bits in (63, 64, 129)),
)
NAMES = (*OTHERS, *VARIANTS)
#: Vectors of a definition that the first tier looks at.
MOST_ROWS = 20


def lengths(found: type[Cipher]) -> list[int]:
    """Of a range of key lengths the shortest, the usual and the longest with vectors; else all."""
    given = key_lengths(found)
    return list(given) if len(given) < 6 else sorted({given[0], found.usual_key_bits(), given[-1]})


def usual(name: str) -> int:
    """Of a variant that has no vectors of the usual length, another that has some."""
    found = cipher(name)
    return found.usual_key_bits() if found.usual_key_bits() in key_lengths(found) else key_lengths(found)[0]


def every_program() -> Iterator[tuple[str, int, str]]:
    for name in NAMES:
        yield from ((name, bits, operation) for bits, operation in product(lengths(cipher(name)), OPERATIONS))


@pytest.mark.parametrize("name", NAMES)
def test_definition(name: str) -> None:
    """The usual key length, in both directions, on the interpreter."""
    bits = usual(name)
    rows = [row for row in vectors_of(cipher(name)) if len(row.key) * 8 == bits]
    for operation in OPERATIONS:
        program = finalist.compile(name, "interpreter", operation, bits)
        assert check_known_answers(program, rows[:MOST_ROWS]) > 0


@pytest.mark.parametrize(("name", "bits", "operation"), list(every_program()))
@pytest.mark.check
def test_interpreter(name: str, bits: int, operation: str) -> None:
    program = finalist.compile(name, "interpreter", operation, bits)
    assert check_known_answers(program, vectors_of(cipher(name))) > 0


def usual_programs() -> list[tuple[str, int, str]]:
    """Usual lengths in both directions, the others in one, alternately."""
    return [
        (name, bits, operation)
        for place, (name, bits, operation) in enumerate(every_program())
        if bits == usual(name) or operation == OPERATIONS[place // 2 % 2]
    ]


@needs_compiler
@pytest.mark.parametrize(("name", "bits", "operation"), usual_programs())
@pytest.mark.every(13, first=4)
def test_native(name: str, bits: int, operation: str) -> None:
    """By the schedule that the machine takes by itself."""
    program = finalist.compile(name, "native", operation, bits)
    assert check_known_answers(program, vectors_of(cipher(name))) > 0


#: Machines beside `interpreter` and `native`, and why one does not take a cipher: a rule of its own.
MACHINES = ("plx", "fpga", "c64x", "hc05", "c62x")
REFUSED = {
    "fpga": "has no data path: (its blocks hand on a state|it reads an array at a place that depends on)",
    "hc05": "hc05|is not legal for",
}
#: Of machines that take many seconds for a program one name in so many, and of drawn schedules; all of them
#: `finalist verify today --machine c62x` and `--drawn` have.
SAMPLED, SLOW = 5, ("c64x", "hc05", "c62x")


def machines_and_names() -> list[tuple[str, str]]:
    every = [(kind, name, number) for kind in MACHINES for number, name in enumerate(NAMES)]
    return [
        (kind, name)
        for kind, name, number in every
        if kind not in SLOW or number % SAMPLED == MACHINES.index(kind)
    ]


@pytest.mark.parametrize(("kind", "name"), machines_and_names())
@pytest.mark.check
@pytest.mark.timeout(900)
def test_every_machine(kind: str, name: str) -> None:
    """In one direction, which one in turns; or refused with a reason."""
    operation = OPERATIONS[NAMES.index(name) % 2]
    try:
        program = finalist.compile(name, kind, operation, usual(name))
    except ScheduleError as error:
        refusal = str(error)
    else:
        refusal = ""
    if refusal:
        assert re.search(REFUSED.get(kind, "$^"), refusal)
        return
    rows = [row for row in vectors_of(cipher(name)) if len(row.key) * 8 == program.key_bits]
    assert check_known_answers(program, rows[:2]) > 0


#: Takes minutes for some schedules: linear maps of 128 bits on bit slices.
LENGTHY = {"kuznyechik"}
#: Schedules of a cipher.
DRAWN = 8


@needs_compiler
@pytest.mark.parametrize("name", [name for name in NAMES if name not in LENGTHY][::SAMPLED])
@pytest.mark.check
@pytest.mark.timeout(900)
def test_drawn_schedules(name: str) -> None:
    """Some programs, under schedules drawn at random, against the interpreter; `make schedules` has many."""
    (job,) = drawn.jobs([cipher(name)], "native", DRAWN, seed=0)
    batch = drawn.run(job)
    assert batch.agreed and not batch.failures


@needs_compiler
@pytest.mark.slow
def test_a_million_blocks_one_after_the_other() -> None:
    """GB/T 32907-2016, appendix A.2: a block encrypted again and again, as output feedback does."""
    key = bytes.fromhex("0123456789abcdeffedcba9876543210")
    stream = finalist.new("sm4", key, finalist.MODE_OFB, key).encrypt(bytes(16 * 1_000_000))
    assert stream[:16] == bytes.fromhex("681edf34d206965e86b3e94f536e4246")
    assert stream[-16:] == bytes.fromhex("595298c7c6fd271f0402f804c33d3f66")
