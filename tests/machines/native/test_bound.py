"""What a program has to do at the very least is never more than what is written for it."""

from __future__ import annotations

import finalist
from finalist.language import Cipher, Table, rounds, u8, words
from finalist.machines.native.bound import SCALAR_A_CYCLE, VECTOR_A_CYCLE, Work, least_setup
from finalist.machines.native.run import NativeProgram
from finalist.passes.inversions import inverses
from finalist.schedule import schedule_of

ROUNDS = 4
SQUARES = Table([x * x * 7 + x & 255 for x in range(256)], width=8, name="Q")
INVERSES = Table(list(inverses()), width=8, name="I")


def work(table: Table, **choices: int | str) -> Work:
    return made(table, **choices).work


def made(table: Table, **choices: int | str) -> NativeProgram:
    class Toy(Cipher):
        """One lookup a byte and round."""

        block = words(16, u8)
        key_bits = (128,)

        def expand_key(self, key):
            return key

        def encrypt(self, block, key):
            state = list(block)
            for _ in rounds(ROUNDS):
                state = [table[byte] ^ k for byte, k in zip(state, key, strict=True)]
            return state

        decrypt = encrypt

    program = finalist.compile(Toy, "native", "encrypt", 128, schedule_of(**choices))
    assert isinstance(program, NativeProgram)
    return program


def test_no_more_than_a_lookup_and_a_sum_is_counted() -> None:
    found = work(SQUARES, blocks=1, width=1)
    assert ROUNDS < found.operations <= 2 * ROUNDS
    assert found.least_cycles == found.operations / SCALAR_A_CYCLE


def test_blocks_one_after_the_other_are_all_counted() -> None:
    one, eight = (finalist.compile("rc4", "native", blocks=blocks).work for blocks in (1, 8))
    assert 0.8 * one.operations < eight.operations <= one.operations


def test_permutes_are_counted_by_their_rows() -> None:
    """16 rows, and what chooses between them, for all lanes at once."""
    found = work(SQUARES, lookup="permute", word=8, width=256)
    assert found.operations == ROUNDS * (31 + 1) / 32
    assert found.least_cycles == found.operations / VECTOR_A_CYCLE


def test_what_one_permute_does_is_counted_once() -> None:
    """Inversion is a few permutes of one row each, whose index has eight bits all the same."""
    found = work(INVERSES, lookup="permute", word=8, width=256)
    assert found.operations < ROUNDS * 31 / 32


def test_masks_of_the_keys_bits_are_made_eight_at_a_time() -> None:
    """Of a key schedule that else stores 16 bytes."""
    assert least_setup(made(SQUARES, lookup="bitslice").program) == (16 + 8 * 16) / SCALAR_A_CYCLE
