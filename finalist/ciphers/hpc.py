"""The Hasty Pudding Cipher (Schroeppel 1998): Short, Medium and Long, on blocks of one to eight words."""

from finalist.language import BIG, Array, Cipher, Facts, Table, loop, rol, rounds, u64, words

PI19 = 3141592653589793238
E19 = 2718281828459045235
R220 = 14142135623730950488
ALL = (1 << 64) - 1
#: From the digits of e; a sum with the entry of a word's lowest four bits permutes these.
DIGITS = """B7E151628AED2A6A BF7158809CF4F3C7 62E7160F38B4DA56 A784D9045190CFEF
            324E7738926CFBE5 F4BF8D8D8C31D763 DA06C80ABB1185EB 4F7C7B5757F59584
            90CFD47D7C19BB42 158D9554F7B46BCE 8A9A276BCFBFA1C8 E5AB6ADD835FD1A0
            86D1BF275B9B241D F0D3D37BE67008E1 0FF8EC6D31BEB5CC EB64749A47DFDFB9"""
PERMB = [int(digits, 16) - n & ALL for n, digits in enumerate(DIGITS.split())]
Permb = Table(PERMB, width=64, name="Permb")
Permbi = Table(sorted(PERMB, key=lambda entry: entry + PERMB.index(entry) & 15), width=64, name="Permbi")


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


def mixed_short(s, KX, sp, i, bits):
    """A round of HPC-Short on 64 bits: LBH, LBQ, LBT and GAP of the specification are 32, 16, 22 and 0."""
    (s0,) = s
    k = KX[s0] + sp[i]
    s0 = (s0 + (k << 8)) ^ (k & ALL - 255)
    s0 = (s0 + (s0 << (32 + i))) ^ sp[i ^ 7]
    s0 = s0 - (sp[i ^ 7] >> i) + (sp[i ^ 7] >> 13)
    s0 = s0 ^ (s0 >> 32)
    k = KX[s0] ^ sp[i ^ 4]
    k = KX[(s0 & 255) + 3 * i + 1] + (k >> 23) + (k << 41)
    s0 = (s0 ^ (k << 8)) - (k & ALL - 255)
    s0 = s0 - (s0 << 32)
    t = sp[i ^ 1] ^ (PI19 + bits)
    s0 = ((s0 + (t << 3 & ALL)) ^ t >> 2) - t
    s0 = s0 ^ (s0 >> 16)
    s0 = (s0 + Permb[s0[0:4]]) ^ sp[i ^ 2] >> 4
    s0 = s0 + (s0 << (22 + (s0 & 15))) + sp[i ^ 2]
    return (s0 ^ (s0 >> 32),)


def unmixed_short(s, KX, sp, i, bits):
    (s0,) = s
    s0 = (s0 ^ (s0 >> 32)) - sp[i ^ 2]
    n = 22 + (s0 & 15)
    s0 = s0 - ((s0 - (s0 << n)) << n)
    s0 = s0 ^ sp[i ^ 2] >> 4
    s0 = s0 - Permbi[s0[0:4]]
    s0 = s0 ^ (s0 >> 16) ^ (s0 >> 32) ^ (s0 >> 48)
    t = sp[i ^ 1] ^ (PI19 + bits)
    s0 = ((s0 + t) ^ t >> 2) - (t << 3 & ALL)
    s0 = s0 + (s0 << 32)
    k = KX[s0] ^ sp[i ^ 4]
    k = KX[(s0 & 255) + 3 * i + 1] + (k >> 23) + (k << 41)
    s0 = (s0 + (k & ALL - 255)) ^ (k << 8)
    s0 = s0 ^ (s0 >> 32)
    s0 = (s0 - (sp[i ^ 7] >> 13) + (sp[i ^ 7] >> i)) ^ sp[i ^ 7]
    s0 = s0 - (s0 << (32 + i))
    k = KX[s0] + sp[i]
    return ((s0 ^ (k & ALL - 255)) - (k << 8),)


def mixed_medium(s, KX, sp, i, bits):
    """A round of HPC-Medium on 128 bits."""
    s0, s1 = s
    k = KX[s0]
    s1 = s1 + k
    s0 = s0 ^ (k << 8)
    s1 = s1 ^ s0
    s0 = ((s0 - (s1 >> 11)) ^ (s1 << 2)) - sp[i ^ 4]
    s0 = s0 + ((s0 << 32) ^ (PI19 + bits))
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
    s0 = ((s0 + (s1 << 3)) ^ sp[i ^ 2]) + KX[bits + 16 + i]
    s0 = s0 + (s0 << 22)
    s0 = (s0 ^ (s1 >> 4)) + sp[i ^ 1]
    s0 = s0 ^ (s0 >> (33 + i))
    return s0, s1


