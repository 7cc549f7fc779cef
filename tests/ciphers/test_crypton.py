"""CRYPTON, both versions: S-boxes, the parts of a round, round keys and first rounds."""

from __future__ import annotations

import pytest

from finalist.ciphers import crypton_v1
from finalist.ciphers.crypton_v05 import S0, S1, CryptonV05, gamma, phi, pi, rho, sigma, tau
from finalist.ciphers.crypton_v1 import CryptonV1
from tests.ciphers.values import digest, keys_of, of_words, same, shown, tracing

KEY = bytes(range(32)).hex()
VERSIONS = [CryptonV05, CryptonV1]
STATE = "01234567 89abcdef 02468ace 13579bdf"

#: The first two round keys (without what version 1.0 adds to them), K_11, K_12, phi of K_12, D_1.
EXPANDED = {
    ("crypton-v05", 128): (
        "4d049eea 14b9d442 395f4cbc c926dfd8",
        "26172e65 8940981f bd9533c3 549618b9",
        "7033023b 9215834a 8026d6a8 12b35e9c",
        "b4c0672e c15701ac 66961375 cacddc33",
        "bb0e59d1 76ebbe18 a000c7f1 e4113a27",
        "48497209 dc19cf44 c07c5e3a 30fd5ff1",
    ),
    ("crypton-v05", 192): (
        "bd90a974 37a8bed7 4160a698 454b2816",
        "adc7a881 465e7132 f7e3801c ee7d4931",
        "94b8d2bd 7b384c54 f69509e2 433be477",
        "835e97ba abc222bd 8cb26b4a 3d03505e",
        "667f42ab 197754cc 51b7a55c 406f2d32",
        "d9b7dff2 2723035c 0a527dad 18cc9ca3",
    ),
    ("crypton-v05", 256): (
        "c0a04f75 ac1954f9 0428d33b c1b211d4",
        "7906a058 b827fe66 c82b38a2 45fabb08",
        "4d6c13b5 f46cb22d 3e2db7dd b1024ff0",
        "655fea8a 41ecb90c f9112e02 04c1d4a7",
        "00f49d33 e5701598 cde51af6 365362b1",
        "08bbd2e6 e639a37b 475c86e4 7e0d80ff",
    ),
    ("crypton-v1", 128): (
        "5a9b4fc2 1056f0b5 15941f90 4420a87f",
        "8a74b01a a6eff296 66eb50ab fd9751c7",
        "11e6d4bb e1bcab44 6d26eda4 25d15516",
        "2726a377 decb8769 537e2e7a 5fbff821",
        "f2f6b263 54313ea0 274b1207 4025d68a",
        "0c6a41bf 4add3217 276ea7ec e262a196",
    ),
    ("crypton-v1", 192): (
        "31e4986c 9af2fd22 7d424394 41791b99",
        "1d2b96d9 1a89c57f 4a1349fc b301a41e",
        "677571c6 11597ccd a6409e3a aa4020d4",
        "e266251a 45dfe2a7 2ca98011 752dcc7f",
        "d15d9ea9 383a8c51 3c899435 84971ee6",
        "40e0d2d7 e421b884 18cc60f6 06789efe",
    ),
    ("crypton-v1", 256): (
        "ebd537f1 82e5745f cfbf848d 2ed06969",
        "f66ec223 45bb5636 dbc376db 88771733",
        "2cbbec2a afa32dd8 5363a7ae a7b352cd",
        "9ef70ec5 8662446e 1d061dcb 1571ea8a",
        "641f74ad a880688e 18c3d4c2 3e96c16d",
        "79bef96f 5518e652 565faa9a cc143a69",
    ),
}


def test_boxes_of_v05() -> None:
    assert (digest(S0), digest(S1)) == ("d889d7e70cb82ac3", "5c3849426d48fa03")


def test_boxes_of_v1() -> None:
    involution = [crypton_v1.box(x) for x in range(256)]
    assert [involution[y] for y in involution] == list(range(256))
    assert [digest(box) for box in CryptonV1.S] == [
        "b758baacfad8c5ba",
        "e3423f763e50c4cb",
        "de37b38db4a01eb9",
        "dbe75068a4e84ed6",
    ]
    assert crypton_v1.CE[:3] == [0xA54FF53A, 0xE1BEE8AC, 0x1E2DDC1E]


def turned(x: int, n: int) -> int:
    return (x << n | x >> (8 - n)) & 0xFF


def test_inverse_boxes_of_v1_turn_the_argument() -> None:
    for box, n in zip(CryptonV1.S[2:], (1, 3), strict=True):
        assert [box.data.values[turned(x, n)] for x in range(256)] == [crypton_v1.box(x) for x in range(256)]


@pytest.mark.parametrize("s", [0, 1, 2])
def test_involutions(s: int) -> None:
    with tracing():
        A = of_words(STATE)
        assert same(pi(pi(A, s), s), A)
        assert same(tau(tau(A)), A)
        assert same(phi(phi(A, s), s), A)
        assert same(phi(of_words("ab" * 4 + " 00000000" * 3), s)[:1], of_words("ab" * 4))


@pytest.mark.parametrize("cipher", VERSIONS)
def test_gamma_is_undone_by_gamma_shifted(cipher: type[CryptonV05]) -> None:
    """The inverse boxes stand d places on, so that decryption needs no others."""
    with tracing():
        A = of_words(STATE)
        for s in (0, cipher.d):
            assert same(gamma(gamma(A, cipher.S, s), cipher.S, s + cipher.d), A)


@pytest.mark.parametrize("bits", [128, 192, 256])
@pytest.mark.parametrize("cipher", VERSIONS)
def test_round_keys(cipher: type[CryptonV05], bits: int) -> None:
    first, k1, k11, k12, transformed, d1 = EXPANDED[cipher.name(), bits]
    with tracing():
        K = keys_of(cipher, KEY[: bits // 4])
        if cipher is CryptonV1:
            added = [crypton_v1.CE[0] ^ mc for mc in crypton_v1.MC]
            assert shown(sigma(K[0], added)) == first
        else:
            assert shown(K[0]) == first
        assert [shown(k) for k in (K[1], K[11], phi(K[12], cipher.d), K[12])] == [k1, k11, k12, transformed]
        D = keys_of(cipher, KEY[: bits // 4], "decrypt")
        assert (shown(D[0]), shown(D[1])) == (transformed, d1)
        assert same(D[12], K[0])


@pytest.mark.parametrize(
    ("cipher", "states"),
    [
        (
            CryptonV05,
            [
                "4e069fea 13bfd146 325545b4 c628d2d4",
                "29bfe2e2 9edeb3ef 607007f1 2db2bdb6",
                "d7655c50 5b3e6b40 f67f5790 ce6e4a44",
            ],
        ),
        (
            CryptonV1,
            [
                "507a1754 eb4659d2 09635110 8b04352c",
                "04a932dd 6e1a43b1 5d048b14 58d7865c",
                "cc378dac fc95b576 686080ce 9e70bb0f",
            ],
        ),
    ],
)
def test_first_rounds(cipher: type[CryptonV05], states: list[str]) -> None:
    with tracing():
        K = keys_of(cipher, KEY[:32])
        A = [sigma(of_words("03020100 07060504 0b0a0908 0f0e0d0c"), K[0])]
        for r in (1, 2):
            A.append(rho(A[-1], cipher.S, cipher(128).shift(r), K[r]))
        assert [shown(state) for state in A] == states
