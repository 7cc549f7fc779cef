"""XTEA (Needham, Wheeler 1997)."""

from finalist.language import BIG, Cipher, Facts, rounds, u32, words

DELTA = 0x9E3779B9


def mixed(v):
    return ((v << 4) ^ (v >> 5)) + v


class XTEA(Cipher):
    """XTEA (Needham, Wheeler 1997): 32 cycles of two Feistel rounds of additions, shifts and XOR."""

    facts = Facts(
        title="XTEA",
        year=1997,
        designers="Roger Needham, David Wheeler",
        structure="Feistel network",
        state="weak",
        analysis="36 of 64 rounds with related keys (Lu, IJIS 2009); a block of 64 bits",
    )
    block = words(2, u32, BIG)
    key_bits = (128,)

    def expand_key(self, key):
        return key

    def encrypt(self, block, k):
        v0, v1 = block
        for r in rounds(32):
            before, after = r * DELTA % 2**32, (r + 1) * DELTA % 2**32
            v0 = v0 + (mixed(v1) ^ k[before & 3] + before)
            v1 = v1 + (mixed(v0) ^ k[after >> 11 & 3] + after)
        return v0, v1

    def decrypt(self, block, k):
        v0, v1 = block
        for r in rounds(31, -1, -1):
            before, after = r * DELTA % 2**32, (r + 1) * DELTA % 2**32
            v1 = v1 - (mixed(v0) ^ k[after >> 11 & 3] + after)
            v0 = v0 - (mixed(v1) ^ k[before & 3] + before)
        return v0, v1
