"""HPC: its key table, its rounds, and the published variants: spice, and the key schedule of 1999."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from finalist import compile
from finalist.ciphers import hpc
from finalist.ciphers.hpc import HPC
from finalist.ir.ops import Op
from finalist.machines.tracing import traced
from finalist.passes.simplify import run
from finalist.schedule import Schedule
from finalist.vectors.check import check_known_answers
from finalist.vectors.load import DATA, KnownAnswer
from tests.ciphers.values import keys_of, of_words, shown, tracing

COUNT = bytes(range(16)).hex()
#: What the rounds leave for key and block 00 01 .. 0f.
ROUNDS = [
    "a2b0065b3cc165af 65c8a675b4f592b8",
    "3c883fdd89afed1d 5b75a9f8b43136cc",
    "96c59ea7b1d1311d 95ea398a3c458ed5",
    "a42163d29edf6ae6 79fe37ff5d0da3d8",
    "13d211fd35ab8579 b998f4a33c8f255f",
    "890ad0c8fa3c4c73 7ae8b40bbcbea7bc",
    "86e3040b02568206 6150ac942affa803",
    "374fc1ffb72e57c1 c63ff9c0df6096a4",
]


@pytest.mark.parametrize(
    ("key", "places", "expected"),
    [
        ("00" * 16, (0, 1, 255), "746b0bfe6b7c4d86 54b45e4de96e6a65 6b6f692f94a80150"),
        (
            COUNT,
            (0, 1, 2, 3, 128, 129, 255),
            "0a5c5210806a62bc acad8c8092dbc3d1 7572a20c5dcf5fe0 a5193160c68091cf 950764c93fc9878b"
            " 9dead4caa94ce0fe b54e507a435514a8",
        ),
    ],
)
def test_key_table(key: str, places: tuple[int, ...], expected: str) -> None:
    with tracing():
        KX = keys_of(HPC, key)
        assert shown([KX[place] for place in places]) == expected


def test_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The states less the words of the key that are added at the end."""
    with tracing():
        KX = keys_of(HPC, COUNT)
        block, found = of_words("0001020304050607 08090a0b0c0d0e0f", 64), []
        for count in range(1, 9):
            monkeypatch.setattr(hpc, "rounds", lambda most, count=count: range(count))
            s0, s1 = HPC(128).encrypt(block, KX)
            found += [s0 - KX[136], s1 - KX[137]]
        assert shown(found) == " ".join(ROUNDS)


def rows(part: str) -> dict[tuple[int, ...], list[KnownAnswer]]:
    """The published rows of a variant, by their spice."""
    found: dict[tuple[int, ...], list[KnownAnswer]] = {}
    for record in json.loads((DATA / "hpc.json").read_text("utf-8"))[part]:
        values = (bytes.fromhex(record[name]) for name in ("key", "plaintext", "ciphertext"))
        digits = record.get("spice", "0" * 128)
        spice = tuple(int(digits[n : n + 16], 16) for n in range(0, 128, 16))
        found.setdefault(spice, []).append(KnownAnswer(*values, origin=record["origin"]))
    return found


#: Little code, so that the compiler is soon done.
QUICK = {"native": Schedule(blocks=1, width=1)}


@cache
def variant(**attributes: Any) -> type[HPC]:
    """The definition with other values of its class attributes."""
    return type("Variant", (HPC,), {"called": "hpc", **attributes})


SPICED = rows("known_answer_spice")


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize("spice", SPICED, ids=lambda spice: f"{spice[0]:016x}")
@pytest.mark.every(4)
def test_spice(spice: tuple[int, ...], operation: str) -> None:
    program = compile(variant(spice=spice), "interpreter", operation)
    assert check_known_answers(program, SPICED[spice]) == len(SPICED[spice])


SIZES = [bits for bits in HPC.parameters["block_bits"] if bits != HPC.block_bits]


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize("bits", SIZES)
@pytest.mark.every(7)
def test_spice_with_blocks_of_other_sizes(bits: int, operation: str) -> None:
    """The designer's own rows: each has a spice of its own, so two of them."""
    published = rows(f"known_answer_spice:block-bits={bits}")
    assert sum(map(len, published.values())) == 10
    for spice, one in list(published.items())[::9]:
        sized = type("Variant", (HPC.of(block_bits=bits),), {"called": "hpc", "spice": spice})
        assert check_known_answers(compile(sized, "interpreter", operation), one) == 1


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize("bits", SIZES)
@pytest.mark.every(7)
def test_blocks_of_other_sizes(bits: int, operation: str) -> None:
    (published,) = rows(f"known_answer:block-bits={bits}").values()
    for key_bits in HPC.key_bits:
        program = compile(HPC.of(block_bits=bits), "interpreter", operation, key_bits)
        assert check_known_answers(program, published) == 3


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
def test_spice_on_this_computer(operation: str) -> None:
    spice = next(iter(SPICED))
    program = compile(variant(spice=spice), "native", operation, schedule=QUICK["native"])
    assert check_known_answers(program, SPICED[spice]) == len(SPICED[spice])


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize("machine", ["interpreter", "native"])
@pytest.mark.every(2)
def test_the_key_schedule_of_1999(machine: str, operation: str) -> None:
    (published,) = rows("known_answer:revision=1999").values()
    revised = HPC.of(revision=1999)
    for bits in HPC.key_bits:
        program = compile(revised, machine, operation, bits, QUICK.get(machine))
        assert check_known_answers(program, published) == 10


def test_spice_of_zeros_takes_no_operation() -> None:
    """What it adds to the kernel is gone once that is simplified."""
    kernel = run(traced(HPC, "encrypt", 128)).kernel
    operands = [child for node in kernel.body for child in node.inputs]
    assert not [child for child in operands if child.op is Op.CONST and child.attr == 0]
