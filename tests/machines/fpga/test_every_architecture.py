"""Every architecture that a cipher is offered in can be had: built and estimated, without any tool."""

from __future__ import annotations

import re

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.ir.printer import fingerprint_of
from finalist.machines.fpga.architecture import parse
from finalist.machines.fpga.machine import MACHINE
from finalist.machines.tracing import traced
from finalist.schedule import Schedule
from finalist.vectors.load import key_lengths
from tests.catalogue import USUAL

#: Ciphers whose architectures are all built in no time.
SMALL = ("des", "rijndael", "serpent")


def offered(name: str, operation: str, bits: int) -> list[str]:
    """Its architectures; none for a cipher that is no data path."""
    try:
        return MACHINE.architectures(cipher(name), operation, bits)
    except ScheduleError:
        return []


#: Ciphers that are no data path: their tables depend on the key or are written to.
SOFTWARE = {"blowfish", "frog", "hpc", "rc4"}
HARDWARE = [name for name in USUAL if name not in SOFTWARE]


def build(name: str, operation: str, bits: int, architecture: str, lookup: str | None = None) -> None:
    """As many stages as it says, each of which takes some time."""
    schedule = Schedule(architecture=architecture, lookup=lookup)
    found = MACHINE.estimate(cipher(name), operation=operation, key_bits=bits, schedule=schedule)
    assert len(found.stages) == parse(architecture).stages
    assert min(found.stages) > 1
    assert found.slices > 100


#: Why tables are not in block RAM: there are none, or none behind a register.
REFUSED = re.compile("has no table lookup|no register stands right before a table")


def build_all(name: str, operation: str, bits: int, *, memories: bool = True) -> None:
    """Each architecture, and, with ``memories``, with tables in block RAM those that there are so."""
    for architecture in offered(name, operation, bits):
        build(name, operation, bits, architecture)
        if not memories:
            continue
        try:
            build(name, operation, bits, architecture, "blockram")
        except ScheduleError as error:
            reason = str(error)
        else:
            reason = ""
        assert not reason or REFUSED.search(reason), architecture


@pytest.mark.parametrize("name", USUAL)
@pytest.mark.every(3, first=1)
def test_all_but_four_are_hardware(name: str) -> None:
    assert (not offered(name, "encrypt", cipher(name).usual_key_bits())) == (name in SOFTWARE)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.every(3)
def test_all_of_small_ciphers(name: str) -> None:
    build_all(name, "encrypt", cipher(name).usual_key_bits())


@pytest.mark.parametrize(
    ("operation", "bits", "architecture"),
    [("decrypt", 128, "SP-10-2"), ("encrypt", 192, "SP-12-1"), ("encrypt", 256, "SP-14-1")],
)
def test_registers_inside_of_all_rounds(operation: str, bits: int, architecture: str) -> None:
    """Its last round is all tables, each of which takes longer than the way through a round."""
    build("rijndael", operation, bits, architecture)


@pytest.mark.parametrize("name", sorted({*HARDWARE} - {*SMALL}))
@pytest.mark.every(7, first=3)
def test_some_of_the_others(name: str) -> None:
    """One round, and all of them in a pipeline with a register inside of each."""
    bits = cipher(name).usual_key_bits()
    found = offered(name, "encrypt", bits)
    for architecture in ("LU-1", found[-1].replace("-2", "-1")):
        build(name, "encrypt", bits, architecture)


def kernels(name: str, operation: str) -> list[int]:
    """Key lengths whose data paths are all that there are: what other lengths share is the kernel."""
    found: dict[str, int] = {}
    usual = cipher(name).usual_key_bits()
    for bits in sorted(key_lengths(cipher(name)), key=lambda bits: (bits != usual, bits)):
        found.setdefault(fingerprint_of(traced(cipher(name), operation, bits).kernel), bits)
    return list(found.values())


def test_key_lengths_with_kernels_of_their_own() -> None:
    assert kernels("rijndael", "encrypt") == [128, 192, 256]
    assert kernels("serpent", "encrypt") == [128]


@pytest.mark.check
@pytest.mark.parametrize(
    ("name", "operation"),
    [(name, ("encrypt", "decrypt")[place // 2 % 2]) for place, name in enumerate(sorted(HARDWARE))],
)
def test_all(name: str, operation: str) -> None:
    """In one direction each, `finalist verify` has both; with block RAM those of encryption under usual
    keys: where registers stand does not depend on that."""
    usual = cipher(name).usual_key_bits()
    for bits in kernels(name, operation):
        build_all(name, operation, bits, memories=(operation, bits) == ("encrypt", usual))
