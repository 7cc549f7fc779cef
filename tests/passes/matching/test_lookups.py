"""Lookups in a key schedule as instructions."""

from __future__ import annotations

import pytest

from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.language import Table, join, rol
from finalist.machines.native.whole_blocks.matched import instructions
from finalist.passes.matching import lookups
from finalist.passes.matching.lookups import _sources
from tests.language.toy import toy, traced
from tests.passes.matching.aes import BOX, SI, TE, S
from tests.passes.meaning import keeps_program, operations


def without(expand) -> Program:
    cipher = toy(lambda block, K: [x ^ k for x, k in zip(block, K, strict=True)], expand)
    return keeps_program(lambda p: lookups.run(p, instructions()), traced(cipher))


@pytest.mark.parametrize("table", [S, SI, *TE, Table([a * 3 % 256 ^ 5 for a in BOX], width=32)])
def test_the_bytes_of_a_word_are_one_instruction(table: Table) -> None:
    def expand(key):
        parts = [table[byte].extend(32) for byte in key[0].bytes()]
        return [parts[0] ^ rol(parts[1], 8) ^ rol(parts[2], 16) ^ rol(parts[3], 24), *key[1:]]

    program = without(expand)
    known = table is S or table is SI or table in TE
    assert len(operations(program.expand, Op.INSTRUCTION)) == (1 if known else 0)
    assert bool(operations(program.expand, Op.LOOKUP)) is not known


def test_a_byte_that_is_no_part_of_a_word() -> None:
    def expand(key):
        return [S[key[0][0:8] + key[1][3:11]].extend(32), *key[1:]]

    assert not operations(without(expand).expand, Op.LOOKUP)


def test_a_program_without_such_tables_stays() -> None:
    other = Table([x * x % 257 % 256 for x in range(256)])
    cipher = toy(
        lambda block, K: [block[0] ^ K[0], *block[1:]],
        lambda key: [join(*(other[b] for b in key[0].bytes()))],
    )
    program = traced(cipher)
    assert lookups.run(program, instructions()).expand is program.expand


def test_only_rounds_that_move_bytes_serve() -> None:
    found = {str(r.instruction): _sources(r, 4) for r in instructions().rounds}
    straight = {0: 0, 1: 1, 2: 2, 3: 3}
    assert found == {"aesenc": None, "aesenclast": straight, "aesdec": None, "aesdeclast": straight}
