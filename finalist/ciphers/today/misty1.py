"""MISTY1 (Matsui 1995; RFC 2994)."""

from finalist.ciphers.data import constants
from finalist.language import BIG, Cipher, Facts, Table, join, rounds, u16, words

BOXES = constants("misty1")
S7, S9 = Table(BOXES["S7"], name="S7"), Table(BOXES["S9"], name="S9")


def FI(x, key):
    """Section 2.3.2, on nine bits and seven; the key is seven bits and nine."""
    nine, seven = x[7:16], x[0:7]
    nine = S9[nine] ^ seven.extend(9)
    seven = S7[seven] ^ nine[0:7]
    seven, nine = seven ^ key[9:16], nine ^ key[0:9]
    nine = S9[nine] ^ seven.extend(9)
    return join(nine, seven)


def FO(x, EK, k):
    t0, t1 = x
    t0 = FI(t0 ^ EK[k], EK[(k + 5) % 8 + 8]) ^ t1
    t1 = FI(t1 ^ EK[(k + 2) % 8], EK[(k + 1) % 8 + 8]) ^ t0
    t0 = FI(t0 ^ EK[(k + 7) % 8], EK[(k + 3) % 8 + 8]) ^ t1
    return t1 ^ EK[(k + 4) % 8], t0


def FL_keys(EK, k):
    if k % 2 == 0:
        return EK[k // 2], EK[(k // 2 + 6) % 8 + 8]
    return EK[(k // 2 + 2) % 8 + 8], EK[(k // 2 + 4) % 8]


def FL(x, EK, k):
    (d0, d1), (first, second) = x, FL_keys(EK, k)
    d1 = d1 ^ d0 & first
    return d0 ^ (d1 | second), d1


def FL_inverse(x, EK, k):
    (d0, d1), (first, second) = x, FL_keys(EK, k)
    d0 = d0 ^ (d1 | second)
    return d0, d1 ^ d0 & first


def xor(x, y):
    return x[0] ^ y[0], x[1] ^ y[1]


class MISTY1(Cipher):
    """MISTY1 (Matsui 1995): a Feistel network whose round function is a network of smaller ones."""

    facts = Facts(
        title="MISTY1",
        year=1995,
        designers="Mitsuru Matsui (Mitsubishi)",
        structure="Feistel network",
        state="broken",
        analysis="all rounds with 2^64 known plaintexts in 2^69.5 (Bar-On, Keller, CRYPTO 2016; Todo,"
        " CRYPTO 2015)",
    )
    block = words(4, u16, BIG)
    key_bits = (128,)

    def expand_key(self, K):
        return [*K, *(FI(K[i], K[(i + 1) % 8]) for i in range(8))]

    def encrypt(self, block, EK):
        D0, D1 = block[:2], block[2:]
        for r in rounds(8):
            if r % 2 == 0:
                D0, D1 = FL(D0, EK, r), FL(D1, EK, r + 1)
                D1 = xor(D1, FO(D0, EK, r))
            else:
                D0 = xor(D0, FO(D1, EK, r))
        return [*FL(D1, EK, 9), *FL(D0, EK, 8)]

    def decrypt(self, block, EK):
        D1, D0 = FL_inverse(block[:2], EK, 9), FL_inverse(block[2:], EK, 8)
        for r in rounds(7, -1, -1):
            if r % 2 == 0:
                D1 = xor(D1, FO(D0, EK, r))
                D0, D1 = FL_inverse(D0, EK, r), FL_inverse(D1, EK, r + 1)
            else:
                D0 = xor(D0, FO(D1, EK, r))
        return [*D0, *D1]
