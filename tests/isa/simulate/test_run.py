"""What a program for a simulated processor says of itself."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from finalist import api
from finalist.isa.simulate.run import Session
from finalist.isa.simulate.simulator import Counts
from finalist.isa.target.memory import Place


def test_tables_in_memory() -> None:
    """Blowfish reads four tables of its key, of 256 words of four bytes each."""
    tables = api.compile("blowfish", "plx").tables()
    assert [(table.length, table.bytes, table.size) for table in tables] == [(256, 4, 1024)] * 4


class Simulator:
    """One that only says how much memory it was asked for, and does nothing."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def memory(self, size: int) -> bytearray:
        self.sizes.append(size)
        return bytearray(size)

    def machine(self) -> SimpleNamespace:
        return SimpleNamespace(clear=lambda: None)

    def run(self, entry: str, memory: bytearray, state: object, limit: int | None = None) -> None:
        pass

    def counts(self, state: object) -> Counts:
        return Counts([], {"expand": 5, "setup": 2})


@pytest.mark.parametrize(("size", "behind", "expected"), [(48, 0, 4096 + 48 + 128), (16, 9000, 9000)])
def test_memory_of_a_session(size: int, behind: int, expected: int) -> None:
    """Reaches eight blocks past the data, and to the end of whatever lies behind."""
    places = {"key": Place("key", 64, 1, 16), "data": Place("data", 4096, 1, 0)}
    if behind:
        places["table"] = Place("table", behind - 8, 1, 8)
    simulator, block = Simulator(), SimpleNamespace(block=SimpleNamespace(bytes=16))
    image = SimpleNamespace(places=places)
    program: Any = SimpleNamespace(key_bits=128, simulator=simulator, image=image, program=block)
    session = Session(program, bytes(range(16)), size)
    assert simulator.sizes == [expected]
    assert session.memory[64:80] == bytes(range(16)) and session.key_cycles == 7
    assert session.crypt(b"") == b""
