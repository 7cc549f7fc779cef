"""Which tables go onto the chip."""

from __future__ import annotations

import pytest

from finalist import api
from finalist.ciphers.catalogue import cipher
from finalist.ciphers.rc4 import RC4
from finalist.ir.builder import Builder
from finalist.ir.graph import Graph, Node, TableData
from finalist.ir.ops import Op
from finalist.ir.program import ByteOrder, Layout, Program
from finalist.ir.types import WordType
from finalist.language import Array, Cipher, Table, loop, u32, words
from finalist.machines.plx.model import processor
from finalist.machines.plx.parameters import parsed
from finalist.machines.plx.ptlu.table_placement import BLANK, placed_tables
from finalist.machines.tracing import traced
from finalist.passes.chain import chained
from finalist.passes.pipeline import lower


def table(number: int, entries: int = 256, width: int = 32) -> TableData:
    values = ((x * 2 * number + x) & (1 << width) - 1 for x in range(entries))
    return TableData(tuple(values), width, f"T{number}")


def reading(reads: list[tuple[TableData, int]]) -> Program:
    """A kernel that looks up these bytes of a word in these tables."""
    make = Builder()
    word = make.param("memory", WordType(32), "x")
    total: Node = word
    for one, byte in reads:
        entry = make.make(Op.LOOKUP, (make.slice(word, 8 * byte, one.index_width),), one)
        total = make.make(Op.XOR, (total, make.extend(entry, 32)))
    layout = Layout(1, 32, ByteOrder.LITTLE)
    key = make.param("memory", WordType(32), "k")
    return Program("g", "encrypt", 32, layout, layout, Graph("e", [key], []), Graph("k", [word], [total]))


P = processor(parsed("with=ptlu"))


def test_each_byte_finds_its_table() -> None:
    tables = [table(n) for n in range(1, 5)]
    found = placed_tables(reading([(one, 3 - n) for n, one in enumerate(tables)]), P)
    assert {one.name: found[one].first % 4 for one in tables} == {"T1": 3, "T2": 2, "T3": 1, "T4": 0}


def test_a_table_read_by_several_bytes_is_there_several_times() -> None:
    one = table(1)
    numbers = placed_tables(reading([(one, byte) for byte in range(4)]), P)[one].numbers
    assert sorted(byte for byte, _ in numbers) == [0, 1, 2, 3]
    assert all(number % 4 == byte for byte, number in numbers)


def test_the_most_read_come_first() -> None:
    tables = [table(n) for n in range(1, 12)]
    reads = [(one, 0) for n, one in enumerate(tables) for _ in range(1 + (n == 10))]
    # Equal lookups are one node, so the last table is read once more by another byte.
    found = placed_tables(reading([*reads, (tables[-1], 1)]), P)
    assert len(found) == 8
    assert tables[-1] in found


def test_what_does_not_fit_stays_in_memory() -> None:
    wide = placed_tables(reading([(table(1), 0), (table(2, entries=512), 0), (table(3, entries=16), 1)]), P)
    assert {one.name for one in wide} == {"T1", "T3"}  # type: ignore[union-attr]


def test_blank_tables_where_bytes_are_joined() -> None:
    """A byte from the chip that goes to a join is read past blank tables: those that nothing else wants."""
    found = placed_tables(lower(chained(traced(cipher("rc4"), "encrypt", 128), 4), 32), P)
    (state,) = (what for what in found if what is not BLANK)
    assert sorted([*found[state].all, *found[BLANK].all]) == list(range(8))
    assert BLANK not in placed_tables(chained(traced(cipher("rc4"), "encrypt", 128), 2), P)


class ShortState(RC4):
    """RC4 on a state of sixteen bytes; places past its end begin anew."""

    key_bits = (64,)

    def expand_key(self, key):
        S, K = Array(16, 8, range(0, 256, 16)), Array.holding(key)
        for i in loop(0, 16):
            S[i] = S[i] + K[i]
        return {"S": S, "ij": Array(2, 8)}


@pytest.mark.parametrize("kind", ["with=ptlu", "word=64,with=ptlu", "word=128,with=ptlu"])
def test_what_changes_is_in_a_table_once(kind: str) -> None:
    """A shorter array repeats in a table of the chip; a write would change one of its places."""
    key, message = bytes(range(8)), bytes(40)
    program = api.compile(ShortState, "plx:" + kind)
    assert "ptlw" not in program.text
    assert program.run(key, message).output == api.compile(ShortState, "interpreter").run(key, message).output
    assert "ptlw" in api.compile("rc4", "plx:" + kind).text


FULL = Table([(x * 0x01234567) & 0xFFFFFFFF for x in range(256)], 32)


class ShortIndex(Cipher):
    """Tables of 256 entries read by differences of five bits, which leave more than that in a register."""

    block = words(2, u32)
    key_bits = (64,)

    def expand_key(self, key):
        K, S = Array.holding(key), Array(256, 32)
        for i in loop(0, 256):
            S[i] = (K[0] ^ i) * 0x9E3779B1 + K[1]
        return {"S": S}

    def encrypt(self, block, keys):
        a, b = block
        for n in range(4):
            place = (a[7 * n : 7 * n + 5] - 31).extend(8)
            b = b ^ keys["S"][place] ^ FULL[(place[0:5] - 3).extend(8)] ^ keys["S"][a[5:10] - 7]
            a, b = b, a
        return a, b

    decrypt = encrypt


@pytest.mark.parametrize("kind", ["with=ptlu", "word=64,with=ptlu", "word=128,with=ptlu"])
def test_a_short_index_of_a_long_table_is_masked(kind: str) -> None:
    """Bits above an index may only be left where the table repeats after as many entries."""
    key, message = bytes(range(8)), bytes(range(40))
    program = api.compile(ShortIndex, "plx:" + kind)
    assert "ptlu" in program.text
    expected = api.compile(ShortIndex, "interpreter").run(key, message).output
    assert program.run(key, message).output == expected
