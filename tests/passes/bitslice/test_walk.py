"""Kernels on bits: each operation's form, random programs, ciphers; refusals by name."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.types import WordType
from finalist.language import (
    LITTLE,
    Table,
    gf_matrix,
    join,
    mulhi,
    rol,
    ror,
    select,
    u8,
    u32,
    words,
)
from finalist.machines.native.passes.rounds.nested import with_inner_rounds
from finalist.machines.native.passes.rounds.order import ordered
from finalist.machines.tracing import traced as trace
from finalist.passes import bitslice, complements, hoist, keying, simplify
from finalist.passes.analysis import KeyOnly
from finalist.passes.bitslice import keys, sboxes
from finalist.passes.pipeline import key_bit_passes, word_passes
from finalist.passes.rounds.roll import natural_period, rolled
from tests.graphs import Shape, programs
from tests.language.toy import toy, traced
from tests.passes.meaning import keeps_program, operations

BLOCK = words(4, u32, LITTLE)
SMALL = Table([(5 * x + 3) % 16 for x in range(16)], width=4, name="S")
WIDE = Table([x * 0x9E3779B1 & 0xFFFFFFFF for x in range(16)], width=32, name="W")
MIX = gf_matrix([[2, 3, 1, 1], [1, 2, 3, 1], [1, 1, 2, 3], [3, 1, 1, 2]], 0x11B)

FORMS = {
    "sum": lambda a, b, k: a + b,
    "difference": lambda a, b, k: a - b,
    "negative": lambda a, b, k: -a,
    "with the key": lambda a, b, k: (a + k) - (b & k),
    "multiple": lambda a, b, k: a * 11 + 7 * b,
    "comparison": lambda a, b, k: select(a < b, a, k) ^ select(a == b, b, a),
    "moves": lambda a, b, k: (a << 5) ^ (b >> 3) ^ rol(a, 7) ^ ror(b, 9),
    "moves by words": lambda a, b, k: rol(a, b) ^ (b >> (a & 63)) ^ ror(a, k) ^ (a << b[0:6]),
    "parts": lambda a, b, k: join(a[3:9], b[0:20], a[31], ~b[7:12]),
    "lookups": lambda a, b, k: join(*(SMALL[a[n : n + 4]] for n in range(0, 32, 4))) ^ WIDE[(b ^ k)[4:8]],
    "linear": lambda a, b, k: join(*MIX(a[0:8], b[0:8], a[8:16], (b ^ k)[24:32])),
}


def on_words(program: Program) -> Program:
    return hoist.run(keying.before_fusing(simplify.run(program), "zero"))


@pytest.mark.parametrize("name", FORMS)
def test_forms(name: str) -> None:
    form = FORMS[name]
    definition = toy(lambda block, key: [form(block[0], block[1], key[0]), *block[1:]])
    after = keeps_program(bitslice.run, on_words(traced(definition)), seed=3)
    key_only = KeyOnly()
    for node in after.kernel.body:
        if not key_only(node) and node.op not in (Op.JOIN, Op.LOOKUP):
            assert node.type == WordType(1), f"{node} is no bit"


#: Operations that all have a form; widths with and without a power of two.
ON_BITS = Shape(
    frozenset(
        {Op.AND, Op.OR, Op.XOR, Op.NOT, Op.ADD, Op.SUB, Op.ROL, Op.ROR, Op.SHL, Op.SHR, Op.EQ, Op.LT}
        | {Op.SELECT, Op.SLICE, Op.JOIN, Op.EXTEND, Op.LINEAR, Op.BOOL}
    ),
    (32, 8, 5),
)


@given(programs(ON_BITS))
@settings(deadline=None, max_examples=15)
def test_random_programs(program: Program) -> None:
    """Bits, complements in the key, reads of the key's bits, gates: each means what went before."""
    program = keeps_program(bitslice.run, on_words(program))
    for step in key_bit_passes(moved=True):
        program = keeps_program(step, program)
    keeps_program(lambda p: p.with_graphs(p.expand, sboxes.with_gates(p.kernel)), program)


