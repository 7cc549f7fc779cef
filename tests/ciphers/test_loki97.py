"""LOKI97: its boxes, its round function, the submission's subkeys and first rounds."""

from __future__ import annotations

import pytest

from finalist.ciphers import loki97
from finalist.ciphers.loki97 import LOKI97, S1, S2, P, f
from tests.ciphers.values import digest, keys_of, of_words, shown, tracing

COUNT = bytes(range(32)).hex()
#: SK[1], SK[2], SK[3] and SK[48] for the first bytes of 00 01 02 ...
SUBKEYS = {
    128: "4aa6f5ecc209bb0f 9b02a6011660c205 fd533f630034fa61 79d219ec8cd0fac4",
    192: "f3805605847c216d c8695a64b2e25905 4a985b410a8524ef 49ecfd3e3ee92857",
    256: "ecb82110452bf90a 592cd965e4168e33 1a8e5818a655138c f9539b20f3944405",
}
#: Left and right half after the first, the second and the last round on 00 01 .. 0f.
ROUNDS = {
    128: {
        1: "50033f5ace4bc37f 1513de87d5fedbc4",
        2: "fd6249b07c498990 37ad81cef1d33e77",
        16: "44e4190cb2057622 f65cf3b53c5c7d3a",
    },
    192: {
        1: "4621bb519b0e546b 12ebcb7aedd4f7c4",
        2: "851b7a65ab5b8da9 6b18c92078d86151",
        16: "63c6d47da2aae2b4 5ee6b9460d539e8d",
    },
    256: {
        1: "0f4f8333f78e1aa5 64cb99c8cb17f030",
        2: "9f54249e704272d9 627c5cb2b47b02a8",
        16: "0144b35c57128dad 75080e359f10fe64",
    },
}


def test_boxes() -> None:
    assert bytes(S1.data.values[:8]).hex() == "27a3058791018315"
    assert (S1.data.values[0x1FFF], S1.data.values[0x1FFE]) == (0, 1)
    assert S2.data.values[0x7FD:] == (8, 1, 0)
    assert (digest(S1), digest(S2)) == ("c32c07bbefad866e", "4086602627ec74ff")


def test_permutation() -> None:
    """Bits 63, 62, 56, 55 and 0 go to 56, 48, 0, 57 and 7."""
    for source, target in ((63, 56), (62, 48), (56, 0), (55, 57), (0, 7)):
        with tracing():
            assert shown(P(*of_words(f"{1 << source:x}", 64))) == f"{1 << target:016x}"


def test_round_function() -> None:
    with tracing():
        zero, a, b = of_words("0 0123456789abcdef fedcba9876543210", 64)
        assert shown([f(zero, zero), f(a, b)]) == "2d2dd02717ab50d0 33cbca2c57f33a67"


def test_first_words_of_the_key_schedule() -> None:
    """K2 and K1 of a 128-bit key: the arguments change places."""
    with tracing():
        ka, kb = of_words("0001020304050607 08090a0b0c0d0e0f", 64)
        assert shown([f(kb, ka), f(ka, kb)]) == "b99842fd39f2b7d0 729106a8c8baaea5"


@pytest.mark.parametrize("bits", SUBKEYS)
def test_subkeys(bits: int) -> None:
    with tracing():
        subkeys = keys_of(LOKI97, COUNT[: bits // 4])
        assert len(subkeys) == 48
        assert shown([subkeys[n - 1] for n in (1, 2, 3, 48)]) == SUBKEYS[bits]


@pytest.mark.parametrize("bits", ROUNDS)
@pytest.mark.parametrize("count", [1, 2, 16])
def test_rounds(bits: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loki97, "rounds", lambda most: range(count))
    with tracing():
        subkeys = keys_of(LOKI97, COUNT[: bits // 4])
        right, left = LOKI97(bits).encrypt(of_words("0001020304050607 08090a0b0c0d0e0f", 64), subkeys)
        assert shown([left, right]) == ROUNDS[bits][count]
