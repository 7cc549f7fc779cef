"""Programs as text: entries, places, parts; words of a block that are taken together, or by themselves."""

from __future__ import annotations

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.isa.build import Builder, Plan
from finalist.isa.pipeline import Writing, ready
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed
from finalist.machines.tracing import traced
from finalist.schedule import Schedule
from tests.processors.test_texts import program
from tests.programs import agrees, simulated

RISC = processor(parsed(""))


def built(name: str = "rc6:r=2") -> str:
    made, _ = ready(traced(cipher(name), "encrypt", 128), RISC, Schedule(lookup="load"), Writing())
    return Builder(made, RISC, Plan()).text()


def test_entries_and_places() -> None:
    """The key and its expansion lie behind the words that have no register; blocks behind everything."""
    lines = [line.strip() for line in built().splitlines()]
    places = [line.split()[1:] for line in lines if line.startswith(".place")]
    assert lines[0] == ".order little"
    assert [name for name, *_ in places] == ["end", "slots", "key", "key_2", "data"]
    addresses = [int(address, 16) for _, address, *_ in places]
    assert addresses == sorted(addresses) and addresses[-1] == RISC.data
    assert [line for line in lines if line in ("expand_key:", "encrypt:")] == ["expand_key:", "encrypt:"]


def test_parts_of_a_program() -> None:
    parts = [line.split()[1] for line in built().splitlines() if line.strip().startswith(".part")]
    assert list(dict.fromkeys(parts)) == ["expand", "setup", "block", "next"]


@pytest.mark.parametrize("number", [11, 21])
def test_words_of_a_block_that_a_loop_needs_are_loaded_by_themselves(number: int) -> None:
    """Not only as part of a register of several words; that a loop takes one shows in its body alone."""
    made = simulated("plx:word=64", program(number), Schedule(width=64, blocks=2))
    assert agrees(made.program, made)
