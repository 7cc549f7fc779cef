"""Threefish-256, -512 and -1024 (Ferguson and others 2010, in Skein 1.3), by itself Threefish-512."""

from finalist.language import LITTLE, Cipher, Facts, rol, ror, rounds, u64, words

C240 = 0x1BD11BDAA9FC1A22
#: Table 4: rotations of the eight kinds of rounds, a column a pair of words.
ROTATIONS = {
    256: ((14, 16), (52, 57), (23, 40), (5, 37), (25, 33), (46, 12), (58, 22), (32, 32)),
    512: (
        (46, 36, 19, 37),
        (33, 27, 14, 42),
        (17, 49, 36, 39),
        (44, 9, 54, 56),
        (39, 30, 34, 24),
        (13, 50, 10, 17),
        (25, 29, 39, 43),
        (8, 35, 56, 22),
    ),
    1024: (
        (24, 13, 8, 47, 8, 17, 22, 37),
        (38, 19, 10, 55, 49, 18, 23, 52),
        (33, 4, 51, 13, 34, 41, 59, 17),
        (5, 20, 48, 41, 47, 28, 16, 25),
        (41, 9, 37, 31, 12, 47, 44, 30),
        (16, 34, 56, 51, 4, 53, 42, 41),
        (31, 44, 47, 46, 19, 42, 44, 25),
        (9, 48, 35, 52, 23, 31, 37, 20),
    ),
}
#: Table 3: the word that each place takes.
PI = {
    256: (0, 3, 2, 1),
    512: (2, 1, 4, 7, 6, 5, 0, 3),
    1024: (0, 9, 2, 13, 6, 11, 4, 15, 10, 7, 12, 3, 14, 5, 8, 1),
}


class Threefish(Cipher):
    """Threefish (Ferguson and others 2010): additions, rotations and XOR on words of 64 bits, with a tweak.

    Parameter: ``block_bits``, 256, 512 or 1024, which the key has, too.
    """

    facts = Facts(
        title="Threefish",
        year=2010,
        designers="Niels Ferguson and others",
        structure="tweakable substitution-permutation network of additions, rotations and XOR",
        state="unbroken",
        analysis="34 of 72 rounds of Threefish-512 with related keys (Chen, Jia, ISPEC 2010)",
    )
    parameters = {"block_bits": tuple(PI)}
    block_bits = 512
    block = words(8, u64, LITTLE)
    key_bits = (512 + 128,)
    public = words(2, u64, LITTLE)  # the tweak

    @classmethod
    def shape(cls):
        return {"block": words(cls.block_bits // 64, u64, LITTLE), "key_bits": (cls.block_bits + 128,)}

    @property
    def last(self):
        """The number of rounds."""
        return 80 if self.block_bits == 1024 else 72

    def expand_key(self, key, tweak=()):
        """Subkeys, one for every four rounds and a last one."""
        count, parity = len(key), key[0] ^ C240
        for word in key[1:]:
            parity = parity ^ word
        k, t = [*key, parity], [*tweak, tweak[0] ^ tweak[1]]
        subkeys = []
        for s in range(self.last // 4 + 1):
            subkey = [k[(s + i) % (count + 1)] for i in range(count)]
            subkey[-3] = subkey[-3] + t[s % 3]
            subkey[-2] = subkey[-2] + t[(s + 1) % 3]
            subkey[-1] = subkey[-1] + s
            subkeys.append(subkey)
        return subkeys

    def encrypt(self, block, subkeys):
        v = block
        for d in rounds(self.last):
            if d % 4 == 0:
                v = [x + k for x, k in zip(v, subkeys[d // 4], strict=True)]
            f = []
            for j, n in enumerate(ROTATIONS[self.block_bits][d % 8]):
                y = v[2 * j] + v[2 * j + 1]
                f += [y, rol(v[2 * j + 1], n) ^ y]
            v = [f[place] for place in PI[self.block_bits]]
        return [x + k for x, k in zip(v, subkeys[-1], strict=True)]

    def decrypt(self, block, subkeys):
        v = [x - k for x, k in zip(block, subkeys[-1], strict=True)]
        for d in rounds(self.last - 1, -1, -1):
            f = [v[PI[self.block_bits].index(place)] for place in range(len(v))]
            v = []
            for j, n in enumerate(ROTATIONS[self.block_bits][d % 8]):
                x = ror(f[2 * j + 1] ^ f[2 * j], n)
                v += [f[2 * j] - x, x]
            if d % 4 == 0:
                v = [x - k for x, k in zip(v, subkeys[d // 4], strict=True)]
        return v
