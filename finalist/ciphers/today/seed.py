"""SEED (KISA 1998; RFC 4269)."""

from finalist.ciphers.data import constants
from finalist.language import BIG, Cipher, Facts, Table, join, rounds, u32, words

BOXES = constants("seed")
S1, S2 = Table(BOXES["S1"], name="S1"), Table(BOXES["S2"], name="S2")
M = (0xFC, 0xF3, 0xCF, 0x3F)


def G(x):
    """Section 2.2: the four bytes through S-boxes, and each into all four, by its masks."""
    y = [box[byte] for box, byte in zip((S1, S2, S1, S2), x.bytes(), strict=True)]
    z = [
        y[0] & M[n] ^ y[1] & M[(n + 1) % 4] ^ y[2] & M[(n + 2) % 4] ^ y[3] & M[(n + 3) % 4] for n in range(4)
    ]
    return join(*z)


def F(right, k):
    c, d = right[0] ^ k[0], right[1] ^ k[1]
    d = G(c ^ d)
    c = G(c + d)
    d = G(c + d)
    return c + d, d


def feistel(block, keys, order):
    """Sixteen rounds; the halves are not exchanged after the last."""
    left, right = block[:2], block[2:]
    for r in order:
        f = F(right, keys[r])
        left, right = right, [left[0] ^ f[0], left[1] ^ f[1]]
    return [*right, *left]


class SEED(Cipher):
    """SEED (KISA 1998): a Feistel network of additions and S-boxes."""

    facts = Facts(
        title="SEED",
        year=1998,
        designers="KISA",
        structure="Feistel network",
        state="unbroken",
        analysis="8 of 16 rounds (Sung, Differential cryptanalysis of eight-round SEED, IPL 2011)",
    )
    block = words(4, u32, BIG)
    key_bits = (128,)

    def expand_key(self, key):
        a, b, c, d = key
        keys = []
        for i in range(16):
            kc = (0x9E3779B9 << i | 0x9E3779B9 >> 32 - i) % 2**32
            keys.append([G(a + c - kc), G(b - d + kc)])
            if i % 2 == 0:  # a, b to the right by 8
                a, b = join(a[8:32], b[0:8]), join(b[8:32], a[0:8])
            else:  # c, d to the left by 8
                c, d = join(d[24:32], c[0:24]), join(c[24:32], d[0:24])
        return keys

    def encrypt(self, block, keys):
        return feistel(block, keys, rounds(16))

    def decrypt(self, block, keys):
        return feistel(block, keys, rounds(15, -1, -1))
