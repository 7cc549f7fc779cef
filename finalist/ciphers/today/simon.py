"""SIMON (Beaulieu and others 2013), by itself SIMON128.

Bytes are in the order of the designers' implementation guide: the lowest word first, little-endian. The paper
prints the highest first.
"""

from finalist.language import LITTLE, Cipher, Facts, rol, ror, rounds, u16, u24, u32, u48, u64, words

WORDS = {32: u16, 48: u24, 64: u32, 96: u48, 128: u64}
Z = (
    "11111010001001010110000111001101111101000100101011000011100110",
    "10001110111110010011000010110101000111011111001001100001011010",
    "10101111011100000011010010011000101000010001111110010110110011",
    "11011011101011000110010111100000010010001010011100110100001111",
    "11010001111001101011011000100000010111000011001010010011101111",
)
#: Table 3.1: by block and key bits the rounds and which z.
ROUNDS = {
    (32, 64): (32, 0),
    (48, 72): (36, 0),
    (48, 96): (36, 1),
    (64, 96): (42, 2),
    (64, 128): (44, 3),
    (96, 96): (52, 2),
    (96, 144): (54, 3),
    (128, 128): (68, 2),
    (128, 192): (69, 3),
    (128, 256): (72, 4),
}


def f(x):
    return rol(x, 1) & rol(x, 8) ^ rol(x, 2)


class Simon(Cipher):
    """SIMON (Beaulieu and others 2013): a Feistel network of one AND, three rotations and XOR.

    Parameter: ``block_bits``; each block size has its own key lengths.
    """

    facts = Facts(
        title="SIMON",
        year=2013,
        designers="Ray Beaulieu and others (NSA)",
        structure="Feistel network",
        state="unbroken",
        analysis="53 of 72 rounds of SIMON128/256 (Chen, Wang, FSE 2016)",
    )
    parameters = {"block_bits": tuple(WORDS)}
    block_bits = 128
    block = words(2, u64, LITTLE)
    key_bits = (128, 192, 256)

    @classmethod
    def shape(cls):
        n = cls.block_bits
        return {"block": words(2, WORDS[n], LITTLE), "key_bits": tuple(k for b, k in ROUNDS if b == n)}

    @property
    def last(self):
        """The number of rounds."""
        return ROUNDS[self.block_bits, self.key_size][0]

    def expand_key(self, key):
        k, m = list(key), len(key)
        z = Z[ROUNDS[self.block_bits, self.key_size][1]]
        for i in range(self.last - m):
            tmp = ror(k[i + m - 1], 3)
            if m == 4:
                tmp = tmp ^ k[i + 1]
            k.append(~k[i] ^ tmp ^ ror(tmp, 1) ^ int(z[i % 62]) ^ 3)
        return k

    def encrypt(self, block, k):
        y, x = block
        for r in rounds(self.last):
            x, y = y ^ f(x) ^ k[r], x
        return y, x

    def decrypt(self, block, k):
        y, x = block
        for r in rounds(self.last - 1, -1, -1):
            x, y = y, x ^ f(y) ^ k[r]
        return y, x
