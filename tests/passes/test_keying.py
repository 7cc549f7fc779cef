"""Full, partial, minimal and zero keying: four programs from one definition (Twofish, section 5.1)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.ir.graph import Graph
from finalist.ir.ops import Op
from finalist.ir.printer import format_graph
from finalist.ir.program import Program
from finalist.language import Table, Word, join, tabulate
from finalist.machines.tracing import traced as trace
from finalist.passes.keying import KEYING, before_fusing, tabulated
from finalist.passes.pipeline import lower
from tests.language.toy import toy, traced
from tests.passes.meaning import keeps_program, operations

BOX = Table([(7 * x + 3) % 256 for x in range(256)], name="box")


@cache
def lowered(depth: str, bits: int = 128) -> Program:
    return lower(trace(cipher("twofish"), "encrypt", bits), keying_depth=depth)


def tables(program: Program) -> list[tuple[int, int]]:
    """Length and width of each array that the key schedule fills by a loop."""
    return [(result.length, result.width) for result in program.expand.results if result.op is Op.RESULT]


def lookups(kernel: Graph) -> list[int]:
    return sorted(node.attr.width for node in operations(kernel, Op.LOOKUP))


def keyed_functions(kernel: Graph) -> int:
    """How many different ones are applied."""
    return len({(node.region, node.inputs[1:]) for node in operations(kernel, Op.APPLY)})


def table_reads(kernel: Graph) -> int:
    """Reads of the expanded key at places that depend on the block."""
    return sum(node.inputs[1].op is not Op.CONST for node in operations(kernel, Op.LOAD))


def test_full() -> None:
    """Four tables of words for the key; a round reads each twice and nothing else."""
    program = lowered("full")
    assert tables(program) == [(256, 32)] * 4
    assert table_reads(program.kernel) == 16 * 8
    assert lookups(program.kernel) == []


def test_partial() -> None:
    """Four tables of bytes for the key, the MDS matrix as fixed tables."""
    program = lowered("partial")
    assert tables(program) == [(256, 8)] * 4
    assert table_reads(program.kernel) == 16 * 8
    assert lookups(program.kernel) == [32] * 16 * 8


def test_minimal() -> None:
    """The tables stop at the last key byte; the last fixed permutation goes into the MDS tables."""
    program = lowered("minimal")
    assert tables(program) == [(256, 8)] * 4
    assert table_reads(program.kernel) == 16 * 8
    assert lookups(program.kernel) == [32] * 16 * 8


def test_zero() -> None:
    """No table of the key: two permutations with key bytes between, for 128-bit keys, then q into MDS."""
    program = lowered("zero")
    assert tables(program) == []
    assert table_reads(program.kernel) == 0
    assert lookups(program.kernel) == [8] * 16 * 8 * 2 + [32] * 16 * 8


def test_four_different_programs() -> None:
    programs = [lowered(depth) for depth in KEYING]
    assert len({format_graph(p.expand) + format_graph(p.kernel) for p in programs}) == 4


def keyed(expand) -> Program:
    def encrypt(block, keys):
        return [join(*(f[x] for f, x in zip(keys, word.bytes(), strict=True))) for word in block]

    return traced(toy(encrypt, expand))


def test_equal_functions_of_equal_keys_are_one_table() -> None:
    program = keyed(lambda key: [tabulate(lambda x: BOX[x] ^ key[0][0:8], 8)] * 4)
    assert keyed_functions(program.kernel) <= 4
    filled = keeps_program(tabulated, program)
    assert len(tables(filled)) == keyed_functions(program.kernel)


def test_functions_that_are_no_chain_are_tabulated_whole() -> None:
    """Minimal keying cuts before the last use of the key; with two ways to it there is no such place."""
    program = keyed(lambda key: [tabulate(lambda x, k=k: BOX[x ^ k] + BOX[x], 8) for k in key[0].bytes()])
    minimal = keeps_program(lambda p: before_fusing(p, "minimal"), program)
    assert tables(minimal) == [(256, 8)] * 4
    assert lookups(minimal.kernel) == []


def test_functions_of_functions_of_the_argument() -> None:
    """What is left to do after the cut may apply a function whose key is the argument: that is no table."""

    def function(key: Word) -> Callable[[Word], Word]:
        return tabulate(lambda x: tabulate(lambda y: BOX[y] + BOX[x], 8)[key], 8)

    program = keyed(lambda key: [function(byte) for byte in key[0].bytes()])
    for depth in KEYING:
        keeps_program(lambda p, depth=depth: tabulated(before_fusing(p, depth)), program)


def test_functions_that_end_with_the_key_are_cut_before_it() -> None:
    program = keyed(lambda key: [tabulate(lambda x, k=k: BOX[x ^ k] ^ k, 8) for k in key[0].bytes()])
    minimal = keeps_program(lambda p: before_fusing(p, "minimal"), program)
    assert lookups(minimal.kernel) == []
    assert table_reads(minimal.kernel) == 16


@pytest.mark.parametrize(
    ("bits", "depth"), [*((bits, depth) for bits in (1, 4, 9) for depth in KEYING), (16, "full")]
)
def test_domains_of_all_sizes(depth: str, bits: int) -> None:
    def encrypt(block, keys):
        (f,) = keys
        return [word ^ f[word[0:bits]].extend(32) for word in block]

    program = traced(toy(encrypt, lambda key: [tabulate(lambda x: ~(x ^ key[0][0:bits]), bits)]))
    keeps_program(lambda p: tabulated(before_fusing(p, depth)), program)
