"""Serpent-1 (Anderson, Biham, Knudsen 1998), in the bitsliced form of the submission's section 5."""

from finalist.language import LITTLE, Cipher, Facts, Table, constant, join, rol, ror, rounds, u8, u32, words

S = [
    Table(values, name=f"S{i}")
    for i, values in enumerate(
        [
            [3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12],
            [15, 12, 2, 7, 9, 0, 5, 10, 1, 11, 14, 8, 6, 13, 3, 4],
            [8, 6, 7, 9, 3, 12, 10, 15, 13, 1, 14, 4, 0, 11, 5, 2],
            [0, 15, 11, 8, 12, 9, 6, 3, 13, 1, 2, 4, 10, 7, 5, 14],
            [1, 15, 8, 3, 12, 0, 11, 6, 2, 5, 4, 10, 9, 14, 7, 13],
            [15, 5, 2, 11, 4, 10, 9, 12, 0, 3, 14, 8, 13, 6, 7, 1],
            [7, 2, 12, 5, 8, 4, 6, 11, 14, 9, 1, 15, 13, 3, 10, 0],
            [1, 13, 15, 0, 14, 8, 2, 11, 7, 4, 12, 10, 9, 3, 5, 6],
        ]
    )
]
S_INV = [table.inverse() for table in S]
PHI = 0x9E3779B9  # the golden ratio's fraction


def linear_transformation(x0, x1, x2, x3):
    x0 = rol(x0, 13)
    x2 = rol(x2, 3)
    x1 = x1 ^ x0 ^ x2
    x3 = x3 ^ x2 ^ (x0 << 3)
    x1 = rol(x1, 1)
    x3 = rol(x3, 7)
    x0 = x0 ^ x1 ^ x3
    x2 = x2 ^ x3 ^ (x1 << 7)
    return rol(x0, 5), x1, rol(x2, 22), x3


def inverse_linear_transformation(x0, x1, x2, x3):
    x2 = ror(x2, 22)
    x0 = ror(x0, 5)
    x2 = x2 ^ x3 ^ (x1 << 7)
    x0 = x0 ^ x1 ^ x3
    x3 = ror(x3, 7)
    x1 = ror(x1, 1)
    x3 = x3 ^ x2 ^ (x0 << 3)
    x1 = x1 ^ x0 ^ x2
    return ror(x0, 13), x1, ror(x2, 3), x3


def add_key(x, k):
    return [a ^ b for a, b in zip(x, k, strict=True)]


class Serpent(Cipher):
    """Serpent-1 (Anderson, Biham, Knudsen 1998): 32 rounds of 32 equal 4-bit S-boxes."""

    facts = Facts(
        title="Serpent",
        year=1998,
        designers="Ross Anderson, Eli Biham, Lars Knudsen",
        structure="substitution-permutation network",
        state="unbroken",
        analysis="12 of 32 rounds (Nguyen, Wu, Wang, ACISP 2011)",
    )
    block = words(4, u32, LITTLE)
    key_bits = range(8, 257, 8)
    key_words = words(1, u8)

    def expand_key(self, key):
        """A key of less than 256 bits has a 1 bit after it, and then zeros."""
        padded = [*key, constant(1, 8), *[constant(0, 8)] * 31][:32]
        w = [join(*padded[n : n + 4]) for n in range(0, 32, 4)]
        for i in range(132):
            w.append(rol(w[i] ^ w[i + 3] ^ w[i + 5] ^ w[i + 7] ^ PHI ^ i, 11))
        prekeys = w[8:]
        return [S[(3 - r) % 8].bitslice(*prekeys[4 * r : 4 * r + 4]) for r in range(33)]

    def encrypt(self, block, K):
        x = block
        for r in rounds(32):
            x = S[r % 8].bitslice(*add_key(x, K[r]))
            if r < 31:
                x = linear_transformation(*x)
        return add_key(x, K[32])

    def decrypt(self, block, K):
        x = add_key(block, K[32])
        for r in rounds(31, -1, -1):
            if r < 31:
                x = inverse_linear_transformation(*x)
            x = add_key(S_INV[r % 8].bitslice(*x), K[r])
        return x
