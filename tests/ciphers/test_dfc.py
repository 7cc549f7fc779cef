"""DFC: constants from e, round function, round keys."""

from __future__ import annotations

import pytest

from finalist.ciphers.dfc import DFC, EES, KA, KB, KC, KD, KS, RF, RT, P, digits_of_e
from tests.ciphers.values import digest, keys_of, of_words, same, shown, tracing

COUNT = bytes(range(32)).hex()
#: The eight round keys, a before b, for the first bytes of 00 01 02 ...
ROUND_KEYS = {
    128: (
        "6d2ca47ea4908af117e638843a4cf128 daf1ff46794bb1bbcd9ee185b0079d73 3ee85f585b83efc52af9a99c8fc5c50c"
        " fe7ceda0fed7ebbac012e39b2160ef7b 5b167d7ed081c996e9aa31c8f0037c20 b1b96ff4c0bd6708773eda368ec039f6"
        " 76f9572cb62952b2520db9c7db95bfa1 0d46279b9b3d292f3b466602bd90e0ff"
    ),
    192: (
        "fc3c26c434a816acc91f360e189b9d7d e1347f1df3f19a6c4c54931b5c281641 f658028cdcb32d6da1e75b26dbafafa3"
        " 29ac941c963adff52da2995a99fb2ae9 a09d0bac4519a44fb5ee1560f35b35c6 1747c92e5f26dba299b98b471662deb2"
        " 9874aa0125bbdd283337d2cb95f92fa4 7f210e67016832e7bc360156e0626fa2"
    ),
    256: (
        "7d49b05dda7d96cddf118a65bb9ea4dc bd39c68a82025ea82b3bf1ab31019c0d 0f99ddda1d66e310e5971ec16951aacc"
        " 61bb5f0ae135110d2db611c7e6df429f 4566f6531602a9498cdad53aa6ed8e77 cdaf5a3f46c4172d6c9763a50abdd2c2"
        " d41fa0a6aa7828d9fcd90571c3d0eae6 c62ed3d83b7834f8bc7ee4b1fb5eec67"
    ),
}


def test_constants() -> None:
    """The hexadecimal digits of e - 2."""
    assert digits_of_e(2) == EES[:2] == [0xB7E15162, 0x8AED2A6A]
    assert digits_of_e(300)[:67] == EES
    assert P == 2**64 + 13
    assert RT.data.values[-1] == 0xE67008E1
    assert (KD, KC) == (0x86D1BF275B9B241D, 0xEB64749A)
    assert KA == [0, 0xB7E151628AED2A6A, 0xBF7158809CF4F3C7, 0x62E7160F38B4DA56]
    assert KB == [0, 0xA784D9045190CFEF, 0x324E7738926CFBE5, 0xF4BF8D8D8C31D763]
    assert KS.hex() == "da06c80abb1185eb4f7c7b5757f5958490cfd47d7c19bb42158d9554f7b46bce"
    assert digest(RT, 4) == "f46c54663ae047f2"


def test_round_function() -> None:
    with tracing():
        a, b, x = of_words("0123456789abcdef fedcba9876543210 0f1e2d3c4b5a6978", 64)
        assert shown([RF((a, b), x)]) == "55dd623b1af179d8"


@pytest.mark.parametrize("bits", ROUND_KEYS)
def test_round_keys(bits: int) -> None:
    with tracing():
        found = keys_of(DFC, COUNT[: bits // 4])
        assert [shown(pair).replace(" ", "") for pair in found] == ROUND_KEYS[bits].split()


@pytest.mark.parametrize("size", [1, 5, 16, 23, 31])
def test_shorter_keys_are_padded(size: int) -> None:
    with tracing():
        whole = COUNT[: 2 * size] + KS.hex()[: 64 - 2 * size]
        assert same(keys_of(DFC, COUNT[: 2 * size]), keys_of(DFC, whole))