def unmixed_medium(s, KX, sp, i, bits):
    s0, s1 = s
    s0 = s0 ^ (s0 >> (33 + i))
    s0 = (s0 - sp[i ^ 1]) ^ (s1 >> 4)
    s0 = s0 - ((s0 - (s0 << 22)) << 22)
    s0 = ((s0 - KX[bits + 16 + i]) ^ sp[i ^ 2]) - (s1 << 3)
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
    t = s0 - ((s0 << 32) ^ (PI19 + bits))
    s0 = s0 - ((t << 32) ^ (PI19 + bits))
    s0 = ((s0 + sp[i ^ 4]) ^ (s1 << 2)) + (s1 >> 11)
    s1 = s1 ^ s0
    k = KX[s0]
    s0 = s0 ^ (k << 8)
    s1 = s1 - k
    return s0, s1


def spread(s):
    """s0 to s7 of HPC-Long: the last word of a block is s7, those before it are s0, s1, s2 and on."""
    return [*s[:-1], *[None] * (8 - len(s)), s[-1]]


def mixed_long(s, KX, sp, i, bits):
    """A round of HPC-Long on 192 to 512 bits."""
    s0, s1, s2, s3, s4, s5, s6, s7 = spread(s)
    k, kk = KX[s0], KX[(s0 & 255) + 3 * i + 1]
    s1 = s1 + k
    s0 = s0 ^ (kk << 8)
    kk = kk ^ k
    s1 = s1 + (kk >> 5)
    s0 = s0 - (kk << 12)
    s7 = (s7 + kk) ^ s0
    s1 = (s1 + s7) ^ (s7 << 13)
    s0 = s0 - (s7 >> 11) + sp[i]
    s1 = s1 ^ sp[i ^ 1]
    s0 = s0 + (s1 << (9 + i))
    s1 = s1 + ((s0 >> 3) ^ (PI19 + bits))
    s0 = (s0 ^ (s1 >> 4)) + sp[i ^ 2]
    s1 = ((s1 + sp[i ^ 4]) ^ sp[i ^ 4] >> 3) - (sp[i ^ 4] << 5 & ALL)
    s0 = s0 ^ s1
    if bits > 448:
        s6 = (s6 + s0) ^ (s3 << 11)
        s1 = s1 + (s6 >> 13)
        s6 = s6 + (s5 << 7)
        s4 = s4 ^ s6
    if bits > 384:
        s5 = (s5 ^ s1) + (s4 << 15)
        s0 = s0 - (s5 >> 7)
        s5 = s5 ^ (s3 >> 9)
        s2 = s2 ^ s5
    if bits > 320:
        s4 = (s4 - s2) ^ (s1 >> 10)
        s0 = s0 ^ (s4 << 3)
        s4 = s4 - (s2 << 6)
        s3 = s3 + s4
    if bits > 256:
        s3 = (s3 ^ s2) - (s0 >> 7)
        s2 = s2 ^ (s3 << 15)
        s3 = s3 ^ (s1 << 5)
        s1 = s1 + s3
    if bits > 192:
        s2 = (s2 ^ s1) + (s0 << 13)
        s1 = s1 - (s2 >> 5)
        s2 = s2 - (s1 >> 8)
        s0 = s0 ^ s2
    s1 = s1 ^ KX[bits + 17 + 32 * i & 255]
    s1 = s1 + (s0 << 19)
    s0 = s0 - (s1 >> 27)
    s1 = s1 ^ sp[i ^ 7]
    s7 = s7 - s1
    s0 = s0 + (s1 & s1 >> 5)
    s1 = s1 ^ (s0 >> (s0 & 31))
    s0 = s0 ^ KX[s1]
    return s0, s1, *(s2, s3, s4, s5, s6)[: len(s) - 3], s7


