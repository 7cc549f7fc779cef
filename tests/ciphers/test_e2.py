"""E2: its S-box, the parts of its round function, its subkeys."""

from __future__ import annotations

import pytest

from finalist.ciphers.e2 import BP, E2, BP_inverse, F, P, S, divide, multiply, s
from tests.ciphers.values import digest, keys_of, of_bytes, same, shown, tracing

COUNT = bytes(range(32)).hex()

#: K_1, K_2, K_13 and K_16 for the first bytes of 00 01 02 ...
SUBKEYS = {
    128: [
        "39408322c386e39003a41f6033d8d552",
        "e522d1620cd472a5396fa9c41bcdc197",
        "40828c00658cfb319385586d5a2703f6",
        "b9c5b2688999afb1e16ace074f14b20a",
    ],
    192: [
        "d8363177e6c2aa7b10435089c5d7e71f",
        "0f7f2932a55d51024b9aba171ff087df",
        "2cd0f9da340805abcf5bada34945add1",
        "3e2938b9da345526f31eb8088a2df41e",
    ],
    256: [
        "835c354df329389bb6182eac69cc6bdd",
        "ae42109ce8b8a37a2ce022cb54c02eca",
        "2cd7d1a3372aca3d69cc64fc2254777c",
        "b280ec2e81cacb73b7acf1e98db34d08",
    ],
}


def test_box() -> None:
    assert bytes(s.data.values[:8]).hex() == "e1423e814e179efd"
    assert digest(s) == "7fd3443c1d4bf557"


def test_layers() -> None:
    with tracing():
        assert shown(P(of_bytes("0102040810204080"))) == "7eeddbb73b67ce9d"
        v = S(S(S(of_bytes("0123456789abcdef"))))
        assert (shown(v), shown(S(v))) == ("582ed33084499eb8", "eccf57092e5000d8")
        assert shown(F(of_bytes(COUNT[:16]), of_bytes(COUNT[:32]))) == "3f2cda6dc1ac14b4"
        block = of_bytes(COUNT[:32])
        assert shown(BP(block)) == "00050a0f04090e03080d02070c01060b"
        assert same(BP_inverse(BP(block)), block)


def test_division_undoes_multiplication() -> None:
    with tracing():
        block, key = of_bytes(COUNT[:32]), of_bytes(SUBKEYS[128][0])
        assert not same(multiply(block, key), block)
        assert same(divide(multiply(block, key), key), block)


@pytest.mark.parametrize("bits", SUBKEYS)
def test_subkeys(bits: int) -> None:
    with tracing():
        K = keys_of(E2, COUNT[: bits // 4])
        assert [shown(K[n - 1]) for n in (1, 2, 13, 16)] == SUBKEYS[bits]


def test_subkeys_of_decryption() -> None:
    with tracing():
        K, D = keys_of(E2, COUNT[:32]), keys_of(E2, COUNT[:32], "decrypt")
        assert same(D, [K[n - 1] for n in (12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 16, 15, 14, 13)])
