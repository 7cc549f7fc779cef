"""Kernels on bits of bytes side by side: each operation's form, random bytes, ciphers; refusals by name."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from finalist.ciphers import magenta, rijndael
from finalist.ciphers.catalogue import cipher
from finalist.errors import ScheduleError
from finalist.ir.graph import Node, every_node
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.language import gf_matrix, join, rol, rounds, u8, u32, words
from finalist.machines.native import plans
from finalist.machines.native.passes import byteslice
from finalist.machines.native.passes.byteslice import walk
from finalist.machines.tracing import traced as trace
from finalist.passes.analysis import KeyOnly
from finalist.passes.driver import run
from finalist.passes.rounds.roll import rolled
from tests.language.toy import toy, traced
from tests.passes.meaning import keeps_program

BLOCK = words(16, u8)
MIX = gf_matrix([[2, 3], [7, 1]], 0x11B)
S, F = rijndael.S, magenta.f
Bytes = list[Any]


def on_bytes(program: Program) -> Program:
    return run(program, plans.to_bytes())


def with_slots(program: Program, *, period: int = 0) -> Program:
    """All passes that `finalist.machines.native.slices.sliced` runs, but for loops."""
    return run(on_bytes(program), (*plans.on_bytes("lookup=bitslice", period), *plans.FINISH_BYTES))


def cipher_of(step: Callable[[Bytes, Bytes], Bytes], block: Any = BLOCK) -> Program:
    return traced(toy(step, block=block, key_bits=(128,)))


def each(function: Callable[[Any, Any, Any], Any]) -> Callable[[Bytes, Bytes], Bytes]:
    """The function on each byte, its neighbour and a byte of the key."""
    return lambda x, k: [function(x[n], x[(n + 5) % 16], k[3 * n % 16]) for n in range(16)]


FORMS = {
    "nothing": each(lambda a, b, k: a),
    "the key alone": each(lambda a, b, k: k),
    "a constant": each(lambda a, b, k: (a ^ a) + 0x5A),
    "sum": each(lambda a, b, k: a + b),
    "difference with the key": each(lambda a, b, k: k - a),
    "masks": each(lambda a, b, k: (a & b) ^ (a | k) ^ (b & 0x3C)),
    "moves": each(lambda a, b, k: rol(a, 3) ^ (b << 2) ^ ~(a >> 5)),
    "parts": each(lambda a, b, k: join(a[4:8], b[0:4])),
    "lookup": each(lambda a, b, k: S[a ^ k] ^ b),
    "lookups in one another": each(lambda a, b, k: F[a ^ F[b ^ k]]),
    "constants where one table is read": lambda x, k: [S[a ^ n * n] for n, a in enumerate(x)],
    "two tables": lambda x, k: [(S, F)[n % 3 == 1][a] for n, a in enumerate(x)],
    "some bytes": lambda x, k: [S[a] if n % 5 < 2 else a for n, a in enumerate(x)],
    "a byte taken often": lambda x, k: [S[x[0]] ^ a for a in x],
    "a sum taken often": lambda x, k: [S[x[0] ^ x[1] ^ x[2]] ^ (x[0] ^ x[1] ^ x[2]) ^ S[a] for a in x],
    "more than fill a pack": lambda x, k: [S[a] ^ S[a ^ 7] ^ S[rol(a, 1)] for a in x],
    "linear": lambda x, k: [y for n in range(0, 16, 2) for y in MIX(S[x[n]], x[n + 1])],
    "linear by places": lambda x, k: [S[a] & (0xF3, 0xFC, 0x3F)[n % 3] for n, a in enumerate(x)],
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form(form: str) -> None:
    keeps_program(with_slots, cipher_of(FORMS[form]))


def drawn(seed: int) -> Callable[[Bytes, Bytes], Bytes]:
    """Three rounds of operations on random bytes."""
    numbers = random.Random(seed)

    def one(x: Bytes, k: Bytes) -> Any:
        a, b = numbers.choice(x), numbers.choice(x)
        key = numbers.choice(k)
        return numbers.choice(
            [
                lambda: S[a],
                lambda: a ^ b,
                lambda: a ^ b ^ key,
                lambda: F[a ^ b],
                lambda: a + b,
                lambda: MIX(a, b)[0],
                lambda: rol(a, 3) ^ 0x55,
                lambda: (a & b) - key,
            ]
        )()

    def encrypt(x: Bytes, k: Bytes) -> Bytes:
        for _ in rounds(3):
            x = [one(x, k) for _ in range(16)]
        return x

    return encrypt


@pytest.mark.parametrize("period", [0, 1])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.every(2)
def test_random_bytes(seed: int, period: int) -> None:
    keeps_program(lambda program: with_slots(program, period=period), cipher_of(drawn(seed)), seed)


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize("period", [0, 1])
@pytest.mark.parametrize("name", ["rijndael"])
@pytest.mark.every(2)
def test_ciphers(name: str, operation: str, period: int) -> None:
    keeps_program(lambda program: with_slots(program, period=period), trace(cipher(name), operation, 192))


def operations_of(program: Program) -> list[Node]:
    return [node for node in program.kernel.body if node.op not in (Op.SLICE, Op.JOIN, Op.LOAD)]


@pytest.mark.check
def test_a_round_of_rijndael_moves_two_words_a_bit() -> None:
    """Where the S-boxes of the next round are, ShiftRows costs nothing, but after the last round."""
    made = with_slots(trace(cipher("rijndael"), "encrypt", 128))
    moves = [node for node in operations_of(made) if node.op in (Op.LINEAR, Op.ROL)]
    assert len(moves) == 8 * (2 * 9 + 1)


def test_all_bytes_of_a_step_are_one_pack() -> None:
    """MAGENTA has 24 S-boxes one after the other in a round, also where half of it is known with the key."""
    words_ = on_bytes(trace(cipher("magenta"), "encrypt", 128))
    packs = walk._Walk(words_, period=0).packs
    assert sum(1 for pack in packs.all if pack.kind[0] is Op.LOOKUP) == 24 * 6


def test_rounds_alike_are_a_loop() -> None:
    made = byteslice.run(on_bytes(trace(cipher("rijndael"), "encrypt", 128)), "x", period=1)
    loops = [node for node in every_node(rolled(made.kernel)) if node.op is Op.LOOP]
    assert [loop.inputs[1].attr - loop.inputs[0].attr for loop in loops] == [8]


def test_no_work_on_the_key_is_left() -> None:
    made = with_slots(cipher_of(FORMS["lookup"]))
    key_only = KeyOnly()
    assert {node.op for node in made.kernel.body if key_only(node)} == {Op.LOAD}


def test_a_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests must be able to fail: a move the wrong way round."""
    right = walk._Walk._moved
    monkeypatch.setattr(
        walk._Walk, "_moved", lambda self, word, move: right(self, word, tuple(reversed(move)))
    )
    with pytest.raises(AssertionError):
        keeps_program(with_slots, cipher_of(FORMS["lookup"]))


@pytest.mark.parametrize(
    ("step", "block", "reason"),
    [
        (lambda x, k: x, words(4, u8), r"its block is 4 words of 8 bits"),
        (lambda x, k: [*x[1:], x[0] * x[1]], BLOCK, r"mul has no form on bits of bytes side by side"),
        (lambda x, k: [x[0] + x[1], *x[1:]], words(4, u32), r"has no form"),
    ],
)
def test_refusals(step: Callable[[Bytes, Bytes], Bytes], block: Any, reason: str) -> None:
    program = traced(toy(step, block=block, key_bits=(128,)))
    with pytest.raises(ScheduleError, match=rf"blocks=16 is not legal for toy: .*{reason}"):
        byteslice.run(on_bytes(program), "blocks=16")