def unmixed_long(s, KX, sp, i, bits):
    s0, s1, s2, s3, s4, s5, s6, s7 = spread(s)
    s0 = s0 ^ KX[s1]
    s1 = s1 ^ (s0 >> (s0 & 31))
    s0 = s0 - (s1 & s1 >> 5)
    s7 = s7 + s1
    s1 = s1 ^ sp[i ^ 7]
    s0 = s0 + (s1 >> 27)
    s1 = s1 - (s0 << 19)
    s1 = s1 ^ KX[bits + 17 + 32 * i & 255]
    if bits > 192:
        s0 = s0 ^ s2
        s2 = s2 + (s1 >> 8)
        s1 = s1 + (s2 >> 5)
        s2 = (s2 - (s0 << 13)) ^ s1
    if bits > 256:
        s1 = s1 - s3
        s3 = s3 ^ (s1 << 5)
        s2 = s2 ^ (s3 << 15)
        s3 = (s3 + (s0 >> 7)) ^ s2
    if bits > 320:
        s3 = s3 - s4
        s4 = s4 + (s2 << 6)
        s0 = s0 ^ (s4 << 3)
        s4 = (s4 ^ (s1 >> 10)) + s2
    if bits > 384:
        s2 = s2 ^ s5
        s5 = s5 ^ (s3 >> 9)
        s0 = s0 + (s5 >> 7)
        s5 = (s5 - (s4 << 15)) ^ s1
    if bits > 448:
        s4 = s4 ^ s6
        s6 = s6 - (s5 << 7)
        s1 = s1 - (s6 >> 13)
        s6 = (s6 ^ (s3 << 11)) - s0
    s0 = s0 ^ s1
    s1 = ((s1 + (sp[i ^ 4] << 5 & ALL)) ^ sp[i ^ 4] >> 3) - sp[i ^ 4]
    s0 = (s0 - sp[i ^ 2]) ^ (s1 >> 4)
    s1 = s1 - ((s0 >> 3) ^ (PI19 + bits))
    s0 = s0 - (s1 << (9 + i))
    s1 = s1 ^ sp[i ^ 1]
    s0 = s0 - sp[i] + (s7 >> 11)
    s1 = (s1 ^ (s7 << 13)) - s7
    k, kk = KX[s0], KX[(s0 & 255) + 3 * i + 1]  # the low eight bits are those of before
    s7 = (s7 ^ s0) - (kk ^ k)
    s0 = s0 + ((kk ^ k) << 12)
    s1 = s1 - ((kk ^ k) >> 5)
    s0 = s0 ^ (kk << 8)
    s1 = s1 - k
    return s0, s1, *(s2, s3, s4, s5, s6)[: len(s) - 3], s7


#: By the number of a sub-cipher its round and the way back.
SUB_CIPHERS = {
    2: (mixed_short, unmixed_short),
    3: (mixed_medium, unmixed_medium),
    4: (mixed_long, unmixed_long),
}


class HPC(Cipher):
    """HPC (Schroeppel 1998), first-round key schedule: shifts, sums and words of a large key table.

    ``block_bits``: up to 64 is HPC-Short, to 128 Medium, to 512 Long; sizes that are no whole words, Tiny and
    Extended are not here. ``revision`` 1999 (May 1999) stirs in one word more; ``spice``, zero here, is a key
    without set-up.
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
    parameters = {"revision": (1998, 1999), "block_bits": tuple(range(64, 513, 64))}
    spice = (0,) * 8
    revision = 1998
    block_bits = 128

    @classmethod
    def shape(cls):
        return {"block": words(cls.block_bits // 64, u64, BIG)}

    @property
    def sub_cipher(self):
        """Its number."""
        return 2 if self.block_bits <= 64 else 3 if self.block_bits <= 128 else 4

    def places(self, first):
        """The words of KX that are added to a block; Long's last word is s7, whatever there is between."""
        count = self.block_bits // 64
        return [self.block_bits + first + n & 255 for n in (*range(count - 1), 7 if count > 2 else count - 1)]

    def expand_key(self, key):
        """KX, 256 words; places in it wrap around, as an array's do."""
        KX = Array(256, 64)
        number = self.sub_cipher
        KX[0] = PI19 + number
        KX[1] = E19 * self.key_size & ALL
        KX[2] = (R220 << number | R220 >> 64 - number) & ALL
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
        mixed, _ = SUB_CIPHERS[self.sub_cipher]
        s = [word + KX[place] for word, place in zip(block, self.places(0), strict=True)]
        for i in rounds(8):
            s = mixed(s, KX, self.spice, i, self.block_bits)
        return [word + KX[place] for word, place in zip(s, self.places(8), strict=True)]

    def decrypt(self, block, KX):
        _, unmixed = SUB_CIPHERS[self.sub_cipher]
        s = [word - KX[place] for word, place in zip(block, self.places(8), strict=True)]
        for i in rounds(7, -1, -1):
            s = unmixed(s, KX, self.spice, i, self.block_bits)
        return [word - KX[place] for word, place in zip(s, self.places(0), strict=True)]
