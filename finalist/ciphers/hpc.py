"""The Hasty Pudding Cipher's sub-cipher Medium on blocks of 128 bits (Schroeppel 1998)."""

from finalist.language import BIG, Array, Cipher, Facts, loop, rol, rounds, u64, words

PI19 = 3141592653589793238
E19 = 2718281828459045235
R220 = 14142135623730950488
BLOCK_BITS = 128
MEDIUM = 3  # the number of the sub-cipher
ALL = (1 << 64) - 1


def stir(KX, s, i, turn, revised):
    """One step of the stirring function on the eight words of its state."""
    s[0] = s[0] ^ ((KX[i] ^ KX[i + 83]) + KX[s[0]])
    if revised:
        s[2] = s[2] + KX[i]
    s[1] = s[1] + s[0]
    s[3] = s[3] ^ s[2]
    s[5] = s[5] - s[4]
    s[7] = s[7] ^ s[6]
    s[3] = s[3] + (s[0] >> 13)
    s[4] = s[4] ^ (s[1] << 11)
    s[5] = s[5] ^ (s[3] << (s[1] & 31))
    s[6] = s[6] + (s[2] >> 17)
    s[7] = s[7] | (s[3] + s[4])
    s[2] = s[2] - s[5]
    s[0] = s[0] - (s[6] ^ i.extend(64))
    s[1] = s[1] ^ (s[5] + PI19)
    s[2] = s[2] + (s[7] >> turn)
    s[2] = s[2] ^ s[1]
    s[4] = s[4] - s[3]
    s[6] = s[6] ^ s[5]
    s[0] = s[0] + s[7]
    KX[i] = s[2] + s[6]


class HPC(Cipher):
    """HPC-Medium (Schroeppel 1998), first-round key schedule: shifts, sums and words of a large key table.

    Parameter: ``revision``, 1999 for the key schedule of May 1999, which stirs in one word more. Subclasses:
    ``spice``, a second key of eight words, here zero. Sub-ciphers for blocks of other sizes are not here.
    """

    facts = Facts(
        title="HPC",
        year=1998,
        designers="Richard Schroeppel",
        structure="mixing of two words with key words at data-dependent places",
        state="weak",
        analysis="equivalent keys (Wagner, 1999; D'Halluin, Bijnens, Preneel, Rijmen, ASIACRYPT 1999)",
    )
    aliases = ("hasty-pudding",)
    block = words(2, u64, BIG)
    key_bits = (128, 192, 256)
    parameters = {"revision": (1998, 1999)}
    spice = (0,) * 8
    revision = 1998

    def expand_key(self, key):
        """KX, 256 words; places in it wrap around, as an array's do."""
        KX = Array(256, 64)
        KX[0] = PI19 + MEDIUM
        KX[1] = E19 * self.key_size & ALL
        KX[2] = (R220 << 3 | R220 >> 61) & ALL
        for i in loop(3, 256):
            KX[i] = KX[i - 1] + (KX[i - 2] ^ rol(KX[i - 3], 41))
        for w, word in enumerate(key):
            KX[w] = KX[w] ^ word
        s = Array.holding([KX[248 + n] for n in range(8)])
        for turn in range(3):
            for i in loop(0, 256):
                stir(KX, s, i, turn, self.revision >= 1999)
        return KX

    def encrypt(self, block, KX):
        s0, s1 = block[0] + KX[BLOCK_BITS], block[1] + KX[BLOCK_BITS + 1]
        sp = self.spice
        for i in rounds(8):
            k = KX[s0]
            s1 = s1 + k
            s0 = s0 ^ (k << 8)
            s1 = s1 ^ s0
            s0 = ((s0 - (s1 >> 11)) ^ (s1 << 2)) - sp[i ^ 4]
            s0 = s0 + ((s0 << 32) ^ (PI19 + BLOCK_BITS))
            s0 = s0 ^ (s0 >> 17)
            s0 = s0 ^ (s0 >> 34)
            s0 = (s0 ^ sp[i]) + (sp[i] << 5 & ALL)
            s0, s1 = s0 ^ sp[i] >> 4, s1 + (sp[i] >> 4)
            s0 = s0 + (s0 << (22 + (s0 & 31)))
            s0 = s0 ^ (s0 >> 23)
            s0 = s0 - sp[i ^ 7]
            k, kk = KX[s0], KX[(s0 & 255) + 3 * i + 1]
            s1 = s1 ^ k
            s0 = s0 ^ (kk << 8)
            kk = kk ^ k
            s1 = s1 + (kk >> 5)
            s0 = s0 - (kk << 12)
            s0 = s0 ^ (kk & ALL - 255)
            s1 = s1 + s0
            s0 = ((s0 + (s1 << 3)) ^ sp[i ^ 2]) + KX[BLOCK_BITS + 16 + i]
            s0 = s0 + (s0 << 22)
            s0 = (s0 ^ (s1 >> 4)) + sp[i ^ 1]
            s0 = s0 ^ (s0 >> (33 + i))
        return s0 + KX[BLOCK_BITS + 8], s1 + KX[BLOCK_BITS + 9]

    def decrypt(self, block, KX):
        s0, s1 = block[0] - KX[BLOCK_BITS + 8], block[1] - KX[BLOCK_BITS + 9]
        sp = self.spice
        for i in rounds(7, -1, -1):
            s0 = s0 ^ (s0 >> (33 + i))
            s0 = (s0 - sp[i ^ 1]) ^ (s1 >> 4)
            s0 = s0 - ((s0 - (s0 << 22)) << 22)
            s0 = ((s0 - KX[BLOCK_BITS + 16 + i]) ^ sp[i ^ 2]) - (s1 << 3)
            s1 = s1 - s0
            k, kk = KX[s0], KX[(s0 & 255) + 3 * i + 1]  # what follows leaves the low eight bits alone
            m = kk ^ k
            s0 = s0 ^ (m & ALL - 255)
            s0 = s0 + (m << 12)
            s1 = s1 - (m >> 5)
            s0 = s0 ^ (kk << 8)
            s1 = s1 ^ k
            s0 = s0 + sp[i ^ 7]
            s0 = s0 ^ (s0 >> 23) ^ (s0 >> 46)
            n = 22 + (s0 & 31)
            s0 = s0 - ((s0 - (s0 << n)) << n)
            s0, s1 = s0 ^ sp[i] >> 4, s1 - (sp[i] >> 4)
            s0 = (s0 - (sp[i] << 5 & ALL)) ^ sp[i]
            s0 = s0 ^ (s0 >> 17)
            t = s0 - ((s0 << 32) ^ (PI19 + BLOCK_BITS))
            s0 = s0 - ((t << 32) ^ (PI19 + BLOCK_BITS))
            s0 = ((s0 + sp[i ^ 4]) ^ (s1 << 2)) + (s1 >> 11)
            s1 = s1 ^ s0
            k = KX[s0]
            s0 = s0 ^ (k << 8)
            s1 = s1 - k
        return s0 - KX[BLOCK_BITS], s1 - KX[BLOCK_BITS + 1]
