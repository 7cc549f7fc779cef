"""MAGENTA: its S-box, and the submission's first round and states."""

from __future__ import annotations

from finalist.ciphers.magenta import MAGENTA, PI, E, S, T, f, xor
from tests.ciphers.values import digest, keys_of, of_bytes, shown, tracing

KEY = bytes(range(255, 239, -1)).hex()
BLOCK = bytes(range(16)).hex()
#: What the rounds make of the block, the left half first.
STATES = [
    "08090a0b0c0d0e0fc992764cbc9e3a98",
    "c992764cbc9e3a982dbcae6463fda6f7",
    "2dbcae6463fda6f7e10be7b0127ac077",
    "e10be7b0127ac0775fe8922810a1740e",
    "5fe8922810a1740e0909105491f0ef3d",
    "0909105491f0ef3d363eae828a504e2b",
]


def test_box() -> None:
    assert f.data.values[:10] == (1, 2, 4, 8, 16, 32, 64, 128, 0x65, 0xCA)
    assert (f.data.values[254], f.data.values[255]) == (0xB2, 0)
    assert [x for x in range(256) if f.data.values[x] == x] == [161]
    assert digest(f) == "8342717aac40b833"


def test_first_round_function() -> None:
    with tracing():
        X = of_bytes(BLOCK[16:] + KEY[:16])
        assert shown(PI(X)) == "6524e8c27b6b9f5539ab09971f92d0f7"
        C1 = T(X)
        assert shown(C1) == "656781b8f5e701343f61d1b16df16147"
        assert shown(T(xor(X, S(C1)))) == "c119e5e3b676f33cc7447c3f33b6ec44"
        assert shown(E(X)) == "c993744fb89b3c9f"


def test_rounds() -> None:
    with tracing():
        l, r = of_bytes(BLOCK[:16]), of_bytes(BLOCK[16:])
        states = []
        for key in keys_of(MAGENTA, KEY):
            l, r = r, xor(l, E(r + key))
            states.append(shown(l + r))
        assert states == STATES


def test_the_order_of_the_keys_is_a_palindrome() -> None:
    for size in (16, 24, 32):
        with tracing():
            keys = [shown(part) for part in keys_of(MAGENTA, bytes(range(size)).hex())]
            assert keys == keys[::-1]
            assert len(keys) == (8 if size == 32 else 6)
