"""CRYPTON v1.0 (Lim 1998): version 0.5 with other S-boxes, another key schedule, another shift."""

from finalist.ciphers.crypton_v05 import CryptonV05, P, gamma, mixed, phi, pi, tau
from finalist.language import Facts, Table, constant, join, rol, u8, words

P0 = [15, 14, 10, 1, 11, 5, 8, 13, 9, 3, 2, 7, 0, 6, 4, 12]
P1 = [11, 10, 13, 7, 8, 14, 0, 5, 15, 6, 3, 4, 1, 9, 2, 12]
#: For each bit of the linear layer's result, lowest first, the bits that it is the sum of.
LAYER = [(7, 1), (5, 0, 3), (6, 0), (7, 4, 2), (0, 5, 6), (4, 2), (2, 1, 7), (3, 5)]


def box(x):
    """An involution on bytes: nibble boxes, a linear layer, the inverse nibble boxes."""
    z = P1[x >> 4] << 4 | P0[x & 15]
    w = sum(sum(z >> bit for bit in bits) % 2 << i for i, bits in enumerate(LAYER))
    return P1.index(w >> 4) << 4 | P0.index(w & 15)


def turned(x, n):
    """A byte rotated left by n bits."""
    return (x << n | x >> 8 - n) & 0xFF


S0 = Table([turned(box(x), 1) for x in range(256)], name="S0")
S1 = Table([turned(box(x), 3) for x in range(256)], name="S1")

#: Round constants, of two of version 0.5's: the square roots' fractions of 7, and of 5 for each round.
CE = [(P[2] + r * P[1]) % 2**32 for r in range(13)]
#: Masks of the four words: bytes 0xac, for which the paper gives no reason, rotated by a bit more each.
MC = [turned(0xAC, i) * 0x01010101 for i in range(4)]


def rol_bytes(x, n):
    return join(*(rol(byte, n) for byte in x.bytes()))


class CryptonV1(CryptonV05):
    """CRYPTON v1.0 (Lim 1998): a substitution-permutation network on 4x4 bytes."""

    called = "crypton-v1"
    aliases = ("crypton", "crypton-v1.0")
    facts = Facts(
        title="CRYPTON v1.0",
        year=1998,
        designers="Chae Hoon Lim (Future Systems)",
        structure="substitution-permutation network",
        state="unbroken",
        analysis="6 of 12 rounds of v0.5 (D'Halluin, Bijnens, Rijmen, Preneel, FSE 1999)",
    )
    key_words = words(16, u8)
    S = (S0, S1, S0.inverse("S2"), S1.inverse("S3"))
    d = 2

    def expand_key(self, key):
        """E is the half of the expanded keys that the round uses, F the other."""
        k = [*key, *[constant(0, 8)] * (32 - len(key))]
        U = [join(*k[8 * i : 8 * i + 8 : 2]) for i in range(4)]
        V = [join(*k[8 * i + 1 : 8 * i + 8 : 2]) for i in range(4)]
        E, F = mixed(tau(pi(gamma(U, self.S, 0), 0)), tau(pi(gamma(V, self.S, 2), 2)))
        K = []
        for r in range(13):
            K.append([e ^ (CE[r] ^ mc) for e, mc in zip(E, MC, strict=True)])
            if r % 2 == 0:
                E = [rol(E[1], 24), rol(E[2], 16), rol_bytes(E[3], 6), rol_bytes(E[0], 6)]
            else:
                E = [rol_bytes(E[3], 2), rol_bytes(E[0], 2), rol(E[1], 8), rol(E[2], 16)]
            E, F = F, E
        return [*K[:12], phi(K[12], self.d)]
