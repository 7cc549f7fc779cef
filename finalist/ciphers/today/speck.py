"""SPECK (Beaulieu and others 2013), by itself SPECK128.

Bytes are in the order of the designers' implementation guide: the lowest word first, little-endian. The paper
prints the highest first.
"""

from finalist.language import LITTLE, Cipher, Facts, rol, ror, rounds, u16, u24, u32, u48, u64, words

WORDS = {32: u16, 48: u24, 64: u32, 96: u48, 128: u64}
#: Table 4.1: by block and key bits the rounds.
ROUNDS = {
    (32, 64): 22,
    (48, 72): 22,
    (48, 96): 23,
    (64, 96): 26,
    (64, 128): 27,
    (96, 96): 28,
    (96, 144): 29,
    (128, 128): 32,
    (128, 192): 33,
    (128, 256): 34,
}


class Speck(Cipher):
    """SPECK (Beaulieu and others 2013): two words, changed by addition, rotation and XOR.

    Parameter: ``block_bits``; each block size has its own key lengths.
    """

    facts = Facts(
        title="SPECK",
        year=2013,
        designers="Ray Beaulieu and others (NSA)",
        structure="Feistel-like network of additions, rotations and XOR",
        state="unbroken",
        analysis="25 of 34 rounds of SPECK128/256 (Song, Huang, Yang, ACISP 2016)",
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
        return ROUNDS[self.block_bits, self.key_size]

    @property
    def turns(self):
        """Alpha and beta, by which x and y rotate."""
        return (7, 2) if self.block_bits == 32 else (8, 3)

    def step(self, x, y, k):
        alpha, beta = self.turns
        x = ror(x, alpha) + y ^ k
        return x, rol(y, beta) ^ x

    def step_back(self, x, y, k):
        alpha, beta = self.turns
        y = ror(x ^ y, beta)
        return rol((x ^ k) - y, alpha), y

    def expand_key(self, key):
        k, *l = key
        keys = [k]
        for i in range(self.last - 1):
            new, k = self.step(l[i], k, i)  # the round function itself, keyed with i
            l.append(new)
            keys.append(k)
        return keys

    def encrypt(self, block, keys):
        y, x = block
        for r in rounds(self.last):
            x, y = self.step(x, y, keys[r])
        return y, x

    def decrypt(self, block, keys):
        y, x = block
        for r in rounds(self.last - 1, -1, -1):
            x, y = self.step_back(x, y, keys[r])
        return y, x