@pytest.mark.parametrize(("name", "moved"), [("des", True), ("des", False), ("rijndael", True)])
@pytest.mark.every(3)
def test_ciphers(name: str, moved: bool) -> None:
    definition = cipher(name)
    operation = "encrypt" if moved else "decrypt"
    program = trace(definition, operation, definition.usual_key_bits())
    for step in word_passes():
        program = keeps_program(step, program)
    period = natural_period(program.kernel)
    program = keeps_program(bitslice.run, program)
    for step in key_bit_passes(moved=moved):
        program = step(program)
    for step in (lambda g: rolled(g, period), ordered, sboxes.with_gates):
        program = keeps_program(lambda p, step=step: p.with_graphs(p.expand, step(p.kernel)), program)
    assert len(operations(program.kernel, Op.LOOP)) == 1
    assert not operations(program.kernel, Op.LOOKUP)


def test_nothing_but_the_key_is_complemented_where_complements_move() -> None:
    program = trace(cipher("des"), "encrypt", 64)
    for step in word_passes():
        program = step(program)
    after = keys.run(complements.run(bitslice.run(program)))
    assert not operations(after.kernel, Op.NOT)


@pytest.mark.parametrize(
    ("encrypt", "reason"),
    [
        (lambda block, key: [block[0] * block[1], *block[1:]], r"a product of words has no form on bits"),
        (lambda block, key: [mulhi(block[0], 3), *block[1:]], r"mulhi has no form on bits"),
        (lambda block, key: [block[0] % 3, *block[1:]], r"rem has no form on bits"),
        (
            lambda block, key: [BIG_TABLE[block[0][0:14]].extend(32), *block[1:]],
            r"a table of 16384 entries has no circuit",
        ),
    ],
)
def test_refusals_name_the_operation_and_the_line(encrypt, reason: str) -> None:
    with pytest.raises(ScheduleError, match=rf"planes=32 is not legal for toy: .*({reason}).*\.py:\d+"):
        bitslice.run(on_words(traced(toy(encrypt))), "planes=32")


BIG_TABLE = Table([x & 255 for x in range(16384)], width=8, name="B")


def test_reads_at_places_that_depend_on_the_block() -> None:
    program = on_words(trace(cipher("blowfish"), "encrypt", 128))
    with pytest.raises(ScheduleError, match=r"a load at a place that depends on the block.*blowfish\.py:\d+"):
        bitslice.run(program)


def test_states_have_no_form() -> None:
    with pytest.raises(ScheduleError, match="lookup=bitslice is not legal for rc4: its blocks hand a state"):
        bitslice.run(trace(cipher("rc4"), "encrypt", 128))


def test_complemented_circuits_cost_the_key_nothing() -> None:
    """A table whose circuit is smaller for a complemented result: the complement ends in the next key."""
    odd = Table([(5 * x + 3) % 16 ^ 15 for x in range(16)], width=4, name="S")

    def encrypt(block, key):
        substituted = join(*(odd[block[0][n : n + 4]] for n in range(0, 32, 4)))
        return [substituted ^ key[0], *block[1:]]

    program = bitslice.run(on_words(traced(toy(encrypt))))
    after = keys.run(complements.run(program))
    assert not operations(after.kernel, Op.NOT)


def test_bytes_are_words_too() -> None:
    definition = toy(lambda block, key: [block[1] + 3, block[0] ^ key[0]], block=words(2, u8), key_bits=(16,))
    keeps_program(bitslice.run, traced(definition))


def test_inner_rounds_keep_the_meaning() -> None:
    program = trace(cipher("deal"), "encrypt", 128)
    for step in word_passes():
        program = step(program)
    within = keeps_program(lambda p: p.with_graphs(p.expand, with_inner_rounds(p.kernel)), program)
    assert len(within.kernel.rounds) == 6
    assert min(count for _, count in within.kernel.rounds) >= 14
