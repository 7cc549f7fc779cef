"""Kernels as instructions: whatever way a definition says it, and nothing that is only almost the same."""

from __future__ import annotations

import numpy as np
import pytest

from finalist.ciphers.catalogue import cipher
from finalist.errors import MatchError
from finalist.ir.execute import interpret
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.language import Cipher, Table
from finalist.language.definition import OPERATIONS, trace
from finalist.machines.native.whole_blocks.matched import instructions
from finalist.passes import simplify
from finalist.passes.matching import kernel
from finalist.passes.rounds.roll import rolled
from tests.catalogue import USUAL
from tests.graphs import bytes_for
from tests.language.toy import toy
from tests.passes.matching.aes import BOX, SI, Columns, S, varied
from tests.passes.meaning import keeps_program, operations

AES = cipher("rijndael")
OURS = [(AES, bits, operation) for bits in (128, 192, 256) for operation in OPERATIONS]
THEIRS = [
    *((Columns, bits, operation) for bits in (128, 192, 256) for operation in OPERATIONS),
    (varied(), 128, "encrypt"),
]


def matched(program: Program) -> Program:
    """The program with its kernel matched, which means the same, run by the interpreter."""
    return keeps_program(lambda p: kernel.run(simplify.run(p), instructions()), program)


def names(program: Program) -> list[str]:
    """The instructions on the block, in order."""
    chain, state = [], program.kernel.results[0].inputs[0]
    while state.op is Op.INSTRUCTION:
        chain.append(str(state.attr))
        state = state.inputs[0]
    return chain[::-1]


@pytest.mark.parametrize(("definition", "bits", "operation"), OURS + THEIRS)
@pytest.mark.every(2)
def test_a_round_is_an_instruction(definition: type[Cipher], bits: int, operation: str) -> None:
    program = matched(trace(definition, operation, bits))
    way = "aesenc" if operation == "encrypt" else "aesdec"
    assert names(program) == ["pxor", *[way] * (bits // 32 + 5), f"{way}last"]
    assert not operations(program.kernel, Op.LOOKUP) + operations(program.kernel, Op.LINEAR)


@pytest.mark.parametrize("definition", [Columns, varied()])
def test_other_ways_to_say_it_are_the_same_cipher(definition: type[Cipher]) -> None:
    own, other = trace(AES, "encrypt", 128), trace(definition, "encrypt", 128)
    keys, data = bytes_for(own, 4)
    assert np.array_equal(interpret(own, keys, data), interpret(other, keys, data))


def test_a_map_of_round_keys_is_an_instruction_too() -> None:
    program = matched(trace(AES, "decrypt", 128))
    assert [str(n.attr) for n in operations(program.kernel, Op.INSTRUCTION)].count("aesimc") == 9


def test_rounds_are_rolled() -> None:
    program = matched(trace(AES, "encrypt", 256))
    looped = keeps_program(lambda p: p.with_graphs(p.expand, rolled(p.kernel)), program)
    (loop,) = operations(looped.kernel, Op.LOOP)
    assert [str(n.attr) for n in loop.region.body if n.op is Op.INSTRUCTION] == ["aesenc"]
    assert loop.inputs[1].attr == 13


# -- what is not quite the same -------------------------------------------------------------------------


def changed(table: list[int], place: int) -> Table:
    """The table with one entry changed."""
    return Table([value ^ (k == place) for k, value in enumerate(table)])


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (varied(box=changed(BOX, 0x53)), "no table of it is the S-box of an instruction"),
        (varied(box=changed(BOX, 0)), "no table of it is the S-box of an instruction"),
        (varied(box=SI), "what its S-boxes take is not what an instruction makes"),
        (varied(rows=(0, 1, 2, 2)), "a layer of it is not 16 times the S-box|not what an instruction makes"),
        (varied(rows=(0, 1, 3, 2)), "what its S-boxes take is not what an instruction makes"),
        (varied(rows=(1, 2, 3, 0)), "what it does after its last S-boxes is not what an instruction does"),
        (varied(matrix=(2, 3, 1, 5)), "what its S-boxes take is not what an instruction makes"),
        (varied(matrix=(2, 1, 1, 3)), "what its S-boxes take is not what an instruction makes"),
    ],
)
def test_what_differs_in_one_place_does_not_match(other: type[Cipher], reason: str) -> None:
    with pytest.raises(MatchError, match=reason):
        kernel.run(simplify.run(trace(other, "encrypt", 128)), instructions())


@pytest.mark.parametrize("r", [1, 2, 9, 10])
def test_one_bit_of_the_matrix_is_seen(r: int) -> None:
    with pytest.raises(MatchError, match="is not what an instruction"):
        kernel.run(simplify.run(trace(varied(flipped=r), "encrypt", 128)), instructions())


@pytest.mark.parametrize("name", [name for name in USUAL if name != "rijndael"])
@pytest.mark.every(2)
def test_no_other_cipher_matches(name: str) -> None:
    definition = cipher(name)
    with pytest.raises(MatchError):
        kernel.run(simplify.run(trace(definition, "encrypt", definition.usual_key_bits())), instructions())


def test_reasons_name_the_line() -> None:
    def encrypt(block, keys):
        a, b, c, d = (S[x[0:8]].extend(32) for x in block)
        return [a + b, b ^ c, c, d]

    with pytest.raises(
        MatchError, match=r"add is neither affine nor a matching S-box \(.*test_kernel.py:\d+\)"
    ):
        kernel.run(simplify.run(trace(toy(encrypt), "encrypt", 128)), instructions())


def test_few_lookups_are_no_layer() -> None:
    def encrypt(block, keys):
        return [S[block[0][0:8]].extend(32) ^ block[1], *block[1:]]

    with pytest.raises(MatchError, match="a layer of it is not 16 times the S-box of an instruction"):
        kernel.run(simplify.run(trace(toy(encrypt), "encrypt", 128)), instructions())
